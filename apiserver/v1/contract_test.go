package v1_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/openapi/openapitest"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// contract checks all requests and responses of the tests against the document.
var contract = func() *openapitest.Checker {
	c, err := openapitest.New(openapi.Committed())
	if err != nil {
		fmt.Fprintln(os.Stderr, "the OpenAPI document:", err)
		os.Exit(1)
	}
	return c
}()

// honor fails the test if an exchange violates the document.
func honor(t testing.TB, req *http.Request, body string, r reply) {
	t.Helper()
	err := contract.Check(context.Background(), openapitest.Exchange{
		Request: req, RequestBody: []byte(body), Status: r.status, Header: r.header, Body: []byte(r.body),
	})
	if err != nil {
		t.Errorf("%s %s: %v", req.Method, req.URL.Path, err)
	}
}

// TestEveryRouteFails produces, on every route, the failures that any route of its kind can have.
func TestEveryRouteFails(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	ids := b.objects(t)
	doc, err := openapitest.Load(openapi.Committed())
	check(t, err)
	for _, route := range b.api.Routes() {
		path, key := pathIn(t, route, ids), b.keyFor(t, route)
		if route.Query != nil {
			for _, parameter := range decode.DescribeQuery(func(q *decode.Query) { route.Query(q) }) {
				b.send(t, route.Method, path+"?"+parameter.Name+"=%00", key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
			}
		}
		if route.Operation.Conditional {
			body := map[string]string{http.MethodPatch: "{}", http.MethodPut: "{}"}[route.Method]
			if route.Method == http.MethodPut && route.Operation.Body.Read != nil {
				body = b.example(t, doc, route) // it may have members that are required
			}
			b.ask(t, request{method: route.Method, path: path, key: key, body: body, header: with("If-Match", `"another"`)}).
				wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
		}
		switch route.Method {
		case http.MethodPost, http.MethodPatch, http.MethodPut:
			b.refusesBodies(t, route, path, key)
		}
	}
	b.limited(t)
	b.fails(t, http.StatusServiceUnavailable, "service_unavailable", storetest.Open(t, "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable&connect_timeout=2"))
	_, err = storetest.Conn(t, b.databaseURL).Exec(t.Context(), `ALTER TABLE api_keys RENAME TO gone; ALTER TABLE sessions RENAME TO over; ALTER TABLE sign_in_budgets RENAME TO spent`)
	check(t, err)
	b.fails(t, http.StatusInternalServerError, "internal_error", b.db)
}

// refusesBodies sends a route bodies that no route of its kind accepts.
func (b *testAPI) refusesBodies(t *testing.T, route route.Route, path, key string) {
	t.Helper()
	q := request{method: route.Method, path: path, key: key, header: http.Header{}}
	strange, broken, larger := `{"no field with this name": 1}`, "invalid_json", "payload_too_large"
	switch route.Accepts {
	case decode.MediaForm:
		q.header.Set("Content-Type", formMedia)
		strange, broken, larger = form(part{name: "no field with this name", content: "1"}), "invalid_form", "file_too_large"
	case decode.MediaCSV:
		q.header.Set("Content-Type", route.Accepts)
		broken = ""
	}
	send := func(body string) reply {
		q.body = body
		return b.ask(t, q)
	}
	if broken != "" {
		send("{").wantProblem(t, http.StatusBadRequest, broken)
	}
	send(strange).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	q.chunks = route.MaxBody > 0 // with a length it would be refused while it is being sent
	large := strings.Repeat(" ", int(cmp.Or(route.MaxBody, 1<<20))+1)
	if route.Accepts == decode.MediaForm {
		large = form(part{"file", "a.csv", large})
	}
	send(large).wantProblem(t, http.StatusRequestEntityTooLarge, larger)
	q.chunks = false
	q.header.Set("Content-Type", "text/plain")
	send("{}").wantProblem(t, http.StatusUnsupportedMediaType, "unsupported_media_type")
}

// limited sends requests to all routes with a key that has used up its requests.
func (b *testAPI) limited(t *testing.T) {
	t.Helper()
	_, key := newOrganization(t, b.db, auth.Scopes()...)
	_, err := storetest.Conn(t, b.databaseURL).Exec(t.Context(),
		`INSERT INTO api_key_windows (api_key_id, counted, oldest, oldest_at, newest_at) SELECT id, 600, 0, now(), now() FROM api_keys WHERE prefix = $1`, key[:15])
	check(t, err)
	session, person := b.newSession(t, b.org.ID, access.RoleOwner)
	_, err = storetest.Conn(t, b.databaseURL).Exec(t.Context(),
		`INSERT INTO api_key_windows (api_key_id, counted, oldest, oldest_at, newest_at) VALUES ($1, 600, 0, now(), now())`, person.ID)
	check(t, err)
	for _, route := range b.api.Routes() {
		if !route.Public() {
			b.send(t, route.Method, pathTo(route, uuid.NewString()), session, nil).wantProblem(t, http.StatusTooManyRequests, "rate_limited")
		}
		if route.Scope != "" || route.Caller {
			b.send(t, route.Method, pathTo(route, uuid.NewString()), key, nil).wantProblem(t, http.StatusTooManyRequests, "rate_limited")
		}
	}
}

// TestEveryPOSTSaysThatItIsUnderWay sends each POST twice at the same time with one
// Idempotency-Key. In the meantime, only the rows of keys' uses and of attempts can be locked or
// written, and the platform does not answer. One of the two requests is asked to come back.
func TestEveryPOSTSaysThatItIsUnderWay(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	doc, err := openapitest.Load(openapi.Committed())
	check(t, err)
	ids := b.objects(t)
	for _, route := range b.api.Routes() {
		if route.Method != http.MethodPost || route.IgnoresIdempotencyKey || route.Public() {
			continue
		}
		q := request{
			method: "POST", path: pathIn(t, route, ids), key: b.key, header: with("Idempotency-Key", "k-"+route.ID),
			body: b.example(t, doc, route),
		}
		if route.Accepts == decode.MediaForm {
			q.header.Set("Content-Type", formMedia)
		}
		_, release := b.platform.hang()
		writing, err := storetest.Conn(t, b.databaseURL).Begin(t.Context())
		check(t, err)
		_, err = writing.Exec(t.Context(), `DO $$ BEGIN EXECUTE (
    SELECT 'LOCK TABLE ' || string_agg(quote_ident(tablename), ', ') || ' IN EXCLUSIVE MODE'
    FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'api\_key\_%' AND tablename NOT LIKE 'idempotency%'); END $$`)
		check(t, err)
		replies := make(chan reply, 2)
		for range 2 {
			go func() { replies <- b.ask(t, q) }()
		}
		first := <-replies
		check(t, writing.Rollback(t.Context()))
		release()
		b.platform.setGate(nil)
		<-replies
		first.wantProblem(t, http.StatusConflict, "idempotency_in_progress")
	}
}

// example returns the documented example of a route's body, for the platform.
func (b *testAPI) example(t *testing.T, doc *openapi3.T, route route.Route) string {
	t.Helper()
	if route.Operation.Body.Read == nil {
		return ""
	}
	if route.Accepts == decode.MediaForm {
		return form(part{"file", "statement.csv", statement(3)}, part{name: "timezone", content: "+02:00"})
	}
	media := doc.Paths.Value(route.Path).GetOperation(route.Method).RequestBody.Value.Content.Get("application/json")
	example := media.Example
	for _, shared := range media.Examples {
		example = shared.Value.Value
	}
	body, ok := example.(map[string]any)
	if !ok {
		t.Fatalf("%s %s has no example of its body", route.Method, route.Path)
	}
	body = maps.Clone(body)
	if _, ok := body["base_url"]; ok {
		body["base_url"], body["api_key"] = b.platformURL+secondPath, storetest.PlatformKey
	}
	text, err := json.Marshal(body)
	check(t, err)
	return string(text)
}

// fails checks that all routes that need the database answer with the problem.
func (b *testAPI) fails(t *testing.T, status int, code string, db *store.DB) {
	t.Helper()
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, db)
	for _, route := range b.api.Routes() {
		switch {
		case route.Session:
			b.send(t, route.Method, pathTo(route, uuid.NewString()), cookiePrefix+auth.NewToken().Secret().Reveal(), nil).wantProblem(t, status, code)
		case route.Scope != "" || route.Caller:
			b.send(t, route.Method, pathTo(route, uuid.NewString()), b.key, nil).wantProblem(t, status, code)
		case route.Method == http.MethodPost:
			b.send(t, route.Method, route.Path, "", `{"email": "a@b.example", "password": "x"}`).wantProblem(t, status, code)
		}
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	b := setup(t)
	get := b.send(t, "GET", openapi.Path, "", nil).want(t, http.StatusOK)
	if got := get.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
	if got := get.header.Get("Cache-Control"); got != "public, no-cache" {
		t.Errorf("Cache-Control %q", got)
	}
	doc := decodeInto[struct {
		OpenAPI string
		Servers []struct{ URL string }
	}](t, get)
	if doc.OpenAPI != "3.1.0" || len(doc.Servers) != 1 || doc.Servers[0].URL != "https://assay.example" {
		t.Errorf("document %+v", doc)
	}
	head := b.ask(t, request{method: "HEAD", path: openapi.Path, header: with("Accept-Encoding", "gzip")}).want(t, http.StatusOK)
	if head.body != "" || head.header.Get("Content-Encoding") != "gzip" || head.header.Get("ETag") != get.header.Get("ETag") {
		t.Errorf("HEAD answers %v, GET %v", head.header, get.header)
	}
	tag := get.header.Get("ETag")
	for _, tt := range []struct {
		name   string
		value  string
		status int
	}{
		{"the same", tag, http.StatusNotModified},
		{"weak", "W/" + tag, http.StatusNotModified},
		{"among others", `"x", ` + tag, http.StatusNotModified},
		{"any", "*", http.StatusNotModified},
		{"another", `"x"`, http.StatusOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := b.ask(t, request{method: "GET", path: openapi.Path, header: with("If-None-Match", tt.value)}).want(t, tt.status)
			if got := r.header.Get("ETag"); got != tag || (r.body == "") != (tt.status == http.StatusNotModified) {
				t.Errorf("answered %v with %d bytes", r.header, len(r.body))
			}
		})
	}
}

// TestExamplesOfBodies sends the documented example of each body as a request.
func TestExamplesOfBodies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc, err := openapitest.Load(openapi.Committed())
	check(t, err)
	for _, route := range b.api.Routes() {
		if route.Operation.Body.Read == nil {
			continue
		}
		if route.Accepts == decode.MediaForm { // its example is a file: TestUploadActivityFile
			continue
		}
		text := b.example(t, doc, route)
		r := httptest.NewRequest(route.Method, "/", strings.NewReader(text))
		r.Header.Set("Content-Type", "application/json")
		o, err := decode.Body(r)
		check(t, err)
		route.Operation.Body.Read(o)
		if err := o.Finish(); err != nil || text == "{}" {
			t.Errorf("%s %s with %s: %v", route.Method, route.Path, text, err)
		}
	}
}

// neverMet lists documented responses that no test of this package produces, as "operationId
// status" with either part a star, and why.
var neverMet = map[string]string{
	"* 408":                "a body that comes too late is sent byte by byte, without this package's client",
	"getOpenAPI 500":       "it needs nothing that could fail",
	"getOpenAPI 503":       "it needs nothing that could be away",
	"getSignInMethods 500": "it needs nothing that could fail",
	"getSignInMethods 503": "it needs nothing that could be away",
}

// suite runs the tests, and then checks that they have produced all documented responses. It does
// not check that if only some tests ran.
type suite struct{ storetest.Suite }

func (s suite) Run() int {
	code := s.Suite.Run()
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz", "test.bench"} {
		if flag.Lookup(name).Value.String() != "" {
			return code
		}
	}
	if code != 0 || contract.Idle() { // without a database all tests are skipped
		return code
	}
	used := make(map[string]bool)
	unmet := slices.DeleteFunc(contract.Unmet(), func(answer string) bool {
		operation, status, _ := strings.Cut(answer, " ")
		for _, pattern := range []string{answer, operation + " *", "* " + status} {
			if neverMet[pattern] != "" {
				used[pattern] = true
				return true
			}
		}
		return false
	})
	for _, answer := range unmet {
		fmt.Fprintln(os.Stderr, "no test meets the documented answer", answer)
	}
	for pattern := range neverMet {
		if !used[pattern] {
			fmt.Fprintln(os.Stderr, "the tests do meet", pattern, "- take it off the list")
		}
	}
	if len(unmet) > 0 || len(used) < len(neverMet) {
		return 1
	}
	return 0
}
