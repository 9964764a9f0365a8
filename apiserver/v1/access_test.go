package v1_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assayhq/assay/apiserver/auth"
	v1 "github.com/assayhq/assay/apiserver/v1"
	"github.com/assayhq/assay/store/storetest"
)

// accessKeys are the keys that the routes are tried with, one per scope in
// each state.
type accessKeys struct {
	valid, expired, revoked, foreign map[auth.Scope]string
}

func newAccessKeys(t *testing.T, b *bundle) (k accessKeys) {
	t.Helper()
	conn := storetest.Conn(t, b.databaseURL)
	n := 0
	made := func(condition string) map[auth.Scope]string {
		keys := make(map[auth.Scope]string)
		for _, scope := range auth.Scopes() {
			n++
			_, key := newOrganization(t, b.db, fmt.Sprintf("Access %d", n), scope)
			_, err := conn.Exec(t.Context(), `UPDATE api_keys SET `+condition+` WHERE prefix = $1`, key[:15])
			check(t, err)
			keys[scope] = key
		}
		return keys
	}
	ours := fmt.Sprintf("organization_id = '%s'", b.org.ID)
	return accessKeys{
		valid: made(ours), foreign: made("name = name"),
		expired: made(ours + ", expires_at = now() - interval '1 s'"), revoked: made(ours + ", revoked_at = now()"),
	}
}

// TestAccess tries every route with every scope and every kind of key, and
// prints what it found.
func TestAccess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.objects(t)
	keys := newAccessKeys(t, b)
	var table strings.Builder
	fmt.Fprintf(&table, "%-6s %-36s %-20s %-14s %-12s %-6s %-6s %-8s %-8s %s\n", "method", "path", "scope",
		"with the scope", "other scopes", "no key", "wrong", "expired", "revoked", "other organization")
	for _, route := range b.api.Routes() {
		if route.Scope == "" {
			fmt.Fprintf(&table, "%-6s %-36s public\n", route.Method, route.Path)
			continue
		}
		b.tryRoute(t, &table, route, ids.of(route), keys)
	}
	t.Logf("answers by route and key (without a body, and with an id of the first organization):\n%s", &table)
}

func (b *bundle) tryRoute(t *testing.T, table *strings.Builder, route v1.Route, id string, keys accessKeys) {
	t.Helper()
	method, template, scope := route.Method, route.Path, route.Scope
	name, path := method+" "+template, pathTo(route, id)
	want := func(key string, status int, code string) string {
		r := b.send(t, method, path, key, nil)
		if r.status != status || !strings.Contains(r.body, `"code":"`+code+`"`) && method != http.MethodHead {
			t.Errorf("%s: answered %d %s, want %d %s", name, r.status, r.body, status, code)
		}
		return fmt.Sprint(r.status)
	}
	var within, others, foreign string
	for _, s := range auth.Scopes() {
		if s == scope {
			within, foreign = b.tryScope(t, route, id, keys)
			continue
		}
		others = want(keys.valid[s], http.StatusForbidden, "insufficient_scope")
		want(keys.foreign[s], http.StatusForbidden, "insufficient_scope")
	}
	var expired, revoked string
	for _, s := range auth.Scopes() {
		expired = want(keys.expired[s], http.StatusUnauthorized, "api_key_expired")
		revoked = want(keys.revoked[s], http.StatusUnauthorized, "api_key_revoked")
	}
	fmt.Fprintf(table, "%-6s %-36s %-20s %-14s %-12s %-6s %-6s %-8s %-8s %s\n", method, template, scope, within, others,
		want("", http.StatusUnauthorized, "authentication_required"),
		want(auth.NewKey().Secret().Reveal(), http.StatusUnauthorized, "invalid_api_key"), expired, revoked, foreign)
}

// tryScope tries a route with its scope: the organization that has the object
// is served, and to the other one it is not there. What would delete the object
// is tried by the other one alone.
func (b *bundle) tryScope(t *testing.T, route v1.Route, id string, keys accessKeys) (within, foreign string) {
	t.Helper()
	f := b.send(t, route.Method, pathTo(route, id), keys.foreign[route.Scope], nil)
	if hasID(route) && f.status != http.StatusNotFound {
		t.Errorf("%s %s from another organization: answered %d %s", route.Method, route.Path, f.status, f.body)
	}
	if route.Method == http.MethodDelete {
		return "-", fmt.Sprint(f.status)
	}
	r := b.send(t, route.Method, pathTo(route, id), keys.valid[route.Scope], nil)
	switch {
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden, r.status == http.StatusNotFound, r.status >= http.StatusInternalServerError,
		route.Method == http.MethodGet && r.status != http.StatusOK:
		t.Errorf("%s %s with its scope: answered %d %s", route.Method, route.Path, r.status, r.body)
	}
	return fmt.Sprint(r.status), fmt.Sprint(f.status)
}

// TestAccessCoversEveryScope keeps the list of scopes and the routes together.
func TestAccessCoversEveryScope(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, route := range b.api.Routes() {
		if route.Scope != "" && !slices.Contains(auth.Scopes(), route.Scope) {
			t.Errorf("%s %s needs the unknown scope %q", route.Method, route.Path, route.Scope)
		}
	}
}
