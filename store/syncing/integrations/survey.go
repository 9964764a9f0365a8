package integrations

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// Survey counts the integrations of one kind and health.
type Survey struct {
	Kind   record.Kind
	Health syncing.Health
	Count  int64
	// Median and P99 are quantiles of the time since the last success, over the kind's polled
	// integrations with one. They are 0 if there is none.
	Median, P99 time.Duration
	// Polled counts the kind's polled integrations, without those that the platform refuses. Stale
	// counts those of them whose data is older than two intervals, or that have had none for that
	// long since their creation.
	Polled, Stale int64
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
	rows, err := db.Pool.Query(ctx, `WITH ages AS (
    SELECT s.kind, count(*) AS polled,
        count(*) FILTER (WHERE coalesce(s.last_success_at, i.created_at) < now() - 2 * s.period_ms * interval '1 ms') AS stale,
        percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY extract(epoch FROM now() - s.last_success_at)) AS q
    FROM sync_state s JOIN integrations i ON i.id = s.integration_id WHERE s.claimable_at < 'infinity' GROUP BY s.kind
)
SELECT i.kind, i.health_status, count(*), coalesce(max(a.q[1]), 0)::float8, coalesce(max(a.q[2]), 0)::float8,
    coalesce(max(a.polled), 0), coalesce(max(a.stale), 0)
FROM integrations i LEFT JOIN ages a ON a.kind = i.kind
WHERE i.deleted_at IS NULL GROUP BY i.kind, i.health_status ORDER BY i.kind, i.health_status`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Survey, error) {
		var (
			s           Survey
			median, p99 float64
		)
		err := row.Scan(&s.Kind, &s.Health, &s.Count, &median, &p99, &s.Polled, &s.Stale)
		s.Median, s.P99 = time.Duration(median*float64(time.Second)), time.Duration(p99*float64(time.Second))
		return s, err
	})
}

// Completeness is the result of the last complete audits for one resource, over all polled
// integrations of a kind.
type Completeness struct {
	Kind         record.Kind
	Resource     record.Resource
	Lowest, Mean float64 // 0 to 1
}

// ReadCompleteness reads the results of the last audits.
func ReadCompleteness(ctx context.Context, db *store.DB) (list []Completeness, err error) {
	defer store.WrapError(&err, "survey completeness")
	rows, err := db.Pool.Query(ctx, `SELECT s.kind, c.resource, min(c.ratio), avg(c.ratio) FROM sync_completeness c
JOIN sync_state s ON s.integration_id = c.integration_id WHERE s.claimable_at < 'infinity' GROUP BY s.kind, c.resource ORDER BY s.kind, c.resource`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c Completeness, err error) {
		return c, row.Scan(&c.Kind, &c.Resource, &c.Lowest, &c.Mean)
	})
}
