package store

import (
	"time"

	"github.com/google/uuid"
)

// APIKey is a key of the service's API, without its secret.
type APIKey struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	Name           string
	Prefix         string // the first characters of the key, for people to tell keys apart
	Scopes         []string
	CreatedByName  string
	CreatedAt      time.Time
	ExpiresAt      *time.Time // nil: never
	RevokedAt      *time.Time // nil: in force
}

// NewAPIKey is a key to be made. The key itself never reaches the database.
type NewAPIKey struct {
	Name          string
	Prefix        string
	SecretHash    [32]byte // SHA-256 of the whole key
	Scopes        []string
	CreatedByName string
	ExpiresAt     *time.Time
}
