package deliver_test

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/syncd/deliver"
)

// The benchmarks deliver each event to the endpoints of one of the organizations.
const (
	benchOrganizations = 5
	benchEndpoints     = 20 // of each
)

// post is a process with endpoints on a local receiver over TLS.
type post struct {
	db            *store.DB
	conn          *pgx.Conn
	organizations []uuid.UUID
	endpoints     []uuid.UUID
	living        []uuid.UUID // endpoints
	client        *fetch.Client
	received      atomic.Int64 // by the living endpoints
}

// behaviors are what receivers do, by their path. Those of the others accept what they receive.
var behaviors = map[string]http.HandlerFunc{
	"/dead":    func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() },
	"/drips":   dripBytes,
	"/endless": func(w http.ResponseWriter, _ *http.Request) { endless(w) },
	"/resets":  resetConnection,
}

// newPost makes the organizations, each with as many living endpoints, the first of which may be at
// another path, and one more organization for each list of paths.
func newPost(tb testing.TB, first string, others ...[]string) *post {
	tb.Helper()
	url := storetest.URL(tb)
	p := &post{db: storetest.Open(tb, url), conn: storetest.Conn(tb, url)}
	serve := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var e struct{ Sequence int64 }
		if err := json.NewDecoder(q.Body).Decode(&e); err != nil || e.Sequence == 0 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = io.Copy(io.Discard, q.Body)
		if behave := behaviors[q.URL.Path]; behave != nil {
			behave(w, q)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		p.received.Add(1)
	}))
	serve.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	serve.StartTLS()
	tb.Cleanup(serve.Close)
	roots := x509.NewCertPool()
	roots.AddCert(serve.Certificate())
	p.client = fetch.New(fetch.Options{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: roots})
	tb.Cleanup(p.client.Close)
	living := slices.Repeat([]string{"/living"}, benchEndpoints)
	for n, paths := range slices.Concat(slices.Repeat([][]string{living}, benchOrganizations), others) {
		org := storetest.Organization(tb, p.db).ID
		p.organizations = append(p.organizations, org)
		for i, path := range paths {
			if n == 0 && i == 0 {
				path = cmp.Or(first, path)
			}
			e, err := webhooks.CreateEndpoint(tb.Context(), p.db, store.SystemChange(org), webhooks.NewEndpoint{URL: serve.URL + path, Events: []string{"*"}})
			if err != nil {
				tb.Fatal(err)
			}
			p.endpoints = append(p.endpoints, e.ID)
			if path == "/living" {
				p.living = append(p.living, e.ID)
			}
		}
	}
	return p
}

// start delivers until the benchmark ends.
func (p *post) start(tb testing.TB) (stop func()) {
	tb.Helper()
	d := deliver.New(deliver.Config{Store: p.db, Client: p.client, Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Slots: slots})
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() {
		if err := d.Run(ctx); err != nil {
			tb.Error(err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); group.Wait() })
	tb.Cleanup(stop)
	return stop
}

// happen emits an event of the n-th organization.
func (p *post) happen(tb testing.TB, n int) {
	_, err := directory.CreateTrader(tb.Context(), p.db, store.SystemChange(p.organizations[n]), directory.NewTrader{FullName: "Zoe Miller"})
	if err != nil {
		tb.Error(err)
	}
}

// await waits until that many deliveries to the living endpoints have succeeded. It
// queries the database only after they have been received, because counting costs
// as much as a hundred deliveries.
func (p *post) await(tb testing.TB, n int) {
	tb.Helper()
	storetest.Within(tb, 10*time.Minute, "deliveries are received", func() bool { return p.received.Load() >= int64(n) })
	storetest.Within(tb, 10*time.Minute, "deliveries succeed", func() bool {
		var done int
		if err := p.conn.QueryRow(tb.Context(), `SELECT count(*) FROM webhook_deliveries WHERE status = 'succeeded' AND endpoint_id = ANY ($1)`, p.living).Scan(&done); err != nil {
			tb.Fatal(err)
		}
		return done >= n
	})
}

// BenchmarkBacklog delivers a backlog with signatures, over TLS, and with the
// history of every attempt. Its processor time depends less on the machine's other
// load than its duration does.
func BenchmarkBacklog(tb *testing.B) {
	const events = 500
	for tb.Loop() {
		p := newPost(tb, "")
		for n := range events {
			p.happen(tb, n%benchOrganizations)
		}
		began, spent := time.Now(), p.spent(tb)
		stop := p.start(tb)
		p.await(tb, events*benchEndpoints)
		tb.ReportMetric(float64(events*benchEndpoints)/time.Since(began).Seconds(), "deliveries/s")
		spent.report(tb, p.spent(tb), events*benchEndpoints)
		stop()
	}
	tb.ReportMetric(0, "ns/op")
}

// BenchmarkSteady makes 2,000 deliveries a second to living endpoints, and reports the time from the
// event to the first attempt there: with all endpoints alive, with a dead one among them, and beside
// fifty hostile ones of other organizations that nobody knows as such before. It measures three
// seconds after the first one, in which the process connects to all living endpoints.
func BenchmarkSteady(tb *testing.B) {
	const perSecond, warmUp, seconds = 2000, 1, 3
	hostile := slices.Repeat([]string{"/dead", "/drips", "/endless", "/resets", "/dead"}, 10)
	for _, s := range []struct {
		name   string
		first  string
		others [][]string
	}{
		{name: "dead=0"},
		{name: "dead=1", first: "/dead"},
		{name: "hostile=50", others: slices.Collect(slices.Chunk(hostile, benchEndpoints))},
	} {
		tb.Run(s.name, func(tb *testing.B) {
			for tb.Loop() {
				p := newPost(tb, s.first, s.others...)
				stop := p.start(tb)
				events, warm := perSecond/benchEndpoints*(warmUp+seconds), perSecond/benchEndpoints*warmUp
				var from time.Time
				tick := time.NewTicker(time.Second * benchEndpoints / perSecond)
				var group sync.WaitGroup
				for n := range events {
					<-tick.C
					if n == warm {
						from = p.readClock(tb)
					}
					group.Go(func() { p.happen(tb, n%benchOrganizations) })
					if n >= warm && n%10 == 0 && len(s.others) > 0 {
						group.Go(func() { p.happen(tb, benchOrganizations+n/10%len(s.others)) })
					}
				}
				group.Wait()
				want := events * benchEndpoints
				if s.first != "" {
					want -= events / benchOrganizations
				}
				p.await(tb, want)
				took := p.readLatencies(tb, from)
				for _, q := range []float64{0.5, 0.99, 1} {
					tb.ReportMetric(took[int(q*float64(len(took)-1))]*1000, fmt.Sprintf("p%g_ms", q*100))
				}
				stop()
			}
			tb.ReportMetric(0, "ns/op")
		})
	}
}

// readClock returns the time of the database.
func (p *post) readClock(tb testing.TB) (now time.Time) {
	tb.Helper()
	if err := p.conn.QueryRow(tb.Context(), `SELECT clock_timestamp()`).Scan(&now); err != nil {
		tb.Fatal(err)
	}
	return now
}

// readLatencies returns the seconds from each event to the first attempt at its
// deliveries to living endpoints, in order, without those before a time.
func (p *post) readLatencies(tb testing.TB, from time.Time) []float64 {
	tb.Helper()
	rows, err := p.conn.Query(tb.Context(), `SELECT extract(epoch FROM a.started_at - d.created_at)::float8
FROM webhook_attempts AS a JOIN webhook_deliveries AS d ON d.id = a.delivery_id WHERE a.number = 1 AND d.endpoint_id = ANY ($1) AND d.created_at >= $2`, p.living, from)
	if err != nil {
		tb.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[float64])
	if err != nil {
		tb.Fatal(err)
	}
	slices.Sort(list)
	return list
}
