package v1_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/openapi/openapitest"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
)

// contract holds all requests and answers of the tests against the document.
var contract = func() *openapitest.Checker {
	c, err := openapitest.New(openapi.Committed())
	if err != nil {
		fmt.Fprintln(os.Stderr, "the OpenAPI document:", err)
		os.Exit(1)
	}
	return c
}()

// honour fails the test when an exchange breaks the document.
func honour(t testing.TB, req *http.Request, body string, r reply) {
	t.Helper()
	err := contract.Check(context.Background(), openapitest.Exchange{
		Request: req, RequestBody: []byte(body), Status: r.status, Header: r.header, Body: []byte(r.body),
	})
	if err != nil {
		t.Errorf("%s %s: %v", req.Method, req.URL.Path, err)
	}
}

// TestEveryRouteFails brings about, on every route, the failures that any route
// of its kind can have.
func TestEveryRouteFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	integration := storetest.Integration(t, b.db, b.org.ID, b.platformURL)
	storetest.Records(t, b.databaseURL, integration, directory())
	ids := map[string]string{"/v1/integrations/": integration.ID.String(), "/v1/traders/": b.ids(t)["T-1"].String()}
	text := http.Header{"Content-Type": {"text/plain"}}
	for _, route := range b.api.Routes() {
		path := pathTo(route, uuid.NewString())
		for prefix, id := range ids {
			if strings.HasPrefix(route.Path, prefix) {
				path = pathTo(route, id)
			}
		}
		if route.Operation.Query != nil {
			for _, parameter := range decode.DescribeQuery(route.Operation.Query) {
				b.send(t, route.Method, path+"?"+parameter.Name+"=%00", b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
			}
		}
		switch route.Method {
		case http.MethodPost, http.MethodPatch, http.MethodPut:
			b.send(t, route.Method, path, b.key, "{").wantProblem(t, http.StatusBadRequest, "invalid_json")
			b.send(t, route.Method, path, b.key, strings.Repeat(" ", 1<<20+1)).wantProblem(t, http.StatusRequestEntityTooLarge, "payload_too_large")
			b.sendWith(t, t.Context(), route.Method, path, b.key, "{}", text).wantProblem(t, http.StatusUnsupportedMediaType, "unsupported_media_type")
			b.send(t, route.Method, path, b.key, `{"no such member": 1}`).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
		}
	}
	b.fails(t, http.StatusServiceUnavailable, "service_unavailable", storetest.Open(t, "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable&connect_timeout=2"))
	_, err := storetest.Conn(t, b.databaseURL).Exec(t.Context(), `ALTER TABLE api_keys RENAME TO gone`)
	check(t, err)
	b.fails(t, http.StatusInternalServerError, "internal_error", b.db)
}

// fails asks all routes that need the database for the problem.
func (b *bundle) fails(t *testing.T, status int, code string, db *store.DB) {
	t.Helper()
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, db)
	for _, route := range b.api.Routes() {
		if route.Scope != "" {
			b.send(t, route.Method, pathTo(route, uuid.NewString()), b.key, nil).wantProblem(t, status, code)
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
	head := b.send(t, "HEAD", openapi.Path, "", nil).want(t, http.StatusOK)
	if head.body != "" || head.header.Get("Content-Length") != get.header.Get("Content-Length") || head.header.Get("ETag") != get.header.Get("ETag") {
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
		{"no tag", "x", http.StatusOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := b.sendWith(t, t.Context(), "GET", openapi.Path, "", nil, http.Header{"If-None-Match": {tt.value}}).want(t, tt.status)
			if r.header.Get("ETag") != tag || (r.body == "") != (tt.status == http.StatusNotModified) {
				t.Errorf("answered %v with %d bytes", r.header, len(r.body))
			}
		})
	}
}

// neverMet are documented answers that no test of this package brings about,
// as "operationId status" with either part a star, and why.
var neverMet = map[string]string{
	"* 429":          "nothing limits the rate yet",
	"getOpenAPI 500": "it needs nothing that could fail",
	"getOpenAPI 503": "it needs nothing that could be away",
}

// suite runs the tests, and then asks whether they have met all answers that
// the document knows. Of a part of the tests nothing is asked.
type suite struct{ *testing.M }

func (s suite) Run() int {
	code := s.M.Run()
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
