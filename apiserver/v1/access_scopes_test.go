package v1_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/storetest"
)

// accessKeys are the keys that the routes are tried with, one per scope in each state.
type accessKeys struct {
	valid, expired, revoked, foreign map[auth.Scope]string
}

func newAccessKeys(t *testing.T, b *testAPI) (k accessKeys) {
	t.Helper()
	conn := storetest.Conn(t, b.databaseURL)
	made := func(condition string) map[auth.Scope]string {
		keys := make(map[auth.Scope]string)
		for _, scope := range auth.Scopes() {
			_, key := newOrganization(t, b.db, scope)
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

// TestAccess tries every route with every scope and every kind of key, and prints the results. It
// takes long because it calls every route with every scope.
func TestAccess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.objects(t)
	keys := newAccessKeys(t, b)
	const line = "%-6s %-34s %-20s %-6s %-7s %-6s %-8s %-8s %s\n"
	var table strings.Builder
	fmt.Fprintf(&table, line, "method", "path", "scope of the key", "valid", "no key", "wrong", "expired", "revoked", "other organization")
	for _, route := range b.api.Routes() {
		if route.Scope == "" { // TestAccessOfPeople
			continue
		}
		// An object that no organization has gets the same response with every scope.
		none := b.send(t, route.Method, pathTo(route, ids.of(route)), "", nil)
		none.wantProblem(t, http.StatusUnauthorized, "authentication_required")
		wrong := b.send(t, route.Method, pathTo(route, ids.of(route)), auth.NewKey().Secret().Reveal(), nil)
		wrong.wantProblem(t, http.StatusUnauthorized, "invalid_api_key")
		for _, scope := range auth.Scopes() {
			a := b.tryRoute(t, route, scope, ids.of(route), keys)
			fmt.Fprintf(&table, line, route.Method, route.Path, scope, a.valid, fmt.Sprint(none.status), fmt.Sprint(wrong.status), a.expired, a.revoked, a.foreign)
		}
	}
	t.Logf("answers by route, scope and kind of key (without a body, with an id of the first organization; deletions with one that nothing has):\n%s", &table)
}

// keyAnswers holds the responses to the kinds of key.
type keyAnswers struct{ valid, expired, revoked, foreign string }

// tryRoute tries a route with keys of one scope. With the scope that the route requires, the
// organization that has the object is served, and for the other one the object does not exist.
// With any other scope both are refused.
func (b *testAPI) tryRoute(t *testing.T, route route.Route, scope auth.Scope, id string, keys accessKeys) (a keyAnswers) {
	t.Helper()
	name := fmt.Sprintf("%s %s with %s", route.Method, route.Path, scope)
	send := func(id, key string) reply { return b.send(t, route.Method, pathTo(route, id), key, nil) }
	refused := func(key string, status int, code string) string {
		r := send(id, key)
		if r.status != status || !strings.Contains(r.body, `"code":"`+code+`"`) {
			t.Errorf("%s: answered %d %s, want %d %s", name, r.status, r.body, status, code)
		}
		return fmt.Sprint(r.status)
	}
	a = keyAnswers{
		expired: refused(keys.expired[scope], http.StatusUnauthorized, "api_key_expired"),
		revoked: refused(keys.revoked[scope], http.StatusUnauthorized, "api_key_revoked"),
	}
	if scope != route.Scope || route.Also != "" { // one scope is not enough
		a.valid = refused(keys.valid[scope], http.StatusForbidden, "insufficient_scope")
		a.foreign = refused(keys.foreign[scope], http.StatusForbidden, "insufficient_scope")
		return a
	}
	foreign := send(id, keys.foreign[scope])
	if hasID(route) && foreign.status != http.StatusNotFound {
		t.Errorf("%s from another organization: answered %d %s", name, foreign.status, foreign.body)
	}
	if route.Method == http.MethodDelete {
		id = uuid.NewString()
	}
	valid := send(id, keys.valid[scope])
	switch {
	case route.Method == http.MethodDelete && valid.status != http.StatusNotFound,
		route.Method == http.MethodGet && valid.status != http.StatusOK,
		valid.status == http.StatusUnauthorized, valid.status == http.StatusForbidden, valid.status >= http.StatusInternalServerError,
		route.Method != http.MethodDelete && valid.status == http.StatusNotFound:
		t.Errorf("%s: answered %d %s", name, valid.status, valid.body)
	}
	a.valid, a.foreign = fmt.Sprint(valid.status), fmt.Sprint(foreign.status)
	return a
}

// TestAccessCoversEveryScope checks that the routes use every scope in the list.
func TestAccessCoversEveryScope(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, route := range b.api.Routes() {
		if route.Scope != "" && !slices.Contains(auth.Scopes(), route.Scope) {
			t.Errorf("%s %s needs the unknown scope %q", route.Method, route.Path, route.Scope)
		}
	}
}
