package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// TestFailedSignInsShow checks that failed attempts to sign in as a person can be seen, and that
// an attacker cannot fill the log with them.
func TestFailedSignInsShow(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	made := b.addUser(t, "zoe@example.com", "viewer")
	wrong := func(email string) {
		b.send(t, "POST", "/session", "", map[string]any{"email": email, "password": "wrong"}).wantProblem(t, http.StatusUnauthorized, "invalid_credentials")
	}
	entries := func() string {
		return b.readText(t, fmt.Sprintf(`SELECT coalesce(string_agg(concat_ws(' ', after::text, client_address, request_id), '; ' ORDER BY number), '')
FROM audit_log WHERE action = 'user.sign_in_failed' AND object_id = '%s'`, made.ID))
	}
	wrong("nobody@example.com")
	wrong("ZOE@example.com")
	const first = `{"attempts":1} 127.0.0.1 ` + requestID
	storetest.Eventually(t, "the first is noted", func() bool { return entries() == first })
	for range 5 {
		wrong("zoe@example.com")
	}
	b.stopRun() // and nothing is lost when the process stops
	if got, want := entries(), first+`; {"attempts":5} 127.0.0.1 `+requestID; got != want {
		t.Errorf("noted %s, want %s", got, want)
	}
	if log := b.log.String(); !strings.Contains(log, `"msg":"sign-ins failed","person_id":"`+made.ID.String()+`"`) || strings.Contains(log, "zoe@") {
		t.Errorf("logged %s", log)
	}
	for range 5 {
		wrong("nobody@example.com")
	}
	for range 4 {
		wrong("zoe@example.com")
	}
	b.send(t, "POST", "/session", "", map[string]any{"email": "zoe@example.com", "password": "wrong"}).want(t, http.StatusTooManyRequests)
	b.visit(t, "/oidc/start", nil).want(t, http.StatusNotFound)
	want := map[string]float64{"wrong_password": 16, "too_many": 1, "oidc": 1}
	families, err := b.registry.Gather()
	check(t, err)
	for _, f := range families {
		if f.GetName() != "assay_apiserver_sign_in_failures_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			reason := m.GetLabel()[0].GetValue()
			if got := m.GetCounter().GetValue(); got != want[reason] {
				t.Errorf("%s: %v, want %v", reason, got, want[reason])
			}
			delete(want, reason)
		}
	}
	if len(want) > 0 {
		t.Errorf("not counted: %v", want)
	}
}

// TestRefusedAccountsShow checks that the attempts of an account at the provider to be a person who has
// another one can be seen.
func TestRefusedAccountsShow(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	i := b.startIssuer(t)
	made := b.send(t, "POST", "/v1/users", b.key, map[string]any{"email": "zoe@example.com", "role": "viewer", "sign_in": "oidc"}).want(t, http.StatusCreated)
	b.newBrowser().comeBack(t, i, "", "1", "zoe@example.com").want(t, http.StatusSeeOther)
	b.newBrowser().comeBack(t, i, "", "2", "zoe@example.com").want(t, http.StatusForbidden)
	b.stopRun()
	got := b.readText(t, `SELECT coalesce(string_agg(concat_ws(' ', object_id, after::text, client_address), '; '), '') FROM audit_log WHERE action = 'user.sign_in_failed'`)
	if want := decodeInto[userMade](t, made).ID.String() + ` {"attempts":1} 127.0.0.1`; got != want {
		t.Errorf("noted %s, want %s", got, want)
	}
}

// TestFailuresAmongOrganizations checks that an organization that adds an address does not learn
// from where its owner signs in to another one.
func TestFailuresAmongOrganizations(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	b.exec(t, `UPDATE people SET password_hash = $1`, testHash())
	b.send(t, "POST", "/session", "", map[string]any{"email": "owner@example.com", "password": "wrong"}).wantProblem(t, http.StatusUnauthorized, "invalid_credentials")
	b.stopRun()
	got := b.readText(t, `SELECT string_agg(concat_ws(' ', after::text, client_address, request_id), '; ') FROM audit_log WHERE action = 'user.sign_in_failed'`)
	if want := `{"attempts":1}; {"attempts":1}`; got != want {
		t.Errorf("noted %s, want %s", got, want)
	}
}
