package auth_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/problem"
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

// fixedKey was computed by hand: 43 zeros, and the CRC-32 of the preceding text in base 62.
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
		{"twice", []string{"traders:read", "traders:read"}, "listed twice"},
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
