package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Trader is a row of an organization's directory.
type Trader struct {
	ID     uuid.UUID `bun:"id"`
	Source string    `bun:"source"` // custom_api, partner_platform, manual
	// IntegrationID is nil for a trader made by hand, and when the integration
	// has been deleted.
	IntegrationID     *uuid.UUID      `bun:"integration_id"`
	ExternalID        *string         `bun:"external_id"`
	FirstName         *string         `bun:"first_name"`
	LastName          *string         `bun:"last_name"`
	FullName          *string         `bun:"full_name"`
	Email             *string         `bun:"email"`
	Country           *string         `bun:"country"`
	Phone             *string         `bun:"phone"`
	KYCStatus         *string         `bun:"kyc_status"`
	Status            string          `bun:"status"` // active, under_review, restricted, archived
	Tags              []string        `bun:"tags,array"`
	RegisteredAt      *time.Time      `bun:"registered_at"`
	Metadata          json.RawMessage `bun:"metadata"` // a JSON object; nil when there is none
	PlatformUpdatedAt *time.Time      `bun:"platform_updated_at"`
	MissingSince      *time.Time      `bun:"missing_since"` // since when a complete audit no longer finds it on the platform
	CreatedAt         time.Time       `bun:"created_at"`
	UpdatedAt         time.Time       `bun:"updated_at"`
}

// traderStatusArchived hides a trader from lists.
const traderStatusArchived = "archived"

// traderColumns selects a Trader from a row t of traders.
const traderColumns = `t.id, t.source,
    (SELECT i.id FROM integrations AS i WHERE i.id = t.integration_id AND i.deleted_at IS NULL) AS integration_id,
    t.external_id, t.first_name, t.last_name, t.full_name, t.email, t.country, t.phone, t.kyc_status, t.status, t.tags,
    t.registered_at, t.metadata, t.platform_updated_at, t.missing_since, t.created_at, t.updated_at`

// TraderFilter narrows the directory.
type TraderFilter struct {
	// Search is a part of the full name, email or external id, in any case;
	// empty does not narrow.
	Search string
}

// escapeLike takes their meaning from the characters that LIKE gives one.
func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// directory selects the rows of a directory; the arguments are the
// organization and, when something is searched for, the pattern.
func (f TraderFilter) directory(orgID uuid.UUID) (from string, args []any) {
	from, args = ` FROM traders AS t WHERE t.organization_id = ? AND t.status <> '`+traderStatusArchived+`'`, []any{orgID}
	if f.Search != "" {
		// The pattern is lowered by the database, which lowered the column.
		from += ` AND t.search LIKE lower(?)`
		args = append(args, "%"+escapeLike(f.Search)+"%")
	}
	return from, args
}

// fewHits is up to how many matches are all found by the search index before
// they are sorted. Of more matches, those of a page are found sooner by going
// through the directory in its order.
const fewHits = 2000

// pageQuery selects a page of the directory, of which total rows match.
func (f TraderFilter) pageQuery(orgID uuid.UUID, total int, p Page) (query string, args []any) {
	from, args := f.directory(orgID)
	const order = ` ORDER BY t.created_at DESC, t.id DESC`
	window := order + ` LIMIT ? OFFSET ?`
	// The rows before the page are passed over in the index alone.
	rows := `SELECT t.id` + from + window
	if f.Search != "" && total <= fewHits {
		rows = `WITH hits AS MATERIALIZED (SELECT t.id, t.created_at` + from + `) SELECT t.id FROM hits AS t` + window
	}
	return `SELECT ` + traderColumns + ` FROM (` + rows + `) AS page JOIN traders AS t ON t.id = page.id` + order,
		append(args, p.rows(), p.offset())
}

// Traders lists the organization's directory without the archived, those added
// last first, with the number of all that the filter lets through.
func (db *DB) Traders(ctx context.Context, orgID uuid.UUID, f TraderFilter, p Page) (traders []Trader, total int, err error) {
	defer wrap(&err, "list traders of organization %s", orgID)
	traders = []Trader{}
	if strings.ContainsRune(f.Search, 0) || !utf8.ValidString(f.Search) {
		return traders, 0, nil // no text in the database holds such
	}
	err = db.inSnapshot(ctx, func(ctx context.Context, tx bun.Tx) error {
		if total, err = countTraders(ctx, tx, orgID, f); err != nil || p.offset() >= int64(total) {
			return err
		}
		query, args := f.pageQuery(orgID, total, p)
		return tx.NewRaw(query, args...).Scan(ctx, &traders)
	})
	return traders, total, err
}

// countTraders counts exactly. Without a search it adds up counters that are
// kept with the rows, because counting a million rows takes 50 ms.
func countTraders(ctx context.Context, tx bun.Tx, orgID uuid.UUID, f TraderFilter) (total int, err error) {
	if f.Search != "" {
		from, args := f.directory(orgID)
		err = tx.NewRaw(`SELECT count(*)`+from, args...).Scan(ctx, &total)
		return total, err
	}
	err = tx.NewRaw(`SELECT
    (SELECT coalesce(sum(s.traders), 0) FROM integrations AS i JOIN sync_state AS s ON s.integration_id = i.id WHERE i.organization_id = ?0)
    + (SELECT count(*) FROM traders WHERE organization_id = ?0 AND integration_id IS NULL)
    - (SELECT count(*) FROM traders WHERE organization_id = ?0 AND status = '`+traderStatusArchived+`')`, orgID).Scan(ctx, &total)
	return total, err
}
