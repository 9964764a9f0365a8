package engine_test

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// through is a connector that passes every page through a test's function.
type through struct {
	connectors.Connector
	specs func([]connectors.StreamSpec) []connectors.StreamSpec
	page  func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error)

	trader func() // called before the platform is asked for one trader; may be nil
}

// reader reads a page from the platform.
type reader func(context.Context, connectors.PageRequest) (*connectors.Page, error)

func (c *through) Streams() []connectors.StreamSpec {
	if c.specs == nil {
		return c.Connector.Streams()
	}
	return c.specs(c.Connector.Streams())
}

func (c *through) Open(cfg connectors.Config) connectors.Source {
	return &throughSource{c.Connector.Open(cfg), c}
}

type throughSource struct {
	connectors.Source
	connector *through
}

func (s *throughSource) ReadPage(ctx context.Context, req connectors.PageRequest) (*connectors.Page, error) {
	if s.connector.page == nil {
		return s.Source.ReadPage(ctx, req)
	}
	return s.connector.page(ctx, req, s.Source.ReadPage)
}

// ReadTrader implements connectors.TraderReader, as the sources of customers'
// platforms do.
func (s *throughSource) ReadTrader(ctx context.Context, id string) (record.Trader, error) {
	if s.connector.trader != nil {
		s.connector.trader()
	}
	return s.Source.(connectors.TraderReader).ReadTrader(ctx, id)
}

// with gives an engine's configuration the connector c, which wraps the fixture's
// own.
func with(t *testing.T, w *enginetest.Fixture, c *through) func(*engine.Config) {
	t.Helper()
	c.Connector = customapi.New(w.Client)
	registry, err := connectors.NewRegistry(c)
	if err != nil {
		t.Fatal(err)
	}
	return func(config *engine.Config) { config.Connectors = registry }
}

// gate holds the n-th page of a stream, after the platform has sent it, until the
// gate is opened or the engine gives up.
type gate struct {
	stream  record.Stream
	n       int
	reached chan struct{} // closed when the page is held
	open    chan struct{}

	mu   sync.Mutex
	seen int
}

func newGate(stream record.Stream, n int) *gate {
	return &gate{stream: stream, n: n, reached: make(chan struct{}), open: make(chan struct{})}
}

func (g *gate) page(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
	page, err := read(ctx, req)
	if req.Stream != g.stream {
		return page, err
	}
	g.mu.Lock()
	g.seen++
	held := g.seen == g.n
	g.mu.Unlock()
	if held {
		close(g.reached)
		select {
		case <-g.open:
		case <-ctx.Done():
		}
	}
	return page, err
}

// failing answers in the platform's place as long as it has answers left.
type failing struct {
	mu   sync.Mutex
	code connectors.Code
	left int
	only record.Stream // empty means all
	away bool          // no connection is made
}

func (f *failing) page(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
	f.mu.Lock()
	code, strikes := f.code, f.left > 0 && (f.only == "" || f.only == req.Stream)
	if strikes {
		f.left--
	}
	f.mu.Unlock()
	if strikes {
		return nil, &connectors.Error{Code: code, Endpoint: "GET /" + string(req.Stream), Message: "made by the test", Stats: connectors.Stats{Requests: 3}, Unreachable: f.away}
	}
	return read(ctx, req)
}

func (f *failing) set(code connectors.Code, left int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.code, f.left = code, left
}

// runSlice runs one slice on the fixture's integration, without regard to its waits.
func runSlice(t *testing.T, w *enginetest.Fixture, e *engine.Engine) {
	t.Helper()
	if err := e.RunSlice(t.Context(), w.Claim(t, "test")); err != nil {
		t.Fatalf("slice: %v", err)
	}
}

// cycle runs slices until the current cycle is over.
func cycle(t *testing.T, w *enginetest.Fixture, e *engine.Engine) {
	t.Helper()
	before := w.Engine
	w.Engine = e
	defer func() { w.Engine = before }()
	w.Cycle(t)
}

// crash lets an engine work as the process "dead" until the gate is reached and
// reached has returned, and then stops it. It returns the lease, which stays with
// the dead process and runs out.
func crash(t *testing.T, w *enginetest.Fixture, g *gate, reached func(), change ...func(*engine.Config)) syncing.Claim {
	t.Helper()
	e := w.NewEngine(t, append(change, with(t, w, &through{page: g.page}))...)
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	claim, done := w.Claim(t, "dead"), make(chan error)
	go func() { done <- e.RunSlice(ctx, claim) }()
	select {
	case <-g.reached:
	case err := <-done:
		t.Fatalf("the slice ended before the gate: %v", err)
	}
	reached()
	kill()
	if err := <-done; err == nil {
		t.Fatal("the killed slice ended as if nothing had happened")
	}
	expire(t, w)
	return claim
}

// written waits until the current run has written that many pages.
func written(t *testing.T, w *enginetest.Fixture, pages int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); pages > 0; {
		if text(t, w, `SELECT coalesce(run->>'pages', '0') FROM sync_state`) == strconv.Itoa(pages) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("page %d was not written in time", pages)
		}
		runtime.Gosched()
	}
}

// expire makes the current lease run out. What a killed process had sent may still extend it, so
// expire waits for that.
func expire(t *testing.T, w *enginetest.Fixture) {
	t.Helper()
	storetest.Eventually(t, "no statement of a process that was killed runs any more", func() bool {
		return text(t, w, `SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
    AND state <> 'idle' AND pid <> pg_backend_pid()`) == "0"
	})
	w.Exec(t, `UPDATE sync_state SET claimable_at = now() - interval '1 second' WHERE owner IS NOT NULL`)
}

// text returns the result of a query for one text.
func text(t *testing.T, w *enginetest.Fixture, query string, args ...any) string {
	t.Helper()
	rows := w.Texts(t, query, args...)
	if len(rows) != 1 {
		t.Fatalf("%d rows, want one: %s", len(rows), query)
	}
	return rows[0]
}

// databaseNow returns the time on the database's clock.
func databaseNow(t *testing.T, w *enginetest.Fixture) time.Time {
	t.Helper()
	return moment(t, w, `SELECT clock_timestamp()`)
}

// moment returns the result of a query for one time.
func moment(t *testing.T, w *enginetest.Fixture, query string, args ...any) (at time.Time) {
	t.Helper()
	if err := w.Conn.QueryRow(t.Context(), query, args...).Scan(&at); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return at.UTC()
}

// within fails the test when at is not in the span from..to.
func within(t *testing.T, what string, at, from, to time.Time) {
	t.Helper()
	if at.Before(from) || at.After(to) {
		t.Errorf("%s is %s, want it from %s to %s", what, at, from, to)
	}
}

// due lists the integrations that are claimed when everybody looks.
func due(t *testing.T, w *enginetest.Fixture) []syncing.Claim {
	t.Helper()
	claims, err := syncing.ClaimDue(t.Context(), w.DB, "test", engine.DefaultLease, syncing.Selection{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

// pages returns the queries of the requests so far for a list, and forgets all
// requests.
func (l *requestLog) pages(path string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var queries []string
	for _, r := range l.list {
		if r.Path == path {
			queries = append(queries, r.RawQuery)
		}
	}
	l.list = nil
	return queries
}

// count counts the requests so far, and forgets them.
func (l *requestLog) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.list)
	l.list = nil
	return n
}

// fromStart counts the queries that ask for a list's first page.
func fromStart(queries []string) int {
	return len(slices.DeleteFunc(slices.Clone(queries), func(q string) bool { return strings.Contains(q, "cursor=") }))
}

// long is a world whose trades fill ten pages.
func long(log *requestLog) reference.Options {
	return reference.Options{Firm: firm.Options{Seed: 7, Traders: 10, AccountsPerTrader: 2, Trades: 1950, Payouts: 5, Weekends: true}, OnRequest: log.add}
}
