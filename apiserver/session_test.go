package main

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// cookiePrefix is the prefix of what tests send instead of a key in a session.
const cookiePrefix = "session "

// identify sets in whose name a request is sent: a key's or a session's.
func identify(req *http.Request, key string) {
	text, isSession := strings.CutPrefix(key, cookiePrefix)
	if !isSession {
		req.Header.Set("Authorization", "Bearer "+key)
		return
	}
	req.Header.Set("Cookie", auth.SessionCookie+"="+text)
	if token, err := auth.ParseToken(text); err == nil {
		req.Header.Set(auth.CSRFHeader, token.CSRF())
	}
}

// newSession creates an owner who has signed in.
func (v *revocations) newSession(t *testing.T, db *store.DB) (access.Person, string) {
	t.Helper()
	const hash = "of no password"
	p, err := access.CreatePerson(t.Context(), db, store.SystemChange(v.org), access.NewPerson{
		Email: strings.ToLower(rand.Text()) + "@example.com", Name: "Zoe", Role: access.RoleOwner, PasswordHash: hash,
	})
	check(t, err)
	token := auth.NewToken()
	_, err = access.BeginSession(t.Context(), db, store.Change{OrganizationID: v.org, PersonID: p.ID}, hash, access.NewSession{TokenHash: token.Hash(), Method: access.ByOIDC})
	check(t, err)
	return p, cookiePrefix + token.Secret().Reveal()
}

// TestSessionsEndAtOnce checks that after a sign-out, a removal, a change of role or a password
// reset has been answered, no request in the person's sessions changes or returns anything, in
// any process.
func TestSessionsEndAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("runs several servers through many rounds")
	}
	t.Parallel()
	v := newRevocations(t)
	db := storetest.Open(t, v.databaseURL)
	for i := range *rounds {
		p, session := v.newSession(t, db)
		path := "/v1/users/" + p.ID.String()
		end := []func() (int, []byte, time.Time, error){
			func() (int, []byte, time.Time, error) { return v.do(0, "DELETE", "/session", session, nil) },
			func() (int, []byte, time.Time, error) { return v.do(0, "DELETE", path, v.owner, nil) },
			func() (int, []byte, time.Time, error) {
				return v.do(0, "PATCH", path, v.owner, map[string]any{"role": "viewer"})
			},
			func() (int, []byte, time.Time, error) { return v.do(0, "POST", path+"/reset-password", v.owner, nil) },
			func() (int, []byte, time.Time, error) { return v.do(0, "DELETE", path, session, nil) }, // removes itself
			func() (int, []byte, time.Time, error) {
				err := access.RemovePerson(t.Context(), db, store.SystemChange(v.org), p.ID, nil) // as the command
				return http.StatusNoContent, nil, time.Now(), err
			},
		}[i%6]
		v.endAmid(t, session, end, nil, nil)
	}
	t.Logf("%d rounds of %d requests; answers by status: %v", *rounds, requestsOfARound, v.seen)
	if v.seen[http.StatusOK] == 0 || v.seen[http.StatusUnauthorized] == 0 {
		t.Error("the sessions did not end in the middle of the requests")
	}
	if others := *rounds*requestsOfARound - v.seen[http.StatusOK] - v.seen[http.StatusUnauthorized]; others > 0 {
		t.Errorf("%d answers are neither 200 nor 401: %v", others, v.seen)
	}
}
