package store

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// SignInBudget bounds the attempts to sign in that concern one subject.
type SignInBudget struct {
	Subject [sha256.Size]byte // a hash of what it is about
	Burst   int               // attempts that may come at once
	Gap     time.Duration     // after which there is another one
}

// SpendSignIn takes an attempt from each of the budgets, or from none: then it
// returns how long to wait. It is exact for all processes together.
func (db *DB) SpendSignIn(ctx context.Context, budgets ...SignInBudget) (wait time.Duration, err error) {
	defer wrap(&err, "spend a sign-in")
	subjects, bursts, gaps := make([][]byte, len(budgets)), make([]int, len(budgets)), make([]time.Duration, len(budgets))
	for i, b := range budgets {
		subjects[i], bursts[i], gaps[i] = b.Subject[:], b.Burst, b.Gap
	}
	err = db.pool.QueryRow(ctx, `SELECT coalesce(spend_sign_in($1::bytea[], $2::integer[], $3::interval[]), '0')`,
		hot(db, subjects, bursts, gaps)...).Scan(&wait)
	return wait, err
}

// RefundSignIn gives an attempt back to each of the budgets: it was not a wrong
// one.
func (db *DB) RefundSignIn(ctx context.Context, budgets ...SignInBudget) (err error) {
	defer wrap(&err, "refund a sign-in")
	for _, b := range budgets {
		if _, err := db.pool.Exec(ctx, `UPDATE sign_in_budgets SET spent_until = spent_until - $2::interval WHERE subject = $1`, b.Subject[:], b.Gap); err != nil {
			return err
		}
	}
	return nil
}

// Candidate is somebody who may be signing in.
type Candidate struct {
	PersonID       uuid.UUID
	OrganizationID uuid.UUID
	Name           string
	// PasswordHash is empty when the person has no password, or one that is
	// temporary and has expired.
	PasswordHash string
}

// SignInCandidate returns who may sign in with the address, in the organization
// of that name; without a name in any, if that leaves nobody in doubt. The zero
// Candidate when there is nobody, or ErrAmbiguous.
func (db *DB) SignInCandidate(ctx context.Context, email, organization string) (c Candidate, err error) {
	defer wrap(&err, "find who signs in")
	rows, err := db.pool.Query(ctx, `SELECT p.id, p.organization_id, p.name, CASE WHEN p.password_expires_at <= now() THEN '' ELSE coalesce(p.password_hash, '') END
FROM people AS p JOIN organizations AS o ON o.id = p.organization_id
WHERE lower(p.email) = lower($1) AND p.disabled_at IS NULL AND ($2 = '' OR lower(o.name) = lower($2)) LIMIT 2`, email, organization)
	if err != nil {
		return c, err
	}
	defer rows.Close()
	for n := 0; rows.Next(); n++ {
		if n == 1 {
			return Candidate{}, ErrAmbiguous
		}
		if err := rows.Scan(&c.PersonID, &c.OrganizationID, &c.Name, &c.PasswordHash); err != nil {
			return Candidate{}, err
		}
	}
	return c, rows.Err()
}

// PasswordHash returns the hash of a person's password; empty when there is
// none. ErrNotFound when there is no such person, or the person was removed.
func (db *DB) PasswordHash(ctx context.Context, orgID, id uuid.UUID) (hash string, err error) {
	defer wrap(&err, "read the password of person %s", id)
	err = db.pool.QueryRow(ctx, `SELECT coalesce(password_hash, '') FROM people WHERE id = $1 AND organization_id = $2 AND disabled_at IS NULL`, id, orgID).Scan(&hash)
	return hash, err
}

// BeginSession begins a session of a person whose password was found to be the
// one with the hash. ErrPasswordChanged when it is another one by now, or the
// person was removed: a change of the password leaves no session of the old one.
func (db *DB) BeginSession(ctx context.Context, c Change, hash string, n NewSession) (s SignedIn, err error) {
	defer wrap(&err, "begin a session of person %s", c.PersonID)
	return change(ctx, db, c, func(ctx context.Context, tx bun.Tx) (s SignedIn, err error) {
		var found uuid.UUID
		err = tx.NewRaw(`SELECT id FROM people WHERE id = ? AND password_hash = ? AND disabled_at IS NULL FOR NO KEY UPDATE`, c.PersonID, hash).Scan(ctx, &found)
		if isNoRows(err) {
			return s, ErrPasswordChanged
		}
		if err != nil {
			return s, err
		}
		return signIn(ctx, tx, c.PersonID, n)
	})
}

// signIn begins a session and notes that.
func signIn(ctx context.Context, tx bun.Tx, personID uuid.UUID, n NewSession) (SignedIn, error) {
	s, err := insertSession(ctx, tx, personID, n)
	if err != nil {
		return s, err
	}
	return s, audit(ctx, AuditUserSignedIn, personID, nil, auditFields{"method": n.Method})
}

// ExternalAccount is an account of an OpenID Connect provider.
type ExternalAccount struct {
	Issuer  string
	Subject string
	Email   string // that the provider has verified; empty: none
}

// BeginExternalSession begins a session of the person to whom the account is
// linked or, where it is linked to nobody, of the one whose address the account
// has, and links it. c says nothing of the organization or the person yet.
// organization names the one that is meant; empty: any, if that leaves nobody in
// doubt. ErrNotFound when there is nobody, ErrAmbiguous, ErrLinkedElsewhere.
func (db *DB) BeginExternalSession(ctx context.Context, c Change, account ExternalAccount, organization string, n NewSession) (s SignedIn, err error) {
	defer wrap(&err, "begin a session of an account of %s", account.Issuer)
	found, err := db.externalPerson(ctx, account, organization)
	if err != nil {
		return s, err
	}
	c.OrganizationID, c.PersonID, c.By = found.OrganizationID, found.ID, found.Name
	return change(ctx, db, c, func(ctx context.Context, tx bun.Tx) (s SignedIn, err error) {
		if err := linkAccount(ctx, tx, found, account); err != nil {
			return s, err
		}
		return signIn(ctx, tx, found.ID, n)
	})
}

// linkAccount links the account to the person, unless it is already. Whether it
// may be is asked again under the row's lock.
func linkAccount(ctx context.Context, tx bun.Tx, p Person, account ExternalAccount) error {
	var before struct{ Linked bool }
	err := tx.NewRaw(`SELECT oidc_subject IS NOT NULL AS linked FROM people WHERE id = ? AND disabled_at IS NULL FOR NO KEY UPDATE`, p.ID).Scan(ctx, &before)
	if err != nil {
		return err
	}
	var linked uuid.UUID
	err = tx.NewRaw(`UPDATE people SET oidc_issuer = ?0, oidc_subject = ?1
WHERE id = ?2 AND (oidc_issuer = ?0 AND oidc_subject = ?1 OR oidc_subject IS NULL AND lower(email) = lower(?3))
RETURNING id`, account.Issuer, account.Subject, p.ID, account.Email).Scan(ctx, &linked)
	if isNoRows(err) || violates(err, "people_subject") {
		return ErrLinkedElsewhere
	}
	if err != nil || before.Linked {
		return err
	}
	return audit(ctx, AuditUserUpdated, p.ID, auditFields{"oidc_linked": false}, auditFields{"oidc_linked": true})
}

// externalPerson finds whose account it is: a link counts more than an address.
func (db *DB) externalPerson(ctx context.Context, account ExternalAccount, organization string) (p Person, err error) {
	for _, condition := range []string{`p.oidc_issuer = ?0 AND p.oidc_subject = ?1`, `?2 <> '' AND lower(p.email) = lower(?2)`} {
		var found []Person
		err := db.bun.NewRaw(`SELECT p.id, p.organization_id, p.name FROM people AS p JOIN organizations AS o ON o.id = p.organization_id
WHERE `+condition+` AND p.disabled_at IS NULL AND (?3 = '' OR lower(o.name) = lower(?3)) LIMIT 2`,
			account.Issuer, account.Subject, account.Email, organization).Scan(ctx, &found)
		switch {
		case err != nil:
			return p, err
		case len(found) > 1:
			return p, ErrAmbiguous
		case len(found) == 1:
			return found[0], nil
		}
	}
	return p, ErrNotFound
}
