package store

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store/event"
)

// How long the history of deliveries is kept.
const (
	payloadsKept   = 30 * 24 * time.Hour // what was sent and answered
	deliveriesKept = 90 * 24 * time.Hour // that it was
)

// oldestID is the least time-ordered id that can have been made at the time.
func oldestID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:], uint64(max(at.UnixMilli(), 0))<<16)
	return id
}

// PruneWebhooks forgets payloads and answers after 30 days, and deliveries,
// attempts, events and deleted endpoints after 90, in batches. It returns how
// many rows it has changed.
func (db *DB) PruneWebhooks(ctx context.Context) (changed int64, err error) {
	defer WrapError(&err, "prune webhooks")
	var now time.Time
	if err := db.Pool.QueryRow(ctx, `SELECT now()`).Scan(&now); err != nil {
		return 0, err
	}
	bodies, rows := now.Add(-payloadsKept), oldestID(now.Add(-deliveriesKept))
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
		n, err := db.inBatches(ctx, s.statement, s.bound)
		if changed += n; err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// expiringWithin is how long before its end a key's expiry is told of.
const expiringWithin = 7 * 24 * time.Hour

// TellExpiringKeys tells of API keys that expire within seven days, of each
// once, and returns of how many.
func (db *DB) TellExpiringKeys(ctx context.Context) (told int, err error) {
	defer WrapError(&err, "tell of expiring API keys")
	rows, err := db.Pool.Query(ctx, `SELECT DISTINCT organization_id FROM api_keys
WHERE NOT expiring_told AND revoked_at IS NULL AND expires_at BETWEEN now() AND now() + $1::interval`, expiringWithin)
	if err != nil {
		return 0, err
	}
	organizations, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return 0, err
	}
	for _, orgID := range organizations {
		n, err := db.tellExpiringOf(ctx, orgID)
		if err != nil {
			return told, err
		}
		told += n
	}
	return told, nil
}

func (db *DB) tellExpiringOf(ctx context.Context, orgID uuid.UUID) (told int, err error) {
	err = pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `UPDATE api_keys SET expiring_told = true
WHERE organization_id = $1 AND NOT expiring_told AND revoked_at IS NULL AND expires_at BETWEEN now() AND now() + $2::interval
RETURNING id, name, expires_at`, orgID, expiringWithin)
		if err != nil {
			return err
		}
		events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (event.Event, error) {
			k := event.APIKey{Path: apiKeysPath}
			err := row.Scan(&k.APIKeyID, &k.Name, &k.ExpiresAt)
			return event.Event{Kind: event.APIKeyExpiring, Data: k}, err
		})
		if err != nil {
			return err
		}
		told = len(events)
		return db.post(ctx, tx, orgID, uuid.Nil, events)
	})
	return told, err
}

// QueueState is how much waits in a queue.
type QueueState struct {
	Queue   string
	Backlog int64         // jobs that are due
	Oldest  time.Duration // since the oldest of them has been due
}

// SurveyQueues looks at the job queues that hold anything that is due, and counts
// the deliveries that are: nothing waits for an endpoint that was deleted or
// switched off.
func (db *DB) SurveyQueues(ctx context.Context) (queues []QueueState, deliveries int64, err error) {
	defer WrapError(&err, "survey queues")
	rows, err := db.Pool.Query(ctx, `SELECT queue, count(*), extract(epoch FROM now() - min(scheduled_at))::float8
FROM river_job WHERE state = 'available' AND scheduled_at <= now() GROUP BY queue ORDER BY queue`)
	if err != nil {
		return nil, 0, err
	}
	queues, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (q QueueState, err error) {
		var oldest float64
		err = row.Scan(&q.Queue, &q.Backlog, &oldest)
		q.Oldest = time.Duration(oldest * float64(time.Second))
		return q, err
	})
	if err != nil {
		return nil, 0, err
	}
	err = db.Pool.QueryRow(ctx, `SELECT count(*) FROM webhook_states AS s JOIN webhook_deliveries AS d ON d.endpoint_id = s.endpoint_id
WHERE d.status = 'pending' AND NOT (`+givenUp+`) AND `+dueAt+` <= now()`).Scan(&deliveries)
	return queues, deliveries, err
}
