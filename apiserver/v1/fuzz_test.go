package v1_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/route"
	v1 "github.com/assayhq/assay/apiserver/v1"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// homeGuard refuses what the guard refuses and all addresses except the platform's, so that a
// lucky body does not call anybody.
type homeGuard struct {
	v1.URLChecker
	home string
}

func (g homeGuard) CheckURL(ctx context.Context, raw string) error {
	if err := g.URLChecker.CheckURL(ctx, raw); err != nil || raw == g.home {
		return err
	}
	return &fetch.URLError{Code: fetch.URLNotPublic, Detail: "not in this test"}
}

// fuzzing is an API whose routes a fuzz target selects by number.
type fuzzing struct {
	*testAPI
	routes []route.Route
	paths  []string // paths of the routes, with existing objects
}

// setupFuzz selects the wanted routes of the table.
func setupFuzz(f *testing.F, wanted func(route.Route) bool) *fuzzing {
	f.Helper()
	z := &fuzzing{testAPI: setup(f)}
	z.guard = homeGuard{z.client.Guard(), z.platformURL}
	z.registry = prometheus.NewRegistry()
	z.startAPI(f, z.db)
	objects := z.objects(f)
	for _, route := range z.api.Routes() {
		if wanted(route) {
			z.routes = append(z.routes, route)
			z.paths = append(z.paths, pathIn(f, route, objects))
		}
	}
	return z
}

// add adds each value as a seed for every route, or in a short run for every fourth.
func add(f *testing.F, z *fuzzing, seeds ...string) {
	f.Helper()
	for i, seed := range seeds {
		for pick := range z.routes {
			if testing.Short() && (i+pick)%4 != 0 {
				continue
			}
			f.Add(uint8(pick), seed)
		}
	}
}

// serve makes the API answer a request that no client would send. It replaces a key that has used
// up its requests.
func (z *fuzzing) serve(t *testing.T, method, path, query string, header http.Header, body string) reply {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	req.URL.RawQuery = query
	req.Header = header
	rec := httptest.NewRecorder()
	z.api.Handler().ServeHTTP(rec, req)
	if rec.Code == http.StatusTooManyRequests && header.Get("Authorization") == "Bearer "+z.key {
		z.renew(t)
		header.Set("Authorization", "Bearer "+z.key)
		return z.serve(t, method, path, query, header, body)
	}
	if rec.Code >= http.StatusInternalServerError {
		t.Errorf("%s %s?%q with %q and %q answers %d: %s", method, path, query, header, body, rec.Code, rec.Body)
	}
	return reply{rec.Code, rec.Header(), rec.Body.String()}
}

// honor checks an exchange with a route against the OpenAPI document.
func (z *fuzzing) honor(t *testing.T, n int, query string, header http.Header, body string, r reply) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), z.routes[n].Method, z.paths[n], http.NoBody)
	req.URL.RawQuery = query
	req.Header = header
	honor(t, req, body, r)
}

// renew replaces the key with another one that holds every scope.
func (z *fuzzing) renew(t *testing.T) {
	t.Helper()
	key := auth.NewKey()
	made := access.NewAPIKey{Name: "next", Prefix: key.Prefix(), SecretHash: key.Hash()}
	for _, scope := range auth.Scopes() {
		made.Scopes = append(made.Scopes, string(scope))
	}
	_, err := access.CreateAPIKey(t.Context(), z.db, store.SystemChange(z.org.ID), made)
	check(t, err)
	z.key = key.Secret().Reveal()
}

func (z *fuzzing) header(more ...string) http.Header {
	header := http.Header{"Authorization": {"Bearer " + z.key}}
	for i := 0; i < len(more); i += 2 {
		header[more[i]] = []string{more[i+1]}
	}
	return header
}

// FuzzBodies sends bodies to all routes, including those that take none, and checks that the
// response is never a server error.
func FuzzBodies(f *testing.F) {
	z := setupFuzz(f, func(route route.Route) bool { return route.Method != http.MethodDelete && route.Scope != "" })
	add(f, z,
		`{"kind": "custom_api", "base_url": "https://10.0.0.1", "api_key": "k", "name": null, "account_scope": {"platforms": ["mt5"]}}`,
		`{"kind": "custom_api", "base_url": "`+z.platformURL+`", "api_key": "wrong", "sync_interval_seconds": 300}`,
		`{"name": "\u0000", "sync_interval_seconds": 1e-5}`, `{"name": "x", "sync_interval_seconds": 60.0}`, `{"is_active": false}`,
		`{"account_scope": {"plan_category_ids": [1, 2.5, 1e99], "x": {}}}`, `{}`, ``, `[]`, `{`, "\xff", `{"a":1,"a":1}`,
		`{"full_name": "\u200b", "email": "a@b", "tags": ["x", null, ""], "status": "archived"}`, `{"name": "k", "scopes": ["traders:read"], "expires_in_days": 1e1}`,
	)
	f.Fuzz(func(t *testing.T, pick uint8, body string) {
		n := int(pick) % len(z.routes)
		header := z.header("Content-Type", "application/json")
		z.honor(t, n, "", header, body, z.serve(t, z.routes[n].Method, z.paths[n], "", header, body))
	})
}

// FuzzQueries sends queries to all routes: reads answer 200, 422 with the parameter's name, or
// 401 if it looks like a key. Changes get a parameter that they do not take, so that they never
// answer 2xx.
func FuzzQueries(f *testing.F) {
	z := setupFuzz(f, func(route.Route) bool { return true })
	add(f, z,
		"page=1&limit=100&search=a%25_%5C", "search=%00", "search=%ff", "page=1000000000&limit=100", "page=18446744073709551617",
		"state=open&symbol=EURUSD&from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z", "account_id=00000000-0000-0000-0000-000000000000",
		"from=9999-12-31T23:59:59-23:59", "symbol=%F0%9F%98%80", "%zz=1&a;b&&=", "page[]=1&\xff=\xff", "source=manual&country=DE&kyc_status=x&status=active&tag=%3C",
	)
	f.Fuzz(func(t *testing.T, pick uint8, query string) {
		n := int(pick) % len(z.routes)
		change := z.routes[n].Method != http.MethodGet
		if change {
			query += "&no_such_parameter"
		}
		header := z.header()
		r := z.serve(t, z.routes[n].Method, z.paths[n], query, header, "")
		z.honor(t, n, query, header, "", r)
		switch {
		case r.status == http.StatusUnauthorized, r.status == http.StatusOK && !change:
		case r.status == http.StatusUnprocessableEntity && strings.Contains(r.body, `"errors":[{"parameter":`):
		default:
			t.Errorf("%s %s?%s answers %d: %s", z.routes[n].Method, z.paths[n], query, r.status, r.body)
		}
	})
}

// FuzzHeaders sends headers to all routes, with a key and with other text in its place: no
// response is a server error, only a key opens a route, and only a well-formed request id is
// returned.
func FuzzHeaders(f *testing.F) {
	z := setupFuzz(f, func(route route.Route) bool { return !route.Session && !route.Caller }) // a stream has no end
	tag := z.tag(f, "/v1/integrations/egress")
	for pick := range z.routes {
		for _, h := range [][6]string{
			{"application/json", tag, tag, "application/json", "request-1", "Bearer " + z.key},
			{"text/html;q=0.5, */*;q=0", `W/"x", "y"`, "*", "application/json; charset=latin1", "x", "Basic eDp5"},
			{`application/json;a="b,\"c";q=1.000`, `"`, `W/`, "multipart/form-data; boundary=", "\xff\x00", "Bearer"},
		} {
			f.Add(uint8(pick), h[0], h[1], h[2], h[3], h[4], h[5])
		}
	}
	f.Fuzz(func(t *testing.T, pick uint8, accept, match, noneMatch, media, id, authorization string) {
		n := int(pick) % len(z.routes)
		path := z.paths[n]
		if z.routes[n].Method == http.MethodDelete {
			path = pathTo(z.routes[n], uuid.NewString()) // the objects must outlast the target
		}
		header := z.header("Accept", accept, "If-Match", match, "If-None-Match", noneMatch, "Content-Type", media, "X-Request-Id", id)
		r := z.serve(t, z.routes[n].Method, path, "", header, "{}")
		if r.status == http.StatusUnauthorized {
			t.Errorf("%s with a key answers %d: %s", path, r.status, r.body)
		}
		header.Set("Authorization", authorization)
		anonymous := z.serve(t, z.routes[n].Method, path, "", header, "{}")
		refused := anonymous.status == http.StatusUnauthorized || anonymous.status == http.StatusTooManyRequests
		if z.routes[n].Scope != "" && !refused && !strings.Contains(authorization, z.key) {
			t.Errorf("%s with %q answers %d: %s", path, authorization, anonymous.status, anonymous.body)
		}
		for _, r := range []reply{r, anonymous} {
			if got := r.header.Get("X-Request-Id"); url.PathEscape(got) != got || len(got) < 8 || len(got) > 128 {
				t.Errorf("the request's id is %q", got)
			}
		}
	})
}

// FuzzSessions sends bodies and cookies to the routes of sessions: no response is a server error,
// and only a session opens routes that need one.
func FuzzSessions(f *testing.F) {
	z := setupFuzz(f, func(route route.Route) bool {
		return strings.HasPrefix(route.Path, "/session") && route.Method != http.MethodDelete
	})
	session, _ := z.newSession(f, z.org.ID, access.RoleViewer)
	cookie := auth.SessionCookie + "=" + strings.TrimPrefix(session, cookiePrefix)
	for pick := range z.routes {
		for _, seed := range [][2]string{
			{`{"email": "zoe@example.com", "password": "x", "organization": null}`, ""},
			{`{"current_password": "x", "new_password": "correct horse battery"}`, cookie},
			{`{"email": "\u0000", "password": 1}`, auth.SessionCookie + "="},
			{`{`, cookie + "; " + cookie},
			{"", auth.SessionCookie + "=\xff;;="},
		} {
			f.Add(uint8(pick), seed[0], seed[1])
		}
	}
	f.Fuzz(func(t *testing.T, pick uint8, body, cookies string) {
		n := int(pick) % len(z.routes)
		header := http.Header{"Content-Type": {"application/json"}, "Cookie": {cookies}}
		token, err := auth.ParseToken(strings.TrimPrefix(session, cookiePrefix))
		check(t, err)
		header.Set(auth.CSRFHeader, token.CSRF())
		r := z.serve(t, z.routes[n].Method, z.paths[n], "", header, body)
		z.honor(t, n, "", header, body, r)
		if z.routes[n].Session && r.status < 300 && !strings.Contains(cookies, strings.TrimPrefix(session, cookiePrefix)) {
			t.Errorf("%s with the cookies %q answers %d", z.paths[n], cookies, r.status)
		}
	})
}
