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
	if err := db.Pool.QueryRow(ctx, `SELECT now()`).Scan(&now); err != nil {
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

// CountDueDeliveries counts the due deliveries of all organizations. Deliveries to an endpoint that
// was deleted or switched off are not due.
func CountDueDeliveries(ctx context.Context, db *store.DB) (n int64, err error) {
	defer store.WrapError(&err, "count due deliveries")
	err = db.Pool.QueryRow(ctx, `SELECT count(*) FROM webhook_states AS s JOIN webhook_deliveries AS d ON d.endpoint_id = s.endpoint_id
WHERE d.status = 'pending' AND NOT (`+givenUp+`) AND `+dueAt+` <= now()`).Scan(&n)
	return n, err
}
