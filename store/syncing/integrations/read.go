package integrations

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// view is an integration with columns of its schedule and streams.
type view struct {
	ID                  uuid.UUID             `bun:"id"`
	OrganizationID      uuid.UUID             `bun:"organization_id"`
	Kind                record.Kind           `bun:"kind"`
	Name                string                `bun:"name"`
	BaseURL             string                `bun:"base_url"`
	APIKey              []byte                `bun:"api_key"`              // sealed; only read for ReadConfig
	Unconfirmed         bool                  `bun:"platform_unconfirmed"` // only read for ReadConfig
	APIKeyPreview       string                `bun:"api_key_preview"`
	AccountScope        *syncing.AccountScope `bun:"account_scope,type:jsonb"`
	SyncIntervalSeconds int                   `bun:"sync_interval_seconds"`
	IsActive            bool                  `bun:"is_active"`
	SettingsVersion     int64                 `bun:"settings_version"`
	HealthStatus        syncing.Health        `bun:"health_status"`
	LastError           *syncing.Error        `bun:"last_error,type:jsonb"`
	LastStartedAt       *time.Time            `bun:"last_started_at"`
	LastFinishedAt      *time.Time            `bun:"last_finished_at"`
	LastSuccessAt       *time.Time            `bun:"last_success_at"`
	NextSyncAt          *time.Time            `bun:"next_sync_at"`
	Traders             int64                 `bun:"traders"`
	Accounts            int64                 `bun:"accounts"`
	Trades              int64                 `bun:"trades"`
	Payouts             int64                 `bun:"payouts"`
	NewTrades           int64                 `bun:"new_trades"`
	CreatedAt           time.Time             `bun:"created_at"`
	UpdatedAt           time.Time             `bun:"updated_at"`
}

// columns selects an integration without the sealed key. While a cycle is under way,
// claimable_at is the end of its lease and the next sync is the one at the slot. Infinity means
// that there will be none.
const columns = `i.id, i.organization_id, i.kind, i.name, i.base_url, i.api_key_preview, i.account_scope,
    i.sync_interval_seconds, i.is_active, i.settings_version, i.health_status, i.created_at, i.updated_at,
    s.last_started_at, s.last_finished_at, s.last_success_at, s.traders, s.accounts, s.trades, s.payouts,
    (SELECT coalesce(sum(r.records_inserted), 0) FROM sync_runs AS r
        WHERE r.integration_id = i.id AND r.resource = 'trades' AND r.started_at >= now() - interval '24 hours')::bigint AS new_trades,
    CASE WHEN s.claimable_at = 'infinity' THEN NULL WHEN s.cycle_id IS NULL THEN s.claimable_at ELSE s.slot_at END AS next_sync_at,
    (SELECT e.error FROM (
        SELECT i.check_error AS error, '' AS stream
        UNION ALL SELECT t.last_error, t.stream FROM sync_streams t WHERE t.integration_id = i.id
    ) AS e WHERE e.error IS NOT NULL ORDER BY (e.error->>'at')::timestamptz DESC, e.stream LIMIT 1) AS last_error`

// source is the FROM clause of integrations that have not been deleted.
const source = ` FROM integrations AS i JOIN sync_state AS s ON s.integration_id = i.id
WHERE i.organization_id = ? AND i.deleted_at IS NULL`

func (v *view) toIntegration() Integration {
	return Integration{
		ID: v.ID, OrganizationID: v.OrganizationID, Kind: v.Kind, Name: v.Name, BaseURL: v.BaseURL,
		APIKeyPreview: v.APIKeyPreview, AccountScope: v.AccountScope, SyncIntervalSeconds: v.SyncIntervalSeconds,
		IsActive: v.IsActive, SettingsVersion: v.SettingsVersion, HealthStatus: v.HealthStatus, LastError: v.LastError,
		LastSyncStartedAt: v.LastStartedAt, LastSyncFinishedAt: v.LastFinishedAt,
		LastSuccessAt: v.LastSuccessAt, NextSyncAt: v.NextSyncAt,
		Counters:  Counters{Traders: v.Traders, Accounts: v.Accounts, Trades: v.Trades, Payouts: v.Payouts, NewTrades: v.NewTrades},
		CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
	}
}

// Read returns an integration of the organization. It returns ErrNotFound if there is
// none, or if it has been deleted.
func Read(ctx context.Context, reader store.Reader, orgID, id uuid.UUID) (i Integration, err error) {
	defer store.WrapError(&err, "read integration %s", id)
	err = reader.ReadFrom(ctx, orgID, func(ctx context.Context, on store.Connections) error {
		i, err = readOne(ctx, on.Bun, orgID, id)
		return err
	})
	return i, err
}

func readOne(ctx context.Context, idb bun.IDB, orgID, id uuid.UUID) (Integration, error) {
	var v view
	err := idb.NewRaw(`SELECT `+columns+source+` AND i.id = ?`, orgID, id).Scan(ctx, &v)
	if err != nil {
		return Integration{}, err
	}
	return v.toIntegration(), nil
}

// List returns all integrations of the organization, the newest first.
func List(ctx context.Context, reader store.Reader, orgID uuid.UUID) (all []Integration, err error) {
	defer store.WrapError(&err, "list integrations of organization %s", orgID)
	var views []view
	err = reader.ReadFrom(ctx, orgID, func(ctx context.Context, on store.Connections) error {
		views = nil
		return on.Bun.NewRaw(`SELECT `+columns+source+` ORDER BY i.created_at DESC, i.id DESC`, orgID).Scan(ctx, &views)
	})
	if err != nil {
		return nil, err
	}
	all = make([]Integration, len(views))
	for n := range views {
		all[n] = views[n].toIntegration()
	}
	return all, nil
}

// ReadConfig returns an integration of the organization with its credential. In addition
// to ErrNotFound it returns seal.ErrUnknownKey if the keyring cannot open the credential.
func ReadConfig(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (c Config, err error) {
	defer store.WrapError(&err, "read configuration of integration %s", id)
	var v view
	keys, err := db.Keyrings()
	if err != nil {
		return c, err
	}
	err = db.Bun.NewRaw(`SELECT i.api_key, i.platform_unconfirmed, `+columns+source+` AND i.id = ?`, orgID, id).Scan(ctx, &v)
	if err != nil {
		return c, err
	}
	c.Integration, c.Unconfirmed = v.toIntegration(), v.Unconfirmed
	c.APIKey, err = syncing.OpenAPIKey(keys, orgID, id, v.APIKey)
	return c, err
}
