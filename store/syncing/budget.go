package syncing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// How the gap between an integration's requests follows its platform's answers
// (the same as in connectors/fetch, where the budget is one process's own).
const (
	// widestGap bounds how far throttling spreads requests.
	widestGap = 10 * time.Second
	// easeWithin is how long good answers take to bring the widest gap back to
	// that of the budget, however few they are: less than a minute.
	easeWithin = 40 * time.Second
	// easePause is how much time between two good answers counts at most: a quiet
	// spell says nothing about the platform.
	easePause = 20 * time.Second
)

// ReserveSlots takes n consecutive request slots of an integration, which are
// at least base apart, for the calling process. It answers in how long the
// first slot begins and how far apart they are. throttled doubles the gap in
// force, up to ten seconds. Success narrows it, down to base: by half with each
// ten answers, and also with the time in which they come, because ten answers
// that are ten seconds apart would take too long.
func ReserveSlots(ctx context.Context, db *store.DB, integrationID uuid.UUID, n int, base time.Duration, throttled bool, succeeded int) (delay, gap time.Duration, err error) {
	widest := max(widestGap, base)
	err = db.Pool.QueryRow(ctx, `INSERT INTO request_budgets AS b (integration_id, next_slot_at, gap)
VALUES ($1, clock_timestamp() + $2 * $3::interval, $3::interval)
ON CONFLICT (integration_id) DO UPDATE SET (gap, next_slot_at, good_at) = (
    SELECT x.gap, greatest(b.next_slot_at, x.at) + $2 * x.gap, CASE WHEN $4 THEN NULL WHEN $5 > 0 THEN x.at ELSE b.good_at END
    FROM (SELECT clock_timestamp() AS at, greatest($3::interval, least($6::interval, CASE
        WHEN $4::boolean THEN 2 * b.gap
        WHEN $5::float8 > 0 THEN b.gap * power(0.5::float8, $5 / 10) * power($7::float8, extract(epoch FROM least(coalesce(clock_timestamp() - b.good_at, interval '0'), $8::interval))::float8 / $9::float8)
        ELSE b.gap END)) AS gap) AS x)
RETURNING next_slot_at - $2 * gap - clock_timestamp(), gap`,
		store.Prepared(db, integrationID, float64(n), base, throttled, float64(succeeded), widest, base.Seconds()/widest.Seconds(), easePause, easeWithin.Seconds())...).Scan(&delay, &gap)
	if err != nil {
		return 0, 0, fmt.Errorf("reserve request slots of integration %s: %w", integrationID, err)
	}
	return max(delay, 0), gap, nil
}

// ReadWidenedGap is how far apart requests to an integration's platform will be after
// one more answer of 429; 0 when none was sent yet. The store does not know of that
// answer until the next slot is reserved.
func ReadWidenedGap(ctx context.Context, db *store.DB, integrationID uuid.UUID) (gap time.Duration, err error) {
	defer store.WrapError(&err, "read request gap of integration %s", integrationID)
	err = db.Pool.QueryRow(ctx, `SELECT greatest(b.gap, least(2 * b.gap, $2::interval)) FROM request_budgets AS b WHERE b.integration_id = $1`, integrationID, widestGap).Scan(&gap)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return gap, err
}
