package access

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// TemporaryLife is how long a password that was made for a person can be used.
const TemporaryLife = 7 * 24 * time.Hour

// NewPerson is a person to be made.
type NewPerson struct {
	Email string
	Name  string
	Role  Role
	// PasswordHash (argon2id, encoded) is of a temporary password; empty: the
	// person has none, and signs in by OpenID Connect.
	PasswordHash string
}

// CreatePerson makes a person. ErrConflict when one of the organization has the
// address, whatever its case.
func CreatePerson(ctx context.Context, db *store.DB, c store.Change, n NewPerson) (p Person, err error) {
	defer store.WrapError(&err, "make a person of organization %s", c.OrganizationID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (p Person, err error) {
		if err := lockPeople(ctx, tx, c.OrganizationID); err != nil {
			return p, err
		}
		err = tx.NewRaw(`INSERT INTO people (id, organization_id, email, name, role, password_hash, password_temporary, password_expires_at)
VALUES (?0, ?1, ?2, ?3, ?4, nullif(?5, ''), ?5 <> '', CASE WHEN ?5 <> '' THEN now() + ?6::interval END) ON CONFLICT DO NOTHING RETURNING `+personColumns,
			store.NewID(), c.OrganizationID, n.Email, n.Name, n.Role, n.PasswordHash, store.IntervalText(TemporaryLife)).Scan(ctx, &p)
		if store.IsNoRows(err) {
			return p, errAddressTaken
		}
		if err != nil {
			return p, err
		}
		tx.Audit(store.AuditUserCreated, p.ID, nil, store.AuditFields{"email": store.Masked, "role": p.Role})
		return p, nil
	})
}

// errAddressTaken is met before the address is written, because the server logs
// what a violation is about.
var errAddressTaken = fmt.Errorf("%w: another person has the address", store.ErrConflict)

// PersonPatch is what is to be changed of a person; nil leaves a member as it is.
type PersonPatch struct {
	Name  *string
	Email *string
	Role  *Role
	// If decides whether the change is made to the person as it is; nil: it is.
	If func(Person) error
}

// UpdatePerson changes a person. With another role or address all sessions of
// the person end, and when it returns nil nothing is done in their name any
// more; an address that differs in more than its case also breaks the link to
// an account of the provider. ErrLastOwner, ErrConflict when another person has
// the address, ErrKeyInUse when the end of a session is not confirmed: calling
// again is safe.
func UpdatePerson(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, patch PersonPatch) (p Person, err error) {
	defer store.WrapError(&err, "update person %s", id)
	var ended []uuid.UUID
	p, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (Person, error) {
		before, err := lockPerson(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return before, err
		}
		if patch.If != nil {
			if err := patch.If(before); err != nil {
				return before, err
			}
		}
		if patch.Role != nil && *patch.Role != RoleOwner {
			if err := keepsOwner(ctx, tx, before); err != nil {
				return before, err
			}
		}
		after, err := updatePerson(ctx, tx, before, patch)
		if err != nil {
			return after, err
		}
		if ended, err = recentlyEnded(ctx, tx, id); err == nil && (after.Role != before.Role || after.Email != before.Email) {
			ended, err = endSessions(ctx, tx, id)
		}
		return after, err
	})
	if err != nil {
		return p, err
	}
	return p, awaitUnused(ctx, db, ended...)
}

// lockPerson reads a person who was not removed, and keeps others of the
// organization's people from being changed: which owner is the last depends on
// all of them.
func lockPerson(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (Person, error) {
	if err := lockPeople(ctx, tx, orgID); err != nil {
		return Person{}, err
	}
	return FindPerson(ctx, tx, orgID, id, "FOR NO KEY UPDATE")
}

// lockPeople waits until nobody else makes or changes people of the organization.
func lockPeople(ctx context.Context, tx bun.IDB, orgID uuid.UUID) error {
	_, err := tx.NewRaw(`SELECT FROM organizations WHERE id = ? FOR NO KEY UPDATE`, orgID).Exec(ctx)
	return err
}

// keepsOwner returns ErrLastOwner when there is no owner beside the person who can
// sign in: one whose first password has expired, or who has none and no account
// linked yet, can do nothing for the organization.
func keepsOwner(ctx context.Context, tx bun.IDB, p Person) error {
	if p.Role != RoleOwner {
		return nil
	}
	var others bool
	err := tx.NewRaw(`SELECT EXISTS (SELECT FROM people WHERE organization_id = ? AND role = ? AND disabled_at IS NULL AND id <> ?
    AND (oidc_subject IS NOT NULL OR password_hash IS NOT NULL AND coalesce(password_expires_at > now(), true)))`,
		p.OrganizationID, RoleOwner, p.ID).Scan(ctx, &others)
	if err == nil && !others {
		err = ErrLastOwner
	}
	return err
}

func updatePerson(ctx context.Context, tx *store.Tx, before Person, patch PersonPatch) (after Person, err error) {
	set := before
	if patch.Name != nil {
		set.Name = *patch.Name
	}
	if patch.Email != nil {
		set.Email = *patch.Email
	}
	if patch.Role != nil {
		set.Role = *patch.Role
	}
	if set == before {
		return before, nil
	}
	err = tx.NewRaw(`UPDATE people SET email = ?0, name = ?1, role = ?2, updated_at = now(),
    oidc_issuer = CASE WHEN lower(email) = lower(?0) THEN oidc_issuer END, oidc_subject = CASE WHEN lower(email) = lower(?0) THEN oidc_subject END,
    password_hash = CASE WHEN lower(email) = lower(?0) THEN password_hash END, password_expires_at = CASE WHEN lower(email) = lower(?0) THEN password_expires_at END
WHERE id = ?3 AND NOT EXISTS (SELECT FROM people AS o WHERE o.organization_id = ?4 AND lower(o.email) = lower(?0) AND o.disabled_at IS NULL AND o.id <> ?3)
RETURNING `+personColumns, set.Email, set.Name, set.Role, before.ID, before.OrganizationID).Scan(ctx, &after)
	if store.IsNoRows(err) {
		return after, errAddressTaken
	}
	if err != nil {
		return after, err
	}
	auditPerson(tx, before, after)
	return after, nil
}

// auditPerson notes what differs of a person.
func auditPerson(tx *store.Tx, before, after Person) {
	was, is := make(store.AuditFields), make(store.AuditFields)
	differs := func(name string, different bool, old, fresh any) {
		if different {
			was[name], is[name] = old, fresh
		}
	}
	differs("email", before.Email != after.Email, store.Masked, store.Masked)
	differs("name", before.Name != after.Name, store.Masked, store.Masked)
	differs("role", before.Role != after.Role, before.Role, after.Role)
	differs("oidc_linked", before.Linked != after.Linked, before.Linked, after.Linked)
	tx.Audit(store.AuditUserUpdated, after.ID, was, is)
}

// RemovePerson removes a person, whose row stays, and ends all sessions of the
// person: when it returns nil nothing is done in their name any more. Removing a
// person again changes nothing. condition, which may be nil, decides whether the
// person is removed as it is. ErrLastOwner; ErrKeyInUse when the end of a
// session is not confirmed: calling again is safe.
func RemovePerson(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, condition func(Person) error) (err error) {
	defer store.WrapError(&err, "remove person %s", id)
	var ended []uuid.UUID
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		p, err := lockPerson(ctx, tx, c.OrganizationID, id)
		if store.IsNoRows(err) {
			ended, err = removedBefore(ctx, tx, c.OrganizationID, id)
			return none, err
		}
		if err != nil {
			return none, err
		}
		if condition != nil {
			if err := condition(p); err != nil {
				return none, err
			}
		}
		if err := keepsOwner(ctx, tx, p); err != nil {
			return none, err
		}
		if _, err := tx.NewRaw(`UPDATE people SET disabled_at = now(), updated_at = now(), password_hash = NULL, password_temporary = false,
    password_expires_at = NULL, oidc_issuer = NULL, oidc_subject = NULL WHERE id = ?`, id).Exec(ctx); err != nil {
			return none, err
		}
		if ended, err = endSessions(ctx, tx, id); err != nil {
			return none, err
		}
		tx.Audit(store.AuditUserRemoved, id, store.AuditFields{"email": store.Masked, "role": p.Role}, nil)
		return none, nil
	})
	if err != nil {
		return err
	}
	return awaitUnused(ctx, db, ended...)
}

// removedBefore returns the sessions of somebody who was removed, and whose end
// may not have been confirmed.
func removedBefore(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) ([]uuid.UUID, error) {
	var found uuid.UUID
	if err := tx.NewRaw(`SELECT id FROM people WHERE id = ? AND organization_id = ?`, id, orgID).Scan(ctx, &found); err != nil {
		return nil, err
	}
	return recentlyEnded(ctx, tx, id)
}
