package v1_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/access"
)

// peopleAccess is callers with one role.
type peopleAccess struct {
	role                           access.Role
	valid, expired, ended, foreign string
}

// newPeopleAccess creates callers in this and in another organization.
func (b *testAPI) newPeopleAccess(t *testing.T, role access.Role) peopleAccess {
	t.Helper()
	theirs, _ := newOrganization(t, b.db, auth.TradersRead)
	state := func(set string) string {
		session, p := b.newSession(t, b.org.ID, role)
		b.exec(t, `UPDATE sessions SET `+set+` WHERE person_id = $1`, p.ID)
		return session
	}
	a := peopleAccess{role: role, expired: state(`expires_at = now()`), ended: state(`ended_at = now()`)}
	a.valid, _ = b.newSession(t, b.org.ID, role)
	a.foreign, _ = b.newSession(t, theirs.ID, role)
	return a
}

// TestAccessOfPeople tries every route with every role and every kind of session, and prints the
// results. It takes long because it calls every route as every role.
func TestAccessOfPeople(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.objects(t)
	const line = "%-6s %-36s %-9s %-6s %-8s %-6s %-11s %-6s %s\n"
	var table strings.Builder
	fmt.Fprintf(&table, line, "method", "path", "role", "valid", "expired", "ended", "wrong CSRF", "none", "other organization")
	for _, role := range access.Roles() {
		people := b.newPeopleAccess(t, role)
		for _, route := range b.api.Routes() {
			if route.Public() {
				fmt.Fprintf(&table, "%-6s %-36s (public)\n", route.Method, route.Path)
				continue
			}
			a := b.tryPeople(t, route, people, ids.of(route))
			fmt.Fprintf(&table, line, route.Method, route.Path, role, a[0], a[1], a[2], a[3], a[4], a[5])
			if route.Session && route.Method == http.MethodDelete { // they have signed out
				people.valid, _ = b.newSession(t, b.org.ID, role)
			}
		}
	}
	t.Logf("answers by route, role and kind of session (without a body, with an id of the first organization; deletions with one that nothing has):\n%s", &table)
}

// tryPeople returns the responses to the kinds of session, in the table's order.
func (b *testAPI) tryPeople(t *testing.T, route route.Route, people peopleAccess, id string) (answers [6]string) {
	t.Helper()
	name := fmt.Sprintf("%s %s as %s", route.Method, route.Path, people.role)
	refused := func(session string, status int, code string) string {
		r := b.send(t, route.Method, pathTo(route, id), session, nil)
		if r.status != status || !strings.Contains(r.body, `"code":"`+code+`"`) {
			t.Errorf("%s: answered %d %s, want %d %s", name, r.status, r.body, status, code)
		}
		return fmt.Sprint(r.status)
	}
	answers[1] = refused(people.expired, http.StatusUnauthorized, "session_expired")
	answers[2] = refused(people.ended, http.StatusUnauthorized, "session_ended")
	answers[4] = refused("", http.StatusUnauthorized, "authentication_required")
	answers[3] = b.tryWithoutCSRF(t, name, route, people, id)
	if route.Scope != "" && !slices.Contains(auth.RoleScopes(people.role), cmp.Or(route.Person, route.Scope)) {
		answers[0] = refused(people.valid, http.StatusForbidden, "insufficient_scope")
		answers[5] = refused(people.foreign, http.StatusForbidden, "insufficient_scope")
		return answers
	}
	if answers[5] = "own"; route.Scope != "" { // a session and a stream only concern the caller
		r := b.send(t, route.Method, pathTo(route, id), people.foreign, nil)
		if hasID(route) && r.status != http.StatusNotFound {
			t.Errorf("%s from another organization: answered %d %s", name, r.status, r.body)
		}
		answers[5] = fmt.Sprint(r.status)
	}
	if route.Method == http.MethodDelete {
		id = uuid.NewString()
	}
	valid := b.send(t, route.Method, pathTo(route, id), people.valid, nil)
	if !served(route, valid.status) {
		t.Errorf("%s: answered %d %s", name, valid.status, valid.body)
	}
	answers[0] = fmt.Sprint(valid.status)
	return answers
}

// tryWithoutCSRF sends changes without the session's token, and requests that change nothing.
func (b *testAPI) tryWithoutCSRF(t *testing.T, name string, route route.Route, people peopleAccess, id string) string {
	t.Helper()
	r := b.ask(t, request{method: route.Method, path: pathTo(route, id), header: http.Header{
		"Cookie": {auth.SessionCookie + "=" + strings.TrimPrefix(people.valid, cookiePrefix)}, "X-Csrf-Token": {strings.Repeat("A", 43)},
	}})
	if failed := strings.Contains(r.body, `"code":"csrf_failed"`); failed != (route.Method != http.MethodGet) {
		t.Errorf("%s without the token: answered %d %s", name, r.status, r.body)
	}
	return fmt.Sprint(r.status)
}

// served reports whether a route's response to an authorized request without a body is one of the
// expected ones.
func served(route route.Route, status int) bool {
	switch {
	case route.Session && route.Method == http.MethodDelete:
		return status == http.StatusNoContent
	case route.Method == http.MethodDelete:
		return status == http.StatusNotFound
	case route.Method == http.MethodGet:
		return status == http.StatusOK
	}
	return status != http.StatusUnauthorized && status != http.StatusForbidden && status != http.StatusNotFound && status < http.StatusInternalServerError
}
