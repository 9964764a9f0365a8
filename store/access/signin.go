package access

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// SignInBudget limits the attempts to sign in that concern one subject.
type SignInBudget struct {
	Subject [sha256.Size]byte // a hash of the subject
	Burst   int               // how many attempts may come at once
	Gap     time.Duration     // after which another attempt is added
}

// SpendSignIn takes an attempt from each of the budgets, or from none. In the latter case it
// returns how long to wait. It is exact for all processes together.
func SpendSignIn(ctx context.Context, db *store.DB, budgets ...SignInBudget) (wait time.Duration, err error) {
	defer store.WrapError(&err, "spend a sign-in")
	subjects, bursts, gaps := make([][]byte, len(budgets)), make([]int, len(budgets)), make([]time.Duration, len(budgets))
	for i, b := range budgets {
		subjects[i], bursts[i], gaps[i] = b.Subject[:], b.Burst, b.Gap
	}
	err = db.Pool.QueryRow(ctx, `SELECT coalesce(spend_sign_in($1::bytea[], $2::integer[], $3::interval[]), '0')`,
		store.Prepared(db, subjects, bursts, gaps)...).Scan(&wait)
	return wait, err
}

// RefundSignIn returns an attempt to each of the budgets, because the password was right.
func RefundSignIn(ctx context.Context, db *store.DB, budgets ...SignInBudget) (err error) {
	defer store.WrapError(&err, "refund a sign-in")
	for _, b := range budgets {
		if _, err := db.Bun.NewRaw(`UPDATE sign_in_budgets SET spent_until = spent_until - ?::interval WHERE subject = ?`, store.IntervalText(b.Gap), b.Subject[:]).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// MaxCandidates is the most people for whom one password is tried.
const MaxCandidates = 5

// Candidate is a person who may be signing in.
type Candidate struct {
	PersonID         uuid.UUID
	OrganizationID   uuid.UUID
	OrganizationName string
	Name             string
	// PasswordHash is empty if the person has no password, or a temporary one that has expired.
	PasswordHash string
}

// ListCandidates returns the people who may sign in with the address: at most one in the
// organization of that name, or, without a name, at most MaxCandidates in any. It prefers the
// oldest of those who have a password, so that nobody can be crowded out by adding others.
func ListCandidates(ctx context.Context, db *store.DB, email, organization string) (people []Candidate, err error) {
	defer store.WrapError(&err, "find who signs in")
	err = db.Bun.NewRaw(`SELECT p.id AS person_id, p.organization_id, o.name AS organization_name, p.name, CASE WHEN p.password_expires_at <= now() THEN '' ELSE coalesce(p.password_hash, '') END AS password_hash
FROM people AS p JOIN organizations AS o ON o.id = p.organization_id
WHERE lower(p.email) = lower(?0) AND p.disabled_at IS NULL AND (?1 = '' OR lower(o.name) = lower(?1))
ORDER BY p.password_hash IS NULL OR coalesce(p.password_expires_at <= now(), false), p.created_at, p.id LIMIT ?2`, email, organization, MaxCandidates).Scan(ctx, &people)
	return people, err
}

// ReadPasswordHash returns the hash of a person's password, which is empty if there is none. It
// returns ErrNotFound if there is no such person, or if the person was removed.
func ReadPasswordHash(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (hash string, err error) {
	defer store.WrapError(&err, "read the password of person %s", id)
	err = db.Bun.NewRaw(`SELECT coalesce(password_hash, '') FROM people WHERE id = ? AND organization_id = ? AND disabled_at IS NULL`, id, orgID).Scan(ctx, &hash)
	return hash, err
}

// BeginSession begins a session of a person whose password matched the hash. It returns
// ErrPasswordChanged if the hash is another one by now, or if the person was removed, so that no
// session of the old password survives a change.
func BeginSession(ctx context.Context, db *store.DB, c store.Change, hash string, n NewSession) (s SignedIn, err error) {
	defer store.WrapError(&err, "begin a session of person %s", c.PersonID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (s SignedIn, err error) {
		var found uuid.UUID
		err = tx.NewRaw(`SELECT id FROM people WHERE id = ? AND password_hash = ? AND disabled_at IS NULL FOR NO KEY UPDATE`, c.PersonID, hash).Scan(ctx, &found)
		if store.IsNoRows(err) {
			return s, ErrPasswordChanged
		}
		if err != nil {
			return s, err
		}
		return signIn(ctx, tx, c.PersonID, n)
	})
}

// signIn begins a session and records the sign-in.
func signIn(ctx context.Context, tx *store.Tx, personID uuid.UUID, n NewSession) (SignedIn, error) {
	s, err := insertSession(ctx, tx, personID, n)
	if err != nil {
		return s, err
	}
	tx.Audit(action.UserSignedIn, personID, nil, store.AuditFields{"method": n.Method})
	return s, nil
}

// RecordFailedSignIns records a number of failed attempts to sign in as the person. It returns
// ErrNotFound if the organization has no such person, or if the person was removed.
func RecordFailedSignIns(ctx context.Context, db *store.DB, c store.Change, personID uuid.UUID, attempts int) (err error) {
	defer store.WrapError(&err, "note failed sign-ins of person %s", personID)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		if _, err := FindPerson(ctx, tx, c.OrganizationID, personID, ""); err != nil {
			return none, err
		}
		tx.Audit(action.UserSignInFailed, personID, nil, store.AuditFields{"attempts": attempts})
		return none, nil
	})
	return err
}
