package v1_test

import (
	"encoding/binary"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// serving keeps the person's newest session from ending until release is called, as a server does
// that is still busy with a request in it.
func (b *testAPI) serving(t *testing.T, person uuid.UUID) (release func()) {
	t.Helper()
	id, err := uuid.Parse(b.readText(t, `SELECT id::text FROM sessions WHERE person_id = '`+person.String()+`' ORDER BY created_at DESC LIMIT 1`))
	check(t, err)
	conn := storetest.Conn(t, b.databaseURL)
	run := func(statement string) {
		_, err := conn.Exec(t.Context(), statement, int64(binary.BigEndian.Uint64(id[8:])))
		check(t, err)
	}
	run(`SELECT pg_advisory_lock_shared($1)`)
	return func() { run(`SELECT pg_advisory_unlock_shared($1)`) }
}

// TestResetIsRepeated checks that a reset that cannot be answered yet has not created a password
// that nobody learns. It takes long because the reset waits five seconds for a session that is
// being served.
func TestResetIsRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, person := b.newSession(t, b.org.ID, access.RoleReviewer)
	release := b.serving(t, person.ID)
	reset := request{method: "POST", path: "/v1/users/" + person.ID.String() + "/reset-password", key: b.key, header: with("Idempotency-Key", "reset-1")}
	b.ask(t, reset).wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
	b.signIn(t, person.Email, testPassword) // it is as it was
	release()
	told := decodeInto[userMade](t, b.ask(t, reset).want(t, http.StatusOK))
	if !told.SecretAvailable {
		t.Fatalf("the repetition is told %+v", told)
	}
	b.send(t, "POST", "/session", "", map[string]any{"email": person.Email, "password": testPassword}).wantProblem(t, http.StatusUnauthorized, "invalid_credentials")
	b.signIn(t, person.Email, told.InitialPassword)
}

// TestPasswordChangeIsRepeated checks that the change waits for other sessions before it is made.
// It takes long because two changes wait five seconds each for a session that is being served.
func TestPasswordChangeIsRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	session, person := b.newSession(t, b.org.ID, access.RoleReviewer)
	b.sessionOf(t, person)
	release := b.serving(t, person.ID)
	body := map[string]any{"current_password": testPassword, "new_password": "another password"}
	b.send(t, "PUT", "/session/password", session, body).wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
	b.send(t, "GET", "/session", session, nil).want(t, http.StatusOK)
	release()
	fresh := b.send(t, "PUT", "/session/password", session, body).want(t, http.StatusOK).session(t)

	// If the person's own session is the one that is served elsewhere, it has ended.
	b.serving(t, person.ID)
	body = map[string]any{"current_password": "another password", "new_password": "a third password"}
	r := b.send(t, "PUT", "/session/password", fresh, body)
	r.wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
	if !strings.Contains(r.body, "sign in with the new one") {
		t.Errorf("told %s", r.body)
	}
	b.signIn(t, person.Email, "a third password")
}
