package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/access"
)

// TestUserTagOutlivesASignIn checks that a change for the person as read succeeds although the
// person has signed in since, and that a GET shows the sign-in.
func TestUserTagOutlivesASignIn(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	made := b.addUser(t, "zoe@example.com", "viewer")
	path := "/v1/users/" + made.ID.String()
	tag := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK).header.Get("ETag")
	b.signIn(t, "zoe@example.com", made.InitialPassword)
	r := b.ask(t, request{method: "GET", path: path, key: b.key, header: with("If-None-Match", tag)}).want(t, http.StatusOK)
	b.ask(t, request{method: "GET", path: path, key: b.key, header: with("If-None-Match", r.header.Get("ETag"))}).want(t, http.StatusNotModified)
	rename := func(name string, header http.Header) reply {
		return b.ask(t, request{method: "PATCH", path: path, key: b.key, header: header, body: fmt.Sprintf(`{"name": %q}`, name)})
	}
	rename("Zoe", with("If-Match", "W/"+tag)).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
	rename("Zoe", with("If-Match", tag)).want(t, http.StatusOK)
	rename("Zoe again", with("If-Match", tag)).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
}

// TestNoHashForNothing checks that no password is hashed for a person who cannot get one.
func TestNoHashForNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.addUser(t, "zoe@example.com", "viewer")
	before := b.hashes(t)
	b.send(t, "POST", "/v1/users", b.key, map[string]any{"email": "ZOE@example.com", "role": "viewer"}).wantTaken(t, "conflict", "#/email")
	b.send(t, "POST", "/v1/users/"+uuid.NewString()+"/reset-password", b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
	if n := b.hashes(t) - before; n != 0 {
		t.Errorf("%d passwords were hashed", n)
	}
}

// TestAnotherAddressRemovesThePassword checks that a new person whose address is corrected is not
// shown as having a temporary password: the one that was handed out no longer works.
func TestAnotherAddressRemovesThePassword(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/users/" + b.addUser(t, "zo@example.com", "viewer").ID.String()
	for _, c := range []struct{ email, password string }{{"ZO@example.com", "temporary"}, {"zoe@example.com", "none"}} {
		got := decodeInto[struct{ Password string }](t, b.send(t, "PATCH", path, b.key, map[string]any{"email": c.email}).want(t, http.StatusOK))
		if got.Password != c.password {
			t.Errorf("with the address %s the password is %s, want %s", c.email, got.Password, c.password)
		}
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := map[string]any{"email": "zoe@example.com", "name": "Zoe Miller", "role": "reviewer"}
	r := b.send(t, "POST", "/v1/users", b.key, body).want(t, http.StatusCreated)
	made := decodeInto[userMade](t, r)
	if got, want := r.header.Get("Location"), "https://assay.example/v1/users/"+made.ID.String(); got != want {
		t.Errorf("Location %q, want %q", got, want)
	}
	b.golden(t, "user_created", reply{r.status, r.header, strings.ReplaceAll(r.body, made.InitialPassword, "<password>")})
	b.send(t, "POST", "/v1/users", b.key, map[string]any{"email": "ZOE@example.com", "role": "viewer"}).wantTaken(t, "conflict", "#/email")

	path := "/v1/users/" + made.ID.String()
	b.golden(t, "users", b.send(t, "GET", "/v1/users", b.key, nil).want(t, http.StatusOK))
	got := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
	b.golden(t, "user", got)
	patched := b.ask(t, request{method: "PATCH", path: path, key: b.key, header: with("If-Match", got.header.Get("ETag")), body: `{"name": "Zoe M.", "role": "owner"}`}).want(t, http.StatusOK)
	b.golden(t, "user_patched", patched)
	if again := b.send(t, "GET", path, b.key, nil); again.body != patched.body || again.header.Get("ETag") != patched.header.Get("ETag") {
		t.Errorf("read %s after it was answered %s", again.body, patched.body)
	}
	b.ask(t, request{method: "DELETE", path: path, key: b.key, header: with("If-Match", got.header.Get("ETag"))}).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")

	b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
	for _, gone := range []reply{
		b.send(t, "GET", path, b.key, nil), b.send(t, "PATCH", path, b.key, map[string]any{"name": "X"}), b.send(t, "POST", path+"/reset-password", b.key, nil),
	} {
		gone.wantProblem(t, http.StatusNotFound, "not_found")
	}
	if list := b.send(t, "GET", "/v1/users", b.key, nil); strings.Contains(list.body, "zoe@") {
		t.Errorf("a removed person is listed: %s", list.body)
	}
	// The address can be somebody else's by now.
	next := decodeInto[userMade](t, b.send(t, "POST", "/v1/users", b.key, body).want(t, http.StatusCreated))
	if next.ID == made.ID {
		t.Error("the removed person is back")
	}
}

func TestUserFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	existing := "/v1/users/" + b.newPerson(t, b.org.ID, access.RoleViewer).ID.String()
	tests := []struct {
		name         string
		method, path string
		body         string
		want         []string
	}{
		{"nothing", "POST", "/v1/users", `{}`, []string{"#/email required", "#/role required"}},
		{"nulls", "POST", "/v1/users", `{"email": null, "role": null, "name": null, "sign_in": null}`, []string{"#/email required", "#/role required"}},
		{"no address", "POST", "/v1/users", `{"email": "zoe", "role": "viewer"}`, []string{"#/email invalid_format"}},
		{"two addresses", "POST", "/v1/users", `{"email": "a@b.example,c@d.example", "role": "viewer"}`, []string{"#/email invalid_format"}},
		{"unknown role", "POST", "/v1/users", `{"email": "a@b.example", "role": "admin"}`, []string{"#/role invalid_format"}},
		{"blank name", "POST", "/v1/users", `{"email": "a@b.example", "role": "viewer", "name": "\u200b"}`, []string{"#/name invalid_format"}},
		{"no provider", "POST", "/v1/users", `{"email": "a@b.example", "role": "viewer", "sign_in": "oidc"}`, []string{"#/sign_in invalid_format"}},
		{"a password", "POST", "/v1/users", `{"email": "a@b.example", "role": "viewer", "password": "x"}`, []string{"#/password unknown_field"}},
		{"nulls of a patch", "PATCH", existing, `{"email": null, "role": null, "name": null}`, []string{"#/email wrong_type", "#/name wrong_type", "#/role wrong_type"}},
		{"an id", "PATCH", existing, `{"id": "x"}`, []string{"#/id unknown_field"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := b.send(t, tt.method, tt.path, b.key, tt.body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
			if diff := cmp.Diff(tt.want, p.faults()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
	taken := b.newPerson(t, b.org.ID, access.RoleViewer)
	b.send(t, "PATCH", existing, b.key, map[string]any{"email": strings.ToUpper(taken.Email)}).wantTaken(t, "conflict", "#/email")
}

// TestPasswordIsToldOnce checks that a repetition of the request does not return the password.
func TestPasswordIsToldOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.newPerson(t, b.org.ID, access.RoleViewer)
	session, _ := b.newSession(t, b.org.ID, access.RoleOwner)
	for path, body := range map[string]string{"/v1/users": `{"email": "zoe@example.com", "role": "viewer"}`, "/v1/users/" + p.ID.String() + "/reset-password": `{}`} {
		a := b.post(t, path, "k-1", body)
		a.key = session
		first := decodeInto[userMade](t, b.attempt(t, a))
		again := b.attempt(t, a)
		second := decodeInto[userMade](t, again)
		if again.header.Get("Idempotent-Replayed") != "true" || first.InitialPassword == "" || second.InitialPassword != "" || second.SecretAvailable || second.ID != first.ID {
			t.Errorf("%s: first %+v, then %s", path, first, again.body)
		}
		// Another person's request is another attempt, even with the same Idempotency-Key.
		a.key = b.key
		if r := b.attempt(t, a); r.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: a key is told what a person was told: %s", path, r.body)
		}
	}
}

// TestLastOwnerWhoCanSignIn checks that an owner who cannot sign in does not count as one.
func TestLastOwnerWhoCanSignIn(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	owner := "/v1/users/" + b.readText(t, `SELECT id::text FROM people WHERE organization_id = '`+b.org.ID.String()+`'`)
	second := b.addUser(t, "zoe@example.com", "owner")
	for name, set := range map[string]string{
		"first password expired": `password_expires_at = now()`,
		"no password":            `password_hash = NULL, password_temporary = false, password_expires_at = NULL`,
		"removed":                `disabled_at = now()`,
	} {
		b.exec(t, `UPDATE people SET `+set+` WHERE id = $1`, second.ID)
		for method, body := range map[string]any{"DELETE": nil, "PATCH": map[string]any{"role": "viewer"}} {
			r := b.send(t, method, owner, b.key, body)
			if r.status != http.StatusConflict || !strings.Contains(r.body, "last owner who can sign in") {
				t.Errorf("%s: %s is answered %d %s", name, method, r.status, r.body)
			}
		}
		b.exec(t, `UPDATE people SET password_hash = 'x', password_expires_at = now() + interval '1 day', disabled_at = NULL WHERE id = $1`, second.ID)
	}
	b.exec(t, `UPDATE people SET password_hash = NULL, password_expires_at = NULL WHERE id = $1`, second.ID)
	b.send(t, "PATCH", owner, b.key, map[string]any{"email": "other@example.com"}).wantProblem(t, http.StatusConflict, "conflict") // it would remove the password
	b.send(t, "PATCH", owner, b.key, map[string]any{"email": "OWNER@example.com"}).want(t, http.StatusOK)
	b.exec(t, `UPDATE people SET oidc_issuer = 'https://login.example', oidc_subject = '1' WHERE id = $1`, second.ID)
	b.send(t, "PATCH", owner, b.key, map[string]any{"email": "other@example.com"}).want(t, http.StatusOK)
	b.send(t, "DELETE", owner, b.key, nil).want(t, http.StatusNoContent)
	linked := "/v1/users/" + second.ID.String()
	b.send(t, "PATCH", linked, b.key, map[string]any{"email": "zo@example.com"}).wantProblem(t, http.StatusConflict, "conflict") // it would remove the linked account
	b.send(t, "PATCH", linked, b.key, map[string]any{"email": "ZOE@example.com"}).want(t, http.StatusOK)
}

// TestLastOwner checks that an organization keeps an owner, even if all of them are removed
// or demoted at the same time.
func TestLastOwner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := decodeInto[struct{ Data []struct{ ID uuid.UUID } }](t, b.send(t, "GET", "/v1/users", b.key, nil).want(t, http.StatusOK))
	first := list.Data[0].ID
	for _, role := range []string{"reviewer", "viewer"} {
		b.send(t, "PATCH", "/v1/users/"+first.String(), b.key, map[string]any{"role": role}).wantProblem(t, http.StatusConflict, "conflict")
	}
	b.send(t, "DELETE", "/v1/users/"+first.String(), b.key, nil).wantProblem(t, http.StatusConflict, "conflict")
	b.send(t, "PATCH", "/v1/users/"+first.String(), b.key, map[string]any{"name": "Boss", "role": "owner"}).want(t, http.StatusOK)

	owners := []uuid.UUID{first}
	for range 7 {
		owners = append(owners, b.newPerson(t, b.org.ID, access.RoleOwner).ID)
	}
	var group sync.WaitGroup
	for i, id := range owners {
		group.Go(func() {
			if i%2 == 0 {
				b.sendIn(t, context.Background(), "DELETE", "/v1/users/"+id.String(), b.key, nil)
			} else {
				b.sendIn(t, context.Background(), "PATCH", "/v1/users/"+id.String(), b.key, map[string]any{"role": "viewer"})
			}
		})
	}
	group.Wait()
	if n := b.readText(t, `SELECT count(*)::text FROM people WHERE organization_id = '`+b.org.ID.String()+`' AND role = 'owner' AND disabled_at IS NULL`); n != "1" {
		t.Errorf("%s owners are left", n)
	}
}

// TestOwnersChangeThemselves checks that people who end their own session receive a response that
// says so.
func TestOwnersChangeThemselves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, change := range map[string]func(session, path string) int{
		"role": func(session, path string) int {
			return b.send(t, "PATCH", path, session, map[string]any{"role": "viewer"}).status
		},
		"password": func(session, path string) int {
			return b.send(t, "POST", path+"/reset-password", session, nil).status
		},
		"removal": func(session, path string) int { return b.send(t, "DELETE", path, session, nil).status },
	} {
		session, p := b.newSession(t, b.org.ID, access.RoleOwner)
		if status := change(session, "/v1/users/"+p.ID.String()); status >= 300 {
			t.Errorf("%s: answered %d", name, status)
		}
		b.send(t, "GET", "/session", session, nil).wantProblem(t, http.StatusUnauthorized, "session_ended")
	}
}

// TestPeopleAreNamed checks that what a person creates carries the person's name.
func TestPeopleAreNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	session, p := b.newSession(t, b.org.ID, access.RoleOwner)
	r := b.send(t, "POST", "/v1/api-keys", session, map[string]any{"name": "Mine", "scopes": []string{"traders:read"}}).want(t, http.StatusCreated)
	if got := decodeInto[struct {
		CreatedByName string `json:"created_by_name"`
	}](t, r).CreatedByName; got != p.Name {
		t.Errorf("made by %q, want %q", got, p.Name)
	}
	b.server.Close()
	if !strings.Contains(b.log.String(), `"person_id":"`+p.ID.String()+`","organization_id":"`+b.org.ID.String()+`"`) || strings.Contains(b.log.String(), p.Email) {
		t.Errorf("the log does not name the person by id alone: %s", b.log)
	}
}

// TestPeopleAreAudited checks that what people do, including signing in and out, is in the log
// with their name, and nothing else that identifies them.
func TestPeopleAreAudited(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	made := b.addUser(t, "zoe@example.com", "owner")
	first := b.signIn(t, "zoe@example.com", made.InitialPassword)
	session := b.send(t, "PUT", "/session/password", first, map[string]any{"current_password": made.InitialPassword, "new_password": testPassword}).want(t, http.StatusOK).session(t)
	b.send(t, "POST", "/v1/traders", session, map[string]any{"full_name": "Somebody"}).want(t, http.StatusCreated)
	b.send(t, "POST", "/session", "", map[string]any{"email": "zoe@example.com", "password": "wrong"}).want(t, http.StatusUnauthorized)
	b.send(t, "DELETE", "/session", session, nil).want(t, http.StatusNoContent)
	list := b.audit(t, "&actor_id="+made.ID.String())
	want := []string{"user.signed_out", "trader.created", "user.password_changed", "user.signed_in"}
	if diff := cmp.Diff(want, list.actions()); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	for _, e := range list.Data {
		if e.Actor.Kind != "person" || e.Actor.Name != "Zoe Miller" || e.ClientAddress == nil || e.RequestID == nil {
			t.Errorf("entry %+v", e)
		}
	}
	if r := b.send(t, "GET", "/v1/audit?limit=100", b.key, nil); strings.Contains(r.body, "zoe@") || strings.Contains(r.body, "argon2") {
		t.Errorf("the log tells more: %s", r.body)
	}
}
