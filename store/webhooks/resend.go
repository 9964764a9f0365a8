package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// MaxResent is how many deliveries one request sends again, because their rows stay locked meanwhile.
const MaxResent = 10_000

// Resending selects the deliveries of an endpoint to send again: those that failed or were skipped.
type Resending struct {
	Since, Until *time.Time // of the delivery's creation; Until is exclusive
	FromSequence int64      // the first number; 0 means any
	Delivered    bool       // those that succeeded, too
}

// Resent is what RetryDeliveries has requested.
type Resent struct {
	Queued int `bun:"queued"` // deliveries
	// Last is the number of the last one, or 0 if there is none.
	Last int64 `bun:"last"`
}

// IsPartial reports whether there may be more to send, from the number after the last one.
func (r Resent) IsPartial() bool { return r.Queued == MaxResent }

// RetryDeliveries requests an attempt now at the selected deliveries, in the order of their numbers, as
// RetryDelivery does. It leaves those whose payload has been deleted, or that have had the maximum of
// attempts. It returns ErrNotFound if the organization has no such endpoint, or ErrEndpointDisabled.
func RetryDeliveries(ctx context.Context, db *store.DB, c store.Change, endpointID uuid.UUID, which Resending) (r Resent, err error) {
	defer store.WrapError(&err, "retry deliveries of webhook endpoint %s", endpointID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (r Resent, err error) {
		if _, err := selectEndpoint(ctx, tx, c.OrganizationID, endpointID); err != nil {
			return r, err
		}
		var active bool
		if err := tx.NewRaw(`SELECT is_active FROM webhook_states WHERE endpoint_id = ? FOR NO KEY UPDATE`, endpointID).Scan(ctx, &active); err != nil {
			return r, err
		}
		if !active {
			return r, ErrEndpointDisabled
		}
		// All of them are due at the same moment, so that their numbers decide the order.
		err = tx.NewRaw(`WITH chosen AS (
    SELECT d.id FROM webhook_deliveries AS d JOIN webhook_states AS s ON s.endpoint_id = d.endpoint_id JOIN webhook_events AS v ON v.id = d.event_id
    WHERE d.endpoint_id = ?0 AND (d.status IN ('failed', 'skipped') OR `+givenUp+` OR ?1 AND d.status = 'succeeded')
        AND (?2::timestamptz IS NULL OR d.created_at >= ?2) AND (?3::timestamptz IS NULL OR d.created_at < ?3) AND d.sequence >= ?4
        AND v.data IS NOT NULL AND d.attempts < ?5
    ORDER BY d.sequence LIMIT ?6
), queued AS (
    UPDATE webhook_deliveries AS d SET scheduled = CASE WHEN d.status = 'skipped' OR `+givenUp+` THEN 0 ELSE ?7 END,
        status = 'pending', trigger = ?8, next_attempt_at = statement_timestamp(), era = s.era
    FROM webhook_states AS s WHERE d.id IN (SELECT id FROM chosen) AND s.endpoint_id = d.endpoint_id RETURNING d.sequence
) SELECT count(*) AS queued, coalesce(max(sequence), 0) AS last FROM queued`,
			endpointID, which.Delivered, which.Since, which.Until, which.FromSequence, MaxAttempts, MaxResent, ScheduledAttempts, TriggerByHand).Scan(ctx, &r)
		if err != nil || r.Queued == 0 {
			return r, err
		}
		tx.Audit(action.WebhookRetried, endpointID, nil, store.AuditFields{"deliveries": r.Queued})
		return r, tx.View(func(tx pgx.Tx) error { return db.WakeEndpoint(ctx, tx, endpointID) })
	})
}
