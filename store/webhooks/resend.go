package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"

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
	Queued int // deliveries
	// Last is the number of the last one that was selected, or 0 if there is none.
	Last int64
	// IsPartial says that there may be more to send, from the number after the last one.
	IsPartial bool
}

// isResendable is the condition on a delivery d, with its endpoint's state s, that it can be sent again:
// with those that succeeded, if the parameter is true.
const isResendable = `(d.status IN ('failed', 'skipped') OR ` + givenUp + ` OR ?1 AND d.status = 'succeeded') AND d.attempts < ?2`

// RetryDeliveries requests an attempt now at the selected deliveries, in the order of their numbers, as
// RetryDelivery does. It leaves those whose payload has been deleted, or that have had the maximum of
// attempts. It returns ErrNotFound if the organization has no such endpoint, or ErrEndpointDisabled.
func RetryDeliveries(ctx context.Context, db *store.DB, c store.Change, endpointID uuid.UUID, which Resending) (r Resent, err error) {
	defer store.WrapError(&err, "retry deliveries of webhook endpoint %s", endpointID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (r Resent, err error) {
		e, err := selectEndpoint(ctx, tx, c.OrganizationID, endpointID)
		if err != nil {
			return r, err
		}
		if !e.IsActive {
			return r, ErrEndpointDisabled
		}
		// An endpoint may have a million deliveries to choose from, and every change with an event for it
		// waits for its state: that is locked only once they are chosen.
		var chosen []struct {
			ID       uuid.UUID `bun:"id"`
			Sequence int64     `bun:"sequence"`
		}
		err = tx.NewRaw(`SELECT d.id, d.sequence FROM webhook_deliveries AS d JOIN webhook_states AS s ON s.endpoint_id = d.endpoint_id JOIN webhook_events AS v ON v.id = d.event_id
WHERE d.endpoint_id = ?0 AND `+isResendable+` AND (?3::timestamptz IS NULL OR d.created_at >= ?3) AND (?4::timestamptz IS NULL OR d.created_at < ?4)
    AND d.sequence >= ?5 AND v.data IS NOT NULL
ORDER BY d.sequence LIMIT ?6`,
			endpointID, which.Delivered, MaxAttempts, which.Since, which.Until, which.FromSequence, MaxResent).Scan(ctx, &chosen)
		if err != nil {
			return r, err
		}
		var active bool
		if err := tx.NewRaw(`SELECT is_active FROM webhook_states WHERE endpoint_id = ? FOR NO KEY UPDATE`, endpointID).Scan(ctx, &active); err != nil {
			return r, err
		}
		if !active {
			return r, ErrEndpointDisabled
		}
		if len(chosen) == 0 {
			return r, nil
		}
		ids := make([]uuid.UUID, len(chosen))
		for n, d := range chosen {
			ids[n], r.Last = d.ID, d.Sequence
		}
		r.IsPartial = len(chosen) == MaxResent
		// All of them are due at the same moment, so that their numbers decide the order.
		result, err := tx.NewRaw(`UPDATE webhook_deliveries AS d SET scheduled = CASE WHEN d.status = 'skipped' OR `+givenUp+` THEN 0 ELSE ?3 END,
    status = 'pending', trigger = ?4, next_attempt_at = statement_timestamp(), era = s.era
FROM webhook_states AS s WHERE d.id = ANY (?0::uuid[]) AND s.endpoint_id = d.endpoint_id AND `+isResendable,
			store.Array(ids), which.Delivered, MaxAttempts, ScheduledAttempts, TriggerByHand).Exec(ctx)
		if err != nil {
			return r, err
		}
		if r.Queued = int(store.CountAffected(result)); r.Queued == 0 {
			return r, nil
		}
		tx.Audit(action.WebhookRetried, endpointID, nil, store.AuditFields{"deliveries": r.Queued})
		return r, wakeEndpoint(ctx, tx, endpointID)
	})
}
