package access

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
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
	ExpiresAt      *time.Time `bun:"expires_at"` // nil if it never expires
	RevokedAt      *time.Time `bun:"revoked_at"` // nil while the key is in force
}

// ListedAPIKey is a key with its last use.
type ListedAPIKey struct {
	APIKey
	LastUsedAt *time.Time `bun:"last_used_at"` // to the minute; nil if never used
}

// NewAPIKey is a key to create. The key itself never reaches the database.
type NewAPIKey struct {
	Name          string
	Prefix        string
	SecretHash    [32]byte // SHA-256 of the whole key
	Scopes        []string
	CreatedByName string
	ExpiresInDays int // 0 if it never expires
}

type apiKeyRow struct {
	bun.BaseModel `bun:"table:api_keys"`
	APIKey
	SecretHash []byte `bun:"secret_hash"`
}

// insertAPIKey inserts a key as part of a change. The database's clock sets the expiry, because the
// same clock decides whether the key has expired.
func insertAPIKey(ctx context.Context, tx *store.Tx, organizationID uuid.UUID, n NewAPIKey) (APIKey, error) {
	row := newAPIKeyRow(organizationID, n)
	insert := tx.NewInsert().Model(&row).Returning("created_at, expires_at")
	if n.ExpiresInDays > 0 {
		insert.Value("expires_at", "now() + make_interval(days => ?)", n.ExpiresInDays)
	}
	if _, err := insert.Exec(ctx); err != nil {
		return APIKey{}, err
	}
	tx.Audit(action.APIKeyCreated, row.ID, nil, store.AuditFields{
		"name": row.Name, "prefix": row.Prefix, "scopes": row.Scopes, "expires_at": row.ExpiresAt,
	})
	return row.APIKey, nil
}

func newAPIKeyRow(organizationID uuid.UUID, n NewAPIKey) apiKeyRow {
	return apiKeyRow{
		APIKey: APIKey{
			ID: store.NewID(), OrganizationID: organizationID, Name: n.Name, Prefix: n.Prefix, Scopes: n.Scopes,
			CreatedByName: n.CreatedByName,
		},
		SecretHash: n.SecretHash[:],
	}
}

// FindAPIKey returns the key with that hash, even if it has expired or been revoked. It returns
// ErrNotFound if there is none.
func FindAPIKey(ctx context.Context, db *store.DB, secretHash [32]byte) (k APIKey, err error) {
	defer store.WrapError(&err, "find API key")
	var row apiKeyRow
	err = db.Keys.Bun.NewSelect().Model(&row).ExcludeColumn("secret_hash").Where("secret_hash = ?", secretHash[:]).Scan(ctx)
	return row.APIKey, err
}

// ReadAPIKey returns a key of the organization, even if it has expired or been revoked. It returns
// ErrNotFound if there is none.
func ReadAPIKey(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (k APIKey, err error) {
	defer store.WrapError(&err, "read API key %s", id)
	var row apiKeyRow
	err = db.Bun.NewSelect().Model(&row).ExcludeColumn("secret_hash").Where("id = ?", id).Where("organization_id = ?", orgID).Scan(ctx)
	return row.APIKey, err
}

// ListAPIKeys lists the organization's keys, including expired and revoked ones, newest first.
func ListAPIKeys(ctx context.Context, db *store.DB, orgID uuid.UUID) (keys []ListedAPIKey, err error) {
	defer store.WrapError(&err, "list API keys of organization %s", orgID)
	keys = []ListedAPIKey{}
	err = db.Bun.NewRaw(`SELECT k.id, k.organization_id, k.name, k.prefix, k.scopes, k.created_by_name, k.created_at, k.expires_at, k.revoked_at, u.last_used_at
FROM api_keys AS k LEFT JOIN api_key_uses AS u ON u.api_key_id = k.id
WHERE k.organization_id = ? ORDER BY k.created_at DESC, k.id DESC`, orgID).Scan(ctx, &keys)
	return keys, err
}

// CreateAPIKey creates a key. The change names its creator.
func CreateAPIKey(ctx context.Context, db *store.DB, c store.Change, n NewAPIKey) (k APIKey, err error) {
	defer store.WrapError(&err, "create API key for organization %s", c.OrganizationID)
	n.CreatedByName = c.By
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (APIKey, error) {
		k, err := insertAPIKey(ctx, tx, c.OrganizationID, n)
		if err != nil {
			return k, err
		}
		tx.Emit(apiKeyEvent(event.APIKeyCreated, k))
		return k, nil
	})
}

// apiKeysPath is the path of the keys in the API, to which events link.
const apiKeysPath = "/v1/api-keys" //nolint:gosec // a path

// apiKeyEvent returns an event about an API key.
func apiKeyEvent(kind event.Kind, k APIKey) event.Event {
	return event.Event{Kind: kind, Data: event.APIKey{
		APIKeyID: k.ID, Name: k.Name, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt, Path: apiKeysPath,
	}}
}
