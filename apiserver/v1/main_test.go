package v1_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/x509"
	"flag"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/oidc"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/stream"
	v1 "github.com/assayhq/assay/apiserver/v1"
	"github.com/assayhq/assay/apiserver/v1/integrations"
	"github.com/assayhq/assay/apiserver/web"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

var update = flag.Bool("update", false, "write the golden files again")

func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(suite{storetest.Suite{M: m}})
}

// requestID is sent with every request, so that complete responses can be compared.
const requestID = "test-request-1"

// testAPI is an API with its own database and a platform to connect.
type testAPI struct {
	db          *store.DB
	databaseURL string
	api         *v1.API
	server      *httptest.Server
	registry    *prometheus.Registry
	log         *storetest.Log
	logTo       io.Writer     // replaces the log; may be nil
	stopRun     func()        // ends what runs in the background
	stop        func()        // what the process does when it begins to stop
	guard       v1.URLChecker // if nil, the client's
	readTimeout time.Duration // of the server; zero if there is none
	kinds       []record.Kind // with connectors; nil means all
	spool       func() (*os.File, error)
	blob        func(ctx context.Context, key string) (io.ReadCloser, error) // may be nil

	platform    *platform
	platformURL string
	client      *fetch.Client

	oidc  *oidc.Provider         // may be nil
	roles map[string]access.Role // of the provider's groups
	org   access.Organization
	key   string // holds every scope
	other string // key of another organization, which holds every scope
}

// platform is the reference platform with a gate in front.
type platform struct {
	*reference.Platform
	mu    sync.Mutex
	gate  func(w http.ResponseWriter, r *http.Request) (done bool) // nil if the gate is open
	asked int                                                      // requests that have arrived
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	gate := p.gate
	p.asked++
	p.mu.Unlock()
	r.URL.Path = strings.TrimPrefix(r.URL.Path, secondPath) // of b.secondIntegration
	if gate == nil || !gate(w, r) {
		p.Platform.ServeHTTP(w, r)
	}
}

// setGate calls fn before the platform. nil removes the gate.
func (p *platform) setGate(fn func(w http.ResponseWriter, r *http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate = fn
}

// requests returns how many requests have arrived.
func (p *platform) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// worldStart is the end of the platform's history.
var worldStart = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// setup returns an API on the database that the tests of this package share, with organizations of
// its own.
func setup(t testing.TB) *testAPI {
	t.Helper()
	db, databaseURL := storetest.Shared(t)
	return setupWith(t, db, databaseURL, "Alpha "+rand.Text(), "Beta "+rand.Text())
}

// setupAlone is like setup with a database that no other test uses, for tests that change or count
// what belongs to all organizations.
func setupAlone(t testing.TB) *testAPI {
	t.Helper()
	return setupOn(t, storetest.URL(t))
}

// setupOn is like setupAlone for an existing database.
func setupOn(t testing.TB, databaseURL string) *testAPI {
	t.Helper()
	return setupWith(t, storetest.Open(t, databaseURL), databaseURL, "Alpha Capital", "Beta Capital")
}

// setupWith returns an API on the database with two new organizations of the names.
func setupWith(t testing.TB, db *store.DB, databaseURL, name, other string) *testAPI {
	t.Helper()
	b := &testAPI{db: db, databaseURL: databaseURL, registry: prometheus.NewRegistry(), log: new(storetest.Log)}
	b.startPlatform(t)
	b.startAPI(t, b.db)
	b.org, b.key = newNamedOrganization(t, b.db, name, auth.Scopes()...)
	_, b.other = newNamedOrganization(t, b.db, other, auth.Scopes()...)
	return b
}

func (b *testAPI) startPlatform(t testing.TB) {
	t.Helper()
	reference, err := reference.New(reference.Options{
		Key:  storetest.PlatformKey,
		Firm: firm.Options{Seed: 1, Traders: 20, AccountsPerTrader: 2, Trades: 100, Payouts: 5, Start: worldStart},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.platform = &platform{Platform: reference}
	server := httptest.NewUnstartedServer(b.platform)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	b.platformURL = server.URL
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	b.client = fetch.New(fetch.Options{
		AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: roots, Resolver: noNames{}, Backoff: time.Millisecond,
	})
	t.Cleanup(b.client.Close)
}

// noNames resolves no host, because the tests only call addresses of this machine.
type noNames struct{}

func (noNames) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// startAPI serves the routes on the database.
func (b *testAPI) startAPI(t testing.TB, db *store.DB) {
	t.Helper()
	known := []connectors.Connector{customapi.New(b.client), partnerplatform.New(b.client)}
	if b.kinds != nil {
		known = slices.DeleteFunc(known, func(c connectors.Connector) bool { return !slices.Contains(b.kinds, c.Kind()) })
	}
	registry, err := connectors.NewRegistry(known...)
	check(t, err)
	keys, err := auth.NewKeys(db, slog.New(slog.DiscardHandler), time.Now, b.registry)
	check(t, err)
	origins, err := auth.NewOrigins("https://assay.example")
	check(t, err)
	authenticator, err := auth.New(db, keys, origins, time.Now, b.registry)
	check(t, err)
	passwords, err := auth.NewPasswords(b.registry, testCost)
	check(t, err)
	failures, err := auth.NewFailures(db, slog.New(slog.NewJSONHandler(b.log, nil)), time.Now, b.registry)
	check(t, err)
	streams, err := stream.New(db, slog.New(slog.DiscardHandler), b.registry)
	check(t, err)
	running, stopKeys := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { keys.Run(running) })
	group.Go(func() { failures.Run(running) })
	group.Go(func() { streams.Run(running) })
	b.stopRun = func() { stopKeys(); group.Wait() }
	t.Cleanup(b.stopRun)
	logTo := io.Writer(b.log)
	if b.logTo != nil {
		logTo = b.logTo
	}
	stack, err := middleware.New(middleware.Config{
		Logger: slog.New(slog.NewJSONHandler(logTo, nil)), Registry: b.registry,
		Problems: problem.NewWriter("https://assay.example"), Now: time.Now,
	})
	check(t, err)
	if b.guard == nil {
		b.guard = b.client.Guard()
	}
	stopping := make(chan struct{})
	b.stop = sync.OnceFunc(func() { close(stopping) })
	pages, err := newPages()
	check(t, err)
	b.api, err = v1.New(v1.Config{
		Store: db, Pages: pages, Connectors: registry, Guard: b.guard, Auth: authenticator, Stack: stack, Registry: b.registry,
		Passwords: passwords, Failures: failures, Origins: origins, Streams: streams, OIDC: b.oidc, GroupRoles: b.roles,
		Egress:      integrations.Egress{Region: "eu-central", CIDRs: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/28"), netip.MustParsePrefix("2001:db8::/64")}},
		LawfulBasis: "As configured.",
		PublicURL:   "https://assay.example", Stopping: stopping, MaxLiveChecks: 8, TestWait: 2 * time.Second, Spool: b.spool, Blob: b.blob,
	})
	check(t, err)
	b.server = httptest.NewUnstartedServer(b.api.Handler())
	b.server.Config.ReadTimeout = b.readTimeout
	b.server.Start()
	t.Cleanup(b.server.Close)
}

// newPages reads the dashboard's pages, which are the same for all tests.
var newPages = sync.OnceValues(web.New)

// restart serves the routes again, as a newly started process.
func (b *testAPI) restart(t testing.TB) {
	t.Helper()
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, b.db)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newOrganization creates an organization and a key with the scopes.
func newOrganization(t testing.TB, db *store.DB, scopes ...auth.Scope) (access.Organization, string) {
	t.Helper()
	return newNamedOrganization(t, db, "Gamma "+rand.Text(), scopes...)
}

func newNamedOrganization(t testing.TB, db *store.DB, name string, scopes ...auth.Scope) (access.Organization, string) {
	t.Helper()
	key := auth.NewKey()
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	org, _, _, err := access.Bootstrap(context.Background(), db, access.NewOrganization{
		OrganizationName: name, Email: "owner@example.com", PasswordHash: "x",
		Key: access.NewAPIKey{Name: "test", Prefix: key.Prefix(), SecretHash: key.Hash(), Scopes: names, CreatedByName: "test"},
	})
	check(t, err)
	return org, key.Secret().Reveal()
}

// reply is a response whose body has been read.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a request with the key. body may be nil. The exchange must match the OpenAPI
// document.
func (b *testAPI) send(t testing.TB, method, path, key string, body any) reply {
	t.Helper()
	return b.sendIn(t, context.Background(), method, path, key, body)
}

func (b *testAPI) sendIn(t testing.TB, ctx context.Context, method, path, key string, body any) reply {
	t.Helper()
	var reader io.Reader
	sent, _ := body.(string)
	switch body := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(body)
	default:
		text, err := json.Marshal(body)
		check(t, err)
		sent, reader = string(text), bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, b.server.URL+path, reader)
	check(t, err)
	req.Header.Set("X-Request-Id", requestID)
	if reader != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	identify(req, key)
	res, err := b.server.Client().Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	r := reply{res.StatusCode, res.Header, readAnswer(t, res)}
	honor(t, req, sent, r)
	return r
}

// readAnswer reads the whole body of a response. Of a stream it reads the first event.
func readAnswer(t testing.TB, res *http.Response) string {
	t.Helper()
	if res.Header.Get("Content-Type") == "text/event-stream" && res.Request.Method != http.MethodHead {
		return newEventReader(res.Body).next(t).text
	}
	text, err := io.ReadAll(res.Body)
	check(t, err)
	return string(text)
}

// want fails the test unless the response has the status.
func (r reply) want(t testing.TB, status int) reply {
	t.Helper()
	if r.status != status {
		t.Fatalf("answered %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

// decode decodes the body into a value of the type.
func decodeInto[T any](t testing.TB, r reply) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), &v, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("decode %s: %v", r.body, err)
	}
	return v
}

// problemBody is the part of a problem document that the tests check.
type problemBody struct {
	Organizations []string
	Type          string
	Title         string
	Status        int
	Code          string
	Errors        []struct{ Pointer, Parameter, Code string }
}

// faults formats the entries of errors as "place code".
func (p problemBody) faults() []string {
	var list []string
	for _, e := range p.Errors {
		list = append(list, e.Pointer+e.Parameter+" "+e.Code)
	}
	return list
}

// wantProblem fails the test unless the response is a problem with the status and the code.
func (r reply) wantProblem(t testing.TB, status int, code string) problemBody {
	t.Helper()
	r.want(t, status)
	p := decodeInto[problemBody](t, r)
	if p.Code != code || p.Status != status || p.Type != "https://assay.example/problems/"+code || p.Title == "" {
		t.Errorf("problem %s, want %s", r.body, code)
	}
	if got := r.header.Get("Content-Type"); got != problem.MediaType {
		t.Errorf("Content-Type %q", got)
	}
	return p
}

// wantTaken fails the test unless the response says that another object has the value of the member.
func (r reply) wantTaken(t testing.TB, code, pointer string) {
	t.Helper()
	got := r.wantProblem(t, http.StatusConflict, code).faults()
	if diff := cmp.Diff([]string{pointer + " taken"}, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// newIntegration returns the body of a create that succeeds.
func (b *testAPI) newIntegration() map[string]any {
	return map[string]any{"kind": "custom_api", "base_url": b.platformURL, "api_key": storetest.PlatformKey}
}

// secondPath is a path at which the platform can be connected a second time, because an address
// and key can only be connected once.
const secondPath = "/second"

// secondIntegration returns the body of a create that succeeds in addition to newIntegration.
func (b *testAPI) secondIntegration() map[string]any {
	return map[string]any{"kind": "custom_api", "base_url": b.platformURL + secondPath, "api_key": storetest.PlatformKey}
}

// create creates an integration through the API and returns its id.
func (b *testAPI) create(t testing.TB) uuid.UUID {
	t.Helper()
	r := b.send(t, "POST", "/v1/integrations", b.key, b.newIntegration()).want(t, http.StatusCreated)
	return decodeInto[struct{ ID uuid.UUID }](t, r).ID
}

// Texts that differ from run to run.
var (
	uuids     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	times     = regexp.MustCompile(`"20\d\d-[^"]+Z"`)
	hashes    = regexp.MustCompile(`"([0-9a-f]{64}|svc_live_[0-9A-Za-z]{6})"`)
	durations = regexp.MustCompile(`"(latency_ms|duration_ms|phase_ms)":\d+`)
	cursors   = regexp.MustCompile(`"next_cursor":"[\w-]+"`)
)

// golden compares a response body with the file testdata/NAME.json. Ids are numbered in order of
// appearance, and what depends on the time is replaced.
func (b *testAPI) golden(t *testing.T, name string, r reply) {
	t.Helper()
	text := strings.ReplaceAll(r.body, b.platformURL, "https://platform.example")
	seen := make(map[string]string)
	text = uuids.ReplaceAllStringFunc(text, func(id string) string {
		if seen[id] == "" {
			seen[id] = "id-" + string(rune('A'+len(seen)))
		}
		return seen[id]
	})
	text = times.ReplaceAllStringFunc(text, func(quoted string) string {
		at, err := time.Parse(time.RFC3339, strings.Trim(quoted, `"`))
		if err != nil || at.Nanosecond()%1000 != 0 {
			t.Errorf("time %s: %v", quoted, err)
		}
		if time.Since(at).Abs() < time.Hour {
			return `"<about now>"`
		}
		return quoted
	})
	text = durations.ReplaceAllString(text, `"$1":0`)
	text = cursors.ReplaceAllString(text, `"next_cursor":"<cursor>"`)
	value := jsontext.Value(text)
	if err := value.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	path := filepath.Join("testdata", name+".json")
	got := string(value) + "\n"
	if *update {
		check(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	check(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
