package v1_test

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

func TestAccept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, route := range b.api.Routes() {
		b.unlimit(t)
		path := pathTo(route, uuid.NewString())
		media := cmp.Or(route.Produces, "application/json")
		// A missing object shows that the request has reached the route.
		none := strings.ReplaceAll(media, ", ", ";q=0, ") + ";q=0, */*"
		for _, accept := range []string{"image/png", none, "image/*, application/problem+json"} {
			r := b.ask(t, request{method: route.Method, path: path, key: b.keyFor(t, route), header: with("Accept", accept)})
			if endsSession(route, r) {
				continue
			}
			if route.Method == http.MethodDelete {
				r.wantProblem(t, http.StatusNotFound, "not_found") // its answers have no body
				continue
			}
			r.wantProblem(t, http.StatusNotAcceptable, "not_acceptable")
			if !strings.Contains(r.body, media) {
				t.Errorf("%s %s: the answer does not say what there is: %s", route.Method, route.Path, r.body)
			}
		}
		group, _, _ := strings.Cut(media, "/")
		for _, accept := range []string{media, group + "/*;q=0.1", "image/png, */*", "", "nonsense", "image/png;q=2"} {
			if r := b.ask(t, request{method: route.Method, path: path, key: b.keyFor(t, route), header: with("Accept", accept)}); r.status == http.StatusNotAcceptable {
				t.Errorf("%s %s refuses Accept: %s", route.Method, route.Path, accept)
			}
		}
	}
}

// endsSession reports whether the request has signed out, which needs no object.
func endsSession(route route.Route, r reply) bool {
	return route.Session && route.Method == http.MethodDelete && r.status == http.StatusNoContent
}

// TestParametersThatNobodyTakes checks that a parameter that a route does not take is refused,
// and nothing is changed.
func TestParametersThatNobodyTakes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	objects := b.objects(t)
	before := b.send(t, "GET", "/v1/integrations", b.key, nil).body
	for _, route := range b.api.Routes() {
		path := pathIn(t, route, objects)
		p := b.send(t, route.Method, path+"?serach=x&&%ff=1&dry_run", b.keyFor(t, route), nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
		want := []string{"serach unknown_field", "dry_run unknown_field", "%ff invalid_format"}
		if diff := gocmp.Diff(want, p.faults()); diff != "" {
			t.Errorf("%s %s: faults (-want +got):\n%s", route.Method, route.Path, diff)
		}
		if route.Scope == "" {
			continue
		}
		for _, query := range []string{"api_key=x", "access_token=x", "note=" + b.key, b.key, b.key + "=1"} {
			r := b.send(t, route.Method, path+"?"+query, b.key, nil)
			r.wantProblem(t, http.StatusUnauthorized, "authentication_required")
			if strings.Contains(r.body, b.key) {
				t.Errorf("%s %s answers with the key", route.Method, route.Path)
			}
		}
	}
	if after := b.send(t, "GET", "/v1/integrations", b.key, nil).body; after != before {
		t.Errorf("the requests changed something:\n%s\n%s", before, after)
	}
	if n := b.platform.requests(); n != 0 {
		t.Errorf("%d requests reached the platform", n)
	}
	p := b.send(t, "GET", "/v1/traders?Search=x&limit=0&page=1&page=2", b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	if diff := gocmp.Diff([]string{"page invalid_format", "limit out_of_range", "Search unknown_field"}, p.faults()); diff != "" {
		t.Errorf("faults are not told at once (-want +got):\n%s", diff)
	}
}

func TestBodiesWhereNoneBelongs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tests := []struct {
		name   string
		body   string
		header http.Header
		want   int // 0 if the body is not a fault
		code   string
	}{
		{"empty object", "{}", nil, 0, ""},
		{"space", " \n", nil, 0, ""},
		{"space of another type", " ", with("Content-Type", "text/plain"), 0, ""},
		{"members", `{"keep_traders": true}`, nil, 422, "validation_failed"},
		{"array", `[]`, nil, 422, "validation_failed"},
		{"no JSON", `ids=1`, nil, 400, "invalid_json"},
		{"another type", `{}`, with("Content-Type", "text/plain"), 415, "unsupported_media_type"},
		{"compressed", `{}`, with("Content-Encoding", "gzip"), 415, "unsupported_media_type"},
		{"too large", strings.Repeat(" ", 1<<20+1), nil, 413, "payload_too_large"},
	}
	objects := b.objects(t)
	bodyless := slices.DeleteFunc(b.api.Routes(), func(r route.Route) bool {
		return r.Method != http.MethodGet && r.Method != http.MethodDelete && (r.Method != http.MethodPost || r.Operation.Body.Read != nil)
	})
	for _, route := range sample.Cases(bodyless, 25) {
		b.unlimit(t)
		for _, tt := range tests {
			for _, chunks := range []bool{false, true} {
				q := request{method: route.Method, path: pathIn(t, route, objects), key: b.keyFor(t, route), header: tt.header, body: tt.body, chunks: chunks}
				if tt.want != 0 {
					b.ask(t, q).wantProblem(t, tt.want, tt.code)
					continue
				}
				if route.Method != http.MethodGet {
					q.path = pathTo(route, uuid.NewString()) // a missing object cannot be removed
				}
				if r := b.ask(t, q); r.status != http.StatusOK && r.status != http.StatusNotFound && !endsSession(route, r) {
					t.Errorf("%s %s with %s in chunks %v: %d %s", route.Method, route.Path, tt.name, chunks, r.status, r.body)
				}
			}
		}
	}
	b.send(t, "GET", "/v1/integrations/"+objects["/v1/integrations/"], b.key, nil).want(t, http.StatusOK) // it was not removed
	if r := b.ask(t, request{method: "HEAD", path: "/v1/traders", key: b.key, body: `{"search": "x"}`}); r.status != 422 || r.body != "" {
		t.Errorf("HEAD with a body: %d %s", r.status, r.body)
	}
}

// TestOrderOfChecks checks that of two faults, the one that is checked first is reported. Each
// request has a fault and the one that follows in the order of checks.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, narrow := newOrganization(t, b.db, auth.WebhooksManage)
	_, spent := newOrganization(t, b.db, auth.WebhooksManage)
	for range access.RateLimit {
		b.send(t, "GET", "/v1/nothing", spent, nil)
	}
	missing := "/v1/integrations/" + uuid.NewString()
	theirs := "/v1/integrations/" + b.create(t).String()
	large := strings.Repeat(" ", 1<<20+1)
	tests := []struct {
		name   string
		q      request
		status int
		code   string
	}{
		{"size, authentication", request{method: "POST", path: "/v1/integrations", body: large}, 413, "payload_too_large"},
		{"authentication, route", request{method: "GET", path: "/v1/nothing"}, 401, "authentication_required"},
		{"authentication, method", request{method: "PUT", path: "/v1/integrations"}, 401, "authentication_required"},
		{"limit, route", request{method: "GET", path: "/v1/nothing", key: spent}, 429, "rate_limited"},
		{"limit, method", request{method: "PUT", path: "/v1/integrations", key: spent}, 429, "rate_limited"},
		{"limit, scope", request{method: "GET", path: "/v1/integrations", key: spent}, 429, "rate_limited"},
		{"route, scope", request{method: "GET", path: "/v1/nothing", key: narrow}, 404, "not_found"},
		{"method, scope", request{method: "PUT", path: "/v1/integrations", key: narrow}, 405, "method_not_allowed"},
		{"scope, accept", request{method: "GET", path: "/v1/integrations", key: narrow, header: with("Accept", "text/html")}, 403, "insufficient_scope"},
		{"accept, object", request{method: "GET", path: missing, key: b.key, header: with("Accept", "text/html")}, 406, "not_acceptable"},
		{"object, header", request{method: "GET", path: missing, key: b.key, header: with("If-None-Match", "x")}, 404, "not_found"},
		{"another's object, header", request{method: "PATCH", path: theirs, key: b.other, header: with("If-Match", "x"), body: "{}"}, 404, "not_found"},
		{"object, query", request{method: "DELETE", path: missing + "?force=1", key: b.key}, 404, "not_found"},
		{"another's object, query", request{method: "DELETE", path: theirs + "?force=1", key: b.other}, 404, "not_found"},
		{"object, body of none", request{method: "DELETE", path: missing, key: b.key, body: "[]"}, 404, "not_found"},
		{"another's object, body of none", request{method: "POST", path: theirs + "/sync", key: b.other, body: "[]"}, 404, "not_found"},
		{"object, body", request{method: "PATCH", path: missing, key: b.key, body: "["}, 404, "not_found"},
		{"another's object, precondition", request{method: "PATCH", path: theirs, key: b.other, header: with("If-Match", `"x"`), body: "{}"}, 404, "not_found"},
		{"header, query", request{method: "GET", path: theirs + "?x=1", key: b.key, header: with("If-Match", "x")}, 400, "invalid_header"},
		{"query, body of none", request{method: "GET", path: theirs + "?x=1", key: b.key, body: "["}, 422, "validation_failed"},
		{"query, media type", request{method: "PATCH", path: theirs + "?x=1", key: b.key, header: with("Content-Type", "text/plain"), body: "["}, 422, "validation_failed"},
		{"media type, JSON", request{method: "PATCH", path: theirs, key: b.key, header: with("Content-Type", "text/plain"), body: "["}, 415, "unsupported_media_type"},
		{"size in chunks, JSON", request{method: "PATCH", path: theirs, key: b.key, body: "[" + large, chunks: true}, 413, "payload_too_large"},
		{"JSON, precondition", request{method: "PATCH", path: theirs, key: b.key, header: with("If-Match", `"x"`), body: "["}, 400, "invalid_json"},
		{"members, precondition", request{method: "PATCH", path: theirs, key: b.key, header: with("If-Match", `"x"`), body: `{"x": 1}`}, 422, "validation_failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b.ask(t, tt.q).wantProblem(t, tt.status, tt.code)
		})
	}
	b.send(t, "GET", theirs, b.key, nil).want(t, http.StatusOK)
}

// TestRefusedWithoutTheWhole checks that reporting whether a trader exists does not read the
// trader's other data, which is locked here.
func TestRefusedWithoutTheWhole(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	b.connectPlatform(t, record.Batch{Traders: []record.Trader{{ID: "t"}}})
	path := "/v1/traders/" + b.ids(t)["t"].String()
	tx, err := storetest.Conn(t, b.databaseURL).Begin(t.Context())
	check(t, err)
	_, err = tx.Exec(t.Context(), `LOCK TABLE accounts, payouts, trades IN ACCESS EXCLUSIVE MODE`)
	check(t, err)
	for _, at := range []string{path + "?unknown=1", path + "/trades?unknown=1"} {
		b.send(t, http.MethodGet, at, b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	}
	check(t, tx.Rollback(t.Context()))
}
