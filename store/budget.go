package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// widestGap bounds how far throttling spreads an integration's requests.
const widestGap = 10 * time.Second

// ReserveSlots takes n consecutive request slots of an integration, which are
// at least base apart, for the calling process. It answers in how long the
// first slot begins and how far apart they are. throttled doubles the gap in
// force; every twenty successes narrow it by a tenth, down to base.
func (db *DB) ReserveSlots(ctx context.Context, integrationID uuid.UUID, n int, base time.Duration, throttled bool, succeeded int) (delay, gap time.Duration, err error) {
	const narrow = 0.9 // per twenty successes
	err = db.pool.QueryRow(ctx, `INSERT INTO request_budgets AS b (integration_id, next_slot_at, gap)
VALUES ($1, clock_timestamp() + $2 * $3::interval, $3::interval)
ON CONFLICT (integration_id) DO UPDATE SET
    gap = greatest($3::interval, least($6::interval, CASE WHEN $4 THEN 2 * b.gap ELSE b.gap * power($7::float8, $5 / 20.0) END)),
    next_slot_at = greatest(b.next_slot_at, clock_timestamp())
        + $2 * greatest($3::interval, least($6::interval, CASE WHEN $4 THEN 2 * b.gap ELSE b.gap * power($7::float8, $5 / 20.0) END))
RETURNING next_slot_at - $2 * gap - clock_timestamp(), gap`,
		hot(db, integrationID, float64(n), base, throttled, float64(succeeded), max(widestGap, base), narrow)...).Scan(&delay, &gap)
	if err != nil {
		return 0, 0, fmt.Errorf("reserve request slots of integration %s: %w", integrationID, err)
	}
	return max(delay, 0), gap, nil
}
