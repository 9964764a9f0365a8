package access

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// TemporaryLife is how long a generated password can be used.
const TemporaryLife = 7 * 24 * time.Hour

// NewPerson is a person to create.
type NewPerson struct {
	Email string
	Name  string
	Role  Role
	// PasswordHash (argon2id, encoded) is the hash of a temporary password. It is empty if the
	// person has none and signs in by OpenID Connect.
	PasswordHash string
	// ExternalID is the identity provider's name for the person. It is empty if there is none.
	ExternalID string
}

// CreatePerson creates a person. It returns ErrConflict if somebody in the organization has the
// address, ignoring case.
func CreatePerson(ctx context.Context, db *store.DB, c store.Change, n NewPerson) (p Person, err error) {
	defer store.WrapError(&err, "make a person of organization %s", c.OrganizationID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (p Person, err error) {
		if err := lockPeople(ctx, tx, c.OrganizationID); err != nil {
			return p, err
		}
		err = tx.NewRaw(`INSERT INTO people (id, organization_id, email, name, role, password_hash, password_temporary, password_expires_at, external_id)
VALUES (?0, ?1, ?2, ?3, ?4, nullif(?5, ''), ?5 <> '', CASE WHEN ?5 <> '' THEN now() + ?6::interval END, nullif(?7, '')) ON CONFLICT DO NOTHING RETURNING `+personColumns,
			store.NewID(), c.OrganizationID, n.Email, n.Name, n.Role, n.PasswordHash, store.IntervalText(TemporaryLife), n.ExternalID).Scan(ctx, &p)
		if store.IsNoRows(err) {
			return p, errAddressTaken
		}
		if err != nil {
			return p, err
		}
		tx.Audit(action.UserCreated, p.ID, nil, store.AuditFields{"email": store.Masked, "role": p.Role})
		return p, forgetDeactivated(ctx, tx, p)
	})
}

// errAddressTaken is detected before the address is written, because the server logs the values of
// a violation.
var errAddressTaken = fmt.Errorf("%w: another person has the address", store.ErrConflict)

// PersonPatch is a change of a person. A nil member remains unchanged.
type PersonPatch struct {
	Name  *string
	Email *string
	Role  *Role
	// If decides, given the current person, whether the change is made. Nil means that it is made.
	If func(Person) error
}

// UpdatePerson changes a person. A changed role or address ends all sessions of the person, and
// when UpdatePerson returns nil nothing is done in their name any more. An address that differs in
// more than case also removes the password and the link to an account of the provider. It returns
// ErrLastOwner, ErrConflict if another person has the address, or ErrKeyInUse if the end of a session is not
// confirmed: calling again is safe.
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
		if patch.losesOwner(before) {
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

// losesOwner reports whether an owner can no longer act as one after the change: with another role,
// or without the password and the linked account, which an address that differs in more than case
// removes.
func (patch PersonPatch) losesOwner(before Person) bool {
	return patch.Role != nil && *patch.Role != RoleOwner ||
		patch.Email != nil && (before.HasPassword || before.Linked) && !strings.EqualFold(*patch.Email, before.Email)
}

// lockPerson reads a person who was not removed, and prevents changes of the organization's people
// until the transaction ends: which owner is the last depends on all of them.
func lockPerson(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (Person, error) {
	if err := lockPeople(ctx, tx, orgID); err != nil {
		return Person{}, err
	}
	return FindPerson(ctx, tx, orgID, id, "FOR NO KEY UPDATE")
}

// lockPeople waits until nobody else creates or changes people of the organization.
func lockPeople(ctx context.Context, tx bun.IDB, orgID uuid.UUID) error {
	_, err := tx.NewRaw(`SELECT FROM organizations WHERE id = ? FOR NO KEY UPDATE`, orgID).Exec(ctx)
	return err
}

// keepsOwner returns ErrLastOwner if no other owner than the person can sign in. An owner whose
// first password has expired, or who has neither a password nor a linked account yet, can do
// nothing for the organization.
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
    password_hash = CASE WHEN lower(email) = lower(?0) THEN password_hash END, password_temporary = password_temporary AND lower(email) = lower(?0), password_expires_at = CASE WHEN lower(email) = lower(?0) THEN password_expires_at END
WHERE id = ?3 AND NOT EXISTS (SELECT FROM people AS o WHERE o.organization_id = ?4 AND lower(o.email) = lower(?0) AND o.disabled_at IS NULL AND o.id <> ?3)
RETURNING `+personColumns, set.Email, set.Name, set.Role, before.ID, before.OrganizationID).Scan(ctx, &after)
	if store.IsNoRows(err) {
		return after, errAddressTaken
	}
	if err != nil {
		return after, err
	}
	auditPerson(tx, before, after)
	return after, forgetDeactivated(ctx, tx, after)
}

// auditPerson records the differences between two versions of a person.
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
	tx.Audit(action.UserUpdated, after.ID, was, is)
}

// RemovePerson removes a person, whose row stays, and ends all sessions of the person: when it
// returns nil, nothing is done in their name any more. Removing a person again changes nothing. If
// condition is not nil, it decides whether the person, in their current state, is removed.
// RemovePerson returns ErrLastOwner, or ErrKeyInUse if the end of a session is not confirmed:
// calling again is safe.
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
		if err := disablePerson(ctx, tx, id); err != nil {
			return none, err
		}
		if _, err := forgetPerson(ctx, tx, c.OrganizationID, id); err != nil {
			return none, err
		}
		if ended, err = endSessions(ctx, tx, id); err != nil {
			return none, err
		}
		tx.Audit(action.UserRemoved, id, store.AuditFields{"email": store.Masked, "role": p.Role}, nil)
		return none, nil
	})
	if err != nil {
		return err
	}
	return awaitUnused(ctx, db, ended...)
}

// disablePerson removes what the person signs in with.
func disablePerson(ctx context.Context, tx bun.IDB, id uuid.UUID) error {
	_, err := tx.NewRaw(`UPDATE people SET disabled_at = now(), updated_at = now(), password_hash = NULL, password_temporary = false,
    password_expires_at = NULL, oidc_issuer = NULL, oidc_subject = NULL WHERE id = ?`, id).Exec(ctx)
	return err
}

// forgetPerson removes what is a removed person's alone, and hides the person from the identity provider.
// It reports whether the provider saw the person until then.
func forgetPerson(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (shown bool, err error) {
	err = tx.NewRaw(`UPDATE people AS p SET deactivated_at = NULL, external_id = NULL, views = '[]' FROM (SELECT id, deactivated_at IS NOT NULL AS shown FROM people WHERE id = ? FOR NO KEY UPDATE) AS o
WHERE p.id = o.id AND organization_id = ? RETURNING o.shown`, id, orgID).Scan(ctx, &shown)
	return shown, err
}

// forgetDeactivated hides other people with the person's address from the identity provider, which
// has deactivated them. Of two people with one address it would go on with the one it knows, and
// could not take access away from the other.
func forgetDeactivated(ctx context.Context, tx *store.Tx, p Person) error {
	var ids []uuid.UUID
	err := tx.NewRaw(`SELECT id FROM people WHERE organization_id = ? AND lower(email) = lower(?) AND deactivated_at IS NOT NULL AND id <> ?`,
		p.OrganizationID, p.Email, p.ID).Scan(ctx, &ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := removedBefore(ctx, tx, p.OrganizationID, id); err != nil {
			return err
		}
	}
	return nil
}

// removedBefore makes sure that no identity provider sees a person who was removed earlier, and returns
// the person's sessions, whose end may not have been confirmed.
func removedBefore(ctx context.Context, tx *store.Tx, orgID, id uuid.UUID) ([]uuid.UUID, error) {
	shown, err := forgetPerson(ctx, tx, orgID, id)
	if err != nil {
		return nil, err
	}
	if shown {
		tx.Audit(action.UserRemoved, id, store.AuditFields{"email": store.Masked}, nil)
	}
	return recentlyEnded(ctx, tx, id)
}
