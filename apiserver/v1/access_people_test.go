package v1_test

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
)

// cookiePrefix is the prefix of what tests send instead of a key in a session. The rest is the
// cookie.
const cookiePrefix = "session "

// identify sets in whose name a request is sent: a key's or a session's.
func identify(req *http.Request, key string) {
	text, isSession := strings.CutPrefix(key, cookiePrefix)
	switch {
	case key == "":
	case isSession:
		req.Header.Set("Cookie", auth.SessionCookie+"="+text)
		if token, err := auth.ParseToken(text); err == nil {
			req.Header.Set(auth.CSRFHeader, token.CSRF())
		}
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
}

// keyFor returns what the route can be called with.
func (b *testAPI) keyFor(t testing.TB, route route.Route) string {
	t.Helper()
	if !route.Session {
		return b.key
	}
	session, _ := b.newSession(t, b.org.ID, access.RoleOwner)
	return session
}

// testCost makes hashes cheap for tests that do not depend on their cost.
var testCost = auth.Cost{Memory: 16, Passes: 1, Threads: 2}

// testPassword is the password of people in tests. Its hash is computed once.
const testPassword = "correct horse battery"

var testHash = sync.OnceValue(func() string {
	hash, err := testCost.Hash(seal.NewSecret(testPassword))
	if err != nil {
		panic(err)
	}
	return hash
})

// newPerson creates a person of the organization.
func (b *testAPI) newPerson(t testing.TB, orgID uuid.UUID, role access.Role) access.Person {
	t.Helper()
	email := strings.ToLower(rand.Text()) + "@example.com"
	p, err := access.CreatePerson(t.Context(), b.db, store.SystemChange(orgID), access.NewPerson{
		Email: email, Name: "Zoe " + string(role), Role: role, PasswordHash: testHash(),
	})
	check(t, err)
	return p
}

// newSession creates a person of the organization who has signed in and has no temporary
// password, and returns the argument for identify.
func (b *testAPI) newSession(t testing.TB, orgID uuid.UUID, role access.Role) (string, access.Person) {
	t.Helper()
	p := b.newPerson(t, orgID, role)
	return b.sessionOf(t, p), p
}

// sessionOf begins another session of a person.
func (b *testAPI) sessionOf(t testing.TB, p access.Person) string {
	t.Helper()
	token := auth.NewToken()
	_, err := access.BeginSession(t.Context(), b.db, store.Change{OrganizationID: p.OrganizationID, PersonID: p.ID, By: p.Name}, testHash(),
		access.NewSession{TokenHash: token.Hash(), Method: access.ByOIDC})
	check(t, err)
	return cookiePrefix + token.Secret().Reveal()
}
