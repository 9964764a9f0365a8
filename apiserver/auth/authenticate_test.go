package auth_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/storetest"
)

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := func(condition string) string {
		k, row := b.newKey(t, "traders:read")
		if condition != "" {
			b.exec(t, `UPDATE api_keys SET `+condition+` WHERE id = $1`, row.ID)
		}
		return k.Secret().Reveal()
	}
	good := key("")
	const plain, invalid = `Bearer realm="svc"`, `Bearer realm="svc", error="invalid_token"`
	tests := []struct {
		name      string
		headers   []string
		query     string
		code      problem.Code // empty if the key is accepted
		challenge string
	}{
		{"good", []string{"Bearer " + good}, "", "", ""},
		{"scheme in any case, more spaces", []string{"bearer   " + good}, "page=1", "", ""},
		{"not yet expired", []string{"Bearer " + key("expires_at = now() + interval '1 h'")}, "", "", ""},
		{"no header", nil, "", problem.AuthenticationRequired, plain},
		{"empty header", []string{""}, "", problem.AuthenticationRequired, plain},
		{"scheme alone", []string{"Bearer"}, "", problem.AuthenticationRequired, plain},
		{"basic", []string{"Basic " + good}, "", problem.AuthenticationRequired, plain},
		{"bare key", []string{good}, "", problem.AuthenticationRequired, plain},
		{"two headers", []string{"Bearer " + good, "Bearer " + good}, "", problem.AuthenticationRequired, plain},
		{"key in the query", nil, "k=" + good, problem.AuthenticationRequired, plain},
		{"key as a name in the query", []string{"Bearer " + good}, good, problem.AuthenticationRequired, plain},
		{"key as a name with a value", []string{"Bearer " + good}, good + "=1", problem.AuthenticationRequired, plain},
		{"key after a semicolon", []string{"Bearer " + good}, "a;k=" + good, problem.AuthenticationRequired, plain},
		{"key beside a broken escape", []string{"Bearer " + good}, "%zz=" + good, problem.AuthenticationRequired, plain},
		{"key in the query beside a good header", []string{"Bearer " + good}, "k=" + good, problem.AuthenticationRequired, plain},
		{"parameter of that name", []string{"Bearer " + good}, "access_token=x", problem.AuthenticationRequired, plain},
		{"malformed key", []string{"Bearer svc_live_short"}, "", problem.InvalidAPIKey, invalid},
		{"two tokens", []string{"Bearer " + good + " " + good}, "", problem.InvalidAPIKey, invalid},
		{"unknown key", []string{bearer(auth.NewKey())}, "", problem.InvalidAPIKey, invalid},
		{"expired", []string{"Bearer " + key("expires_at = now() - interval '1 s'")}, "", problem.APIKeyExpired, invalid},
		{"revoked", []string{"Bearer " + key("revoked_at = now()")}, "", problem.APIKeyRevoked, invalid},
		{"revoked and expired", []string{"Bearer " + key("revoked_at = now(), expires_at = now() - interval '1 s'")}, "", problem.APIKeyRevoked, invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, body := b.get(t, tt.query, tt.headers...)
			if tt.code == "" {
				if res.StatusCode != http.StatusOK || body != "served" {
					t.Errorf("answered %d %s", res.StatusCode, body)
				}
				return
			}
			if res.StatusCode != http.StatusUnauthorized {
				t.Errorf("answered %d", res.StatusCode)
			}
			contains(t, body, `"code":"`+string(tt.code)+`"`)
			if got := res.Header.Get("WWW-Authenticate"); got != tt.challenge {
				t.Errorf("challenge %q, want %q", got, tt.challenge)
			}
		})
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key, row := b.newKey(t, "traders:read", "traders:write")
	var got auth.Identity
	b.handle = func(_ http.ResponseWriter, r *http.Request) error {
		got = auth.FromContext(r.Context())
		return nil
	}
	b.get(t, "", bearer(key))
	want := auth.Identity{KeyID: row.ID, OrganizationID: b.org.ID, Name: "test key", Scopes: []auth.Scope{auth.TradersRead, auth.TradersWrite}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
}

// TestDatabaseAway checks that text that cannot be a key is refused without the database, and
// that nobody else is treated as unknown while the database is unavailable.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	away := storetest.Open(t, "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable&connect_timeout=2")
	registry := prometheus.NewRegistry()
	keys, err := auth.NewKeys(away, slog.New(slog.DiscardHandler), time.Now, registry)
	check(t, err)
	authenticator, err := auth.New(away, keys, nil, time.Now, registry)
	check(t, err)
	begin := func(token string) *problem.Problem {
		r := httptest.NewRequest(http.MethodGet, "/v1/traders", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		_, err := authenticator.Begin(httptest.NewRecorder(), r)
		return problem.From(err)
	}
	if p := begin("svc_live_short"); p.Code != problem.InvalidAPIKey {
		t.Errorf("malformed: %v", p)
	}
	if p := begin(auth.NewKey().Secret().Reveal()); p.Code != problem.ServiceUnavailable {
		t.Errorf("well-formed: %v", p)
	}
	const want = `# HELP assay_apiserver_auth_failures_total Requests refused because a key, session, scope or CSRF token was missing or invalid.
# TYPE assay_apiserver_auth_failures_total counter
assay_apiserver_auth_failures_total{code="api_key_expired"} 0
assay_apiserver_auth_failures_total{code="api_key_revoked"} 0
assay_apiserver_auth_failures_total{code="authentication_required"} 0
assay_apiserver_auth_failures_total{code="csrf_failed"} 0
assay_apiserver_auth_failures_total{code="insufficient_scope"} 0
assay_apiserver_auth_failures_total{code="invalid_api_key"} 1
assay_apiserver_auth_failures_total{code="invalid_session"} 0
assay_apiserver_auth_failures_total{code="password_change_required"} 0
assay_apiserver_auth_failures_total{code="session_ended"} 0
assay_apiserver_auth_failures_total{code="session_expired"} 0
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "assay_apiserver_auth_failures_total"); err != nil {
		t.Error(err)
	}
}
