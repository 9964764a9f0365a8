package v1_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store/access"
)

// sessionPart is the part of a Session that the tests check.
type sessionPart struct {
	User struct {
		ID                          uuid.UUID
		Email, Name, Role, Password string
	}
	Organization           struct{ Name string }
	Scopes                 []string
	Method                 string
	CSRFToken              string    `json:"csrf_token"`
	PasswordChangeRequired bool      `json:"password_change_required"`
	IdleExpiresAt          time.Time `json:"idle_expires_at"`
	ExpiresAt              time.Time `json:"expires_at"`
}

// userMade is the part of a UserWithPassword that the tests check.
type userMade struct {
	ID              uuid.UUID
	Email           string
	Password        string
	InitialPassword string `json:"initial_password"`
	SecretAvailable bool   `json:"secret_available"`
}

// addUser adds a person through the API.
func (b *testAPI) addUser(t testing.TB, email, role string) userMade {
	t.Helper()
	r := b.send(t, "POST", "/v1/users", b.key, map[string]any{"email": email, "name": "Zoe Miller", "role": role}).want(t, http.StatusCreated)
	return decodeInto[userMade](t, r)
}

// signIn signs in and returns the argument for identify.
func (b *testAPI) signIn(t testing.TB, email, password string) string {
	t.Helper()
	r := b.send(t, "POST", "/session", "", map[string]any{"email": email, "password": password}).want(t, http.StatusCreated)
	return r.session(t)
}

// session returns the argument for identify from the cookie that the response sets.
func (r reply) session(t testing.TB) string {
	t.Helper()
	value, _, _ := strings.Cut(strings.TrimPrefix(r.header.Get("Set-Cookie"), auth.SessionCookie+"="), ";")
	if _, err := auth.ParseToken(value); err != nil {
		t.Fatalf("cookie %q: %v", r.header.Get("Set-Cookie"), err)
	}
	return cookiePrefix + value
}

// TestNewUserSignsIn follows an added person until the person works with the API.
func TestNewUserSignsIn(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	made := b.addUser(t, "Zoe@Example.com", "reviewer")
	if len(made.InitialPassword) != 26 || !made.SecretAvailable || made.Password != "temporary" {
		t.Fatalf("made %+v", made)
	}

	r := b.send(t, "POST", "/session", "", map[string]any{"email": "zoe@example.COM", "password": made.InitialPassword}).want(t, http.StatusCreated)
	first := r.session(t)
	const attributes = "; Path=/; Max-Age=86400; HttpOnly; Secure; SameSite=Lax"
	if got := r.header.Get("Set-Cookie"); !strings.HasSuffix(got, attributes) || !strings.HasPrefix(got, "__Host-") {
		t.Errorf("cookie %q", got)
	}
	shown := decodeInto[sessionPart](t, r)
	if !shown.PasswordChangeRequired || shown.User.ID != made.ID || shown.Organization.Name != "Alpha Capital" || shown.Method != "password" {
		t.Errorf("session %s", r.body)
	}
	if d := time.Until(shown.ExpiresAt).Round(time.Minute); d != 24*time.Hour {
		t.Errorf("it ends after %s", d)
	}
	if d := time.Until(shown.IdleExpiresAt).Round(time.Minute); d != time.Hour {
		t.Errorf("it ends without a request after %s", d)
	}

	// The password that somebody else knows can only be used to change it.
	b.send(t, "GET", "/v1/traders", first, nil).wantProblem(t, http.StatusForbidden, "password_change_required")
	b.send(t, "GET", "/session", first, nil).want(t, http.StatusOK)
	r = b.send(t, "PUT", "/session/password", first, map[string]any{"current_password": made.InitialPassword, "new_password": testPassword}).want(t, http.StatusOK)
	second := r.session(t)
	b.send(t, "GET", "/session", first, nil).wantProblem(t, http.StatusUnauthorized, "session_ended")
	got := decodeInto[sessionPart](t, b.send(t, "GET", "/session", second, nil).want(t, http.StatusOK))
	if got.PasswordChangeRequired || got.User.Password != "set" || got.CSRFToken != decodeInto[sessionPart](t, r).CSRFToken {
		t.Errorf("session %+v", got)
	}
	want := []string{"interviews:read", "interviews:create", "interviews:delete", "interviews:decide", "traders:read", "traders:write", "integrations:read"}
	if diff := cmp.Diff(want, got.Scopes); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
	b.send(t, "GET", "/v1/traders", second, nil).want(t, http.StatusOK)
	b.send(t, "GET", "/v1/api-keys", second, nil).wantProblem(t, http.StatusForbidden, "insufficient_scope")

	// The old password is no longer valid, and the new one is.
	b.send(t, "POST", "/session", "", map[string]any{"email": "zoe@example.com", "password": made.InitialPassword}).wantProblem(t, http.StatusUnauthorized, "invalid_credentials")
	third := b.signIn(t, "zoe@example.com", testPassword)
	for _, secret := range []string{made.InitialPassword, testPassword, strings.TrimPrefix(first, cookiePrefix), strings.TrimPrefix(third, cookiePrefix), got.CSRFToken} {
		if strings.Contains(b.log.String(), secret) {
			t.Errorf("the log holds a secret: %s", b.log)
		}
	}
}

// TestSignInTellsNothing checks that whatever is wrong, the response is the same and a password
// was hashed for it.
func TestSignInTellsNothing(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	b.addUser(t, "known@example.com", "viewer")
	removed := b.addUser(t, "removed@example.com", "viewer")
	b.send(t, "DELETE", "/v1/users/"+removed.ID.String(), b.key, nil).want(t, http.StatusNoContent)
	expired := b.addUser(t, "expired@example.com", "viewer")
	b.exec(t, `UPDATE people SET password_expires_at = now() WHERE id = $1`, expired.ID)
	without := b.addUser(t, "without@example.com", "viewer")
	b.exec(t, `UPDATE people SET password_hash = NULL, password_temporary = false, password_expires_at = NULL WHERE id = $1`, without.ID)
	b.exec(t, `UPDATE people SET password_hash = $1 WHERE email = 'owner@example.com'`, testHash())
	tests := []struct {
		name                          string
		email, password, organization string
	}{
		{"unknown address", "nobody@example.com", "whatever it is", ""},
		{"wrong password", "known@example.com", "whatever it is", ""},
		{"empty password", "known@example.com", "", ""},
		{"no address at all", "", "whatever it is", ""},
		{"very long password", "known@example.com", strings.Repeat("x", 1024), ""},
		{"removed", "removed@example.com", removed.InitialPassword, ""},
		{"expired", "expired@example.com", expired.InitialPassword, ""},
		{"without a password", "without@example.com", without.InitialPassword, ""},
		{"in several organizations", "owner@example.com", "whatever it is", ""},
		{"in another organization", "known@example.com", "whatever it is", "Beta Capital"},
		{"in no organization", "owner@example.com", testPassword, "Gamma Capital"},
	}
	var first reply
	for _, tt := range tests {
		body := map[string]any{"email": tt.email, "password": tt.password}
		if tt.organization != "" {
			body["organization"] = tt.organization
		}
		before := b.hashes(t)
		r := b.send(t, "POST", "/session", "", body)
		r.wantProblem(t, http.StatusUnauthorized, "invalid_credentials")
		want := uint64(2) // as if it were in two organizations
		if tt.organization != "" {
			want = 1
		}
		if n := b.hashes(t) - before; n != want {
			t.Errorf("%s: %d passwords were hashed, want %d", tt.name, n, want)
		}
		if first.body == "" {
			first = r
		}
		r.header.Set("Date", first.header.Get("Date"))
		if diff := cmp.Diff(first.header, r.header); diff != "" || r.body != first.body {
			t.Errorf("%s is told apart: %s\n%s", tt.name, r.body, diff)
		}
	}
	r := b.send(t, "POST", "/session", "", map[string]any{"email": "owner@example.com", "password": testPassword, "organization": "alpha capital"})
	if shown := decodeInto[sessionPart](t, r.want(t, http.StatusCreated)); shown.Organization.Name != "Alpha Capital" {
		t.Errorf("signed in to %s", shown.Organization.Name)
	}
}

// TestSignInAmongOrganizations checks that other organizations cannot prevent anybody from
// signing in by adding the address.
func TestSignInAmongOrganizations(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	b.addUser(t, "zoe@example.com", "viewer")
	b.exec(t, `UPDATE people SET password_hash = $1, password_temporary = false, password_expires_at = NULL WHERE email = 'zoe@example.com'`, testHash())
	in := func(organization string, body map[string]any) {
		t.Helper()
		r := b.send(t, "POST", "/session", "", body).want(t, http.StatusCreated)
		if shown := decodeInto[sessionPart](t, r); shown.Organization.Name != organization {
			t.Errorf("signed in to %s, want %s", shown.Organization.Name, organization)
		}
	}
	own := map[string]any{"email": "zoe@example.com", "password": testPassword}
	body := map[string]any{"email": "ZOE@example.com", "role": "owner"}
	made := decodeInto[userMade](t, b.send(t, "POST", "/v1/users", b.other, body).want(t, http.StatusCreated))
	in("Alpha Capital", own)
	in("Beta Capital", map[string]any{"email": "zoe@example.com", "password": made.InitialPassword})
	for range access.MaxCandidates {
		_, key := newOrganization(t, b.db, auth.APIKeysManage)
		b.send(t, "POST", "/v1/users", key, body).want(t, http.StatusCreated)
	}
	in("Alpha Capital", own)

	// One password for two organizations does not tell which one is meant.
	b.exec(t, `UPDATE people SET password_hash = $1 WHERE id = $2`, testHash(), made.ID)
	for range 12 { // and is no wrong one
		p := b.send(t, "POST", "/session", "", own).wantProblem(t, http.StatusConflict, "organization_required")
		if diff := cmp.Diff([]string{"Alpha Capital", "Beta Capital"}, p.Organizations); diff != "" {
			t.Errorf("organizations (-want +got):\n%s", diff)
		}
	}
	in("Beta Capital", map[string]any{"email": "zoe@example.com", "password": testPassword, "organization": "beta capital"})
	in("Alpha Capital", map[string]any{"email": "zoe@example.com", "password": testPassword, "organization": "ALPHA capital"})
}

// hashes returns how many passwords have been hashed.
func (b *testAPI) hashes(t *testing.T) uint64 {
	t.Helper()
	families, err := b.registry.Gather()
	check(t, err)
	for _, f := range families {
		if f.GetName() == "assay_apiserver_password_hash_seconds" {
			return f.GetMetric()[0].GetHistogram().GetSampleCount()
		}
	}
	t.Fatal("no such metric")
	return 0
}

// TestSignInIsThrottled checks that after ten wrong passwords one attempt a minute is allowed,
// whether the person exists or not, even with the right password.
func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	made := b.addUser(t, "zoe@example.com", "viewer")
	for _, email := range []string{"zoe@example.com", "nobody@example.com"} {
		for range 10 {
			b.send(t, "POST", "/session", "", map[string]any{"email": email, "password": "wrong"}).wantProblem(t, http.StatusUnauthorized, "invalid_credentials")
		}
		before := b.hashes(t)
		r := b.send(t, "POST", "/session", "", map[string]any{"email": strings.ToUpper(email), "password": made.InitialPassword})
		r.wantProblem(t, http.StatusTooManyRequests, "rate_limited")
		var seconds int
		if _, err := fmt.Sscan(r.header.Get("Retry-After"), &seconds); err != nil || seconds < 30 || seconds > 60 {
			t.Errorf("Retry-After %q", r.header.Get("Retry-After"))
		}
		if b.hashes(t) != before {
			t.Error("a refused attempt costs a hash")
		}
	}
	// After a minute, one more attempt is allowed.
	b.exec(t, `UPDATE sign_in_budgets SET spent_until = spent_until - interval '61 seconds'`)
	session := b.signIn(t, "zoe@example.com", made.InitialPassword)
	// A successful sign-in does not use up anything.
	b.exec(t, `DELETE FROM sign_in_budgets`)
	for range 12 {
		b.signIn(t, "zoe@example.com", made.InitialPassword)
	}
	// Changing the password does not allow trying it out either.
	for range 10 {
		b.send(t, "PUT", "/session/password", session, map[string]any{"current_password": "wrong", "new_password": testPassword}).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	}
	b.send(t, "PUT", "/session/password", session, map[string]any{"current_password": made.InitialPassword, "new_password": testPassword}).
		wantProblem(t, http.StatusTooManyRequests, "rate_limited")
}

// TestNobodyIsLockedOut checks that other people's attempts do not prevent a person from signing
// in with a browser in which the person has signed in before, and that attempts there are
// limited, too.
func TestNobodyIsLockedOut(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	made := b.addUser(t, "zoe@example.com", "viewer")
	right := `{"email": "ZOE@example.com", "password": "` + made.InitialPassword + `"}`
	wrong := `{"email": "zoe@example.com", "password": "wrong"}`
	r := b.ask(t, request{method: "POST", path: "/session", body: right}).want(t, http.StatusCreated)
	known := r.readDevice(t)
	// Somebody elsewhere uses up the attempts of the account and of the network.
	for range 10 {
		b.ask(t, request{method: "POST", path: "/session", body: wrong}).want(t, http.StatusUnauthorized)
	}
	b.exec(t, `UPDATE sign_in_budgets SET spent_until = now() + interval '1 day'`)
	b.ask(t, request{method: "POST", path: "/session", body: right}).wantProblem(t, http.StatusTooManyRequests, "rate_limited")
	attempt := func(cookie, body string) reply {
		return b.ask(t, request{method: "POST", path: "/session", header: with("Cookie", cookie), body: body})
	}
	attempt(known, right).want(t, http.StatusCreated)
	// The cookie is valid only for that account, and only if unchanged.
	attempt(known, `{"email": "nobody@example.com", "password": "wrong"}`).want(t, http.StatusTooManyRequests)
	attempt(known[:len(known)-4]+"AAAA", right).want(t, http.StatusTooManyRequests)
	for range 10 {
		attempt(known, wrong).want(t, http.StatusUnauthorized)
	}
	attempt(known, right).want(t, http.StatusTooManyRequests)
}

// readDevice returns the cookie by which the response lets the browser be known.
func (r reply) readDevice(t testing.TB) string {
	t.Helper()
	for _, line := range r.header["Set-Cookie"] {
		cookie, err := http.ParseSetCookie(line)
		check(t, err)
		if cookie.Name == "__Host-assay_device" {
			return cookie.Name + "=" + cookie.Value
		}
	}
	t.Fatalf("no device in %q", r.header["Set-Cookie"])
	return ""
}

// TestDeviceIsOfOnePerson checks that the browser of a person does not allow more attempts for
// another organization's person with the same address.
func TestDeviceIsOfOnePerson(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	alpha := b.addUser(t, "zoe@example.com", "owner")
	r := b.send(t, "POST", "/v1/users", b.other, map[string]any{"email": "zoe@example.com", "role": "viewer"}).want(t, http.StatusCreated)
	beta := decodeInto[userMade](t, r)
	attempt := func(cookie, organization, password string) reply {
		body := fmt.Sprintf(`{"email": "zoe@example.com", "organization": %q, "password": %q}`, organization, password)
		return b.ask(t, request{method: "POST", path: "/session", header: with("Cookie", cookie), body: body})
	}
	ofAlpha := attempt("", "Alpha Capital", alpha.InitialPassword).want(t, http.StatusCreated).readDevice(t)
	ofBeta := attempt("", "Beta Capital", beta.InitialPassword).want(t, http.StatusCreated).readDevice(t)
	for range 10 {
		attempt("", "Alpha Capital", "wrong").want(t, http.StatusUnauthorized)
	}
	tests := []struct {
		name, cookie, organization, password string
		want                                 int
	}{
		{"the other person", ofBeta, "Alpha Capital", alpha.InitialPassword, http.StatusTooManyRequests},
		{"the other person, in any organization", ofBeta, "", alpha.InitialPassword, http.StatusUnauthorized},
		{"the same person", ofBeta, "Beta Capital", beta.InitialPassword, http.StatusCreated},
		{"the same person, in any organization", ofBeta, "", beta.InitialPassword, http.StatusCreated},
		{"the person of the other organization", ofAlpha, "", alpha.InitialPassword, http.StatusCreated},
	}
	for _, tt := range tests {
		before := b.hashes(t)
		attempt(tt.cookie, tt.organization, tt.password).want(t, tt.want)
		want := uint64(2) // as without other people
		switch {
		case tt.want == http.StatusTooManyRequests:
			want = 0
		case tt.organization != "":
			want = 1
		}
		if n := b.hashes(t) - before; n != want {
			t.Errorf("%s: %d passwords were hashed, want %d", tt.name, n, want)
		}
	}
}

func TestNewPasswords(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	made := b.addUser(t, "a.long.address@example.com", "viewer")
	session := b.signIn(t, "a.long.address@example.com", made.InitialPassword)
	tests := []struct {
		name string
		body map[string]any
		want []string
	}{
		{"nothing", map[string]any{}, []string{"#/current_password required", "#/new_password required"}},
		{"short", map[string]any{"current_password": made.InitialPassword, "new_password": "eleven chars"[:11]}, []string{"#/new_password invalid_format"}},
		{"long", map[string]any{"current_password": made.InitialPassword, "new_password": strings.Repeat("x", 129)}, []string{"#/new_password too_long"}},
		{"blank", map[string]any{"current_password": made.InitialPassword, "new_password": strings.Repeat(" \u200b", 8)}, []string{"#/new_password invalid_format"}},
		{"the address", map[string]any{"current_password": made.InitialPassword, "new_password": "A.Long.Address@example.com"}, []string{"#/new_password invalid_format"}},
		{"the old one", map[string]any{"current_password": made.InitialPassword, "new_password": made.InitialPassword}, []string{"#/new_password invalid_format"}},
		{"wrong old one", map[string]any{"current_password": "wrong", "new_password": testPassword}, []string{"#/current_password invalid_format"}},
		{"more", map[string]any{"current_password": made.InitialPassword, "new_password": testPassword, "email": "x"}, []string{"#/email unknown_field"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := b.send(t, "PUT", "/session/password", session, tt.body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
			if diff := cmp.Diff(tt.want, p.faults()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
	// Passwords are compared in normal form, whatever the keyboard sends.
	r := b.send(t, "PUT", "/session/password", session, map[string]any{"current_password": made.InitialPassword, "new_password": "cafe\u0301 du coin fermé"}).want(t, http.StatusOK)
	_ = r.session(t)
	b.signIn(t, "a.long.address@example.com", "café du coin ferme\u0301")
}

// TestSessionsAreCounted checks that the requests of people are limited like those of keys,
// across all sessions.
func TestSessionsAreCounted(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	first, person := b.newSession(t, b.org.ID, access.RoleViewer)
	second := b.sessionOf(t, person)
	r := b.send(t, "GET", "/v1/traders", first, nil).want(t, http.StatusOK)
	if got := r.header.Get("RateLimit"); !strings.HasPrefix(got, `"default";r=599;`) {
		t.Errorf("RateLimit %q", got)
	}
	r = b.send(t, "GET", "/v1/traders", second, nil).want(t, http.StatusOK)
	if got := r.header.Get("RateLimit"); !strings.HasPrefix(got, `"default";r=598;`) {
		t.Errorf("RateLimit %q", got)
	}
	served := 0
	for i := range 610 {
		session := []string{first, second}[i%2]
		if b.send(t, "GET", "/v1/integrations/egress", session, nil).status == http.StatusOK {
			served++
		}
	}
	if served != 598 {
		t.Errorf("%d requests were served after the first two", served)
	}
}

// TestSessionsEndByTheirTimes checks that the responses to an idle session and an old one differ
// from that to a session that was ended.
func TestSessionsEndByTheirTimes(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	tests := []struct{ name, set, code string }{
		{"idle", `used_at = now() - interval '61 minutes'`, "session_expired"},
		{"old", `expires_at = now()`, "session_expired"},
		{"ended", `ended_at = now()`, "session_ended"},
		{"used again in time", `used_at = now() - interval '59 minutes'`, ""},
	}
	for _, tt := range tests {
		session, person := b.newSession(t, b.org.ID, access.RoleViewer)
		b.exec(t, `UPDATE sessions SET `+tt.set+` WHERE person_id = $1`, person.ID)
		for range 2 {
			r := b.send(t, "GET", "/v1/traders", session, nil)
			if tt.code == "" {
				r.want(t, http.StatusOK)
				continue
			}
			r.wantProblem(t, http.StatusUnauthorized, tt.code)
		}
		if tt.code == "" && b.readText(t, `SELECT (used_at > now() - interval '1 minute')::text FROM sessions WHERE person_id = '`+person.ID.String()+`'`) != "true" {
			t.Errorf("%s: its use is not noted", tt.name)
		}
	}
	for _, cookie := range []string{"", "x", strings.Repeat("A", 43), strings.Repeat("A", 42) + "B", auth.NewToken().Secret().Reveal()} {
		b.send(t, "GET", "/v1/traders", cookiePrefix+cookie, nil).wantProblem(t, http.StatusUnauthorized, "invalid_session")
	}
}

// TestDeletedCredentials deletes the rows of a session and a key that are in use, as the removal of an
// organization does: they are unknown from then on.
func TestDeletedCredentials(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	session, person := b.newSession(t, b.org.ID, access.RoleViewer)
	for _, tt := range []struct{ credential, deletion, code string }{
		{session, `DELETE FROM sessions WHERE person_id = '` + person.ID.String() + `'`, "invalid_session"},
		// The server may be recording the key's use: the lock makes it wait until the key is gone.
		{b.key, `SELECT FROM api_keys FOR UPDATE; DELETE FROM api_key_uses; DELETE FROM api_keys WHERE organization_id = '` + b.org.ID.String() + `'`, "invalid_api_key"},
	} {
		b.send(t, "GET", "/v1/traders", tt.credential, nil).want(t, http.StatusOK)
		b.exec(t, tt.deletion)
		for range 2 {
			b.send(t, "GET", "/v1/traders", tt.credential, nil).wantProblem(t, http.StatusUnauthorized, tt.code)
		}
	}
}

// TestKeyOrSession checks that a request with both is refused.
func TestKeyOrSession(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	session, _ := b.newSession(t, b.org.ID, access.RoleOwner)
	cookie := auth.SessionCookie + "=" + strings.TrimPrefix(session, cookiePrefix)
	for _, path := range []string{"/v1/traders", "/session"} {
		for _, header := range []http.Header{
			{"Cookie": {cookie}, "Authorization": {"Bearer " + b.key}},
			{"Cookie": {cookie}, "Authorization": {"Basic eDp5"}},
			{"Cookie": {cookie}, "Authorization": {""}},
		} {
			b.ask(t, request{method: "GET", path: path, header: header}).wantProblem(t, http.StatusUnauthorized, "authentication_required")
		}
	}
	b.ask(t, request{method: "GET", path: "/v1/traders?api_key=" + b.key, header: http.Header{"Cookie": {cookie}}}).
		wantProblem(t, http.StatusUnauthorized, "authentication_required")
	twice := http.Header{"Cookie": {cookie + "; " + cookie}}
	b.ask(t, request{method: "GET", path: "/v1/traders", header: twice}).wantProblem(t, http.StatusUnauthorized, "invalid_session")
	// Other cookies are ignored.
	b.ask(t, request{method: "GET", path: "/v1/traders", key: b.key, header: http.Header{"Cookie": {"assay_session=x; theme=dark"}}}).want(t, http.StatusOK)
	b.send(t, "GET", "/session", b.key, nil).wantProblem(t, http.StatusUnauthorized, "authentication_required")
}

func TestCSRF(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	session, person := b.newSession(t, b.org.ID, access.RoleOwner)
	token := func(session string) string {
		parsed, err := auth.ParseToken(strings.TrimPrefix(session, cookiePrefix))
		check(t, err)
		return parsed.CSRF()
	}
	own := token(session)
	cookie := auth.SessionCookie + "=" + strings.TrimPrefix(session, cookiePrefix)
	tests := []struct {
		name   string
		header http.Header
		ok     bool
	}{
		{"no token", http.Header{}, false},
		{"empty token", http.Header{"X-Csrf-Token": {""}}, false},
		{"wrong token", http.Header{"X-Csrf-Token": {own[1:] + "A"}}, false},
		{"another session's", http.Header{"X-Csrf-Token": {token(b.sessionOf(t, person))}}, false},
		{"twice", http.Header{"X-Csrf-Token": {own, own}}, false},
		{"from another site", http.Header{"X-Csrf-Token": {own}, "Sec-Fetch-Site": {"cross-site"}}, false},
		{"from a neighbour", http.Header{"X-Csrf-Token": {own}, "Sec-Fetch-Site": {"same-site"}}, false},
		{"of another origin", http.Header{"X-Csrf-Token": {own}, "Origin": {"https://evil.example"}}, false},
		{"of no origin", http.Header{"X-Csrf-Token": {own}, "Origin": {"null"}}, false},
		{"own site", http.Header{"X-Csrf-Token": {own}, "Sec-Fetch-Site": {"same-origin"}}, true},
		{"own origin", http.Header{"X-Csrf-Token": {own}, "Origin": {"https://assay.example"}}, true},
		{"no browser", http.Header{"X-Csrf-Token": {own}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := tt.header.Clone()
			header.Set("Cookie", cookie)
			body := fmt.Sprintf(`{"full_name": %q}`, tt.name)
			r := b.ask(t, request{method: "POST", path: "/v1/traders", header: header, body: body})
			if tt.ok {
				r.want(t, http.StatusCreated)
			} else {
				r.wantProblem(t, http.StatusForbidden, "csrf_failed")
			}
			b.ask(t, request{method: "GET", path: "/v1/traders", header: header}).want(t, http.StatusOK) // changes nothing
		})
	}
	// Signing in from another site is refused, too, because it could make the browser work in
	// somebody else's name.
	signIn := `{"email": "zoe@example.com", "password": "x"}`
	b.ask(t, request{method: "POST", path: "/session", header: with("Origin", "https://evil.example"), body: signIn}).wantProblem(t, http.StatusForbidden, "csrf_failed")
	b.ask(t, request{method: "POST", path: "/session", header: with("Origin", "https://assay.example"), body: signIn}).wantProblem(t, http.StatusUnauthorized, "invalid_credentials")
}

// TestSessionsEnd checks that each of these changes ends all sessions of the person, and no
// others.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	other, _ := b.newSession(t, b.org.ID, access.RoleViewer)
	tests := []struct {
		name    string
		end     func(t *testing.T, p access.Person, session string)
		survive bool // the person's other sessions
	}{
		{"sign-out", func(t *testing.T, _ access.Person, session string) {
			r := b.send(t, "DELETE", "/session", session, nil).want(t, http.StatusNoContent)
			if got := r.header.Get("Set-Cookie"); !strings.HasPrefix(got, "__Host-assay_session=; Path=/; Max-Age=0") {
				t.Errorf("cookie %q", got)
			}
		}, true},
		{"sign-out everywhere", func(t *testing.T, _ access.Person, session string) {
			r := b.send(t, "DELETE", "/session?everywhere=true", session, nil).want(t, http.StatusNoContent)
			if got := r.header.Get("Set-Cookie"); !strings.HasPrefix(got, "__Host-assay_session=; Path=/; Max-Age=0") {
				t.Errorf("cookie %q", got)
			}
		}, false},
		{"another sign-in in the same browser", func(t *testing.T, _ access.Person, session string) {
			made := b.addUser(t, "next@example.com", "viewer")
			r := b.send(t, "POST", "/session", session, map[string]any{"email": "next@example.com", "password": made.InitialPassword}).want(t, http.StatusCreated)
			if r.session(t) == session {
				t.Error("the cookie is the old one")
			}
		}, true},
		{"another role", func(t *testing.T, p access.Person, _ string) {
			b.send(t, "PATCH", "/v1/users/"+p.ID.String(), b.key, map[string]any{"role": "viewer"}).want(t, http.StatusOK)
		}, false},
		{"another address", func(t *testing.T, p access.Person, _ string) {
			b.send(t, "PATCH", "/v1/users/"+p.ID.String(), b.key, map[string]any{"email": "else@example.com"}).want(t, http.StatusOK)
			b.send(t, "POST", "/session", "", map[string]any{"email": "else@example.com", "password": testPassword}).wantProblem(t, http.StatusUnauthorized, "invalid_credentials")
		}, false},
		{"reset of the password", func(t *testing.T, p access.Person, _ string) {
			b.send(t, "POST", "/v1/users/"+p.ID.String()+"/reset-password", b.key, nil).want(t, http.StatusOK)
		}, false},
		{"removal", func(t *testing.T, p access.Person, _ string) {
			b.send(t, "DELETE", "/v1/users/"+p.ID.String(), b.key, nil).want(t, http.StatusNoContent)
		}, false},
		{"change of the password", func(t *testing.T, _ access.Person, session string) {
			r := b.send(t, "PUT", "/session/password", session, map[string]any{"current_password": testPassword, "new_password": "another password"}).want(t, http.StatusOK)
			b.send(t, "GET", "/v1/traders", r.session(t), nil).want(t, http.StatusOK)
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			session, person := b.newSession(t, b.org.ID, access.RoleReviewer)
			second := b.sessionOf(t, person)
			b.send(t, "GET", "/v1/traders", session, nil).want(t, http.StatusOK)
			tt.end(t, person, session)
			b.send(t, "GET", "/v1/traders", session, nil).wantProblem(t, http.StatusUnauthorized, "session_ended")
			r := b.send(t, "GET", "/v1/traders", second, nil)
			if tt.survive {
				r.want(t, http.StatusOK)
			} else {
				r.wantProblem(t, http.StatusUnauthorized, "session_ended")
			}
			b.send(t, "GET", "/v1/traders", other, nil).want(t, http.StatusOK)
		})
	}
	// Changes that do not affect a session do not end it.
	session, person := b.newSession(t, b.org.ID, access.RoleOwner)
	b.send(t, "PATCH", "/v1/users/"+person.ID.String(), session, map[string]any{"name": "Zoe", "role": "owner"}).want(t, http.StatusOK)
	if shown := decodeInto[sessionPart](t, b.send(t, "GET", "/session", session, nil).want(t, http.StatusOK)); shown.User.Name != "Zoe" {
		t.Errorf("session %+v", shown)
	}
}

// TestTooManySessions checks that the oldest sessions are ended.
func TestTooManySessions(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	p := b.newPerson(t, b.org.ID, access.RoleViewer)
	var sessions []string
	for range 51 {
		sessions = append(sessions, b.sessionOf(t, p))
	}
	b.send(t, "GET", "/session", sessions[0], nil).wantProblem(t, http.StatusUnauthorized, "session_ended")
	for _, session := range slices.Delete(sessions, 0, 1)[:2] {
		b.send(t, "GET", "/session", session, nil).want(t, http.StatusOK)
	}
}
