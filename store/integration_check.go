package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// checkState is what RecordCheck decides by.
type checkState struct {
	Health   Health `bun:"health_status"`
	IsActive bool   `bun:"is_active"`
	Polled   bool   `bun:"polled"`    // will be claimed at some time
	ReadOnce bool   `bun:"read_once"` // some stream has been read completely
}

// RecordCheck notes the outcome of a live check of a saved integration; reason
// says in one sentence what it followed from.
//
// With saved the check was made because the integration had just been created
// or its settings changed: polling begins when it passed, and only then.
// Without, it was a mere question: passing, it lets an integration that had
// been stopped go on and optional resources be asked for again; failing, it
// stops a polled one only when the platform refused the credential.
func (db *DB) RecordCheck(ctx context.Context, orgID, id uuid.UUID, o CheckOutcome, reason string, saved bool) (i Integration, err error) {
	defer wrap(&err, "record check of integration %s", id)
	err = db.inTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		state, err := lockForCheck(ctx, tx, orgID, id)
		if err != nil {
			return err
		}
		if err := applyCheck(ctx, tx, id, state, o, saved, reason); err != nil {
			return err
		}
		i, err = readIntegration(ctx, tx, orgID, id)
		return err
	})
	return i, err
}

// lockForCheck locks the integration and reads what the decision needs.
func lockForCheck(ctx context.Context, tx bun.Tx, orgID, id uuid.UUID) (s checkState, err error) {
	if _, err := lockIntegration(ctx, tx, orgID, id); err != nil {
		return s, err
	}
	err = tx.NewRaw(`SELECT i.health_status, i.is_active, s.claimable_at <> 'infinity' AS polled,
    EXISTS (SELECT FROM sync_streams t WHERE t.integration_id = i.id AND t.watermark IS NOT NULL) AS read_once
FROM integrations i JOIN sync_state s ON s.integration_id = i.id WHERE i.id = ?`, id).Scan(ctx, &s)
	return s, err
}

// applyCheck writes the outcome.
func applyCheck(ctx context.Context, tx bun.Tx, id uuid.UUID, s checkState, o CheckOutcome, saved bool, reason string) error {
	health := s.healthAfter(o, saved)
	failure, err := encodeCheckError(o)
	if err != nil {
		return err
	}
	if _, err := tx.NewRaw(`UPDATE integrations SET check_error = ?::jsonb, health_status = ? WHERE id = ?`, failure, health, id).Exec(ctx); err != nil {
		return err
	}
	if health != s.Health {
		if err := addTransition(ctx, tx, id, "health", string(s.Health), string(health), reason); err != nil {
			return err
		}
	}
	switch {
	case o.OK:
		return release(ctx, tx, id, s, health)
	case saved && s.IsActive:
		return hold(ctx, tx, id, waitCheckFailed)
	case saved:
		return hold(ctx, tx, id, waitInactive)
	case health == HealthBlocked && s.Polled:
		return hold(ctx, tx, id, waitBlocked)
	}
	return nil
}

// healthAfter is the health that a check's outcome leads to. An integration
// that had been read keeps the health that its cycles gave it: the next one
// tells whether it still holds.
func (s checkState) healthAfter(o CheckOutcome, saved bool) Health {
	switch {
	case o.OK && s.ReadOnce && (s.Health == HealthHealthy || s.Health == HealthDegraded || s.Health == HealthFailing):
		return s.Health
	case o.OK && !saved && s.Polled:
		return s.Health
	case o.OK:
		return HealthPending
	case saved:
		return HealthCheckFailed
	case o.Denied && s.Polled:
		return HealthBlocked
	}
	return s.Health
}

// release lets an integration that had been stopped be claimed at once.
func release(ctx context.Context, tx bun.Tx, id uuid.UUID, s checkState, health Health) error {
	if err := askAgain(ctx, tx, id); err != nil {
		return err
	}
	if s.Polled || !s.IsActive {
		return nil
	}
	// Failures of the time before count only when they still tell something.
	_, err := tx.NewRaw(`UPDATE sync_state SET claimable_at = now(), wait_reason = ?, failures = CASE WHEN ? THEN failures ELSE 0 END
WHERE integration_id = ? AND claimable_at = 'infinity'`, waitCheckPassed, health == HealthFailing, id).Exec(ctx)
	return err
}

// askAgain makes the next cycle ask for optional resources that were missing.
func askAgain(ctx context.Context, tx bun.Tx, id uuid.UUID) error {
	_, err := tx.NewRaw(`UPDATE sync_streams SET ask_again_at = NULL WHERE integration_id = ? AND ask_again_at IS NOT NULL`, id).Exec(ctx)
	return err
}

// encodeCheckError gives the column's value; nil is SQL null.
func encodeCheckError(o CheckOutcome) (*string, error) {
	if o.OK || o.Err == nil {
		return nil, nil //nolint:nilnil // null is the encoding of no error
	}
	failure := *o.Err
	if failure.At.IsZero() {
		failure.At = time.Now()
	}
	failure.At = failure.At.UTC().Truncate(time.Microsecond)
	text, err := json.Marshal(failure)
	if err != nil {
		return nil, err
	}
	s := string(text)
	return &s, nil
}
