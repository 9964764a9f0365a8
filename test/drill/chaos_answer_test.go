package drill_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/test/deploytest"
)

// TestChaosAnswerLost kills apiserver after the database has committed a creation, and
// before apiserver knows. The client sends the request again, with the same
// Idempotency-Key, to the apiserver that is started next.
func TestChaosAnswerLost(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes again and again")
	}
	chaostest.Fault{Name: "kill -9 between commit and answer", Small: 4, Large: 1000, Width: 4}.Each(t, func(t *testing.T, r *chaostest.Run) {
		database := storetest.URL(t)
		proxy := forward(t, database)
		d := deploytest.New(t, deploytest.Options{Database: proxy.of(t, database)})
		d.Bootstrap(t)
		conn := storetest.Conn(t, database)
		victim := d.Start(t, "apiserver")
		trader := d.Call(t, http.MethodPost, "/v1/traders", `{"full_name": "Zoe Miller"}`, http.StatusCreated)["id"].(string)
		marker := fmt.Sprintf("marker-%d", r.Uint64())
		c := creations(trader, marker)[r.IntN(5)]
		count := func() (n int) {
			check(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM `+c.table).Scan(&n))
			return n
		}
		before := count()
		proxy.lose(marker, func() { _ = victim.Cmd.Process.Kill() })
		if status, _, text := create(t, d, c, marker); status != 0 {
			t.Fatalf("POST %s was answered, with %d %s", c.path, status, text)
		}
		at := time.Now()
		victim.Wait()
		if n := count(); n != before+1 {
			t.Fatalf("%d rows of %s were committed, want one", n-before, c.table)
		}
		d.Start(t, "apiserver")
		status, replayed, text := create(t, d, c, marker)
		r.TookOver(time.Since(at))
		if status != http.StatusCreated || !replayed {
			t.Fatalf("POST %s again: %d %s, replayed: %t", c.path, status, text, replayed)
		}
		if again, _, same := create(t, d, c, marker); again != status || !bytes.Equal(text, same) {
			t.Errorf("POST %s for a third time: %d %s", c.path, again, same)
		}
		var known bool
		check(t, conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM `+c.table+` WHERE strpos($1, id::text) > 0)`, string(text)).Scan(&known))
		if n := count(); n != before+1 || !known {
			t.Errorf("%d rows of %s were made, the answer's is one: %t", n-before, c.table, known)
		}
	})
}

// creation is a request that makes a row of a table.
type creation struct{ path, body, table string }

// creations lists the requests, in each of which the marker stands.
func creations(trader, marker string) []creation {
	return []creation{
		{"/v1/traders", fmt.Sprintf(`{"full_name": %q}`, marker), "traders"},
		{"/v1/traders/" + trader + "/notes", fmt.Sprintf(`{"body": %q}`, marker), "trader_notes"},
		{"/v1/api-keys", fmt.Sprintf(`{"name": %q, "scopes": ["traders:read"]}`, marker), "api_keys"},
		{"/v1/webhooks", fmt.Sprintf(`{"url": "https://127.0.0.1:1/%s", "events": ["*"]}`, marker), "webhook_endpoints"},
		{"/v1/interviews", fmt.Sprintf(`{"trader": {"full_name": %q, "email": "zoe@example.com"}, "auto_questions": 0}`, marker), "interviews"},
	}
}

// create sends the request. The status is 0 if there is no answer.
func create(t *testing.T, d *deploytest.Deployment, c creation, key string) (status int, replayed bool, answer []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL+c.path, strings.NewReader(c.body))
	check(t, err)
	for name, value := range map[string]string{"Authorization": "Bearer " + d.Key, "Content-Type": "application/json", "Idempotency-Key": key} {
		req.Header.Set(name, value)
	}
	req.GetBody, req.Close = nil, true // the client must not repeat it by itself
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, false, nil
	}
	defer func() { _ = res.Body.Close() }()
	answer, err = io.ReadAll(res.Body)
	check(t, err)
	return res.StatusCode, res.Header.Get("Idempotent-Replayed") == "true", answer
}

// forwarder is a proxy in front of the database that can lose the answer to a commit.
type forwarder struct {
	address, server string
	conns           sync.WaitGroup
	loss            atomic.Pointer[loss]
}

// loss is an answer that is lost.
type loss struct {
	marker []byte // in a statement of the transaction
	then   func() // called when the database has committed
}

// forward starts a proxy in front of the database's server.
func forward(t *testing.T, database string) *forwarder {
	t.Helper()
	u, err := url.Parse(database)
	check(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	f := &forwarder{address: listener.Addr().String(), server: u.Host}
	f.conns.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			f.conns.Go(func() { f.pass(client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		f.conns.Wait()
	})
	return f
}

// of returns the URL of the database through the proxy.
func (f *forwarder) of(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	check(t, err)
	u.Host = f.address
	return u.String()
}

// lose loses the answer to the next commit of a transaction with the marker.
func (f *forwarder) lose(marker string, then func()) { f.loss.Store(&loss{[]byte(marker), then}) }

// pass forwards a connection until either side ends it.
func (f *forwarder) pass(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", f.server)
	if err != nil {
		return
	}
	var marked atomic.Bool
	answers := make(chan struct{})
	go func() {
		defer close(answers)
		defer func() { _ = client.Close() }()
		copyUntil(client, server, func(b []byte) bool {
			l := f.loss.Load()
			if l == nil || !marked.Load() || !bytes.Contains(b, []byte("COMMIT\x00")) || !f.loss.CompareAndSwap(l, nil) {
				return true
			}
			l.then()
			return false
		})
	}()
	copyUntil(server, client, func(b []byte) bool {
		if l := f.loss.Load(); l != nil && bytes.Contains(b, l.marker) {
			marked.Store(true)
		}
		return true
	})
	_ = server.Close()
	<-answers
}

// copyUntil copies until either side ends, or may says that nothing more may pass.
func copyUntil(to io.Writer, from io.Reader, may func([]byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !may(buffer[:n]) {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
