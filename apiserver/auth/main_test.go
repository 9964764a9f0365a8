package auth_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// clock is a clock that tests advance.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// testServer is a server whose only handler runs in the name of a key.
type testServer struct {
	db       *store.DB
	conn     *pgx.Conn // for checking what the database holds
	org      access.Organization
	registry *prometheus.Registry
	clock    *clock
	log      *storetest.Log
	auth     *auth.Authenticator
	server   *httptest.Server
	found    func() // called after a key that is not held has been found
	handle   func(w http.ResponseWriter, r *http.Request) error
}

// setup starts a server. handle may be set until the first request.
func setup(t *testing.T) *testServer {
	t.Helper()
	url := storetest.URL(t)
	return setupThrough(t, url, url)
}

// setupThrough is setup with a server that reaches the database of the URL by another one.
func setupThrough(t *testing.T, url, through string) *testServer {
	t.Helper()
	b := &testServer{db: storetest.Open(t, through), conn: storetest.Conn(t, url), registry: prometheus.NewRegistry(), clock: new(clock), log: new(storetest.Log)}
	b.org = storetest.Organization(t, b.db)
	b.handle = func(w http.ResponseWriter, _ *http.Request) error {
		_, err := io.WriteString(w, "served")
		return err
	}
	keys, err := auth.NewKeys(b.db, slog.New(slog.NewTextHandler(b.log, nil)), b.clock.now, b.registry)
	check(t, err)
	b.found = func() {}
	origins, err := auth.NewOrigins("https://assay.example")
	check(t, err)
	b.auth, err = auth.New(b.db, keys, origins, b.clock.now, b.registry)
	check(t, err)
	b.auth.OnFound(func() { b.found() })
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { keys.Run(ctx) })
	problems := problem.NewWriter("https://assay.example")
	b.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := b.serveRequest(w, r); err != nil {
			problems.Write(w, "request", problem.From(err))
		}
	}))
	t.Cleanup(func() {
		b.server.Close()
		cancel()
		group.Wait()
	})
	return b
}

func (b *testServer) serveRequest(w http.ResponseWriter, r *http.Request) error {
	lease, err := b.auth.Begin(w, r)
	if err != nil {
		return err
	}
	defer lease.Release()
	return lease.Serve(w, r, b.handle)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newKey creates a key with the scopes.
func (b *testServer) newKey(t *testing.T, scopes ...string) (auth.Key, access.APIKey) {
	t.Helper()
	key := auth.NewKey()
	row, err := access.CreateAPIKey(t.Context(), b.db, store.Change{OrganizationID: b.org.ID, By: "test"}, access.NewAPIKey{
		Name: "test key", Prefix: key.Prefix(), SecretHash: key.Hash(), Scopes: scopes,
	})
	check(t, err)
	return key, row
}

// exec changes the database without the store's knowledge.
func (b *testServer) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	_, err := b.conn.Exec(t.Context(), query, args...)
	check(t, err)
}

// get sends a request with the Authorization headers.
func (b *testServer) get(t *testing.T, query string, authorization ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+"/?"+query, nil)
	check(t, err)
	req.Header["Authorization"] = authorization
	res, err := b.server.Client().Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	check(t, err)
	return res, string(body)
}

func bearer(k auth.Key) string { return "Bearer " + k.Secret().Reveal() }

// held counts the locks of keys in the database.
func (b *testServer) held(t *testing.T) (n int) {
	t.Helper()
	check(t, b.conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
WHERE l.locktype = 'advisory' AND d.datname = current_database()`).Scan(&n))
	return n
}

func contains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q lacks %q", text, part)
	}
}
