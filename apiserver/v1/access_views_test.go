package v1_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assayhq/assay/store/access"
)

func TestSavedViews(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	const path = "/session/views"
	ann, _ := b.newSession(t, b.org.ID, access.RoleViewer)
	bob, person := b.newSession(t, b.org.ID, access.RoleReviewer)
	body := `{"views":[{"list":"traders","name":"VIP, not verified","query":"tag=vip&kyc_status=pending"},{"list":"interviews","name":"مقابلات","query":""},{"list":"runs","name":"By status","query":"sort=status&tab=runs"},{"list":"trades","name":"Open","query":"state=open&tab=trades"}]}`
	for _, session := range []string{ann, bob} {
		if r := b.send(t, "GET", path, session, nil).want(t, http.StatusOK); r.body != `{"views":[]}` {
			t.Errorf("views before any were saved: %s", r.body)
		}
	}
	saved := b.send(t, "PUT", path, bob, body).want(t, http.StatusOK)
	if got := b.send(t, "GET", path, bob, nil).want(t, http.StatusOK); got.body != body || saved.body != body || got.header.Get("ETag") != saved.header.Get("ETag") {
		t.Errorf("saved %s\nread  %s\nwant  %s, with one tag", saved.body, got.body, body)
	}
	renamed := b.ask(t, request{method: "PUT", path: path, key: bob, body: `{"views":[{"list":"traders","name":"New","query":""}]}`, header: with("If-Match", saved.header.Get("ETag"))}).want(t, http.StatusOK)
	b.ask(t, request{method: "PUT", path: path, key: bob, body: "{}", header: with("If-Match", saved.header.Get("ETag"))}).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
	if got := b.send(t, "GET", path, bob, nil).want(t, http.StatusOK); got.body != renamed.body {
		t.Errorf("read %s, want %s", got.body, renamed.body)
	}
	if r := b.send(t, "GET", path, ann, nil).want(t, http.StatusOK); r.body != `{"views":[]}` {
		t.Errorf("another person sees them: %s", r.body)
	}
	b.send(t, "GET", path, b.key, nil).want(t, http.StatusUnauthorized)
	for bad, fault := range map[string]string{
		`{"views":[{"list":"keys","name":"a","query":""}]}`:                                              "#/views/0/list invalid_format",
		`{"views":[{"list":"traders","name":" ","query":""}]}`:                                           "#/views/0/name invalid_format",
		`{"views":[{"list":"traders","name":"a","query":"` + strings.Repeat("x", 2001) + `"}]}`:          "#/views/0/query too_long",
		`{"views":[{"list":"traders","name":"a","query":""},{"list":"traders","name":"a","query":"b"}]}`: "#/views invalid_format",
	} {
		faults := b.send(t, "PUT", path, bob, bad).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed").faults()
		if len(faults) != 1 || faults[0] != fault {
			t.Errorf("%.60s: %q, want %q", bad, faults, fault)
		}
	}
	b.send(t, "DELETE", "/v1/users/"+person.ID.String(), b.key, nil).want(t, http.StatusNoContent)
	if left := b.readText(t, `SELECT count(*)::text FROM people WHERE views <> '[]'`); left != "0" {
		t.Errorf("%s people have views after the only one was removed", left)
	}
}
