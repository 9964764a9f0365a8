package integrations

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing"
)

// ExistsError means that the organization already has an integration that reads the same
// platform with the same key. A second one would bring every trader twice.
type ExistsError struct {
	ID uuid.UUID // of the first one
}

// Error implements error.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("integration %s already reads the platform with this key", e.ID)
}

// connectingLocks is the space of the advisory locks under which an organization connects platforms
// and changes their addresses. Of two concurrent requests, the second one sees what the first one
// has saved. See Change.WithLock.
const connectingLocks = 0x706c6174

// platformRow is an integration with the columns that connecting a platform needs.
type platformRow struct {
	ID      uuid.UUID   `bun:"id"`
	Kind    record.Kind `bun:"kind"`
	BaseURL string      `bun:"base_url"`
	APIKey  []byte      `bun:"api_key"` // sealed; nil for a tombstone
	// Unconfirmed reports that it is not confirmed yet that the records come from the base URL.
	Unconfirmed bool `bun:"platform_unconfirmed"`
	Deleted     bool `bun:"deleted"`
	// HadTraders reports that a tombstone has traders, or that some of its traders have been erased.
	HadTraders bool `bun:"had_traders"`
}

// isAt reports whether the platform is that of the base URL. A tombstone whose last change of
// address was never confirmed, for example because of a typing mistake, may be of any address: only
// its traders can tell.
func (p platformRow) isAt(kind record.Kind, baseURL string) bool {
	return p.Kind == kind && (platformURL(kind, p.BaseURL) == platformURL(kind, baseURL) || p.Deleted && p.Unconfirmed)
}

// platformsSQL lists the integrations of the organization: connected ones, oldest first, and then
// the tombstones by id. Its columns are in the order of platformRow.
func platformsSQL(orgID uuid.UUID) string {
	return fmt.Sprintf(`SELECT id, kind, base_url, api_key, platform_unconfirmed, deleted_at IS NOT NULL AS deleted,
    deleted_at IS NOT NULL AND (EXISTS (SELECT FROM traders AS t WHERE t.integration_id = i.id) OR EXISTS (SELECT FROM suppressions AS x WHERE x.integration_id = i.id)) AS had_traders
FROM integrations AS i WHERE organization_id = '%s'
ORDER BY deleted, CASE WHEN deleted_at IS NULL THEN created_at END, id`, orgID)
}

func readPlatforms(ctx context.Context, idb bun.IDB, orgID uuid.UUID) (rows []platformRow, err error) {
	err = idb.NewRaw(platformsSQL(orgID)).Scan(ctx, &rows)
	return rows, err
}

// connection is where an integration reads its platform, and with which key.
type connection struct {
	id      uuid.UUID // of the integration; uuid.Nil if it is new
	kind    record.Kind
	baseURL string
	key     seal.Secret
}

// connection returns where the new integration reads its platform.
func (n New) connection() connection {
	return connection{kind: n.Kind, baseURL: n.BaseURL, key: n.APIKey}
}

// findTombstones returns the tombstones at the base URL that had traders, who decide whether one
// of them is revived. It returns an *ExistsError if another integration reads the platform with the
// key. A stored key that cannot be opened any more is
// ignored, because it cannot be used to read.
func findTombstones(db *store.DB, platforms []platformRow, orgID uuid.UUID, c connection) (tombstones []uuid.UUID, err error) {
	keys, err := db.Keyrings()
	if err != nil {
		return nil, err
	}
	for _, row := range platforms {
		switch {
		case !row.isAt(c.kind, c.baseURL):
			continue
		case row.HadTraders:
			tombstones = append(tombstones, row.ID)
			continue
		case row.Deleted || row.ID == c.id:
			continue
		}
		same, err := holdsKey(keys, orgID, row.ID, row.APIKey, c.key)
		if err != nil {
			return nil, err
		}
		if same {
			return nil, &ExistsError{row.ID}
		}
	}
	return tombstones, nil
}

// holdsKey reports whether an integration's sealed credential is the key.
func holdsKey(keys store.Keyrings, orgID, id uuid.UUID, sealed []byte, key seal.Secret) (bool, error) {
	saved, err := syncing.OpenAPIKey(keys, orgID, id, sealed)
	if errors.Is(err, seal.ErrUnknownKey) || errors.Is(err, seal.ErrTampered) {
		return false, nil
	}
	return err == nil && subtle.ConstantTimeCompare([]byte(saved.Reveal()), []byte(key.Reveal())) == 1, err
}

// ConnectionNeedsTraders reports whether the organization had a platform with traders at the base
// URL before, so that New.Traders decides whether its records are continued. It returns
// an *ExistsError if the platform is already connected with the key.
func ConnectionNeedsTraders(ctx context.Context, db *store.DB, orgID uuid.UUID, n New) (needed bool, err error) {
	defer store.WrapError(&err, "look for platforms of organization %s", orgID)
	platforms, err := readPlatforms(ctx, db.Bun, orgID)
	if err != nil {
		return false, err
	}
	tombstones, err := findTombstones(db, platforms, orgID, n.connection())
	return len(tombstones) > 0, err
}
