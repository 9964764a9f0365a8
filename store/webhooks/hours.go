package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// ShownHours is how many hours of an endpoint's health are counted: a week.
const ShownHours = 7 * 24

// countedDeliveries is how old deliveries may be whose attempts are counted. It is longer than the
// shown hours and the time in which all scheduled attempts are made together, so only retries by
// hand of older ones are left out, and what has waited for longer because somebody had paused the
// endpoint.
const countedDeliveries = 11 * 24 * time.Hour

// Hour is what happened at an endpoint within an hour.
type Hour struct {
	StartsAt     time.Time `bun:"starts_at"`
	Delivered    int       `bun:"delivered"` // attempts that succeeded
	Failed       int       `bun:"failed"`    // attempts that did not
	P95LatencyMS *int64    `bun:"p95"`       // 95% of the attempts took at most as long; nil if there was none
}

// CountHours counts the endpoint's attempts in each of the last hours, the oldest first, including
// the present one and those without any. It returns ErrNotFound like ReadEndpoint.
func CountHours(ctx context.Context, reader store.Reader, orgID, endpointID uuid.UUID) (hours []Hour, err error) {
	defer store.WrapError(&err, "count attempts at webhook endpoint %s", endpointID)
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		hours = []Hour{}
		if _, err := selectEndpoint(ctx, tx, orgID, endpointID); err != nil {
			return err
		}
		return tx.NewRaw(`WITH counted AS (
    SELECT date_trunc('hour', a.started_at, 'UTC') AS starts_at, count(*) FILTER (WHERE a.error_code IS NULL) AS delivered,
        count(*) FILTER (WHERE a.error_code IS NOT NULL) AS failed, percentile_disc(0.95) WITHIN GROUP (ORDER BY a.latency_ms) AS p95
    FROM webhook_deliveries AS d JOIN webhook_attempts AS a ON a.delivery_id = d.id
    WHERE d.endpoint_id = ?0 AND d.created_at >= now() - ?1::interval AND a.started_at >= date_trunc('hour', now(), 'UTC') - make_interval(hours => ?2 - 1)
    GROUP BY 1
)
SELECT h.starts_at, coalesce(c.delivered, 0) AS delivered, coalesce(c.failed, 0) AS failed, c.p95
FROM generate_series(date_trunc('hour', now(), 'UTC') - make_interval(hours => ?2 - 1), date_trunc('hour', now(), 'UTC'), interval '1 hour') AS h(starts_at)
    LEFT JOIN counted AS c USING (starts_at) ORDER BY h.starts_at`, endpointID, store.IntervalText(countedDeliveries), ShownHours).Scan(ctx, &hours)
	})
	return hours, err
}

// CountWaiting returns how many deliveries of the endpoint wait for an attempt, due or not.
func CountWaiting(ctx context.Context, reader store.Reader, orgID, endpointID uuid.UUID) (waiting int, err error) {
	defer store.WrapError(&err, "count waiting deliveries of webhook endpoint %s", endpointID)
	err = reader.Read(ctx, orgID, func(ctx context.Context, in bun.IDB) error {
		return in.NewRaw(`SELECT count(*) FROM webhook_deliveries AS d JOIN webhook_states AS s ON s.endpoint_id = d.endpoint_id
WHERE d.endpoint_id = ? AND d.organization_id = ? AND d.status = 'pending' AND NOT (`+givenUp+`)`, endpointID, orgID).Scan(ctx, &waiting)
	})
	return waiting, err
}
