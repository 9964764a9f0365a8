package v1_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
)

// pathTo fills in the variables of a route's path.
func pathTo(route route.Route, id string) string { return variable.ReplaceAllString(route.Path, id) }

var variable = regexp.MustCompile(`\{[^}]+\}`)

// hasID reports whether the route is about one object.
func hasID(route route.Route) bool { return variable.MatchString(route.Path) }

// objects holds an id of each kind of object that the organization has, by the path prefix that
// leads to it.
type objects map[string]string

// objects creates an object of each kind.
func (b *testAPI) objects(t testing.TB) objects {
	t.Helper()
	integration := storetest.Integration(t, b.db, b.org.ID, b.platformURL)
	storetest.Records(t, b.databaseURL, integration, fullDirectory())
	first := func(list string) string {
		r := b.send(t, "GET", list, b.key, nil).want(t, http.StatusOK)
		return decodeInto[struct{ Data []struct{ ID uuid.UUID } }](t, r).Data[0].ID.String()
	}
	hook, err := webhooks.CreateEndpoint(t.Context(), b.db, store.SystemChange(b.org.ID), webhooks.NewEndpoint{URL: "https://hooks.example.com", Events: []string{"*"}})
	check(t, err)
	ping, err := webhooks.PingEndpoint(t.Context(), b.db, store.SystemChange(b.org.ID), hook.ID)
	check(t, err)
	_, err = activity.ReplaceCalendar(t.Context(), b.db, store.SystemChange(b.org.ID), activity.Calendar{Body: []byte("time,currency,impact\n2026-01-09T13:30:00Z,USD,high\n"), Events: 1})
	check(t, err)
	// All variables of a path are filled with one id, so the file has the trader's.
	b.exec(t, `INSERT INTO activity_files (id, organization_id, trader_id, sha256, bytes, name, media_type, options, reader, report, trades, uploaded_by)
SELECT id, organization_id, id, sha256('1,2'), 3, 'a.csv', 'text/csv', '{}', 1, '{"confidence": "high", "timezone_basis": "given", "reconciled": "none", "net_basis": "computed"}', 0, 'test' FROM traders WHERE organization_id = $1`, b.org.ID)
	b.exec(t, `INSERT INTO activity_file_pieces (file_id, number, body) SELECT id, 0, '1,2' FROM activity_files WHERE organization_id = $1`, b.org.ID)
	b.exec(t, `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL WHERE id = $1`, ping.ID)
	trader := first("/v1/traders")
	return objects{
		"/v1/interviews/": b.interviewObject(t), "/v1/interviews/{id}/reissue": b.inStatus(t, "invited").String(),
		"/v1/traders/{id}/erase": b.named(t, "Erased").String(),
		"/v1/webhooks/":          hook.ID.String(), "/v1/webhooks/deliveries/": ping.ID.String(),
		"/v1/integrations/": integration.ID.String(), "/v1/traders/": trader, "/v1/api-keys/": first("/v1/api-keys"),
		"/v1/users/": b.newPerson(t, b.org.ID, access.RoleReviewer).ID.String(),
	}
}

// interviewObject creates an interview with everything: a recording, a report with a claim, and a
// file. The claim and a
// segment of the transcript have the interview's id, because all variables of a path are filled with one.
func (b *testAPI) interviewObject(t testing.TB) string {
	t.Helper()
	id := b.inStatus(t, "completed").String()
	b.exec(t, `UPDATE interview_reports SET report = json_build_object('claim_checks', json_build_array(json_build_object('id', interview_id))) WHERE interview_id = $1`, id)
	b.exec(t, `UPDATE interview_transcripts SET transcript = json_build_object('segments', json_build_array(json_build_object('id', interview_id, 'text', 'Words.'))) WHERE interview_id = $1`, id)
	b.exec(t, `INSERT INTO activity_files (id, organization_id, trader_id, sha256, bytes, name, media_type, options, reader, report, trades, uploaded_by)
SELECT id, organization_id, trader_id, sha256('1,2'), 3, 'a.csv', 'text/csv', '{}', 1, '{}', 0, 'test' FROM interviews WHERE id = $1`, id)
	b.exec(t, `INSERT INTO activity_file_pieces (file_id, number, body) VALUES ($1, 0, '1,2')`, id)
	b.exec(t, `INSERT INTO interview_files (interview_id, sha256, owned, uploaded_by) VALUES ($1, sha256('1,2'), true, 'test')`, id)
	b.exec(t, `INSERT INTO interview_comments (id, interview_id, author_id, author_name, body) SELECT $1, $1, id, 'test', 'Words.' FROM api_keys WHERE prefix = $2`, id, b.key[:15])
	return id
}

// unlimit resets the limits of the keys of both organizations.
func (b *testAPI) unlimit(t testing.TB) {
	t.Helper()
	b.exec(t, `DELETE FROM api_key_windows WHERE api_key_id IN (SELECT k.id FROM api_keys AS k
    JOIN api_keys AS own ON own.organization_id = k.organization_id WHERE own.prefix IN ($1, $2))`, b.key[:15], b.other[:15])
}

// of returns the id of the route's object, or an empty string if the route has none.
func (o objects) of(route route.Route) string {
	longest := ""
	for prefix := range o {
		if strings.HasPrefix(route.Path, prefix) && hasID(route) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	return o[longest]
}

func TestMissingObjectsAreNotToldApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.objects(t)

	for _, route := range b.api.Routes() {
		if !hasID(route) {
			continue
		}
		b.unlimit(t)
		var body any
		if route.Method == http.MethodPatch {
			body = map[string]any{"nonsense": true} // the object comes before the body's faults
		}
		missing := b.send(t, route.Method, pathTo(route, uuid.NewString()), b.key, body)
		missing.wantProblem(t, http.StatusNotFound, "not_found")
		theirs := ids.of(route)
		for name, id := range map[string]string{
			"another organization's": theirs, "no UUID": "7", "encoded": "%37", "in braces": "%7B" + theirs + "%7D",
			"without hyphens": strings.ReplaceAll(theirs, "-", ""), "encoded slash": "a%2Fb", "NUL": "%00", "no UTF-8": "%ff",
		} {
			r := b.send(t, route.Method, pathTo(route, id), b.other, body)
			if r.body != missing.body || r.status != missing.status {
				t.Errorf("%s %s, %s id:\n%d %s\nwant\n%d %s", route.Method, route.Path, name, r.status, r.body, missing.status, missing.body)
			}
		}
		// Faults of the query do not reveal that the object exists either.
		if r := b.send(t, route.Method, pathTo(route, theirs)+"?page=0&from=x", b.other, body); r.body != missing.body {
			t.Errorf("%s %s with a faulty query: %s", route.Method, route.Path, r.body)
		}
	}
	if got := b.send(t, "GET", "/v1/integrations/"+ids["/v1/integrations/"], b.key, nil); got.status != http.StatusOK {
		t.Errorf("the owner no longer finds it: %d", got.status)
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := uuid.NewString()
	tests := []struct {
		name   string
		method string
		path   string
		keyed  int // status with a key
		code   string
		bare   int // status without a key
		allow  string
	}{
		{"unknown below v1", "GET", "/v1/nothing", 404, "not_found", 401, ""},
		{"v1 itself", "GET", "/v1", 404, "not_found", 401, ""},
		{"trailing slash", "GET", "/v1/traders/", 404, "not_found", 401, ""},
		{"double slash", "GET", "/v1//traders", 404, "not_found", 401, ""},
		{"dot segment", "GET", "/v1/x/../traders", 404, "not_found", 401, ""},
		{"other version", "GET", "/v2/traders", 404, "not_found", 404, ""},
		{"case", "GET", "/v1/Traders", 404, "not_found", 401, ""},
		{"sideways", "GET", "/nothing", 404, "not_found", 404, ""},
		{"wrong method", "PUT", "/v1/traders", 405, "method_not_allowed", 401, "GET, HEAD, POST"},
		{"method of /{id} on /test", "GET", "/v1/integrations/test", 405, "method_not_allowed", 401, "POST"},
		{"method of /test on /egress", "POST", "/v1/integrations/egress", 405, "method_not_allowed", 401, "GET, HEAD"},
		{"several methods", "POST", "/v1/integrations/" + id, 405, "method_not_allowed", 401, "DELETE, GET, HEAD, PATCH"},
		{"options", "OPTIONS", "/v1/integrations", 405, "method_not_allowed", 401, "GET, HEAD, POST"},
		{"made-up method", "BREW", "/v1/integrations", 405, "method_not_allowed", 401, "GET, HEAD, POST"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := b.send(t, tt.method, tt.path, b.key, nil)
			r.wantProblem(t, tt.keyed, tt.code)
			if got := r.header.Get("Allow"); got != tt.allow {
				t.Errorf("Allow %q, want %q", got, tt.allow)
			}
			b.send(t, tt.method, tt.path, "", nil).want(t, tt.bare)
		})
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	get := b.send(t, "GET", "/v1/integrations/egress", b.key, nil).want(t, http.StatusOK)
	head := b.send(t, "HEAD", "/v1/integrations/egress", b.key, nil).want(t, http.StatusOK)
	if head.body != "" || head.header.Get("Content-Length") != get.header.Get("Content-Length") {
		t.Errorf("HEAD answers %q with length %s, GET has %s", head.body, head.header.Get("Content-Length"), get.header.Get("Content-Length"))
	}
}

func TestKeysThatDoNotWork(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	conn := storetest.Conn(t, b.databaseURL)
	change := func(column string) string {
		_, key := newOrganization(t, b.db, auth.Scopes()...)
		_, err := conn.Exec(t.Context(), `UPDATE api_keys SET `+column+` = now() - interval '1 s' WHERE prefix = $1`, key[:15])
		check(t, err)
		return key
	}
	tests := []struct {
		name string
		key  string
		path string
		code string
	}{
		{"unknown", auth.NewKey().Secret().Reveal(), "/v1/traders", "invalid_api_key"},
		{"malformed", "svc_live_x", "/v1/traders", "invalid_api_key"},
		{"expired", change("expires_at"), "/v1/traders", "api_key_expired"},
		{"revoked", change("revoked_at"), "/v1/traders", "api_key_revoked"},
		{"in the query", b.key, "/v1/traders?api_key=" + b.key, "authentication_required"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := b.send(t, "GET", tt.path, tt.key, nil)
			r.wantProblem(t, http.StatusUnauthorized, tt.code)
			want := `Bearer realm="svc", error="invalid_token"`
			if tt.code == "authentication_required" {
				want = `Bearer realm="svc"`
			}
			if got := r.header.Get("WWW-Authenticate"); got != want {
				t.Errorf("challenge %q, want %q", got, want)
			}
		})
	}
	if strings.Contains(b.log.String(), b.key) {
		t.Error("a key was logged")
	}
}

func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	away := storetest.Open(t, "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable&connect_timeout=2")
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, away)
	r := b.send(t, "GET", "/v1/traders", b.key, nil)
	r.wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
	if got := r.header.Get("Retry-After"); got != "5" {
		t.Errorf("Retry-After %q", got)
	}
	if strings.Contains(r.body, "127.0.0.1") || strings.Contains(r.body, "refused") {
		t.Errorf("the cause is shown: %s", r.body)
	}
	b.server.Close()
	if !strings.Contains(b.log.String(), `"level":"WARN"`) || !strings.Contains(b.log.String(), `"cause":"`) {
		t.Errorf("the cause is not logged: %s", b.log)
	}
}
