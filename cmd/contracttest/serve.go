package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/host"
)

// grace is how long requests may take to finish during shutdown.
const grace = 3 * time.Second

// ready is the content of the ready file.
type ready struct {
	BaseURL string `json:"base_url"`
	APIKey  string `json:"api_key"`
	CAFile  string `json:"ca_file"`
}

// runServe runs a platform until the context is canceled.
func runServe(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f, err := parseServe(args, stdout)
	if err != nil {
		return err
	}
	kind, err := kindOf(f.kind)
	if err != nil {
		return err
	}
	if f.listFaults {
		printFaults(stdout, kind.faults())
		return nil
	}
	if f.readyFile != "" {
		if err := os.Remove(f.readyFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the previous ready file: %w", err)
		}
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil { //nolint:gosec // clients of other users read the CA file
		return err
	}
	now := time.Now()
	kept, err := openState(f, now)
	if err != nil {
		return err
	}
	key, keyFile, err := openKey(f)
	if err != nil {
		return err
	}
	identity, fresh, err := openIdentity(f.dir, f.certificateHosts(), now)
	if err != nil {
		return err
	}
	listener, err := openListener(ctx, f.listen, kept.Address)
	if err != nil {
		return fmt.Errorf("--listen: %w: give an address and a port that are free", err)
	}
	defer func() { _ = listener.Close() }() // the server closes it, too
	platform, records, err := f.simulatePlatform(kind, &kept.World, key, stderr)
	if err != nil {
		return err
	}
	server, err := host.Serve(listener, identity, platform, key)
	if err != nil {
		return err
	}
	err = announceServer(f, kind, kept, &served{server, records, keyFile, fresh}, stdout)
	if err == nil {
		err = awaitEnd(ctx, server)
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err = errors.Join(err, server.Shutdown(stopping))
	if f.readyFile != "" {
		_ = os.Remove(f.readyFile) // the next start removes it, too
	}
	return err
}

// awaitEnd blocks until the context is canceled or the server stops by itself.
func awaitEnd(ctx context.Context, server *host.Server) error {
	stopped := make(chan error, 1)
	go func() { stopped <- server.Wait() }()
	select {
	case <-ctx.Done():
		return nil
	case err := <-stopped:
		return err
	}
}

// simulatePlatform generates the world and switches on the faults given by flags.
func (f *serveFlags) simulatePlatform(kind kind, w *world, key string, stderr io.Writer) (p platform, records string, err error) {
	var report func(fault.RequestInfo)
	if f.logRequests {
		report = requestLog(slog.New(slog.NewTextHandler(stderr, nil)))
	}
	if p, records, err = kind.simulate(w, key, report); err != nil {
		return nil, "", err
	}
	return p, records, setFaults(p, f.faults)
}

// requestLog logs requests. It omits headers, because they hold the key.
func requestLog(log *slog.Logger) func(fault.RequestInfo) {
	return func(r fault.RequestInfo) {
		log.Info("request", "method", r.Method, "path", r.Path, "query", r.RawQuery, "status", r.Status,
			"response_bytes", r.ResponseBytes, "duration", r.Duration, "faults", strings.Join(r.Faults, " "))
	}
}

// served is a running platform.
type served struct {
	*host.Server
	records string // how many there are, for people
	keyFile string // empty for --key
	fresh   bool   // the certificate is new
}

// announceServer saves the state, writes the ready file and prints what to do next.
func announceServer(f *serveFlags, kind kind, kept *state, server *served, stdout io.Writer) error {
	address := strings.TrimPrefix(server.URL, "https://")
	kept.Address = address
	if err := kept.save(f.dir); err != nil {
		return err
	}
	caFile, err := filepath.Abs(filepath.Join(f.dir, "ca.pem"))
	if err != nil {
		return err
	}
	baseURL := f.baseURL(address)
	if f.readyFile != "" {
		//nolint:gosec // the file is there to hand out the key, to its owner alone
		text, err := json.MarshalIndent(ready{BaseURL: baseURL, APIKey: server.Key, CAFile: caFile}, "", "  ")
		if err != nil {
			return err
		}
		if err := writeFile(f.readyFile, append(text, '\n'), secret); err != nil {
			return err
		}
	}
	keyFile, authorization := server.keyFile, `$(cat "`+server.keyFile+`")`
	if keyFile == "" {
		authorization, keyFile = "KEY", "as given"
	}
	note := ""
	if server.fresh {
		note = " (new)"
	}
	_, err = fmt.Fprintf(stdout, `base URL   %s
API key    %s
CA file    %s%s
records    %s
world      seed %d, started %s, speed %v
try        curl --cacert "%s" -H "Authorization: Bearer %s" "%s%s"
`, baseURL, keyFile, caFile, note, server.records,
		kept.World.Seed, kept.World.Start.Format(time.RFC3339), kept.World.Speed, caFile, authorization, baseURL, kind.try)
	return err
}

// certificateHosts returns the hosts given by flags, including the one to listen on.
func (f *serveFlags) certificateHosts() []string {
	host, _, _ := net.SplitHostPort(f.listen) // validated
	if ip := net.ParseIP(host); host == "" || ip != nil && (ip.IsUnspecified() || ip.IsLoopback()) {
		return f.hosts
	}
	return append([]string{host}, f.hosts...)
}

// baseURL returns the URL for clients: the address that the server listens on or, if that covers
// all addresses of the machine, a host of the certificate.
func (f *serveFlags) baseURL(address string) string {
	host, port, _ := net.SplitHostPort(address) // a listener's address always has a host and a port
	asked, _, _ := net.SplitHostPort(f.listen)
	switch ip := net.ParseIP(host); {
	case ip != nil && ip.IsUnspecified() && len(f.hosts) > 0:
		host = f.hosts[0]
	case ip != nil && ip.IsUnspecified():
		host = "localhost"
	case asked != "" && net.ParseIP(asked) == nil:
		host = asked
	}
	return "https://" + net.JoinHostPort(host, port)
}

// openListener opens the address. For port 0 it first tries the port of the previous run, so that
// clients find the platform again.
func openListener(ctx context.Context, address, last string) (net.Listener, error) {
	var config net.ListenConfig
	host, port, _ := net.SplitHostPort(address) // validated
	if _, lastPort, err := net.SplitHostPort(last); err == nil && port == "0" {
		if listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, lastPort)); err == nil {
			return listener, nil
		}
	}
	return config.Listen(ctx, "tcp", address)
}
