package access

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// SetPassword gives a person a temporary password (argon2id, encoded) in the
// place of any other, and ends all sessions of the person. ErrKeyInUse when the
// end of a session is not confirmed: the sessions have ended then, and the
// password is the old one, so that calling again is safe and tells the password
// that is in force. The asker's own session ends without being waited for.
func SetPassword(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, hash string) (p Person, err error) {
	defer store.WrapError(&err, "set password of person %s", id)
	if err := endOthers(ctx, db, c, id); err != nil {
		return p, err
	}
	var ended []uuid.UUID
	p, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (p Person, err error) {
		err = tx.NewRaw(`UPDATE people SET password_hash = ?0, password_temporary = true, password_expires_at = now() + ?1::interval, updated_at = now()
WHERE id = ?2 AND organization_id = ?3 AND disabled_at IS NULL RETURNING `+personColumns,
			hash, store.IntervalText(TemporaryLife), id, c.OrganizationID).Scan(ctx, &p)
		if err != nil {
			return p, err
		}
		if ended, err = endSessions(ctx, tx, id); err != nil {
			return p, err
		}
		tx.Audit(store.AuditUserPasswordReset, id, nil, nil)
		return p, nil
	})
	if err != nil {
		return p, err
	}
	// Of these one has begun since, or is the asker's own: what would be lost with
	// the answer is the password, so that one's end may take a moment longer.
	err = awaitUnused(ctx, db, ended...)
	if errors.Is(err, ErrKeyInUse) && slices.Contains(ended, c.SessionID) {
		err = nil
	}
	return p, err
}

// ChangePassword replaces the password of the person who asks, if it still is
// the old hash, and ends all sessions of the person, that of the request among
// them, in the place of which a new one begins. ErrPasswordChanged when the
// password is another one by now; ErrKeyInUse when the end of a session is not
// confirmed: with a zero result the password is the old one, and calling again
// is safe; otherwise the new session has begun.
func ChangePassword(ctx context.Context, db *store.DB, c store.Change, oldHash, newHash string, n NewSession) (s SignedIn, err error) {
	defer store.WrapError(&err, "change password of person %s", c.PersonID)
	if err := endOthers(ctx, db, c, c.PersonID); err != nil {
		return s, err
	}
	var ended []uuid.UUID
	s, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (s SignedIn, err error) {
		result, err := tx.NewRaw(`UPDATE people SET password_hash = ?0, password_temporary = false, password_expires_at = NULL, updated_at = now()
WHERE id = ?1 AND organization_id = ?2 AND password_hash = ?3 AND disabled_at IS NULL`, newHash, c.PersonID, c.OrganizationID, oldHash).Exec(ctx)
		if err != nil {
			return s, err
		}
		if changed, err := result.RowsAffected(); err != nil || changed == 0 {
			return s, cmp.Or(err, ErrPasswordChanged)
		}
		if ended, err = endSessions(ctx, tx, c.PersonID); err != nil {
			return s, err
		}
		if s, err = insertSession(ctx, tx, c.PersonID, n); err != nil {
			return s, err
		}
		tx.Audit(store.AuditUserPasswordChanged, c.PersonID, nil, nil)
		return s, nil
	})
	if err != nil {
		return s, err
	}
	return s, awaitUnused(ctx, db, ended...)
}

// endOthers ends the sessions of the person, but for the one in which the change is
// asked for, and waits until nothing is done in them any more. It goes before a
// change that could not be repeated if its answer were lost.
func endOthers(ctx context.Context, db *store.DB, c store.Change, personID uuid.UUID) error {
	c.Attempt = nil // that is the change's
	ended, err := store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (ended []uuid.UUID, err error) {
		if _, err := FindPerson(ctx, tx, c.OrganizationID, personID, "FOR NO KEY UPDATE"); err != nil {
			return nil, err
		}
		var live []uuid.UUID
		err = tx.NewRaw(`UPDATE sessions SET ended_at = now() WHERE person_id = ? AND ended_at IS NULL AND expires_at > now() AND id <> ? RETURNING id`,
			personID, c.SessionID).Scan(ctx, &live)
		if err != nil {
			return nil, err
		}
		if len(live) > 0 {
			if err := notifyEnded(ctx, tx, live...); err != nil {
				return nil, err
			}
			tx.Audit(store.AuditUserSessionsEnded, personID, nil, store.AuditFields{"sessions": len(live)})
		}
		return recentlyEnded(ctx, tx, personID)
	})
	if err != nil {
		return err
	}
	return awaitUnused(ctx, db, ended...)
}
