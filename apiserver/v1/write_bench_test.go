package v1_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

const (
	benchWrites   = 500 // requests of each kind; 50 with -short
	benchUploaded = 500 // trades of each file
)

// BenchmarkWrites measures requests that write, one after the other: connecting a platform with its
// live check, uploading a file of trades, and signing in with a password that is hashed as in
// production. Statements are counted in the log of a server of its own, so that logging takes no time
// of the requests that are timed.
func BenchmarkWrites(tb *testing.B) {
	server := loggingServer(tb)
	counted, timed := newWriter(tb, setupOn(tb, storetest.URLOn(tb, server.URL))), newWriter(tb, setupAlone(tb))
	counted.keys = counted.keys[:1] // which is remembered from its first request on
	for _, kind := range []string{"connect", "upload", "sign in"} {
		tb.Run(kind, func(tb *testing.B) {
			for tb.Loop() {
				var r loadResult
				for range storetest.BenchCount(tb, "WRITES", benchWrites, 50) {
					r.times = append(r.times, timed.timeRequest(tb, kind))
				}
				tb.ReportMetric(counted.countStatements(tb, server, kind), "statements/request")
				tb.ReportMetric(r.quantile(0.50), "p50-ms")
				tb.ReportMetric(r.quantile(0.99), "p99-ms")
			}
		})
	}
}

// writer sends requests that write.
type writer struct {
	*testAPI
	keys   []string
	person userMade
	file   string
	sent   int
}

func newWriter(tb *testing.B, b *testAPI) *writer {
	tb.Helper()
	w := &writer{testAPI: b, person: b.addUser(tb, "zoe@example.com", "viewer"), file: form(part{"file", "trades.csv", statement(benchUploaded)})}
	hash, err := auth.HashPassword(seal.NewSecret(w.person.InitialPassword))
	check(tb, err)
	_, err = storetest.Conn(tb, b.databaseURL).Exec(context.Background(), `UPDATE people SET password_hash = $1 WHERE id = $2`, hash, w.person.ID)
	check(tb, err)
	w.keys = benchmarkKeys(tb, b)
	b.platform.setGate(func(_ http.ResponseWriter, r *http.Request) bool {
		_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/") // of an address that connect has chosen
		r.URL.Path = "/" + path
		return false
	})
	b.startQuietAPI(tb)
	return w
}

// countStatements returns how many statements a request costs: the fewest of several, because some
// are of what runs in the background.
func (w *writer) countStatements(tb testing.TB, server *storetest.Server, kind string) float64 {
	tb.Helper()
	var counts []int
	for range 5 {
		path, media, body := w.nextRequest(tb, kind)
		before := len(server.Statements(tb))
		w.postBody(tb, path, media, body)
		counts = append(counts, len(server.Statements(tb))-before)
	}
	return float64(slices.Min(counts))
}

// timeRequest sends a request, and returns how long it took.
func (w *writer) timeRequest(tb testing.TB, kind string) time.Duration {
	tb.Helper()
	path, media, body := w.nextRequest(tb, kind)
	began := time.Now()
	w.postBody(tb, path, media, body)
	return time.Since(began)
}

// nextRequest returns the next request of a kind.
func (w *writer) nextRequest(tb testing.TB, kind string) (path, media, body string) {
	tb.Helper()
	w.sent++
	text := func(members map[string]any) string {
		b, err := json.Marshal(members)
		check(tb, err)
		return string(b)
	}
	switch kind {
	case "connect":
		one := w.newIntegration()
		one["base_url"] = w.platformURL + "/" + strconv.Itoa(w.sent) // an address can be connected once
		return "/v1/integrations", "application/json", text(one)
	case "upload":
		return filesOf(w.named(tb, "Ada")), formMedia, w.file
	}
	return "/session", "application/json", text(map[string]any{"email": w.person.Email, "password": w.person.InitialPassword})
}

func (w *writer) postBody(tb testing.TB, path, media, body string) {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, w.server.URL+path, strings.NewReader(body))
	check(tb, err)
	req.Header.Set("Content-Type", media)
	if path != "/session" {
		req.Header.Set("Authorization", "Bearer "+w.keys[w.sent%len(w.keys)])
	}
	res, err := w.server.Client().Do(req)
	check(tb, err)
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	check(tb, err)
	if res.StatusCode != http.StatusCreated {
		tb.Fatalf("POST %s: %d %s", path, res.StatusCode, answer)
	}
}
