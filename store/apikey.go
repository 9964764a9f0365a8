package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// APIKey is a key of the service's API, without its secret.
type APIKey struct {
	ID             uuid.UUID  `bun:"id,pk"`
	OrganizationID uuid.UUID  `bun:"organization_id"`
	Name           string     `bun:"name"`
	Prefix         string     `bun:"prefix"` // the first characters of the key, for people to tell keys apart
	Scopes         []string   `bun:"scopes,array"`
	CreatedByName  string     `bun:"created_by_name"`
	CreatedAt      time.Time  `bun:"created_at,nullzero,default:now()"`
	ExpiresAt      *time.Time `bun:"expires_at"` // nil: never
	RevokedAt      *time.Time `bun:"revoked_at"` // nil: in force
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

type apiKeyRow struct {
	bun.BaseModel `bun:"table:api_keys"`
	APIKey
	SecretHash []byte `bun:"secret_hash"`
}

func newAPIKeyRow(organizationID uuid.UUID, n NewAPIKey) apiKeyRow {
	return apiKeyRow{
		APIKey: APIKey{
			ID: newID(), OrganizationID: organizationID, Name: n.Name, Prefix: n.Prefix, Scopes: n.Scopes,
			CreatedByName: n.CreatedByName, ExpiresAt: n.ExpiresAt,
		},
		SecretHash: n.SecretHash[:],
	}
}

// APIKeyBySecret returns the key with that hash, also when it has expired or
// been revoked; ErrNotFound when there is none.
func (db *DB) APIKeyBySecret(ctx context.Context, secretHash [32]byte) (k APIKey, err error) {
	defer wrap(&err, "find API key")
	var row apiKeyRow
	err = db.bun.NewSelect().Model(&row).ExcludeColumn("secret_hash").Where("secret_hash = ?", secretHash[:]).Scan(ctx)
	return row.APIKey, err
}
