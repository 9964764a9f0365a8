// Package receiver is the webhook receiver of `make run`. It checks the signature of each event
// that assay sends, prints the event, and shows the latest ones at its address. It is also an
// example of how little a receiver has to do.
package receiver

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Path is where events are taken.
const Path = "/webhooks"

const (
	shown   = 100      // events that are kept in memory
	maxBody = 64 << 10 // as much as an event may have
)

// received is an event that came, as it is shown.
type received struct {
	ReceivedAt time.Time       `json:"received_at"`
	Verified   bool            `json:"verified"`           // the signature is right
	Problem    string          `json:"problem,omitempty"`  // why not
	Event      json.RawMessage `json:"event"`              // the body; null when it is not JSON
	Type       string          `json:"type"`               // of the event
	Sequence   int64           `json:"sequence,omitempty"` // among the endpoint's events, without gaps
}

// Receiver takes events at Path and shows them at any other path.
type Receiver struct {
	secretFile string // read for each event, because it is written and rotated later
	out        io.Writer

	mu   sync.Mutex
	list []received // the newest last
}

// New returns a receiver that prints what comes to out.
func New(secretFile string, out io.Writer) *Receiver {
	return &Receiver{secretFile: secretFile, out: out}
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	switch {
	case q.Method == http.MethodPost && q.URL.Path == Path:
		r.receiveEvent(w, q)
	case q.Method == http.MethodGet:
		r.showEvents(w)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// receiveEvent answers 204 when the signature is right, and 400 otherwise, which makes
// assay try again later.
func (r *Receiver) receiveEvent(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, maxBody))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	secret, err := os.ReadFile(r.secretFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	now := time.Now()
	got := received{ReceivedAt: now.UTC()}
	if json.Unmarshal(body, &got) == nil {
		got.Event = body
	}
	got.ReceivedAt, got.Verified, got.Problem = now.UTC(), true, ""
	status := http.StatusNoContent
	if err := Verify(strings.TrimSpace(string(secret)), q.Header, body, now); err != nil {
		got.Verified, got.Problem, status = false, err.Error(), http.StatusBadRequest
	}
	r.recordEvent(got)
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		_, _ = io.WriteString(w, got.Problem+"\n") // the history shows it
	}
}

// recordEvent keeps and prints what came.
func (r *Receiver) recordEvent(got received) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, got)
	if len(r.list) > shown {
		r.list = slices.Clone(r.list[len(r.list)-shown:])
	}
	line, _ := json.Marshal(got) // it consists of JSON
	_, _ = fmt.Fprintln(r.out, string(line))
}

// showEvents answers with the latest events, the newest first.
func (r *Receiver) showEvents(w http.ResponseWriter) {
	r.mu.Lock()
	list := slices.Clone(r.list)
	r.mu.Unlock()
	slices.Reverse(list)
	if list == nil {
		list = []received{}
	}
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(list) // whoever asked has gone
}

// Run is the program: it serves until ctx ends.
func Run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("receiver", flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:0", "address to listen at")
	dir := flags.String("dir", "", "folder of the certificate, made when it is not there")
	secretFile := flags.String("secret-file", "", "file that holds the endpoint's signing secret")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cert, err := loadCertificate(*dir)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: New(*secretFile, out), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // who does not trust it says so
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
