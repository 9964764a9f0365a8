package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Organization is a customer: whatever else there is belongs to one.
type Organization struct {
	ID        uuid.UUID `bun:"id,pk"`
	Name      string    `bun:"name"` // unique, whatever the case
	CreatedAt time.Time `bun:"created_at,nullzero,default:now()"`
}

// Bootstrap is what a new organization begins with.
type Bootstrap struct {
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

// organizationNameLocks is the class of the advisory lock of whoever names an
// organization.
const organizationNameLocks = 0x6f726773 // "orgs"

// bootstrapName is in whose name an organization is made.
const bootstrapName = "apiserver bootstrap"

// Bootstrap makes an organization with its first owner, who is named after the
// address, and its first key. ErrConflict when there is an organization of
// that name, whatever the case.
func (db *DB) Bootstrap(ctx context.Context, b Bootstrap) (o Organization, p Person, k APIKey, err error) {
	defer WrapError(&err, "bootstrap organization %q", b.OrganizationName)
	organization := organizationRow{Organization: Organization{ID: NewID(), Name: b.OrganizationName}}
	owner := personRow{
		Person:       Person{ID: NewID(), OrganizationID: organization.ID, Email: b.Email, Name: b.Email, Role: RoleOwner},
		PasswordHash: b.PasswordHash,
	}
	c := Change{OrganizationID: organization.ID, By: bootstrapName}
	k, err = MakeChange(ctx, db, c, func(ctx context.Context, tx *Tx) (APIKey, error) {
		if err := insertOrganization(ctx, tx, &organization); err != nil {
			return APIKey{}, err
		}
		if _, err := tx.NewInsert().Model(&owner).Exec(ctx); err != nil {
			return APIKey{}, err
		}
		tx.Audit(AuditOrganizationCreated, organization.ID, nil, AuditFields{"name": organization.Name})
		tx.Audit(AuditUserCreated, owner.ID, nil, AuditFields{"email": Masked, "role": owner.Role})
		return insertAPIKey(ctx, tx, organization.ID, b.Key)
	})
	if err != nil {
		return Organization{}, Person{}, APIKey{}, err
	}
	return organization.Organization, owner.Person, k, nil
}

// insertOrganization adds the organization's row. ErrConflict when there is one of
// its name.
func insertOrganization(ctx context.Context, tx bun.IDB, row *organizationRow) error {
	if err := lockOrganizationNames(ctx, tx); err != nil {
		return err
	}
	result, err := tx.NewInsert().Model(row).On("CONFLICT DO NOTHING").Exec(ctx)
	if IsNoRows(err) || err == nil && CountAffected(result) == 0 {
		return fmt.Errorf("%w: there is an organization of that name", ErrConflict)
	}
	return err
}

// lockOrganizationNames waits until nobody else names an organization. A name that
// is taken has to be met before it is written, because the server logs what a
// violation is about.
func lockOrganizationNames(ctx context.Context, tx bun.IDB) error {
	_, err := tx.NewRaw(`SELECT pg_advisory_xact_lock(?, 0)`, organizationNameLocks).Exec(ctx)
	return err
}
