package integrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing"
)

// A platform is the same if its address is the same and at least half of the first page of its
// traders are known, by id and email. Brands under the paths of one host, and tenants under the
// keys of one address, number their traders alike. Without this check, notes, interviews and
// decisions about one person would move to another.

// ErrDifferentPlatform means that the new address or key leads to another platform than that of the
// integration's records. Nothing was changed.
var ErrDifferentPlatform = errors.New("the settings lead to another platform")

// Comparison is the result of comparing the first page of a platform's traders with the
// stored ones.
type Comparison struct {
	Seen  int // traders on the page, each once
	Known int // stored traders among them
}

// Same reports whether it is the platform of the stored records.
func (c Comparison) Same() bool { return c.Seen > 0 && 2*c.Known >= c.Seen }

// knownTrader holds the fields that identify a trader of an integration.
type knownTrader struct {
	ExternalID string `bun:"external_id"`
	Email      string `bun:"email"`
	FullName   string `bun:"full_name"`

	RegisteredAt time.Time `bun:"registered_at"` // zero if unknown
	UpdatedAt    time.Time `bun:"platform_updated_at"`
}

// compareTraders compares a page of traders with those that the integration has brought, including those
// who have been erased. It ignores overrides, because they are not the platform's.
func compareTraders(ctx context.Context, db *store.DB, idb bun.IDB, orgID, id uuid.UUID, page []record.Trader) (c Comparison, err error) {
	seen := make(map[string]record.Trader, len(page))
	ids := make([]string, 0, len(page))
	for _, t := range page {
		if _, twice := seen[t.ID]; !twice {
			ids = append(ids, t.ID)
		}
		seen[t.ID] = t
	}
	if c.Seen = len(ids); c.Seen == 0 {
		return c, nil
	}
	var known []knownTrader
	err = idb.NewRaw(`SELECT external_id, coalesce(email, '') AS email, coalesce(full_name, '') AS full_name, registered_at, platform_updated_at FROM traders
WHERE integration_id = ? AND external_id IN (?)`, id, bun.List(ids)).Scan(ctx, &known)
	if err != nil {
		return c, err
	}
	for _, k := range known {
		if k.isSameTrader(seen[k.ExternalID]) {
			c.Known++
			delete(seen, k.ExternalID)
		}
	}
	erased, err := directory.FindErased(ctx, db, idb, orgID, id, slices.Collect(maps.Values(seen)))
	c.Known += len(erased)
	return c, err
}

// isSameTrader reports whether a platform's trader with the same id is the known one. Equal ids
// prove nothing. If neither has an email, the names are compared, and if neither has a name either,
// the times at which they registered and last changed: platforms whose traders are nothing but ids
// could otherwise never rotate their key.
func (k knownTrader) isSameTrader(t record.Trader) bool {
	if k.Email == "" && t.Email == "" {
		if k.FullName == "" && t.FullName() == "" {
			return isSameTime(k.RegisteredAt, t.RegisteredAt) || isSameTime(k.UpdatedAt, t.UpdatedAt)
		}
		return k.FullName != "" && strings.EqualFold(k.FullName, t.FullName())
	}
	return strings.EqualFold(k.Email, t.Email)
}

// isSameTime reports whether two times are known and equal.
func isSameTime(a, b time.Time) bool { return !a.IsZero() && a.Equal(b) }

// findContinued returns the tombstone that a new integration continues: the oldest that knows at
// least half of the platform's traders, because it has people's notes. One that was connected while
// the platform was empty may know more traders, but has nothing to lose. It returns uuid.Nil if
// there is none, or no traders are known. The rows are locked, that in sync_state first, in the
// order of cycles.
func findContinued(ctx context.Context, db *store.DB, tx bun.IDB, orgID uuid.UUID, tombstones []uuid.UUID, traders []record.Trader) (id uuid.UUID, err error) {
	for _, t := range tombstones {
		c, err := compareTraders(ctx, db, tx, orgID, t, traders)
		if err != nil {
			return uuid.Nil, err
		}
		if c.Same() {
			id = t
			break
		}
	}
	if id == uuid.Nil {
		return id, nil
	}
	err = tx.NewRaw(`SELECT i.id FROM sync_state AS s JOIN integrations AS i ON i.id = s.integration_id
WHERE s.integration_id = ? AND i.deleted_at IS NOT NULL FOR UPDATE`, id).Scan(ctx, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return uuid.Nil, nil
	}
	return id, err
}

// hasTraders reports whether an integration has brought any trader. Without any, for example
// because its list failed from the start, there is nothing to compare a platform with.
func hasTraders(ctx context.Context, idb bun.IDB, id uuid.UUID) (has bool, err error) {
	err = idb.NewRaw(`SELECT EXISTS (SELECT FROM traders WHERE integration_id = ?)`, id).Scan(ctx, &has)
	return has, err
}

// relocation is the effect of a patch on the source of an integration's records.
type relocation struct {
	away        bool // another address, or another key
	unconfirmed bool // it is not known yet whether it is the same platform
}

// movedBy checks a patch before it is written. It returns ErrDifferentPlatform if the patch leads
// to another platform, and an *ExistsError if it leads to one that another integration
// reads.
func movedBy(ctx context.Context, db *store.DB, tx bun.IDB, before *storedRow, p Patch) (m relocation, err error) {
	m.away, err = leadsAway(ctx, db, tx, before, p)
	if err != nil || !m.away {
		return m, err
	}
	if m.unconfirmed, err = hasTraders(ctx, tx, before.ID); err != nil || !m.unconfirmed || p.Check == nil {
		return m, err
	}
	c, err := compareTraders(ctx, db, tx, before.OrganizationID, before.ID, p.Check.Traders)
	if err == nil && c.Seen > 0 && !c.Same() {
		err = fmt.Errorf("%w: %d of %d traders are known", ErrDifferentPlatform, c.Known, c.Seen)
	}
	m.unconfirmed = !c.Same()
	return m, err
}

// leadsAway reports whether a patch changes the address or the key. It fails if another integration
// has them.
func leadsAway(ctx context.Context, db *store.DB, idb bun.IDB, before *storedRow, p Patch) (bool, error) {
	if p.BaseURL == nil && p.APIKey == nil {
		return false, nil
	}
	keys, err := db.Keyrings()
	if err != nil {
		return false, err
	}
	address, away := before.BaseURL, false
	if p.BaseURL != nil {
		address, away = *p.BaseURL, platformURL(before.Kind, *p.BaseURL) != platformURL(before.Kind, before.BaseURL)
	}
	var key seal.Secret
	if p.APIKey != nil {
		key = *p.APIKey
		same, err := holdsKey(keys, before.OrganizationID, before.ID, before.APIKey, key)
		if err != nil {
			return false, err
		}
		away = away || !same
	} else if key, err = syncing.OpenAPIKey(keys, before.OrganizationID, before.ID, before.APIKey); err != nil {
		return away, nil //nolint:nilerr // a key that cannot be opened is nobody else's
	}
	if !away {
		return false, nil
	}
	platforms, err := readPlatforms(ctx, idb, before.OrganizationID)
	if err == nil {
		_, err = findTombstones(db, platforms, before.OrganizationID, connection{before.ID, before.Kind, address, key})
	}
	return true, err
}

// PatchNeedsTraders reports whether a patch leads an integration with traders to another address or
// key, so that LiveCheck.Traders decides whether it is permitted. It returns an
// *ExistsError if another integration has the address and the key.
func PatchNeedsTraders(ctx context.Context, db *store.DB, orgID, id uuid.UUID, p Patch) (needed bool, err error) {
	defer store.WrapError(&err, "compare the platform of integration %s", id)
	before := new(storedRow)
	err = db.Bun.NewSelect().Model(before).Where("i.id = ?", id).Where("i.organization_id = ?", orgID).Where("i.deleted_at IS NULL").Scan(ctx)
	if err != nil {
		return false, err
	}
	if away, err := leadsAway(ctx, db, db.Bun, before, p); err != nil || !away {
		return false, err
	}
	return hasTraders(ctx, db.Bun, id)
}

// ConfirmPlatform compares the first page of a platform's traders with the stored ones, after a
// change of settings that could not be checked when it was saved. Once a comparison is Same, pages
// may be written. It returns ErrFenced if the lease is no longer held.
func ConfirmPlatform(ctx context.Context, db *store.DB, claim *syncing.Claim, traders []record.Trader) (c Comparison, err error) {
	defer store.WrapError(&err, "confirm the platform of integration %s", claim.IntegrationID)
	if c, err = compareTraders(ctx, db, db.Bun, claim.OrganizationID, claim.IntegrationID, traders); err != nil || !c.Same() {
		return c, err
	}
	var confirmed uuid.UUID
	// The lease's row is locked first: a change of settings that has just been saved revokes the
	// lease, and must not be confirmed by earlier traders.
	err = db.Bun.NewRaw(`WITH s AS (
    SELECT integration_id FROM sync_state WHERE integration_id = ? AND token = ? FOR UPDATE
) UPDATE integrations AS i SET platform_unconfirmed = false FROM s WHERE i.id = s.integration_id RETURNING i.id`, claim.IntegrationID, claim.Token).Scan(ctx, &confirmed)
	if store.IsNoRows(err) {
		err = store.ErrFenced
	}
	return c, err
}
