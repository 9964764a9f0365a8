package integrations

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/syncing"
)

// Values of Schedule.WaitReason that requests and changes set.
const (
	waitCheckPassed = "check_passed" // a live check has just passed
	waitCheckFailed = "check_failed" // a live check must pass first
	waitBlocked     = "blocked"
	waitInactive    = "inactive"
	waitDeleted     = "deleted"
	waitThrottled   = "throttled" // the platform responds with 429; the engine sets it too
)

// storedRow is a stored integration.
type storedRow struct {
	bun.BaseModel       `bun:"table:integrations,alias:i"`
	ID                  uuid.UUID             `bun:"id,pk"`
	OrganizationID      uuid.UUID             `bun:"organization_id"`
	Kind                record.Kind           `bun:"kind"`
	Name                string                `bun:"name"`
	BaseURL             string                `bun:"base_url"`
	APIKey              []byte                `bun:"api_key,nullzero"`
	APIKeyPreview       string                `bun:"api_key_preview"`
	AccountScope        *syncing.AccountScope `bun:"account_scope,type:jsonb,nullzero"`
	SyncIntervalSeconds int                   `bun:"sync_interval_seconds"`
	IsActive            bool                  `bun:"is_active"`
	SettingsVersion     int64                 `bun:"settings_version"`
	HealthStatus        syncing.Health        `bun:"health_status"`
	CheckError          *syncing.Error        `bun:"check_error,type:jsonb,nullzero"`
	// Unconfirmed reports that the platform must be compared with the stored records before
	// anything is written.
	Unconfirmed bool `bun:"platform_unconfirmed"`
}

// Create saves an integration with the outcome of its live check. It is due at once if
// the check passed, and otherwise not polled. If n.Traders shows that the organization has deleted
// an integration of the same platform, that one is revived: it keeps its id, rows and counters, and
// reads everything again. It returns an *ExistsError if the platform is already
// connected with the same key.
func Create(ctx context.Context, db *store.DB, c store.Change, n New) (i Integration, err error) {
	defer store.WrapError(&err, "create integration for organization %s", c.OrganizationID)
	if _, err := db.Keyrings(); err != nil {
		return i, err
	}
	var platforms []platformRow
	c = c.WithLock(connectingLocks).WithRead(platformsSQL(c.OrganizationID), func(rows pgx.Rows) (err error) {
		platforms, err = pgx.CollectRows(rows, pgx.RowToStructByPos[platformRow])
		return err
	})
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (i Integration, err error) {
		tombstones, err := findTombstones(db, platforms, c.OrganizationID, n.connection())
		if err != nil {
			return i, err
		}
		id, err := findContinued(ctx, db, tx, c.OrganizationID, tombstones, n.Traders)
		if err != nil {
			return i, err
		}
		statement := restoreSQL
		if id == uuid.Nil {
			id, statement = store.NewID(), insertSQL
		}
		health := checkState{IsActive: true}.healthAfter(n.Check, true)
		made := checkedNew{New: n, orgID: c.OrganizationID, id: id, health: health}
		if i, err = made.save(ctx, db, tx, statement); err != nil {
			return i, err
		}
		tx.Emit(newEvent(event.IntegrationCreated, id, n.Kind, health))
		tx.Emit(checkEvents(id, n.Kind, "", health, n.Check)...)
		tx.Audit(action.IntegrationCreated, id, nil, i.auditFields())
		return i, nil
	})
}

// insertSQL saves a new integration i with its schedule s. See saveIntegration for its
// parameters.
const insertSQL = `WITH ` + newSlotsSQL + `, i AS (
    INSERT INTO integrations (organization_id, id, kind, name, base_url, api_key, api_key_preview, account_scope,
        sync_interval_seconds, is_active, settings_version, health_status, check_error)
    VALUES (?0, ?1, ?2, ?3, ?4, ?5, ?6, ?7::jsonb, ?8, true, 1, ?9, ` + newCheckErrorSQL + `) RETURNING *
), s AS (
    INSERT INTO sync_state (integration_id, organization_id, kind, claimable_at, wait_reason, phase_ms, period_ms, slot_at)
    SELECT i.id, i.organization_id, i.kind, ` + newClaimableSQL + `, ?13::text, p.phase_ms, p.period_ms, p.slot_at FROM i, p RETURNING *
)` + newTransitionSQL

// restoreSQL restores a tombstone, whose rows are locked.
const restoreSQL = `WITH ` + newSlotsSQL + `, s AS (
    UPDATE sync_state AS s SET token = s.token + 1, owner = NULL, claimable_at = ` + newClaimableSQL + `, wait_reason = ?13,
        phase_ms = p.phase_ms, period_ms = p.period_ms, slot_at = p.slot_at, failures = 0,
        last_started_at = NULL, last_finished_at = NULL, last_success_at = NULL
    FROM p WHERE s.integration_id = ?1 RETURNING s.*
), i AS (
    UPDATE integrations SET name = ?3, base_url = ?4, platform_unconfirmed = false, api_key = ?5, api_key_preview = ?6, account_scope = ?7::jsonb,
        sync_interval_seconds = ?8, is_active = true, settings_version = settings_version + 1, health_status = ?9, check_error = ` + newCheckErrorSQL + `,
        created_at = now(), updated_at = now(), deleted_at = NULL
    WHERE organization_id = ?0 AND id = ?1 AND deleted_at IS NOT NULL RETURNING *
), streams AS (
    UPDATE sync_streams SET ask_again_at = NULL WHERE ?12 AND integration_id = ?1 AND ask_again_at IS NOT NULL
)` + newTransitionSQL

// Common parts of the statements that save an integration.
const (
	newSlotsSQL = `p AS (
    SELECT s.phase_ms, s.period_ms, ` + syncing.NextSlotSQL + ` AS slot_at FROM (SELECT ?14::bigint AS phase_ms, ?15::bigint AS period_ms) AS s
)`
	newCheckErrorSQL = `?10::jsonb || ` + checkedNowSQL
	newClaimableSQL  = `CASE WHEN ?12 THEN now() ELSE 'infinity' END`
	newTransitionSQL = `, t AS (
    INSERT INTO integration_transitions (integration_id, kind, to_status, reason) VALUES (?1, 'health', ?9, ?11)
)
SELECT ` + columns + ` FROM i JOIN s ON s.integration_id = i.id`
)

// checkedNew is a new integration with the health that its live check gives it.
type checkedNew struct {
	New
	orgID, id uuid.UUID
	health    syncing.Health
}

// save saves an integration and the outcome of its live check by one of the statements
// above, and returns the saved integration. It can be claimed at once if the check passed.
func (n checkedNew) save(ctx context.Context, db *store.DB, tx bun.IDB, statement string) (i Integration, err error) {
	keys, err := db.Keyrings()
	if err != nil {
		return i, err
	}
	sealed, err := keys.Seal([]byte(n.APIKey.Reveal()), syncing.APIKeyBinding(n.orgID, n.id))
	if err != nil {
		return i, err
	}
	scope, err := encodeScope(n.AccountScope)
	if err != nil {
		return i, err
	}
	failure, err := encodeCheckError(n.Check)
	if err != nil {
		return i, err
	}
	reason, wait := "created; the live check did not pass", waitCheckFailed
	if n.Check.OK {
		reason, wait = "created; the live check passed", waitCheckPassed
	}
	period := time.Duration(n.SyncIntervalSeconds) * time.Second
	var v view
	err = tx.NewRaw(statement, n.orgID, n.id, n.Kind, n.Name, n.BaseURL, sealed, n.APIKey.Preview(), scope, n.SyncIntervalSeconds, n.health,
		failure, reason, n.Check.OK, wait, syncing.SlotPhase(n.id, period).Milliseconds(), period.Milliseconds()).Scan(ctx, &v)
	if err != nil {
		return i, err
	}
	return v.toIntegration(), nil
}

// addTransition adds a row to an integration's history. An empty text is null.
func addTransition(ctx context.Context, tx bun.IDB, id uuid.UUID, kind, from, to, reason string) error {
	_, err := tx.NewRaw(`INSERT INTO integration_transitions (integration_id, kind, from_status, to_status, reason)
VALUES (?, ?, nullif(?, ''), nullif(?, ''), ?)`, id, kind, from, to, reason).Exec(ctx)
	return err
}
