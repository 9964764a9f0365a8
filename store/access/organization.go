package access

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// Organization is a customer. Everything else belongs to one.
type Organization struct {
	ID        uuid.UUID `bun:"id,pk"`
	Name      string    `bun:"name"` // unique, ignoring case
	CreatedAt time.Time `bun:"created_at,nullzero,default:now()"`
}

// NewOrganization is an organization to create.
type NewOrganization struct {
	OrganizationName string
	// Email and PasswordHash (argon2id, encoded) are those of the first owner.
	Email        string
	PasswordHash string
	Key          NewAPIKey
}

type organizationRow struct {
	bun.BaseModel `bun:"table:organizations"`
	Organization
}

// organizationNameLocks is the class of the advisory lock that guards the names of organizations.
const organizationNameLocks = 0x6f726773 // "orgs"

// bootstrapName is the actor's name when an organization is created.
const bootstrapName = "apiserver bootstrap"

// Bootstrap creates an organization with its first owner, who is named after the address, and its
// first key. It returns ErrConflict if there is an organization of that name, ignoring case.
func Bootstrap(ctx context.Context, db *store.DB, b NewOrganization) (o Organization, p Person, k APIKey, err error) {
	defer store.WrapError(&err, "bootstrap organization %q", b.OrganizationName)
	organization := organizationRow{Organization: Organization{ID: store.NewID(), Name: b.OrganizationName}}
	owner := personRow{
		Person:       Person{ID: store.NewID(), OrganizationID: organization.ID, Email: b.Email, Name: b.Email, Role: RoleOwner},
		PasswordHash: b.PasswordHash,
	}
	c := store.Change{OrganizationID: organization.ID, By: bootstrapName}
	k, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (APIKey, error) {
		if err := insertOrganization(ctx, tx, &organization); err != nil {
			return APIKey{}, err
		}
		if _, err := tx.NewInsert().Model(&owner).Exec(ctx); err != nil {
			return APIKey{}, err
		}
		tx.Audit(action.OrganizationCreated, organization.ID, nil, store.AuditFields{"name": organization.Name})
		tx.Audit(action.UserCreated, owner.ID, nil, store.AuditFields{"email": store.Masked, "role": owner.Role})
		return insertAPIKey(ctx, tx, organization.ID, b.Key)
	})
	if err != nil {
		return Organization{}, Person{}, APIKey{}, err
	}
	return organization.Organization, owner.Person, k, nil
}

// insertOrganization adds the organization's row. It returns ErrConflict if the name is taken.
func insertOrganization(ctx context.Context, tx bun.IDB, row *organizationRow) error {
	if err := lockOrganizationNames(ctx, tx); err != nil {
		return err
	}
	result, err := tx.NewInsert().Model(row).On("CONFLICT DO NOTHING").Exec(ctx)
	if store.IsNoRows(err) || err == nil && store.CountAffected(result) == 0 {
		return fmt.Errorf("%w: an organization has this name", store.ErrConflict)
	}
	return err
}

// lockOrganizationNames waits until nobody else names an organization. A taken name must be found
// before it is written, because the server logs the values of a violation.
func lockOrganizationNames(ctx context.Context, tx bun.IDB) error {
	_, err := tx.NewRaw(`SELECT pg_advisory_xact_lock(?, 0)`, organizationNameLocks).Exec(ctx)
	return err
}
