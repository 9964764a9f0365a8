package store

import (
	"time"

	"github.com/google/uuid"
)

// Organization is a customer: whatever else there is belongs to one.
type Organization struct {
	ID        uuid.UUID
	Name      string
	CreatedAt time.Time
}

// Role is what a person may do.
type Role string

// The roles, from most to least.
const (
	RoleOwner    Role = "owner"
	RoleReviewer Role = "reviewer"
	RoleViewer   Role = "viewer"
)

// Person is somebody who signs in to the pages.
type Person struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	Email          string // unique within the organization, whatever the case
	Name           string
	Role           Role
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Bootstrap is what a new organization begins with.
type Bootstrap struct {
	OrganizationName string
	// Email and PasswordHash (argon2id, encoded) are those of the first owner.
	Email        string
	PasswordHash string
	Key          NewAPIKey
}
