package connectortest

import (
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store/seal"
)

// apiKey is the key of every Platform.
const apiKey = "platform-key-1234567890"

// Platform is a platform over TLS on this machine.
type Platform struct {
	// Client trusts the platform's certificate and may call its address.
	Client *fetch.Client

	server   *httptest.Server
	mu       sync.Mutex
	answer   func(*http.Request) Answer
	requests []string
}

// NewPlatform starts a platform that ends with the test. answer is called for one
// request at a time, with or without the key (see Known).
func NewPlatform(t testing.TB, answer func(*http.Request) Answer) *Platform {
	t.Helper()
	p := &Platform{answer: answer}
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.server.StartTLS()
	t.Cleanup(p.server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(p.server.Certificate())
	p.Client = fetch.New(fetch.Options{
		AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: roots,
		RequestsPerSecond: 1000, // no test is about the budget
		Backoff:           time.Millisecond,
	})
	t.Cleanup(p.Client.Close)
	return p
}

// Config returns a connector's configuration for the platform. path follows its
// origin.
func (p *Platform) Config(path string) connectors.Config {
	return connectors.Config{BaseURL: p.server.URL + path, APIKey: seal.NewSecret(apiKey)}
}

// Close makes the platform unreachable.
func (p *Platform) Close() { p.server.Close() }

// Seen returns the requests so far: method, target and Accept, then what a correct
// request does not have: "anonymous" without the key, and a body.
func (p *Platform) Seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}

// Known reports whether the request carries the platform's key.
func Known(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+apiKey }

func (p *Platform) serve(w http.ResponseWriter, r *http.Request) {
	a := p.recordRequest(r)
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body)
}

// recordRequest records the request and finds its answer.
func (p *Platform) recordRequest(r *http.Request) Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	anonymous := ""
	if !Known(r) {
		anonymous = "anonymous"
	}
	body, _ := io.ReadAll(r.Body)
	line := fmt.Sprintf("%s %s %s %s%s", r.Method, r.URL.RequestURI(), r.Header.Get("Accept"), anonymous, body)
	p.requests = append(p.requests, strings.TrimSpace(line))
	return p.answer(r)
}
