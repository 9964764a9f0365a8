package webhooks

import (
	"context"
	"time"

	"github.com/assayhq/assay/store"
)

// How long the history of deliveries is kept.
const (
	payloadsKept   = 30 * 24 * time.Hour // payloads and responses
	deliveriesKept = 90 * 24 * time.Hour // the deliveries themselves
)

// Prune deletes payloads and responses after 30 days, and deliveries, attempts, events and deleted
// endpoints after 90, in batches. It returns how many rows it has changed.
func Prune(ctx context.Context, db *store.DB) (changed int64, err error) {
	defer store.WrapError(&err, "prune webhooks")
	var now time.Time
	if err := db.Bun.NewRaw(`SELECT now()`).Scan(ctx, &now); err != nil {
		return 0, err
	}
	bodies, rows := now.Add(-payloadsKept), store.OldestID(now.Add(-deliveriesKept))
	for _, s := range []struct {
		statement string
		bound     any
	}{
		{`UPDATE webhook_events SET data = NULL WHERE id IN (SELECT id FROM webhook_events WHERE data IS NOT NULL AND occurred_at < $1 ORDER BY occurred_at LIMIT $2)`, bodies},
		{`UPDATE webhook_attempts SET response_body = NULL WHERE (delivery_id, number) IN
    (SELECT delivery_id, number FROM webhook_attempts WHERE response_body IS NOT NULL AND started_at < $1 ORDER BY started_at LIMIT $2)`, bodies},
		{`DELETE FROM webhook_attempts WHERE (delivery_id, number) IN (SELECT delivery_id, number FROM webhook_attempts WHERE delivery_id < $1 ORDER BY delivery_id LIMIT $2)`, rows},
		{`DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE id < $1 ORDER BY id LIMIT $2)`, rows},
		{`DELETE FROM webhook_events WHERE id IN (SELECT id FROM webhook_events WHERE id < $1 ORDER BY id LIMIT $2)`, rows},
		{`DELETE FROM webhook_endpoints WHERE id IN (SELECT id FROM webhook_endpoints WHERE deleted_at < $1 LIMIT $2)`, now.Add(-deliveriesKept)},
	} {
		n, err := db.ExecInBatches(ctx, s.statement, s.bound)
		if changed += n; err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// countDueSQL counts due deliveries. It reads only those, by the index of pending ones: an endpoint
// that fails or is paused may have millions that wait.
const countDueSQL = `SELECT coalesce(sum(due.n), 0)::bigint FROM webhook_states AS s CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM webhook_deliveries AS d WHERE d.endpoint_id = s.endpoint_id AND d.era = s.era AND d.status = 'pending' AND d.next_attempt_at <= now()
) AS due WHERE s.job_at <= now() AND NOT ` + hindered + ` AND (s.held_until IS NULL OR s.held_until <= now())`

// CountDueDeliveries counts the due deliveries of all organizations. Those of endpoints that fail or
// are slow are left out, because they wait for their receivers.
func CountDueDeliveries(ctx context.Context, db *store.DB) (n int64, err error) {
	defer store.WrapError(&err, "count due deliveries")
	err = db.Bun.NewRaw(countDueSQL).Scan(ctx, &n)
	return n, err
}
