package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/event"
)

// Reasons why an integration waits (Schedule.WaitReason) that this half of the
// package sets.
const (
	waitCheckPassed = "check_passed" // a live check has just passed
	waitCheckFailed = "check_failed" // one has yet to pass
	waitBlocked     = "blocked"
	waitInactive    = "inactive"
	waitDeleted     = "deleted"
	waitRequested   = "requested" // somebody asked for a sync
	waitThrottled   = "throttled" // the platform answers 429; the engine sets it too
)

// integrationRow is an integration as it is saved.
type integrationRow struct {
	bun.BaseModel       `bun:"table:integrations,alias:i"`
	ID                  uuid.UUID     `bun:"id,pk"`
	OrganizationID      uuid.UUID     `bun:"organization_id"`
	Kind                record.Kind   `bun:"kind"`
	Name                string        `bun:"name"`
	BaseURL             string        `bun:"base_url"`
	APIKey              []byte        `bun:"api_key,nullzero"`
	APIKeyPreview       string        `bun:"api_key_preview"`
	AccountScope        *AccountScope `bun:"account_scope,type:jsonb,nullzero"`
	SyncIntervalSeconds int           `bun:"sync_interval_seconds"`
	IsActive            bool          `bun:"is_active"`
	SettingsVersion     int64         `bun:"settings_version"`
	HealthStatus        Health        `bun:"health_status"`
	CheckError          *SyncError    `bun:"check_error,type:jsonb,nullzero"`
	// Unconfirmed is set when the platform is to be compared with what is known
	// before anything is written.
	Unconfirmed bool `bun:"platform_unconfirmed"`
}

// CreateIntegration saves a connection together with the outcome of its live
// check: it is due at once when that passed, and otherwise not polled. Where the
// organization had deleted an integration of the same platform, as n.Traders
// shows, that one is revived: it keeps its id, rows and counters, and reads
// everything again. An *IntegrationExistsError when the platform is connected
// with the same key already.
func (db *DB) CreateIntegration(ctx context.Context, c Change, n NewIntegration) (i Integration, err error) {
	defer WrapError(&err, "create integration for organization %s", c.OrganizationID)
	if db.keyring.Load() == nil {
		return i, errNoKeyring
	}
	return MakeChange(ctx, db, c, func(ctx context.Context, tx *Tx) (i Integration, err error) {
		if err := lockConnecting(ctx, tx, c.OrganizationID); err != nil {
			return i, err
		}
		if err := db.refuseConnected(ctx, tx, c.OrganizationID, n.Kind, n.BaseURL, n.APIKey, uuid.Nil); err != nil {
			return i, err
		}
		row := integrationRow{
			OrganizationID: c.OrganizationID, Kind: n.Kind, Name: n.Name, BaseURL: n.BaseURL,
			APIKeyPreview: n.APIKey.Preview(), AccountScope: n.AccountScope,
			SyncIntervalSeconds: n.SyncIntervalSeconds, IsActive: true, SettingsVersion: 1, HealthStatus: HealthCheckFailed,
		}
		revived, err := db.restoreIntegration(ctx, tx, &row, n)
		if err != nil {
			return i, err
		}
		if !revived {
			row.ID = NewID()
			if err := db.insertIntegration(ctx, tx, &row, n); err != nil {
				return i, err
			}
		}
		tx.Emit(integrationEvent(event.IntegrationCreated, row.ID, n.Kind, checkState{IsActive: true}.healthAfter(n.Check, true)))
		if err := startPolling(ctx, tx, row.ID, n.Check); err != nil {
			return i, err
		}
		if i, err = readIntegration(ctx, tx, c.OrganizationID, row.ID); err != nil {
			return i, err
		}
		tx.Audit(AuditIntegrationCreated, i.ID, nil, i.auditFields())
		return i, nil
	})
}

// startPolling notes the live check of an integration that has just been
// saved, and lets it be claimed when that passed.
func startPolling(ctx context.Context, tx *Tx, id uuid.UUID, o CheckOutcome) error {
	reason := "created; the live check did not pass"
	if o.OK {
		reason = "created; the live check passed"
	}
	health, err := noteCheck(ctx, tx, id, checkState{IsActive: true}, o, true, reason)
	if err != nil || !o.OK {
		return err
	}
	return makeClaimable(ctx, tx, id, health)
}

// insertIntegration saves a new integration that is not polled yet.
func (db *DB) insertIntegration(ctx context.Context, tx bun.IDB, row *integrationRow, n NewIntegration) (err error) {
	row.APIKey, err = db.keyring.Load().Seal([]byte(n.APIKey.Reveal()), apiKeyBinding(row.OrganizationID, row.ID))
	if err != nil {
		return err
	}
	if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
		return err
	}
	period := time.Duration(n.SyncIntervalSeconds) * time.Second
	_, err = tx.NewRaw(`INSERT INTO sync_state (integration_id, organization_id, kind, claimable_at, wait_reason, phase_ms, period_ms, slot_at)
SELECT ?, ?, ?, 'infinity', ?, s.phase_ms, s.period_ms, `+nextSlotSQL+` FROM (SELECT ?::bigint AS phase_ms, ?::bigint AS period_ms) AS s`,
		row.ID, row.OrganizationID, n.Kind, waitCheckFailed, slotPhase(row.ID, period).Milliseconds(), period.Milliseconds()).Exec(ctx)
	return err
}

// restoreIntegration brings the tombstone back that the new integration
// continues. It returns false when there is none.
func (db *DB) restoreIntegration(ctx context.Context, tx bun.IDB, row *integrationRow, n NewIntegration) (bool, error) {
	id, err := findContinued(ctx, tx, row, n.Traders)
	if err != nil || id == uuid.Nil {
		return false, err
	}
	row.ID = id
	row.APIKey, err = db.keyring.Load().Seal([]byte(n.APIKey.Reveal()), apiKeyBinding(row.OrganizationID, id))
	if err != nil {
		return false, err
	}
	period := time.Duration(n.SyncIntervalSeconds) * time.Second
	_, err = tx.NewRaw(`UPDATE sync_state AS s SET token = s.token + 1, owner = NULL, claimable_at = 'infinity', wait_reason = ?,
    phase_ms = p.phase_ms, period_ms = p.period_ms, slot_at = p.slot_at, failures = 0,
    last_started_at = NULL, last_finished_at = NULL, last_success_at = NULL
FROM (SELECT s.phase_ms, s.period_ms, `+nextSlotSQL+` AS slot_at FROM (SELECT ?::bigint AS phase_ms, ?::bigint AS period_ms) AS s) AS p
WHERE s.integration_id = ?`, waitCheckFailed, slotPhase(id, period).Milliseconds(), period.Milliseconds(), id).Exec(ctx)
	if err != nil {
		return false, err
	}
	result, err := tx.NewUpdate().Model(row).WherePK().Where("organization_id = ?", row.OrganizationID).Where("deleted_at IS NOT NULL").
		Set("name = ?name, base_url = ?base_url, platform_unconfirmed = false, api_key = ?api_key, api_key_preview = ?api_key_preview").
		Set("account_scope = ?account_scope, sync_interval_seconds = ?sync_interval_seconds").
		Set("is_active = ?is_active, settings_version = settings_version + 1, health_status = ?health_status, check_error = NULL").
		Set("created_at = now(), updated_at = now(), deleted_at = NULL").Exec(ctx)
	if err != nil {
		return false, err
	}
	changed, err := result.RowsAffected()
	return changed == 1, err
}

// addTransition adds a row to an integration's history; empty is null.
func addTransition(ctx context.Context, tx bun.IDB, id uuid.UUID, kind, from, to, reason string) error {
	_, err := tx.NewRaw(`INSERT INTO integration_transitions (integration_id, kind, from_status, to_status, reason)
VALUES (?, ?, nullif(?, ''), nullif(?, ''), ?)`, id, kind, from, to, reason).Exec(ctx)
	return err
}
