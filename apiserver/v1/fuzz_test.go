package v1_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	v1 "github.com/assayhq/assay/apiserver/v1"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store/storetest"
)

// homeGuard refuses what the guard refuses, and all addresses but the
// platform's, so that a lucky body calls nobody.
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

// FuzzBodies sends bodies to every route that takes one: whatever they hold,
// the answer is no server error.
func FuzzBodies(f *testing.F) {
	b := setup(f)
	b.guard = homeGuard{b.client.Guard(), b.platformURL}
	b.registry = prometheus.NewRegistry()
	b.startAPI(f, b.db)
	id := storetest.Integration(f, b.db, b.org.ID, b.platformURL).ID.String()
	for _, seed := range []string{
		`{"kind": "custom_api", "base_url": "https://10.0.0.1", "api_key": "k", "name": null, "account_scope": {"platforms": ["mt5"]}}`,
		`{"name": "\u0000", "sync_interval_seconds": 1e-5}`, `{"name": "x", "sync_interval_seconds": 60.0}`, `{"is_active": false}`,
		`{"account_scope": {"plan_category_ids": [1, 2.5, 1e99], "x": {}}}`, `[]`, `{`, "\xff", `{"a":1,"a":1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, route := range []struct{ method, path string }{
			{"POST", "/v1/integrations"},
			{"POST", "/v1/integrations/test"},
			{"PATCH", "/v1/integrations/" + id},
			{"POST", "/v1/integrations/" + id + "/sync"},
		} {
			r := b.send(t, route.method, route.path, b.key, body)
			if r.status >= http.StatusInternalServerError {
				t.Errorf("%s %s answers %d to %q: %s", route.method, route.path, r.status, body, r.body)
			}
		}
	})
}

// FuzzQueries sends queries to every list: the answer is 200, or 422 with the
// parameter's name, or 401 when it looks like a key.
func FuzzQueries(f *testing.F) {
	b := setup(f)
	integration := storetest.Integration(f, b.db, b.org.ID, b.platformURL)
	storetest.Records(f, b.databaseURL, integration, directory())
	ids := b.ids(f)
	for _, seed := range []string{
		"page=1&limit=100&search=a%25_%5C", "search=%00", "search=%ff", "page=1000000000&limit=100", "page=18446744073709551617",
		"state=open&symbol=EURUSD&from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z", "account_id=00000000-0000-0000-0000-000000000000",
		"from=9999-12-31T23:59:59-23:59", "symbol=%F0%9F%98%80", "%zz=1&a;b&&=",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if strings.ContainsFunc(query, func(c rune) bool { return c <= ' ' || c > '~' || c == '#' }) {
			t.Skip("no query of a request line")
		}
		for _, path := range []string{
			"/v1/traders", "/v1/traders/" + ids["T-1"].String() + "/trades", "/v1/integrations/" + integration.ID.String() + "/runs",
		} {
			r := b.send(t, "GET", path+"?"+query, b.key, nil)
			switch r.status {
			case http.StatusOK, http.StatusUnprocessableEntity, http.StatusUnauthorized:
			default:
				t.Errorf("%s?%s answers %d: %s", path, query, r.status, r.body)
			}
		}
	})
}
