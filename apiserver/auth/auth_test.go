package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
)

func TestNewKey(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 200 {
		key := auth.NewKey()
		text := key.Secret().Reveal()
		if len(text) != 58 || !strings.HasPrefix(text, "svc_live_") {
			t.Fatalf("%q has %d characters", text, len(text))
		}
		if seen[text] {
			t.Fatal("a key came twice")
		}
		seen[text] = true
		if got := key.Prefix(); got != text[:15] {
			t.Fatalf("prefix %q of %q", got, text)
		}
		again, err := auth.ParseKey(text)
		if err != nil || again.Hash() != key.Hash() {
			t.Fatalf("a new key does not parse: %v", err)
		}
	}
}

func TestKeysAreNotPrinted(t *testing.T) {
	t.Parallel()
	key := auth.NewKey()
	for _, text := range []string{fmt.Sprint(key), fmt.Sprintf("%v %+v %#v %s", key, key, key, key)} {
		if strings.Contains(text, key.Secret().Reveal()) {
			t.Errorf("the key is shown: %s", text)
		}
	}
}

// fixedKey is computed by hand: 43 zeros, and the CRC-32 of what precedes in base 62.
const fixedKey = "svc_live_0000000000000000000000000000000000000000000" + "297tdY"

func TestParseKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		ok   bool
	}{
		{"known", fixedKey, true},
		{"empty", "", false},
		{"prefix only", "svc_live_", false},
		{"other environment", "svc_test_" + fixedKey[9:], false},
		{"one character short", fixedKey[:57], false},
		{"one character long", fixedKey + "0", false},
		{"wrong check digits", fixedKey[:57] + flip(fixedKey[57]), false},
		{"mistyped body", fixedKey[:20] + "1" + fixedKey[21:], false},
		{"no base 62", fixedKey[:20] + "_" + fixedKey[21:], false},
		{"NUL", fixedKey[:20] + "\x00" + fixedKey[21:], false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := auth.ParseKey(tt.text)
			if tt.ok != (err == nil) || !tt.ok && !errors.Is(err, auth.ErrMalformed) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func flip(c byte) string {
	if c == '0' {
		return "1"
	}
	return "0"
}

func FuzzParseKey(f *testing.F) {
	f.Add(fixedKey)
	f.Add("svc_live_")
	f.Add(strings.Repeat("svc_live_", 7))
	f.Fuzz(func(t *testing.T, text string) {
		key, err := auth.ParseKey(text)
		if err != nil {
			return
		}
		if key.Secret().Reveal() != text {
			t.Errorf("%q was changed", text)
		}
	})
}

func TestParseScopes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		names []string
		fault string
	}{
		{"all", []string{
			"interviews:read", "interviews:create", "interviews:delete", "interviews:decide", "traders:read",
			"traders:write", "webhooks:manage", "api_keys:manage", "integrations:read", "integrations:manage",
		}, ""},
		{"none", nil, "at least one scope"},
		{"unknown", []string{"traders:read", "traders:delete"}, `unknown scope "traders:delete"`},
		{"twice", []string{"traders:read", "traders:read"}, "named twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			scopes, err := auth.ParseScopes(tt.names)
			if tt.fault == "" {
				if err != nil || len(scopes) != len(tt.names) {
					t.Errorf("got %v, %v", scopes, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("got %v, want %s", err, tt.fault)
			}
		})
	}
}

// keyStore holds keys as the database does.
type keyStore struct {
	rows  map[[32]byte]store.APIKey
	err   error
	reads int
}

func (s *keyStore) APIKeyBySecret(_ context.Context, hash [32]byte) (store.APIKey, error) {
	s.reads++
	if s.err != nil {
		return store.APIKey{}, s.err
	}
	row, ok := s.rows[hash]
	if !ok {
		return store.APIKey{}, fmt.Errorf("key: %w", store.ErrNotFound)
	}
	return row, nil
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	past, future := now.Add(-time.Second), now.Add(time.Second)
	good, expired, expiresNow, later, revoked, both := auth.NewKey(), auth.NewKey(), auth.NewKey(), auth.NewKey(), auth.NewKey(), auth.NewKey()
	org := uuid.Must(uuid.NewV7())
	row := func(expires, revoked *time.Time) store.APIKey {
		return store.APIKey{ID: org, OrganizationID: org, Scopes: []string{"traders:read"}, ExpiresAt: expires, RevokedAt: revoked}
	}
	rows := map[[32]byte]store.APIKey{
		good.Hash(): row(nil, nil), expired.Hash(): row(&past, nil), expiresNow.Hash(): row(&now, nil),
		later.Hash(): row(&future, nil), revoked.Hash(): row(nil, &past), both.Hash(): row(&past, &past),
	}
	const plain, invalid = `Bearer realm="svc"`, `Bearer realm="svc", error="invalid_token"`
	text := func(k auth.Key) string { return k.Secret().Reveal() }
	tests := []struct {
		name      string
		headers   []string
		query     string
		code      problem.Code // empty: accepted
		challenge string
		reads     int
	}{
		{"good", []string{"Bearer " + text(good)}, "", "", "", 1},
		{"scheme in any case, more spaces", []string{"bearer   " + text(good)}, "page=1", "", "", 1},
		{"not yet expired", []string{"Bearer " + text(later)}, "", "", "", 1},
		{"no header", nil, "", problem.AuthenticationRequired, plain, 0},
		{"empty header", []string{""}, "", problem.AuthenticationRequired, plain, 0},
		{"scheme alone", []string{"Bearer"}, "", problem.AuthenticationRequired, plain, 0},
		{"basic", []string{"Basic " + text(good)}, "", problem.AuthenticationRequired, plain, 0},
		{"bare key", []string{text(good)}, "", problem.AuthenticationRequired, plain, 0},
		{"two headers", []string{"Bearer " + text(good), "Bearer " + text(good)}, "", problem.AuthenticationRequired, plain, 0},
		{"key in the query", nil, "k=" + text(good), problem.AuthenticationRequired, plain, 0},
		{"key in the query beside a good header", []string{"Bearer " + text(good)}, "k=" + text(good), problem.AuthenticationRequired, plain, 0},
		{"parameter of that name", []string{"Bearer " + text(good)}, "access_token=x", problem.AuthenticationRequired, plain, 0},
		{"malformed key", []string{"Bearer svc_live_short"}, "", problem.InvalidAPIKey, invalid, 0},
		{"two tokens", []string{"Bearer " + text(good) + " " + text(good)}, "", problem.InvalidAPIKey, invalid, 0},
		{"unknown key", []string{"Bearer " + text(auth.NewKey())}, "", problem.InvalidAPIKey, invalid, 1},
		{"expired", []string{"Bearer " + text(expired)}, "", problem.APIKeyExpired, invalid, 1},
		{"expires this moment", []string{"Bearer " + text(expiresNow)}, "", problem.APIKeyExpired, invalid, 1},
		{"revoked", []string{"Bearer " + text(revoked)}, "", problem.APIKeyRevoked, invalid, 1},
		{"revoked and expired", []string{"Bearer " + text(both)}, "", problem.APIKeyRevoked, invalid, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			keys := &keyStore{rows: rows}
			authenticator, err := auth.New(keys, func() time.Time { return now }, prometheus.NewRegistry())
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodGet, "/v1/traders?"+tt.query, nil)
			r.Header["Authorization"] = tt.headers
			id, err := authenticator.Authenticate(r)
			if keys.reads != tt.reads {
				t.Errorf("%d database reads, want %d", keys.reads, tt.reads)
			}
			if tt.code == "" {
				want := auth.Identity{KeyID: org, OrganizationID: org, Scopes: []auth.Scope{auth.TradersRead}}
				if diff := cmp.Diff(want, id); err != nil || diff != "" {
					t.Errorf("refused with %v, or (-want +got):\n%s", err, diff)
				}
				return
			}
			p, ok := errors.AsType[*problem.Problem](err)
			if !ok || p.Code != tt.code || p.Status() != http.StatusUnauthorized {
				t.Fatalf("got %v, want %s", err, tt.code)
			}
			if got := p.Header.Get("WWW-Authenticate"); got != tt.challenge {
				t.Errorf("challenge %q, want %q", got, tt.challenge)
			}
		})
	}
}

func TestRefusalsAreCounted(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	keys := &keyStore{}
	authenticator, err := auth.New(keys, time.Now, registry)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/v1/traders", nil)
	_, _ = authenticator.Authenticate(r)
	_ = authenticator.Authorize(auth.Identity{}, auth.TradersRead)
	keys.err = errors.New("connection refused")
	r.Header.Set("Authorization", "Bearer "+auth.NewKey().Secret().Reveal())
	_, _ = authenticator.Authenticate(r)
	const want = `# HELP apiserver_auth_failures_total Requests refused for want of a usable API key or of a scope, by problem code.
# TYPE apiserver_auth_failures_total counter
apiserver_auth_failures_total{code="api_key_expired"} 0
apiserver_auth_failures_total{code="api_key_revoked"} 0
apiserver_auth_failures_total{code="authentication_required"} 1
apiserver_auth_failures_total{code="insufficient_scope"} 1
apiserver_auth_failures_total{code="invalid_api_key"} 0
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

func TestRequire(t *testing.T) {
	t.Parallel()
	id := auth.Identity{Scopes: []auth.Scope{auth.IntegrationsManage}}
	if err := id.Require(auth.IntegrationsManage); err != nil {
		t.Errorf("own scope: %v", err)
	}
	p, ok := errors.AsType[*problem.Problem](id.Require(auth.IntegrationsRead))
	if !ok || p.Status() != http.StatusForbidden || p.RequiredScope != "integrations:read" {
		t.Errorf("a scope does not hold another one: got %+v", p)
	}
}

func TestPassword(t *testing.T) {
	t.Parallel()
	password := auth.NewPassword()
	if len(password.Reveal()) < 20 {
		t.Errorf("password of %d characters", len(password.Reveal()))
	}
	hash, err := auth.HashPassword(password)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$") {
		t.Errorf("hash %q", hash)
	}
	if match, err := argon2id.ComparePasswordAndHash(password.Reveal(), hash); err != nil || !match {
		t.Errorf("the password does not match its hash: %v, %v", match, err)
	}
}
