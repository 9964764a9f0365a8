package access

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// How long sessions live. The values are those of NIST SP 800-63B-4 for its second level.
const (
	// SessionIdle is how long a session lives without a request, to the minute.
	SessionIdle = time.Hour
	// SessionLife is how long a session lives at most.
	SessionLife = 24 * time.Hour
)

// maxSessions is the most sessions of one person. Beyond it, the oldest end.
const maxSessions = 50

// SignInMethod is how a person has signed in.
type SignInMethod string

// The ways to sign in.
const (
	ByPassword SignInMethod = "password"
	ByOIDC     SignInMethod = "oidc"
)

// NewSession is a session to begin. Its token never reaches the database.
type NewSession struct {
	TokenHash [32]byte // SHA-256 of the token
	Method    SignInMethod
}

// Session is a person's sign-in in one browser.
type Session struct {
	ID             uuid.UUID    `bun:"id,pk"`
	OrganizationID uuid.UUID    `bun:"organization_id"`
	PersonID       uuid.UUID    `bun:"person_id"`
	Method         SignInMethod `bun:"method"`
	CreatedAt      time.Time    `bun:"created_at"`
	IdleAt         time.Time    `bun:"idle_at"` // when it ends without further requests
	ExpiresAt      time.Time    `bun:"expires_at"`
	EndedAt        *time.Time   `bun:"ended_at"` // nil unless somebody has ended it
	Now            time.Time    `bun:"now"`      // when FindSession read it, on the database's clock
}

// SignedIn is a session with its person.
type SignedIn struct {
	Session
	Person           Person
	OrganizationName string
}

// SessionAdmission is the result of AdmitSession.
type SessionAdmission struct {
	SignedIn
	Decision
}

// Expired reports whether the session had expired when it was checked. The request was counted
// neither then nor if the session has been ended.
func (a SessionAdmission) Expired() bool {
	return !a.At.Before(a.ExpiresAt) || !a.At.Before(a.IdleAt)
}

// FindSession returns the session whose token has the hash, even if it is over. It returns
// ErrNotFound if there is none.
func FindSession(ctx context.Context, db *store.DB, tokenHash [32]byte) (s Session, err error) {
	defer store.WrapError(&err, "find session")
	err = db.Keys.Bun.NewRaw(`SELECT id, organization_id, person_id, method, created_at, used_at + ?::interval AS idle_at, expires_at, ended_at, now() AS now
FROM sessions WHERE token_hash = ?`, store.IntervalText(SessionIdle), tokenHash[:]).Scan(ctx, &s)
	return s, err
}

// AdmitSession finds the session whose token has the hash and counts a request of its person,
// unless the person has made RateLimit requests within RateWindow, in all sessions and on all
// processes together; the result reports that. Sessions that are over are returned too, without
// counting anything. It returns ErrNotFound if there is no such session.
func AdmitSession(ctx context.Context, db *store.DB, tokenHash [32]byte) (SessionAdmission, error) {
	return admitSession(ctx, db, tokenHash, RateLimit, RateWindow)
}

// admitSession is like AdmitSession with another limit, of at most RateLimit.
func admitSession(ctx context.Context, db *store.DB, tokenHash [32]byte, limit int, window time.Duration) (a SessionAdmission, err error) {
	defer store.WrapError(&err, "admit session")
	p := &a.Person
	err = db.Keys.Pool.QueryRow(ctx, `SELECT id, organization_id, organization_name, person_id, email, name, role, person_created_at, person_updated_at,
    last_sign_in_at, has_password, password_temporary, linked, method, created_at, idle_at, expires_at, ended_at, decided_at, limited, remaining, reset
FROM admit_session($1::bytea, $2::interval, $3::integer, $4::interval) WHERE id IS NOT NULL`,
		store.Prepared(db, tokenHash[:], SessionIdle, limit, window)...).
		Scan(&a.ID, &a.OrganizationID, &a.OrganizationName, &a.PersonID, &p.Email, &p.Name, &p.Role, &p.CreatedAt, &p.UpdatedAt,
			&p.LastSignInAt, &p.HasPassword, &p.PasswordTemporary, &p.Linked, &a.Method, &a.CreatedAt, &a.IdleAt, &a.ExpiresAt, &a.EndedAt,
			&a.At, &a.Limited, &a.Remaining, &a.Reset)
	if err != nil {
		return SessionAdmission{}, err
	}
	p.ID, p.OrganizationID = a.PersonID, a.OrganizationID
	return a, nil
}

// EndSession ends the session in which the change is requested: when it returns nil, no transaction
// in its name commits any more, and no process serves it. It returns ErrKeyInUse if a process has
// not released it within five seconds: the session has ended, but a request that was running may
// still be answered.
func EndSession(ctx context.Context, db *store.DB, c store.Change) (err error) {
	defer store.WrapError(&err, "end session %s", c.SessionID)
	_, err = store.MakeKeyChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		_, err = tx.NewRaw(`UPDATE sessions SET ended_at = now() WHERE id = ? AND organization_id = ?`, c.SessionID, c.OrganizationID).Exec(ctx)
		if err != nil {
			return none, err
		}
		if err := notifyEnded(ctx, tx, c.SessionID); err != nil {
			return none, err
		}
		tx.Audit(action.UserSignedOut, c.PersonID, nil, nil)
		return none, nil
	})
	if err != nil {
		return err
	}
	return awaitUnused(ctx, db, c.SessionID)
}

// EndSessions ends all sessions of the person who asks, including the change's own, in the way of
// EndSession.
func EndSessions(ctx context.Context, db *store.DB, c store.Change) (err error) {
	defer store.WrapError(&err, "end sessions of person %s", c.PersonID)
	if err := endOthers(ctx, db, c, c.PersonID); err != nil {
		return err
	}
	return EndSession(ctx, db, c)
}

// DropSession ends the session whose token has the hash, if there is one, because its browser gets
// another one. It does not wait for the end to be confirmed.
func DropSession(ctx context.Context, db *store.DB, tokenHash [32]byte) (err error) {
	defer store.WrapError(&err, "drop session")
	return db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var id uuid.UUID
		err := tx.NewRaw(`UPDATE sessions SET ended_at = now() WHERE token_hash = ? AND ended_at IS NULL RETURNING id`, tokenHash[:]).Scan(ctx, &id)
		if store.IsNoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return notifyEnded(ctx, tx, id)
	})
}

// endSessions ends all sessions of the person, and returns those whose end must be confirmed.
func endSessions(ctx context.Context, tx bun.IDB, personID uuid.UUID) (ended []uuid.UUID, err error) {
	err = tx.NewRaw(`UPDATE sessions SET ended_at = now() WHERE person_id = ? AND ended_at IS NULL RETURNING id`, personID).Scan(ctx, &ended)
	if err != nil {
		return nil, err
	}
	if err := notifyEnded(ctx, tx, ended...); err != nil {
		return nil, err
	}
	return recentlyEnded(ctx, tx, personID)
}

// recentlyEnded returns the person's sessions that have ended so recently that a process may still
// serve them. A repeated call has to confirm their end if the first one could not.
func recentlyEnded(ctx context.Context, tx bun.IDB, personID uuid.UUID) (ended []uuid.UUID, err error) {
	err = tx.NewRaw(`SELECT id FROM sessions WHERE person_id = ? AND ended_at > now() - interval '10 minutes'`, personID).Scan(ctx, &ended)
	return ended, err
}

// insertSession begins a session of a person, whose row is locked until the
// transaction ends.
func insertSession(ctx context.Context, tx bun.IDB, personID uuid.UUID, n NewSession) (s SignedIn, err error) {
	err = tx.NewRaw(`UPDATE people SET last_sign_in_at = now() WHERE id = ? RETURNING `+personColumns, personID).Scan(ctx, &s.Person)
	if err != nil {
		return s, err
	}
	err = tx.NewRaw(`INSERT INTO sessions (id, organization_id, person_id, token_hash, method, expires_at) VALUES (?0, ?1, ?2, ?3, ?4, now() + ?5::interval)
RETURNING id, organization_id, person_id, method, created_at, used_at + ?6::interval AS idle_at, expires_at, ended_at`,
		store.NewID(), s.Person.OrganizationID, personID, n.TokenHash[:], n.Method, store.IntervalText(SessionLife), store.IntervalText(SessionIdle)).Scan(ctx, &s.Session)
	if err != nil {
		return s, err
	}
	if err := tx.NewRaw(`SELECT name FROM organizations WHERE id = ?`, s.OrganizationID).Scan(ctx, &s.OrganizationName); err != nil {
		return s, err
	}
	return s, endOldest(ctx, tx, personID)
}

// endOldest ends the oldest sessions of a person who has too many.
func endOldest(ctx context.Context, tx bun.IDB, personID uuid.UUID) error {
	var ended []uuid.UUID
	err := tx.NewRaw(`UPDATE sessions SET ended_at = now() WHERE id IN
    (SELECT id FROM sessions WHERE person_id = ? AND ended_at IS NULL AND expires_at > now() ORDER BY created_at DESC, id DESC OFFSET ?) RETURNING id`,
		personID, maxSessions).Scan(ctx, &ended)
	if err != nil {
		return err
	}
	return notifyEnded(ctx, tx, ended...)
}

// PruneSessions deletes sessions that have been over for a month, and used-up sign-in budgets, in
// batches, and returns how many rows it deleted.
func PruneSessions(ctx context.Context, db *store.DB) (deleted int64, err error) {
	defer store.WrapError(&err, "prune sessions")
	for _, statement := range []string{
		`DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < now() - interval '30 days' ORDER BY expires_at LIMIT $1)`,
		`DELETE FROM sign_in_budgets WHERE spent_until < now() AND subject IN
    (SELECT subject FROM sign_in_budgets WHERE spent_until < now() ORDER BY spent_until LIMIT $1)`,
	} {
		rows, err := db.ExecInBatches(ctx, statement)
		if deleted += rows; err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}
