package v1_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store/storetest"
)

// another serves the routes as another process would.
func (b *bundle) another(t testing.TB) {
	t.Helper()
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, storetest.Open(t, b.databaseURL))
}

// cutter forwards the traffic of a database until it is told to cut.
type cutter struct {
	server string
	// the connection breaks before or after the database receives the next COMMIT
	before, after atomic.Bool
	conns         sync.WaitGroup
}

// startCutter returns a cutter and the URL of the database through it.
func startCutter(t testing.TB, databaseURL string) (*cutter, string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	check(t, err)
	c := &cutter{server: u.Host}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() {
		_ = listener.Close()
		c.conns.Wait()
	})
	c.conns.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			c.conns.Go(func() { c.pass(client) })
		}
	})
	u.Host = listener.Addr().String()
	return c, u.String()
}

func (c *cutter) pass(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", c.server)
	if err != nil {
		return
	}
	var cut atomic.Bool
	answers := make(chan struct{})
	go func() {
		defer close(answers)
		defer func() { _ = client.Close() }()
		c.passAnswers(client, server, &cut)
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if bytes.Contains(bytes.ToLower(buffer[:n]), []byte("commit\x00")) {
			if c.before.CompareAndSwap(true, false) {
				break
			}
			cut.Store(c.after.CompareAndSwap(true, false))
		}
		if n > 0 {
			_, _ = server.Write(buffer[:n])
		}
		if err != nil {
			break
		}
	}
	if !cut.Load() {
		_ = server.Close()
	}
	<-answers
	_ = server.Close()
}

// passAnswers ends when the database has answered what was to be cut.
func (c *cutter) passAnswers(client io.Writer, server io.Reader, cut *atomic.Bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if err != nil || cut.Load() {
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// TestCommitWithoutWord breaks the connection to the database around the commit of a creation, so
// that the process cannot know its outcome. The repetition finds out.
func TestCommitWithoutWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		cut       func(*cutter) *atomic.Bool
		committed int
		replayed  string
	}{
		{"committed", func(c *cutter) *atomic.Bool { return &c.after }, 1, "true"},
		{"not committed", func(c *cutter) *atomic.Bool { return &c.before }, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			c, through := startCutter(t, b.databaseURL)
			b.registry = prometheus.NewRegistry()
			b.startAPI(t, storetest.Open(t, through))
			a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
			cut := tt.cut(c)
			cut.Store(true)
			b.attempt(t, a).wantNew(t, http.StatusServiceUnavailable)
			if cut.Load() {
				t.Fatal("the connection was not cut")
			}
			if n := b.integrations(t); n != tt.committed {
				t.Fatalf("%d integrations, want %d", n, tt.committed)
			}
			r := b.attempt(t, a).want(t, http.StatusCreated)
			if got := r.header.Get("Idempotent-Replayed"); got != tt.replayed {
				t.Errorf("Idempotent-Replayed %q, want %q", got, tt.replayed)
			}
			b.attempt(t, a).want(t, http.StatusCreated)
			if n := b.integrations(t); n != 1 {
				t.Errorf("%d integrations, want 1", n)
			}
		})
	}
}
