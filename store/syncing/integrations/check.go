package integrations

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/syncing"
)

// checkState is the state on which the effect of a live check depends.
type checkState struct {
	Health   syncing.Health `bun:"health_status"`
	IsActive bool           `bun:"is_active"`
	Polled   bool           `bun:"polled"`    // will be claimed at some time
	ReadOnce bool           `bun:"read_once"` // some stream has been read completely
}

// RecordLiveCheck records the outcome of a requested live check. A success lets a stopped
// integration continue and optional resources be requested again. A failure stops a polled
// integration only if the platform refused the credential. If the settings have been changed since
// the check began, the outcome does not apply to them: recorded is false and nothing is changed.
func RecordLiveCheck(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, check LiveCheck) (recorded bool, err error) {
	defer store.WrapError(&err, "record live check of integration %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (bool, error) {
		row, err := lock(ctx, tx, c.OrganizationID, id)
		if err != nil || row.SettingsVersion != check.SettingsVersion {
			return false, err
		}
		before, err := readCheckState(ctx, tx, id)
		if err != nil {
			return false, err
		}
		if err := applyAskedCheck(ctx, tx, id, before, check.CheckOutcome, "live check on request"); err != nil {
			return false, err
		}
		after, err := readCheckState(ctx, tx, id)
		if err != nil || after.Health == before.Health && after.Polled == before.Polled {
			return true, err
		}
		tx.Audit(action.IntegrationChecked, id, before.auditFields(), after.auditFields())
		return true, nil
	})
}

// auditFields returns the audit log's view of the state.
func (s checkState) auditFields() store.AuditFields {
	return store.AuditFields{"health_status": s.Health, "polled": s.Polled}
}

// applyAskedCheck applies the outcome of a check that changed no setting.
func applyAskedCheck(ctx context.Context, tx *store.Tx, id uuid.UUID, s checkState, o CheckOutcome, reason string) error {
	health, err := noteCheck(ctx, tx, id, s, o, false, reason)
	switch {
	case err != nil:
		return err
	case o.OK && s.IsActive:
		return makeClaimable(ctx, tx, id, health)
	case health == syncing.HealthBlocked && s.Polled:
		return syncing.StopPolling(ctx, tx, id, waitBlocked)
	}
	return nil
}

// readCheckState reads the state of an integration whose row is locked.
func readCheckState(ctx context.Context, tx bun.IDB, id uuid.UUID) (s checkState, err error) {
	err = tx.NewRaw(`SELECT i.health_status, i.is_active, s.claimable_at <> 'infinity' AS polled,
    EXISTS (SELECT FROM sync_streams t WHERE t.integration_id = i.id AND t.watermark IS NOT NULL) AS read_once
FROM integrations i JOIN sync_state s ON s.integration_id = i.id WHERE i.id = ?`, id).Scan(ctx, &s)
	return s, err
}

// noteCheck writes what a check says about the connection, and returns the resulting health.
// changed reports that the check followed a change of settings. reason is a short text about the
// cause.
func noteCheck(ctx context.Context, tx *store.Tx, id uuid.UUID, s checkState, o CheckOutcome, changed bool, reason string) (syncing.Health, error) {
	health := s.healthAfter(o, changed)
	failure, err := encodeCheckError(o)
	if err != nil {
		return health, err
	}
	var kind record.Kind
	err = tx.NewRaw(`UPDATE integrations SET health_status = ?, check_error = ?::jsonb || `+checkedNowSQL+` WHERE id = ? RETURNING kind`, health, failure, id).Scan(ctx, &kind)
	if err != nil {
		return health, err
	}
	tx.Emit(checkEvents(id, kind, s.Health, health, o)...)
	if health != s.Health {
		if err := addTransition(ctx, tx, id, "health", string(s.Health), string(health), reason); err != nil {
			return health, err
		}
	}
	if !o.OK {
		return health, nil
	}
	return health, askAgain(ctx, tx, id)
}

// healthAfter returns the health that follows from a check's outcome. An integration that has been
// read keeps the health from its cycles: the next cycle shows whether it still holds.
func (s checkState) healthAfter(o CheckOutcome, changed bool) syncing.Health {
	switch {
	case o.OK && s.ReadOnce && (s.Health == syncing.HealthHealthy || s.Health == syncing.HealthDegraded || s.Health == syncing.HealthFailing):
		return s.Health
	case o.OK && !changed && s.Polled:
		return s.Health
	case o.OK:
		return syncing.HealthPending
	case changed:
		return syncing.HealthCheckFailed
	case o.Denied && s.Polled:
		return syncing.HealthBlocked
	}
	return s.Health
}

// makeClaimable makes an integration that is not polled claimable at once. It does not change one
// that is polled.
func makeClaimable(ctx context.Context, tx bun.IDB, id uuid.UUID, health syncing.Health) error {
	// Earlier failures count only if they are still relevant.
	_, err := tx.NewRaw(`UPDATE sync_state SET claimable_at = now(), wait_reason = ?, failures = CASE WHEN ? THEN failures ELSE 0 END
WHERE integration_id = ? AND claimable_at = 'infinity'`, waitCheckPassed, health == syncing.HealthFailing, id).Exec(ctx)
	return err
}

// askAgain makes the next cycle request optional resources that were missing.
func askAgain(ctx context.Context, tx bun.IDB, id uuid.UUID) error {
	_, err := tx.NewRaw(`UPDATE sync_streams SET ask_again_at = NULL WHERE integration_id = ? AND ask_again_at IS NOT NULL`, id).Exec(ctx)
	return err
}

// checkedNowSQL adds its time to the column's value. The time is the database's, like that of the
// streams' errors, because the newest of all is shown.
const checkedNowSQL = `jsonb_build_object('at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`

// encodeCheckError returns the column's value without its time. Nil is SQL null.
func encodeCheckError(o CheckOutcome) (*string, error) {
	if o.OK || o.Err == nil {
		return nil, nil //nolint:nilnil // null is the encoding of no error
	}
	text, err := json.Marshal(o.Err)
	if err != nil {
		return nil, err
	}
	s := string(text)
	return &s, nil
}

// RecordKeySent writes to the audit log that a live check is about to send the saved key of an
// integration to the host of another base URL, because the change itself may be refused later.
func RecordKeySent(ctx context.Context, db *store.DB, c store.Change, i Integration, baseURL string) (err error) {
	defer store.WrapError(&err, "record where the key of integration %s is sent", i.ID)
	_, err = store.MakeChange(ctx, db, c, func(_ context.Context, tx *store.Tx) (struct{}, error) {
		tx.Audit(action.IntegrationChecked, i.ID, store.AuditFields{"base_url": i.BaseURL}, store.AuditFields{"base_url": baseURL})
		return struct{}{}, nil
	})
	return err
}
