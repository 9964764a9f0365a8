package integrations

import (
	"context"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// Survey counts the integrations of one kind and health.
type Survey struct {
	Kind   record.Kind    `bun:"kind"`
	Health syncing.Health `bun:"health_status"`
	Count  int64          `bun:"count"`
	// Median and P99 are quantiles of the time since the last success, over the kind's polled
	// integrations with one. They are 0 if there is none.
	Median time.Duration `bun:"median"`
	P99    time.Duration `bun:"p99"`
	// Polled counts the kind's polled integrations, without those that the platform refuses. Stale
	// counts those of them whose data is older than two intervals, or that have had none for that
	// long since their creation.
	Polled int64 `bun:"polled"`
	Stale  int64 `bun:"stale"`
}

// Surveys is the result of ReadSurveys.
type Surveys []Survey

// Ages returns one entry of each kind, for its quantiles.
func (s Surveys) Ages() Surveys {
	var ages Surveys
	for _, e := range s {
		if len(ages) == 0 || ages[len(ages)-1].Kind != e.Kind {
			ages = append(ages, e)
		}
	}
	return ages
}

// ReadSurveys counts the integrations by kind and health, ordered by
// kind.
func ReadSurveys(ctx context.Context, db *store.DB) (surveys Surveys, err error) {
	defer store.WrapError(&err, "survey integrations")
	err = db.Bun.NewRaw(`WITH ages AS (
    SELECT s.kind, count(*) AS polled,
        count(*) FILTER (WHERE coalesce(s.last_success_at, i.created_at) < now() - 2 * s.period_ms * interval '1 ms') AS stale,
        percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY extract(epoch FROM now() - s.last_success_at)) AS q
    FROM sync_state s JOIN integrations i ON i.id = s.integration_id WHERE s.claimable_at < 'infinity' GROUP BY s.kind
)
SELECT i.kind, i.health_status, count(*), (coalesce(max(a.q[1]), 0) * 1e9)::bigint AS median, (coalesce(max(a.q[2]), 0) * 1e9)::bigint AS p99,
    coalesce(max(a.polled), 0) AS polled, coalesce(max(a.stale), 0) AS stale
FROM integrations i LEFT JOIN ages a ON a.kind = i.kind
WHERE i.deleted_at IS NULL GROUP BY i.kind, i.health_status ORDER BY i.kind, i.health_status`).Scan(ctx, &surveys)
	return surveys, err
}

// Completeness is the result of the last complete audits for one resource, over all polled
// integrations of a kind.
type Completeness struct {
	Kind     record.Kind     `bun:"kind"`
	Resource record.Resource `bun:"resource"`
	Lowest   float64         `bun:"lowest"` // 0 to 1
	Mean     float64         `bun:"mean"`   // 0 to 1
}

// ReadCompleteness reads the results of the last audits.
func ReadCompleteness(ctx context.Context, db *store.DB) (list []Completeness, err error) {
	defer store.WrapError(&err, "survey completeness")
	err = db.Bun.NewRaw(`SELECT s.kind, c.resource, min(c.ratio) AS lowest, avg(c.ratio) AS mean FROM sync_completeness c
JOIN sync_state s ON s.integration_id = c.integration_id WHERE s.claimable_at < 'infinity' GROUP BY s.kind, c.resource ORDER BY s.kind, c.resource`).Scan(ctx, &list)
	return list, err
}
