package auth_test

import (
	"io"
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
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
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

// TestInForceUntil: when a key or a session ends is decided by the database's clock, even if the
// process's is wrong.
func TestInForceUntil(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-2 * time.Hour, 2 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.clock.advance(off)
			b.handle = func(w http.ResponseWriter, r *http.Request) error {
				until, err := b.auth.InForceUntil(r.Context())
				if err == nil {
					_, err = io.WriteString(w, until.Sub(b.clock.now()).Round(time.Minute).String())
				}
				return err
			}
			key, row := b.newKey(t, "traders:read")
			b.exec(t, `UPDATE api_keys SET expires_at = now() + interval '40 minutes' WHERE id = $1`, row.ID)
			if _, body := b.get(t, "", bearer(key)); body != "40m0s" {
				t.Errorf("the key ends in %s, want 40 minutes", body)
			}
			person, err := access.CreatePerson(t.Context(), b.db, store.SystemChange(b.org.ID), access.NewPerson{Email: "zoe@example.com", Name: "Zoe Miller", Role: access.RoleViewer, PasswordHash: "hash"})
			check(t, err)
			token := auth.NewToken()
			_, err = access.BeginSession(t.Context(), b.db, store.Change{OrganizationID: b.org.ID, PersonID: person.ID, By: person.Name}, "hash",
				access.NewSession{TokenHash: token.Hash(), Method: access.ByOIDC})
			check(t, err)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL, nil)
			check(t, err)
			request.AddCookie(&http.Cookie{Name: auth.SessionCookie, Value: token.Secret().Reveal()})
			response, err := b.server.Client().Do(request)
			check(t, err)
			defer func() { _ = response.Body.Close() }()
			body, err := io.ReadAll(response.Body)
			check(t, err)
			if string(body) != access.SessionIdle.String() {
				t.Errorf("the session ends in %s, want %s", body, access.SessionIdle)
			}
		})
	}
}
