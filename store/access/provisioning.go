package access

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// Provisioned is a person as an identity provider sees them.
type Provisioned struct {
	Person
	Active     bool   `bun:"active"`      // false if the provider has deactivated the person, who cannot do anything then
	ExternalID string `bun:"external_id"` // the provider's name for the person; empty if it has given none
}

// ProvisionedPatch is a change of a person by an identity provider. A nil member remains unchanged.
type ProvisionedPatch struct {
	PersonPatch
	// RoleAfter returns the role after the change, given the current one, and replaces Role. Nil
	// means that Role counts.
	RoleAfter  func(current Role) Role
	Active     *bool
	ExternalID *string // an empty one is removed
}

// provisionedQuery selects the people of the organization ? whom an identity provider sees: those
// who were not removed, and those whom it has deactivated.
const provisionedQuery = `SELECT ` + personColumns + `, disabled_at IS NULL AS active, coalesce(external_id, '') AS external_id FROM people
WHERE organization_id = ? AND (disabled_at IS NULL OR deactivated_at IS NOT NULL)`

// ListProvisioned lists the people whom an identity provider sees, in the order of their creation.
func ListProvisioned(ctx context.Context, db *store.DB, orgID uuid.UUID) (people []Provisioned, err error) {
	defer store.WrapError(&err, "list provisioned people of organization %s", orgID)
	people = []Provisioned{}
	err = db.Bun.NewRaw(provisionedQuery+` ORDER BY created_at, id`, orgID).Scan(ctx, &people)
	return people, err
}

// ReadProvisioned returns a person whom an identity provider sees, or ErrNotFound.
func ReadProvisioned(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (p Provisioned, err error) {
	defer store.WrapError(&err, "read provisioned person %s", id)
	return findProvisioned(ctx, db.Bun, orgID, id, "")
}

func findProvisioned(ctx context.Context, in bun.IDB, orgID, id uuid.UUID, lock string) (p Provisioned, err error) {
	err = in.NewRaw(provisionedQuery+` AND id = ? `+lock, orgID, id).Scan(ctx, &p)
	return p, err
}

// UpdateProvisioned changes a person for an identity provider, like UpdatePerson, and activates or
// deactivates the person if the patch says so. It may also change the address of the last owner who
// signs in at the provider only: the next sign-in links the account again, by the new address. Deactivating removes the person like RemovePerson,
// except that the provider still sees the person and may undo it.
func UpdateProvisioned(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, patch ProvisionedPatch) (p Provisioned, err error) {
	defer store.WrapError(&err, "update provisioned person %s", id)
	var ended []uuid.UUID
	p, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (after Provisioned, err error) {
		if err := lockPeople(ctx, tx, c.OrganizationID); err != nil {
			return after, err
		}
		before, err := findProvisioned(ctx, tx, c.OrganizationID, id, "FOR NO KEY UPDATE")
		if err != nil {
			return before, err
		}
		if patch.RoleAfter != nil {
			patch.Role = new(patch.RoleAfter(before.Role))
		}
		after.Active, after.ExternalID = before.Active, before.ExternalID
		if patch.Active != nil {
			after.Active = *patch.Active
		}
		if patch.ExternalID != nil {
			after.ExternalID = *patch.ExternalID
		}
		renamed := before.Person
		renamed.Linked = false // losing the link takes nothing away, because the provider knows the new address
		if before.Active && (patch.losesOwner(renamed) || !after.Active) {
			if err := keepsOwner(ctx, tx, before.Person); err != nil {
				return after, err
			}
		}
		if after.Person, err = updatePerson(ctx, tx, before.Person, patch.PersonPatch); err != nil {
			return after, err
		}
		if err := recordProvisioning(ctx, tx, before, after); err != nil {
			return after, err
		}
		if ended, err = recentlyEnded(ctx, tx, id); err == nil && (after.Active != before.Active || after.Role != before.Role || after.Email != before.Email) {
			ended, err = endSessions(ctx, tx, id)
		}
		return after, err
	})
	if err != nil {
		return p, err
	}
	return p, awaitUnused(ctx, db, ended...)
}

// recordProvisioning stores whether the person is active, and the external ID. It returns an
// ErrConflict if the address of a person to activate has become another person's.
func recordProvisioning(ctx context.Context, tx *store.Tx, before, after Provisioned) error {
	was, is := make(store.AuditFields), make(store.AuditFields)
	if after.Active != before.Active {
		was["active"], is["active"] = before.Active, after.Active
	}
	if after.ExternalID != before.ExternalID {
		was["external_id"], is["external_id"] = store.Masked, store.Masked
	}
	if len(is) == 0 {
		return nil
	}
	if before.Active && !after.Active {
		if err := disablePerson(ctx, tx, after.ID); err != nil {
			return err
		}
	}
	var changed uuid.UUID
	err := tx.NewRaw(`UPDATE people AS p SET disabled_at = CASE WHEN ?1 THEN NULL ELSE disabled_at END,
    deactivated_at = CASE WHEN ?1 THEN NULL ELSE coalesce(deactivated_at, now()) END, external_id = nullif(?2, ''), updated_at = now()
WHERE id = ?0 AND NOT EXISTS (SELECT FROM people AS o WHERE o.organization_id = p.organization_id AND lower(o.email) = lower(p.email) AND o.disabled_at IS NULL AND o.id <> p.id AND ?1)
RETURNING id`, after.ID, after.Active, after.ExternalID).Scan(ctx, &changed)
	if store.IsNoRows(err) {
		return errAddressTaken
	}
	if err != nil {
		return err
	}
	tx.Audit(action.UserUpdated, after.ID, was, is)
	return nil
}
