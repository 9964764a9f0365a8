package directory

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// Trader is a row of an organization's directory. What a person has set on a synced trader replaces
// what the platform sends.
type Trader struct {
	ID     uuid.UUID `bun:"id"`
	Source string    `bun:"source"` // custom_api, partner_platform, manual
	// IntegrationID is nil for a trader added by hand, and if the integration has been deleted.
	IntegrationID *uuid.UUID `bun:"integration_id"`
	ExternalID    *string    `bun:"external_id"`
	// FirstName and LastName are the parts of FullName.
	FirstName         *string         `bun:"first_name"`
	LastName          *string         `bun:"last_name"`
	FullName          *string         `bun:"full_name"`
	Email             *string         `bun:"email"`
	Country           *string         `bun:"country"`
	Phone             *string         `bun:"phone"`
	KYCStatus         *string         `bun:"kyc_status"`
	Status            string          `bun:"status"` // one of TraderStatuses
	Tags              []string        `bun:"tags,array"`
	RegisteredAt      *time.Time      `bun:"registered_at"`
	Metadata          json.RawMessage `bun:"metadata"`     // a JSON object; nil if there is none
	Unrecognized      json.RawMessage `bun:"unrecognized"` // values that the contract does not know, by field; nil if there are none
	PlatformUpdatedAt *time.Time      `bun:"platform_updated_at"`
	MissingSince      *time.Time      `bun:"missing_since"` // since when a complete audit no longer finds it on the platform
	// Overrides names the fields that a person has set on a synced trader, in
	// the order full_name, email, external_id, country, phone, tags.
	Overrides []string `bun:"overrides,array"`
	// ErasedAt is when the trader was erased. Nothing can be added to an erased trader.
	ErasedAt  *time.Time `bun:"erased_at"`
	CreatedAt time.Time  `bun:"created_at"`
	UpdatedAt time.Time  `bun:"updated_at"`
}

// SubjectID implements idempotency.Subject with the trader's id.
func (t Trader) SubjectID() uuid.UUID { return t.ID }

// SourceManual is the source of a trader added by hand. The other sources are named after the kind
// of their integration.
const SourceManual = "manual"

// The statuses of a trader. Archived traders are hidden from lists.
const (
	traderActive      = "active"
	TraderUnderReview = "under_review"
	TraderRestricted  = "restricted"
	TraderArchived    = "archived"
)

// TraderStatuses lists the statuses of a trader.
func TraderStatuses() []string {
	return []string{traderActive, TraderUnderReview, TraderRestricted, TraderArchived}
}

// Manual reports whether the trader was added by hand and has not been matched with a platform's
// since.
func (t Trader) Manual() bool { return t.Source == SourceManual }

// auditFields returns the audit log's view of a trader. It contains what people set, and nothing
// that identifies the trader.
func (t Trader) auditFields() store.AuditFields {
	return store.AuditFields{
		"full_name": store.MaskSet(t.FullName != nil), "email": store.MaskSet(t.Email != nil), "external_id": store.MaskSet(t.ExternalID != nil),
		"country": store.MaskSet(t.Country != nil), "phone": store.MaskSet(t.Phone != nil), "tags": store.MaskSet(len(t.Tags) > 0), "status": t.Status,
	}
}

// traderColumns selects a Trader from a row t of traders.
const traderColumns = `t.id, t.source,
    (SELECT i.id FROM integrations AS i WHERE i.id = t.integration_id AND i.deleted_at IS NULL) AS integration_id,
    coalesce(t.override_external_id, t.external_id) AS external_id, t.first_name, t.last_name,
    coalesce(t.override_full_name, t.full_name) AS full_name, coalesce(t.override_email, t.email) AS email,
    coalesce(t.override_country, t.country) AS country, coalesce(t.override_phone, t.phone) AS phone, t.kyc_status, t.status,
    coalesce(t.override_tags, t.tags) AS tags, t.registered_at, t.metadata, t.unrecognized, t.platform_updated_at, t.missing_since,
    array_remove(ARRAY[CASE WHEN t.override_full_name IS NOT NULL THEN 'full_name' END, CASE WHEN t.override_email IS NOT NULL THEN 'email' END,
        CASE WHEN t.override_external_id IS NOT NULL THEN 'external_id' END, CASE WHEN t.override_country IS NOT NULL THEN 'country' END,
        CASE WHEN t.override_phone IS NOT NULL THEN 'phone' END, CASE WHEN t.override_tags IS NOT NULL THEN 'tags' END], NULL) AS overrides,
    t.erased_at, t.created_at, t.updated_at`

// alignName derives the parts of the name from a full name that a person has set.
func (t *Trader) alignName() {
	if slices.Contains(t.Overrides, "full_name") {
		t.FirstName, t.LastName = nameParts(*t.FullName)
	}
}

// nameParts splits a full name. A missing part is nil.
func nameParts(full string) (first, last *string) {
	a, b := record.SplitName(full)
	return store.TextOrNil(a), store.TextOrNil(b)
}

// selectTrader reads one trader. It returns sql.ErrNoRows if the organization has no such trader.
func selectTrader(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (t Trader, err error) {
	err = tx.NewRaw(`SELECT `+traderColumns+` FROM traders AS t WHERE t.id = ? AND t.organization_id = ?`, id, orgID).Scan(ctx, &t)
	t.alignName()
	return t, err
}

// ErrErased means that the trader was erased, so that nothing can be added.
var ErrErased = errors.New("the trader was erased")

// LockTrader locks the row of a trader to whom something is added, by a clause such as FOR KEY SHARE, so
// that the trader cannot be merged into another one or erased until the transaction ends. It returns
// sql.ErrNoRows if the organization has no such trader, and ErrErased.
func LockTrader(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID, lock string) (o Owner, err error) {
	var row struct {
		Owner
		Erased bool `bun:"erased"`
	}
	err = tx.NewRaw(`SELECT integration_id, external_id, erased_at IS NOT NULL AS erased FROM traders WHERE id = ? AND organization_id = ? `+lock, id, orgID).Scan(ctx, &row)
	if err == nil && row.Erased {
		err = ErrErased
	}
	return row.Owner, err
}

// ReadProfile returns a trader of the organization without what belongs to the trader. It also
// finds archived traders. It returns ErrNotFound if there is none.
func ReadProfile(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (t Trader, err error) {
	defer store.WrapError(&err, "read profile of trader %s", id)
	return selectTrader(ctx, db.Bun, orgID, id)
}
