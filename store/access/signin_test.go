package access_test

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// newPerson creates a person whose password has the hash "hash".
func newPerson(t *testing.T, db *store.DB, orgID uuid.UUID, email string) access.Person {
	t.Helper()
	p, err := access.CreatePerson(t.Context(), db, store.SystemChange(orgID), access.NewPerson{Email: email, Name: "Zoe", Role: access.RoleReviewer, PasswordHash: "hash"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// signingIn returns a change of a person who is about to sign in.
func signingIn(p access.Person) store.Change {
	return store.Change{OrganizationID: p.OrganizationID, PersonID: p.ID, By: p.Name}
}

func newToken() (token [32]byte) {
	_, _ = rand.Read(token[:])
	return token
}

// TestSpendSignIn checks that of many concurrent attempts no more pass than the tightest budget
// has, and that refused attempts cost the other budgets nothing.
func TestSpendSignIn(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	subject := func(name string) [32]byte { return sha256.Sum256([]byte(name)) }
	tight := access.SignInBudget{Subject: subject("tight"), Burst: 10, Gap: time.Hour}
	wide := access.SignInBudget{Subject: subject("wide"), Burst: 20, Gap: time.Hour}
	var (
		passed atomic.Int32
		group  sync.WaitGroup
	)
	for i := range 60 {
		budgets := []access.SignInBudget{tight, wide}
		if i%2 == 0 { // in any order
			budgets[0], budgets[1] = wide, tight
		}
		group.Go(func() {
			wait, err := access.SpendSignIn(t.Context(), db, budgets...)
			// An attempt that later ones have overtaken receives the same wait.
			for err == nil && wait > 0 && wait < time.Second {
				wait, err = access.SpendSignIn(t.Context(), db, budgets...)
			}
			switch {
			case err != nil:
				t.Error(err)
			case wait == 0:
				passed.Add(1)
			case wait > time.Hour || wait < 59*time.Minute:
				t.Errorf("wait %s", wait)
			}
		})
	}
	group.Wait()
	if n := passed.Load(); n != 10 {
		t.Errorf("%d attempts passed", n)
	}
	for i := range 11 {
		wait, err := access.SpendSignIn(t.Context(), db, wide)
		if err != nil || (wait == 0) != (i < 10) {
			t.Errorf("attempt %d of what is left: wait %s, %v", i, wait, err)
		}
	}
	if err := access.RefundSignIn(t.Context(), db, wide); err != nil {
		t.Fatal(err)
	}
	if wait, err := access.SpendSignIn(t.Context(), db, wide); err != nil || wait != 0 {
		t.Errorf("an attempt that was given back: wait %s, %v", wait, err)
	}
}

// TestSignInAndNewPassword checks that a session that begins with a password while the password is
// being replaced ends with it, or does not begin.
func TestSignInAndNewPassword(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	org := storetest.Organization(t, db)
	for range 20 {
		p := newPerson(t, db, org.ID, strings.ToLower(rand.Text())+"@example.com")
		tokens := make([][32]byte, 8)
		var group sync.WaitGroup
		for i := range tokens {
			tokens[i] = newToken()
			group.Go(func() {
				_, err := access.BeginSession(t.Context(), db, signingIn(p), "hash", access.NewSession{TokenHash: tokens[i], Method: access.ByPassword})
				if err != nil && !errors.Is(err, access.ErrPasswordChanged) {
					t.Error(err)
				}
			})
		}
		if _, err := access.SetPassword(t.Context(), db, store.SystemChange(org.ID), p.ID, "another hash"); err != nil {
			t.Fatal(err)
		}
		group.Wait()
		for _, token := range tokens {
			if s, err := access.FindSession(t.Context(), db, token); err == nil && s.EndedAt == nil {
				t.Error("a session of the old password has outlived it")
			}
		}
	}
}

// TestExternalAccounts checks to whom an account belongs, and when to nobody.
func TestExternalAccounts(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	org, other := storetest.Organization(t, db), storetest.Organization(t, db)
	zoe := newPerson(t, db, org.ID, "zoe@example.com")
	newPerson(t, db, org.ID, "both@example.com")
	newPerson(t, db, other.ID, "both@example.com")
	const issuer = "https://login.example"
	account := func(subject, email string) access.ExternalAccount {
		return access.ExternalAccount{Issuer: issuer, Subject: subject, Email: email}
	}
	tests := []struct {
		name         string
		account      access.ExternalAccount
		organization string
		want         error
	}{
		{"unknown", account("1", "nobody@example.com"), "", store.ErrNotFound},
		{"no verified address", account("1", ""), "", store.ErrNotFound},
		{"known address", account("1", "ZOE@example.com"), "", nil},
		{"linked by now, under any address", account("1", "nobody@example.com"), "", nil},
		{"linked by now, without one", account("1", ""), "", nil},
		{"another account with the address", account("2", "zoe@example.com"), "", access.ErrLinkedElsewhere},
		{"the same subject of another issuer", access.ExternalAccount{Issuer: "https://other.example", Subject: "1"}, "", store.ErrNotFound},
		{"in another organization", account("1", ""), other.Name, store.ErrNotFound},
		{"in one of two organizations", account("3", "both@example.com"), strings.ToUpper(other.Name), nil},
		{"the issuer with a slash", access.ExternalAccount{Issuer: issuer + "/", Subject: "1"}, "", nil},
		{"known address after a change of the issuer", access.ExternalAccount{Issuer: "https://other.example", Subject: "7", Email: "zoe@example.com"}, "", nil},
		{"another account there with the address", access.ExternalAccount{Issuer: "https://other.example", Subject: "8", Email: "zoe@example.com"}, "", access.ErrLinkedElsewhere},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := beginExternal(t, db, tt.account, tt.organization)
			if !errors.Is(err, tt.want) || tt.want == nil && !s.Person.Linked {
				t.Errorf("got %+v, %v; want %v", s, err, tt.want)
			}
		})
	}
	// For the provider, another address is another person.
	address := "zoe.miller@example.com"
	p, err := access.UpdatePerson(t.Context(), db, store.SystemChange(org.ID), zoe.ID, access.PersonPatch{Email: &address})
	if err != nil || p.Linked {
		t.Errorf("with another address: %+v, %v", p, err)
	}
	if err := access.RemovePerson(t.Context(), db, store.SystemChange(org.ID), zoe.ID, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := beginExternal(t, db, account("1", address), ""); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a removed person: %v", err)
	}
}

// beginExternal signs in to the only organization that the account can mean.
func beginExternal(t *testing.T, db *store.DB, account access.ExternalAccount, organization string) (access.SignedIn, error) {
	t.Helper()
	found, err := access.ListMemberships(t.Context(), db, account, organization)
	if err != nil {
		return access.SignedIn{}, err
	}
	if len(found) != 1 {
		t.Errorf("memberships %+v, want one", found)
	}
	return access.BeginExternalSession(t.Context(), db, store.Change{RequestID: "request"}, account, found[0], access.NewSession{TokenHash: newToken(), Method: access.ByOIDC})
}

// TestMemberships checks that nothing that one organization does about an address separates another
// organization from its people.
func TestMemberships(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	alpha, beta, gamma := storetest.Organization(t, db), storetest.Organization(t, db), storetest.Organization(t, db)
	account := access.ExternalAccount{Issuer: "https://login.example", Subject: "1", Email: "zoe@example.com"}
	names := func(organization string) (names []string) {
		t.Helper()
		found, err := access.ListMemberships(t.Context(), db, account, organization)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			name := m.OrganizationName
			if m.Linked {
				name += " linked"
			}
			names = append(names, name)
		}
		return names
	}
	same := func(when string, got []string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	// Another organization was first, and has the account linked.
	newPerson(t, db, beta.ID, "zoe@example.com")
	if _, err := beginExternal(t, db, account, ""); err != nil {
		t.Fatal(err)
	}
	newPerson(t, db, alpha.ID, "ZOE@example.com")
	same("added later", names(""), beta.Name+" linked", alpha.Name)
	same("named", names(alpha.Name), alpha.Name)
	if _, err := beginExternal(t, db, account, alpha.Name); err != nil {
		t.Fatal(err)
	}
	same("linked in both", names(""), alpha.Name+" linked", beta.Name+" linked")
	// Somebody else's account is linked to the person who has the address there.
	third := newPerson(t, db, gamma.ID, "zoe@example.com")
	other := access.ExternalAccount{Issuer: "https://login.example", Subject: "2", Email: "zoe@example.com"}
	if _, err := beginExternal(t, db, other, gamma.Name); err != nil {
		t.Fatal(err)
	}
	same("taken in a third", names(""), alpha.Name+" linked", beta.Name+" linked")
	// An earlier look-up is checked again when it is used.
	_, err := access.BeginExternalSession(t.Context(), db, store.Change{}, account, access.Membership{PersonID: third.ID, OrganizationID: gamma.ID}, access.NewSession{TokenHash: newToken(), Method: access.ByOIDC})
	if !errors.Is(err, access.ErrLinkedElsewhere) {
		t.Errorf("somebody else's person: %v", err)
	}
}

func TestPruneSessions(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db, conn := storetest.Open(t, url), storetest.Conn(t, url)
	p := newPerson(t, db, storetest.Organization(t, db).ID, "zoe@example.com")
	for range 3 {
		if _, err := access.BeginSession(t.Context(), db, signingIn(p), "hash", access.NewSession{TokenHash: newToken(), Method: access.ByPassword}); err != nil {
			t.Fatal(err)
		}
	}
	for _, gap := range []time.Duration{time.Microsecond, time.Hour} {
		if _, err := access.SpendSignIn(t.Context(), db, access.SignInBudget{Subject: sha256.Sum256([]byte(gap.String())), Burst: 1, Gap: gap}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Exec(t.Context(), `UPDATE sessions SET expires_at = now() - interval '31 days' WHERE id = (SELECT min(id::text)::uuid FROM sessions)`); err != nil {
		t.Fatal(err)
	}
	if n, err := access.PruneSessions(t.Context(), db); n != 2 || err != nil {
		t.Errorf("%d rows went, %v; want an old session and a budget that is whole again", n, err)
	}
	if n, err := access.PruneSessions(t.Context(), db); n != 0 || err != nil {
		t.Errorf("%d more rows went, %v", n, err)
	}
}

// TestSealFor checks that what is sealed for one purpose opens only for that purpose.
func TestSealFor(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	sealed, err := db.SealFor("one", []byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := db.OpenFor("one", sealed); err != nil || string(plain) != "text" {
		t.Errorf("got %q, %v", plain, err)
	}
	if _, err := db.OpenFor("another", sealed); err == nil {
		t.Error("it opens for another purpose")
	}
	sealed[len(sealed)-1] ^= 1
	if _, err := db.OpenFor("one", sealed); err == nil {
		t.Error("it opens although it was changed")
	}
	if _, err := db.OpenFor("one", append(seal.Prefix("another key"), make([]byte, 200)...)); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("a value of an unknown key: %v", err)
	}
	if n := db.UnknownKeys(); n != 0 {
		t.Errorf("%d stored values count as unreadable, although a client sent them", n)
	}
}
