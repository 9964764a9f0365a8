package access

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// Role is what a person may do.
type Role string

// The roles, from most to least permissions.
const (
	RoleOwner    Role = "owner"
	RoleReviewer Role = "reviewer"
	RoleViewer   Role = "viewer"
)

// Roles lists the roles, from most to least permissions.
func Roles() []Role { return []Role{RoleOwner, RoleReviewer, RoleViewer} }

// Higher returns the role with more permissions. An empty one has none.
func Higher(a, b Role) Role {
	for _, role := range Roles() {
		if role == a || role == b {
			return role
		}
	}
	return ""
}

// The most characters of names.
const (
	MaxPersonName       = 100
	MaxOrganizationName = 200
)

// Person is a user who signs in to the pages.
type Person struct {
	ID             uuid.UUID `bun:"id,pk"`
	OrganizationID uuid.UUID `bun:"organization_id"`
	Email          string    `bun:"email"` // unique among the organization's people who were not removed, ignoring case
	Name           string    `bun:"name"`
	Role           Role      `bun:"role"`
	// HasPassword reports whether the person can sign in with a password.
	HasPassword bool `bun:"has_password,scanonly"`
	// PasswordTemporary reports that the password was generated for the person, who must change it
	// after the next sign-in.
	PasswordTemporary bool `bun:"password_temporary"`
	// Linked reports whether an account of the OpenID Connect provider is linked to the person.
	Linked       bool       `bun:"linked,scanonly"`
	LastSignInAt *time.Time `bun:"last_sign_in_at"` // nil if never
	CreatedAt    time.Time  `bun:"created_at,nullzero,default:now()"`
	UpdatedAt    time.Time  `bun:"updated_at,nullzero,default:now()"`
}

type personRow struct {
	bun.BaseModel `bun:"table:people"`
	Person
	PasswordHash string `bun:"password_hash,nullzero"`
}

// personColumns are the columns of a Person.
const personColumns = `id, organization_id, email, name, role, password_hash IS NOT NULL AS has_password, password_temporary,
    oidc_subject IS NOT NULL AS linked, last_sign_in_at, created_at, updated_at`

// ListPeople lists the people of the organization who were not removed, by name.
func ListPeople(ctx context.Context, db *store.DB, orgID uuid.UUID) (people []Person, err error) {
	defer store.WrapError(&err, "list people of organization %s", orgID)
	people = []Person{}
	err = db.Bun.NewRaw(`SELECT `+personColumns+` FROM people WHERE organization_id = ? AND disabled_at IS NULL
ORDER BY lower(name), lower(email), id`, orgID).Scan(ctx, &people)
	return people, err
}

// ReadPerson returns a person of the organization. It returns ErrNotFound if there is none, or if
// the person was removed.
func ReadPerson(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (p Person, err error) {
	defer store.WrapError(&err, "read person %s", id)
	return FindPerson(ctx, db.Bun, orgID, id, "")
}

// FindPerson reads a person who was not removed; lock is added to the statement.
func FindPerson(ctx context.Context, in bun.IDB, orgID, id uuid.UUID, lock string) (p Person, err error) {
	err = in.NewRaw(`SELECT `+personColumns+` FROM people WHERE id = ? AND organization_id = ? AND disabled_at IS NULL `+lock, id, orgID).Scan(ctx, &p)
	return p, err
}

// FindOrganization returns the organization of that name, ignoring case. Without a name it returns
// the only one that there is. It returns ErrNotFound if there is none, and ErrAmbiguous if no name
// was given and there are several.
func FindOrganization(ctx context.Context, db *store.DB, name string) (o Organization, err error) {
	defer store.WrapError(&err, "find organization %q", name)
	var found []Organization
	err = db.Bun.NewRaw(`SELECT id, name, created_at FROM organizations WHERE ? = '' OR lower(name) = lower(?) ORDER BY created_at, id LIMIT 2`,
		name, name).Scan(ctx, &found)
	switch {
	case err != nil:
		return o, err
	case len(found) == 0:
		return o, store.ErrNotFound
	case len(found) > 1:
		return o, ErrAmbiguous
	}
	return found[0], nil
}

// FindPersonByEmail returns the person of the organization with that address, ignoring case. It
// returns ErrNotFound if there is none, or if the person was removed.
func FindPersonByEmail(ctx context.Context, db *store.DB, orgID uuid.UUID, email string) (p Person, err error) {
	defer store.WrapError(&err, "find a person of organization %s", orgID)
	err = db.Bun.NewRaw(`SELECT `+personColumns+` FROM people WHERE organization_id = ? AND lower(email) = lower(?) AND disabled_at IS NULL`,
		orgID, email).Scan(ctx, &p)
	return p, err
}
