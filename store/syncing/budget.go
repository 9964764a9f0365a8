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

// How the gap between an integration's requests follows its platform's responses: as in
// connectors/fetch, where the budget belongs to one process. A test of internal/boot compares them.
const (
	// widestGap is the widest gap that throttling causes between requests.
	widestGap = 10 * time.Second
	// easeWithin is how long good responses take to narrow the widest gap to that of the budget,
	// regardless of their number: less than a minute.
	easeWithin = 40 * time.Second
	// easePause is the most time between two good responses that counts, because a quiet period
	// says nothing about the platform.
	easePause = 20 * time.Second
)

// ReserveSlots reserves n consecutive request slots of an integration, at least base apart, for the
// calling process. It returns how soon the first slot begins and how far apart they are. throttled
// doubles the current gap, up to ten seconds. Success narrows it, down to base: by half with each
// ten responses, and also with the time over which they come, because ten responses that are ten
// seconds apart would take too long.
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

// ReadWidenedGap returns how far apart requests to an integration's platform will be after one more
// 429 response, or 0 if no request was sent yet. The store learns of that response only when the
// next slot is reserved.
func ReadWidenedGap(ctx context.Context, db *store.DB, integrationID uuid.UUID) (gap time.Duration, err error) {
	defer store.WrapError(&err, "read request gap of integration %s", integrationID)
	err = db.Pool.QueryRow(ctx, `SELECT greatest(b.gap, least(2 * b.gap, $2::interval)) FROM request_budgets AS b WHERE b.integration_id = $1`, store.Prepared(db, integrationID, widestGap)...).Scan(&gap)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return gap, err
}
