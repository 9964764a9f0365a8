package integrations

import (
	"context"
	"database/sql"
	"errors"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/syncing"
)

// Refusal is the reason why a request for a sync queued no cycle, or one for an audit no audit.
type Refusal string

// The reasons. An empty reason means that a cycle was queued.
const (
	AlreadyQueued Refusal = "already_queued" // A cycle is already due, or is queued to start after the current one.
	Inactive      Refusal = "inactive"       // The integration is switched off.
	CheckFailed   Refusal = "check_failed"   // No live check has passed with the current settings.
	Blocked       Refusal = "blocked"        // The platform refused the credential.
)

// RequestSync requests a cycle at once. An idle integration becomes due now. One with a cycle under
// way gets another when that is over. The reason is empty if a cycle was queued. Otherwise nothing
// was changed.
func RequestSync(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (reason Refusal, err error) {
	defer store.WrapError(&err, "request sync of integration %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (Refusal, error) {
		queued, err := RequestCycle(ctx, tx, c.OrganizationID, id, "a sync was requested")
		if err != nil {
			return refusalOf(ctx, tx, id, err)
		}
		if !queued {
			return AlreadyQueued, nil
		}
		tx.Audit(action.IntegrationRequested, id, nil, nil)
		return "", nil
	})
}

// refusalOf converts the error of a request that an integration does not accept into the reason.
// Other errors are returned unchanged.
func refusalOf(ctx context.Context, tx bun.IDB, id uuid.UUID, err error) (Refusal, error) {
	switch {
	case errors.Is(err, store.ErrInactive):
		return Inactive, nil
	case errors.Is(err, store.ErrBlocked):
		return blockedBy(ctx, tx, id)
	}
	return "", err
}

// blockedBy returns what prevents an integration that is switched on from being polled.
func blockedBy(ctx context.Context, tx bun.IDB, id uuid.UUID) (Refusal, error) {
	var health syncing.Health
	err := tx.NewRaw(`SELECT health_status FROM integrations WHERE id = ?`, id).Scan(ctx, &health)
	if health == syncing.HealthCheckFailed {
		return CheckFailed, err
	}
	return Blocked, err
}

// RequestCycle requests a cycle. It returns false if one was requested already.
func RequestCycle(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID, reason string) (queued bool, err error) {
	if queued, err = noteRequest(ctx, tx, orgID, id); err != nil {
		return false, err
	}
	if err := askAgain(ctx, tx, id); err != nil || !queued {
		return false, err
	}
	return true, addTransition(ctx, tx, id, "request", "", "", reason)
}

// noteRequest records the request. It returns false if there is nothing to record.
func noteRequest(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (queued bool, err error) {
	var noted uuid.UUID
	err = tx.NewRaw(`UPDATE sync_state AS s SET manual = true,
    claimable_at = CASE WHEN s.cycle_id IS NULL OR s.owner IS NULL AND s.wait_reason = '`+syncing.WaitRetry+`' THEN now() ELSE s.claimable_at END,
    wait_reason = CASE WHEN s.cycle_id IS NULL THEN ? ELSE s.wait_reason END
FROM integrations AS i
WHERE s.integration_id = ? AND i.id = s.integration_id AND i.organization_id = ? AND i.deleted_at IS NULL
    AND i.is_active AND i.health_status NOT IN (?) AND s.claimable_at <> 'infinity'
    AND NOT s.manual AND (s.cycle_id IS NOT NULL OR s.claimable_at > now())
RETURNING s.integration_id`, syncing.WaitRequested, id, orgID, bun.List([]syncing.Health{syncing.HealthBlocked, syncing.HealthCheckFailed})).Scan(ctx, &noted)
	if !errors.Is(err, sql.ErrNoRows) {
		return err == nil, err
	}
	return false, refusedRequest(ctx, tx, orgID, id)
}

// refusedRequest returns why an integration accepts no request: ErrInactive or ErrBlocked. It
// returns nil if the integration accepts requests.
func refusedRequest(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) error {
	var refused struct {
		Inactive bool `bun:"inactive"`
		Blocked  bool `bun:"blocked"`
	}
	err := tx.NewRaw(`SELECT NOT i.is_active AS inactive, s.claimable_at = 'infinity' OR i.health_status IN (?) AS blocked
FROM integrations AS i JOIN sync_state AS s ON s.integration_id = i.id
WHERE i.id = ? AND i.organization_id = ? AND i.deleted_at IS NULL`,
		bun.List([]syncing.Health{syncing.HealthBlocked, syncing.HealthCheckFailed}), id, orgID).Scan(ctx, &refused)
	switch {
	case err != nil:
		return err
	case refused.Inactive:
		return store.ErrInactive
	case refused.Blocked:
		return store.ErrBlocked
	}
	return nil
}

// Delete removes an integration: its credential, schedule, history, quarantine and
// findings. Its traders stay, with their accounts, trades and payouts, and connecting the same
// platform again continues with them (see Create). condition refuses by returning an
// error about the current integration. Nil accepts any.
func Delete(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, condition func(Integration) error) (err error) {
	defer store.WrapError(&err, "delete integration %s", id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		row, err := lock(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return none, err
		}
		before, err := readIfMatching(ctx, tx, c.OrganizationID, id, condition)
		if err != nil {
			return none, err
		}
		for _, statement := range []string{
			`UPDATE sync_state SET token = token + 1, owner = NULL, claimable_at = 'infinity', wait_reason = '` + waitDeleted + `', manual = false,
    run = NULL, cycle_id = NULL, cycle_trigger = NULL, cycle_started_at = NULL, throttling = NULL, failures = 0, quarantined = 0
WHERE integration_id = ?`,
			`UPDATE integrations SET deleted_at = now(), updated_at = now(), api_key = NULL, api_key_preview = '', check_error = NULL WHERE id = ?`,
			`DELETE FROM sync_streams WHERE integration_id = ?`,
			`DELETE FROM sync_runs WHERE integration_id = ?`,
			`DELETE FROM quarantine WHERE integration_id = ?`,
			`DELETE FROM findings WHERE integration_id = ?`,
			`DELETE FROM sync_audits WHERE integration_id = ?`,
			`DELETE FROM sync_audit_pages WHERE integration_id = ?`,
			`DELETE FROM sync_completeness WHERE integration_id = ?`,
			`DELETE FROM request_budgets WHERE integration_id = ?`,
			`DELETE FROM integration_transitions WHERE integration_id = ?`,
		} {
			if _, err := tx.NewRaw(statement, id).Exec(ctx); err != nil {
				return none, err
			}
		}
		tx.Emit(newEvent(event.IntegrationDeleted, id, row.Kind, row.HealthStatus))
		tx.Audit(action.IntegrationDeleted, id, before.auditFields(), nil)
		return none, nil
	})
	return err
}
