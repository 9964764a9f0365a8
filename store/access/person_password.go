package access

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// SetPassword replaces a person's password by a temporary one (argon2id, encoded) and ends all
// sessions of the person. It returns ErrKeyInUse if the end of a session is not confirmed. The
// sessions have ended then and the old password remains, so calling again is safe and returns the
// password that is in force. It does not wait for the end of the caller's own session.
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
		tx.Audit(action.UserPasswordReset, id, nil, nil)
		return p, nil
	})
	if err != nil {
		return p, err
	}
	// These sessions have begun since, or are the caller's own. The password would be lost with the
	// response, so their end may take a moment longer.
	err = awaitUnused(ctx, db, ended...)
	if errors.Is(err, ErrKeyInUse) && slices.Contains(ended, c.SessionID) {
		err = nil
	}
	return p, err
}

// ChangePassword replaces the password of the person who asks, if its hash is still the old one. It
// ends all sessions of the person, including the request's own, and begins a new one in its place.
// It returns ErrPasswordChanged if the password is another one by now, and ErrKeyInUse if the end
// of a session is not confirmed: with a zero result the password is the old one, and calling again
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
		if store.CountAffected(result) == 0 {
			return s, ErrPasswordChanged
		}
		if ended, err = endSessions(ctx, tx, c.PersonID); err != nil {
			return s, err
		}
		if s, err = insertSession(ctx, tx, c.PersonID, n); err != nil {
			return s, err
		}
		tx.Audit(action.UserPasswordChanged, c.PersonID, nil, nil)
		return s, nil
	})
	if err != nil {
		return s, err
	}
	return s, awaitUnused(ctx, db, ended...)
}

// endOthers ends the person's sessions, except the one in which the change is requested, and waits
// until nothing is done in them any more. It precedes a change that could not be repeated if its
// response were lost.
func endOthers(ctx context.Context, db *store.DB, c store.Change, personID uuid.UUID) error {
	c.Attempt = nil // it belongs to the change
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
			tx.Audit(action.UserSessionsEnded, personID, nil, store.AuditFields{"sessions": len(live)})
		}
		return recentlyEnded(ctx, tx, personID)
	})
	if err != nil {
		return err
	}
	return awaitUnused(ctx, db, ended...)
}
