package deliver_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/syncd/deliver"
)

// badReceiver is an endpoint that misbehaves.
type badReceiver struct {
	name   string
	serve  http.HandlerFunc
	config *tls.Config
	trust  bool // the client trusts the certificate
	status int  // the recorded status; 0 when there is none
	code   string
	want   webhooks.DeliveryStatus
}

// endless writes until the client closes the connection.
func endless(w io.Writer) {
	chunk := []byte(strings.Repeat("x", 64<<10))
	for range 10 << 30 / len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// dripBytes writes a byte every now and then until the client closes the connection.
func dripBytes(w http.ResponseWriter, q *http.Request) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := w.Write([]byte{'.'}); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-q.Context().Done():
			return
		case <-tick.C:
		}
	}
}

// resetConnection breaks off the connection without a goodbye.
func resetConnection(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// raw answers with bytes that no correct server sends.
func raw(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, answer)
	}
}

func badReceivers() []badReceiver {
	hang := func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }
	return []badReceiver{
		{name: "hangs", serve: hang, trust: true, code: "timeout", want: webhooks.DeliveryPending},
		{name: "drips", trust: true, status: 200, code: "timeout", want: webhooks.DeliveryPending, serve: dripBytes},
		{name: "answers 10 GB", trust: true, status: 200, want: webhooks.DeliverySucceeded, serve: func(w http.ResponseWriter, _ *http.Request) { endless(w) }},
		{name: "answers 10 GB of an error", trust: true, status: 500, code: "server_error", want: webhooks.DeliveryPending, serve: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			endless(w)
		}},
		{name: "has a head without end", trust: true, code: "unexpected_response", want: webhooks.DeliveryPending, serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		}},
		{name: "changes the protocol", trust: true, status: 101, code: "rejected", want: webhooks.DeliveryPending, serve: func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			_, _ = conn.Read(make([]byte, 1)) // until the client closes the connection
		}},
		{name: "redirects inside", trust: true, status: 302, code: "unexpected_redirect", want: webhooks.DeliveryPending, serve: func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		}},
		{name: "answers a condition", trust: true, status: 304, code: "rejected", want: webhooks.DeliveryPending, serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }},
		{name: "closes early", trust: true, code: "connect_failed", want: webhooks.DeliveryPending, serve: func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}},
		{name: "closes in the middle", trust: true, status: 200, code: "connect_failed", want: webhooks.DeliveryPending, serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}},
		{name: "speaks TLS 1.1", config: &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, trust: true, code: "tls_failed", want: webhooks.DeliveryPending},
		{name: "has a wrong certificate", code: "tls_failed", want: webhooks.DeliveryPending},
		{name: "refuses", trust: true, status: 404, code: "rejected", want: webhooks.DeliveryPending, serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }},
		{name: "limits", trust: true, status: 429, code: "throttled", want: webhooks.DeliveryPending, serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}},
		{name: "is gone", trust: true, status: 410, code: "gone", want: webhooks.DeliveryFailed, serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }},
		{name: "has a status that is none", trust: true, code: "unexpected_response", want: webhooks.DeliveryPending, serve: raw("HTTP/1.1 099 Nothing\r\nContent-Length: 0\r\n\r\n")},
		{name: "has a status of 000", trust: true, code: "unexpected_response", want: webhooks.DeliveryPending, serve: raw("HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n")},
		{name: "answers no text", trust: true, status: 200, want: webhooks.DeliverySucceeded, serve: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{'a', 0, 0xff, 'b'}) }},
	}
}

// TestBadReceivers sends the same event to all of them at once. It takes long because some
// receivers hang until the limit of an attempt, which is 15 s.
func TestBadReceivers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoints := make(map[string]webhooks.MadeEndpoint)
	list := badReceivers()
	for _, r := range list {
		server := tlsServer(t, r.config, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body) // a server notices that a client has gone only after it has read the whole request
			if r.serve != nil {
				r.serve(w, q)
			}
		}))
		url := server.URL
		if r.trust {
			b.options.RootCAs.AddCert(server.Certificate())
		} else { // the certificate is for other names
			url = strings.Replace(url, "127.0.0.1", "localhost", 1)
		}
		endpoints[r.name] = b.endpoint(t, url, "trader.created")
	}
	good := b.receiver(t, nil, "trader.created")
	b.start(t)
	b.trader(t)
	good.wait(t, 1)
	for _, r := range list {
		t.Run(r.name, func(t *testing.T) {
			deadline := time.Now().Add(3 * deliver.AttemptLimit)
			var d webhooks.Delivery
			for len(d.Attempts) == 0 && time.Now().Before(deadline) {
				d = b.deliveries(t, endpoints[r.name].ID)[0]
			}
			if len(d.Attempts) == 0 {
				t.Fatal("no attempt was written down")
			}
			a := d.Attempts[0]
			status, code := 0, ""
			if a.HTTPStatus != nil {
				status = *a.HTTPStatus
			}
			if a.ErrorCode != nil {
				code = *a.ErrorCode
			}
			if d.Status != r.want && d.Status != webhooks.DeliveryDelivering || status != r.status || code != r.code {
				t.Errorf("%s with status %d, code %q; want %s, %d, %q", d.Status, status, code, r.want, r.status, r.code)
			}
			if a.ResponseBody != nil && len(*a.ResponseBody) > 16<<10 {
				t.Errorf("%d bytes of the answer are kept", len(*a.ResponseBody))
			}
			if r.name == "limits" && (d.NextAttemptAt == nil || time.Until(*d.NextAttemptAt) < 50*time.Minute) {
				t.Errorf("a receiver that asked for an hour is called at %v", d.NextAttemptAt)
			}
			if r.name == "answers 10 GB" && !a.Truncated {
				t.Error("nothing says that there was more")
			}
		})
	}
}

// hangsUp is an answer that ends because the reader's time is up.
type hangsUp struct {
	text string
	end  context.CancelFunc
}

func (h *hangsUp) Read(p []byte) (int, error) {
	n := copy(p, h.text)
	if h.text = h.text[n:]; n == 0 {
		h.end()
		return 0, io.EOF
	}
	return n, nil
}

// TestAnswerThatEndsWithItsTime: a server that ends its answer when the client
// hangs up has not answered, unless more than the stored part had arrived by then.
func TestAnswerThatEndsWithItsTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       error
	}{
		{"in time", "done", nil},
		{"late", "...", context.Canceled},
		{"more than is kept", strings.Repeat("x", 17<<10), nil},
	} {
		ctx, end := context.WithCancel(t.Context())
		answer := &hangsUp{tt.text, end}
		if tt.name == "in time" {
			answer.end = func() {}
		}
		if _, _, err := deliver.ReadAnswer(ctx, answer); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		end()
	}
}

// TestKeptConnectionThatEnds: a receiver that closes kept connections, as it does when it is
// restarted, is sent the event again at once on another one, not seconds later.
func TestKeptConnectionThatEnds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var known sync.Map
	var closed atomic.Int64
	r := b.receiver(t, func(w http.ResponseWriter, q *http.Request) {
		if _, kept := known.LoadOrStore(q.RemoteAddr, true); kept {
			closed.Add(1)
			resetConnection(w, q)
		}
	}, "trader.created")
	b.start(t)
	for n := range 2 {
		b.trader(t)
		storetest.Eventually(t, "the attempt is written down", func() bool {
			list := b.deliveries(t, r.ID)
			return len(list) == n+1 && len(list[0].Attempts) > 0
		})
	}
	if closed.Load() == 0 {
		t.Error("no connection was used twice")
	}
	for _, d := range b.deliveries(t, r.ID) {
		if d.Status != webhooks.DeliverySucceeded || len(d.Attempts) != 1 {
			t.Errorf("delivery %d is %s after %d attempts, want it to succeed in the first", d.Sequence, d.Status, len(d.Attempts))
		}
	}
	for _, q := range r.all() {
		for name := range q.Header {
			if strings.Contains(name, "Idempotency") {
				t.Errorf("the receiver was sent %s", name)
			}
		}
	}
}

// TestNothingInsideIsCalled: an internal address is not called, even if it was
// public when the endpoint was saved.
func TestNothingInsideIsCalled(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	inside := tlsServer(t, nil, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	b := setup(t)
	b.options.AllowCIDRs = nil
	b.options.RootCAs.AddCert(inside.Certificate())
	e := b.endpoint(t, inside.URL)
	b.start(t)
	b.trader(t)
	a := b.delivery(t, e.ID, 1).Attempts[0]
	if a.ErrorCode == nil || *a.ErrorCode != "blocked_address" || a.HTTPStatus != nil || calls.Load() > 0 {
		t.Errorf("attempt %+v, %d calls", a, calls.Load())
	}
}

// TestEndpointIsDisabled: a 410 disables the endpoint at once, and its other
// deliveries are skipped.
func TestEndpointIsDisabled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	gone := b.receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }, "trader.*")
	other := b.receiver(t, nil, "webhook.*")
	b.start(t)
	b.trader(t)
	m := other.wait(t, 1)[0]
	if m.Type != "webhook.endpoint_disabled" || !strings.Contains(string(m.Data), gone.ID.String()) {
		t.Errorf("others are told %s", m.Body)
	}
	e, err := webhooks.ReadEndpoint(t.Context(), b.DB, b.Org, gone.ID)
	if err != nil || e.IsActive || e.DisabledReason == nil || *e.DisabledReason != webhooks.DisabledGone {
		t.Errorf("endpoint %+v, %v", e, err)
	}
	b.trader(t)
	if d := b.deliveries(t, gone.ID)[0]; d.Status != webhooks.DeliverySkipped || d.Sequence != 2 {
		t.Errorf("while it is off: %+v", d)
	}
	if len(gone.all()) != 1 {
		t.Errorf("it was called %d times", len(gone.all()))
	}
}

// TestFailingForDays: after a day and after three, an event warns the other
// endpoints. After five days the failing endpoint is disabled.
func TestFailingForDays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bad := b.receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, "trader.*")
	other := b.receiver(t, nil, "webhook.*")
	b.start(t)
	for n, c := range []struct {
		since    string
		failures int
		told     int // warnings that other endpoints have received so far
		kind     string
		active   bool
	}{
		{"23 hours", 50, 0, "", true},
		{"25 hours", 3, 1, "webhook.endpoint_failing", true},
		{"26 hours", 3, 1, "", true},
		{"73 hours", 3, 2, "webhook.endpoint_failing", true},
		{"121 hours", 3, 2, "", true}, // too few attempts to judge by
		{"121 hours", 20, 3, "webhook.endpoint_disabled", false},
	} {
		// The other deliveries are tried again later.
		b.Exec(t, `UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 day' WHERE endpoint_id = $1 AND status = 'pending'`, bad.ID)
		b.Exec(t, `UPDATE webhook_states SET failing_since = now() - $2::interval, failures = $3 WHERE endpoint_id = $1`, bad.ID, c.since, c.failures)
		b.trader(t)
		bad.wait(t, n+1)
		b.delivery(t, bad.ID, 1)
		if c.kind != "" {
			if got := other.wait(t, c.told); got[c.told-1].Type != c.kind {
				t.Errorf("after %s others are told %s", c.since, got[c.told-1].Type)
			}
		}
		storetest.Eventually(t, "the endpoint is judged", func() bool {
			e, err := webhooks.ReadEndpoint(t.Context(), b.DB, b.Org, bad.ID)
			return err == nil && e.IsActive == c.active
		})
		if got := len(other.all()); got != c.told {
			t.Errorf("after %s and %d failures others were told %d times, want %d", c.since, c.failures, got, c.told)
		}
	}
}

// TestSuccessIsForgiving: one success makes a failing endpoint healthy again.
func TestSuccessIsForgiving(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.receiver(t, nil, "trader.*")
	b.Exec(t, `UPDATE webhook_states SET failing_since = now() - interval '4 days', failures = 30, warnings = 2 WHERE endpoint_id = $1`, r.ID)
	b.start(t)
	b.trader(t)
	b.delivery(t, r.ID, 1)
	var failures, warnings int
	var since *time.Time
	err := b.Conn.QueryRow(t.Context(), `SELECT failures, failing_since, warnings FROM webhook_states WHERE endpoint_id = $1`, r.ID).Scan(&failures, &since, &warnings)
	if err != nil || failures != 0 || since != nil || warnings != 0 {
		t.Errorf("%d failures since %v, %d warnings, %v", failures, since, warnings, err)
	}
}

// TestRetriesAreMade: a failed attempt is repeated five seconds later, with the same id and body
// and a fresh timestamp. It takes long because the first wait of the schedule is five seconds.
func TestRetriesAreMade(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var calls atomic.Int64
	r := b.receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	b.start(t)
	b.trader(t)
	r.wait(t, 1)
	began := time.Now()
	for len(r.all()) < 2 && time.Since(began) < time.Minute {
		b.deliveries(t, r.ID)
	}
	got := r.wait(t, 2)
	if got[0].ID != got[1].ID || string(got[0].Body) != string(got[1].Body) || got[0].Header.Get("webhook-timestamp") == got[1].Header.Get("webhook-timestamp") {
		t.Errorf("first %s at %s, then %s at %s", got[0].ID, got[0].Header.Get("webhook-timestamp"), got[1].ID, got[1].Header.Get("webhook-timestamp"))
	}
	verify(t, r.Secret, got[1])
	if d := b.delivery(t, r.ID, 2); d.Status != webhooks.DeliverySucceeded || d.Attempts[1].StartedAt.Sub(d.Attempts[0].StartedAt) < 4*time.Second {
		t.Errorf("attempts %+v", d.Attempts)
	}
}

// TestLimitPerEndpoint: an endpoint gets at most four requests at a time, and one
// after a failure.
func TestLimitPerEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var now, most atomic.Int64
	release := make(chan struct{})
	r := b.receiver(t, func(_ http.ResponseWriter, q *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		select {
		case <-release:
		case <-q.Context().Done():
		}
	})
	for range 12 {
		b.trader(t)
	}
	b.start(t)
	storetest.Eventually(t, "four requests are under way", func() bool { return now.Load() == 4 })
	close(release)
	r.wait(t, 12)
	if got := most.Load(); got != 4 {
		t.Errorf("%d requests at a time", got)
	}
}

// TestStop: attempts that are under way end and are recorded. Waiting deliveries
// are left to other processes.
func TestStop(t *testing.T) {
	t.Parallel()
	b := setup(t)
	release := make(chan struct{})
	r := b.receiver(t, func(http.ResponseWriter, *http.Request) { <-release })
	for range 10 {
		b.trader(t)
	}
	stop := b.start(t)
	r.wait(t, 4)
	stopped := make(chan struct{})
	go func() {
		stop()
		close(stopped)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	select {
	case <-stopped:
		t.Error("it did not wait for the attempts")
	case <-ctx.Done():
	}
	close(release)
	<-stopped
	done := 0
	for _, d := range b.deliveries(t, r.ID) {
		if d.Status == webhooks.DeliverySucceeded {
			done++
		}
	}
	if got := len(r.all()); got != done || done < 4 || done == 10 {
		t.Errorf("%d requests, of which %d are written down", got, done)
	}
	b.registry = newRegistry()
	b.start(t)
	got := r.wait(t, 10)
	seen := make(map[int64]bool)
	for _, m := range got {
		seen[m.Seq] = true
	}
	if len(seen) != 10 || len(got) != 10 {
		t.Errorf("%d requests for %d events", len(got), len(seen))
	}
}
