package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
)

// ClaimHousekeeping takes a housekeeping job for the caller when it is due, and
// makes it due again after period. It reports whether the job is the caller's.
func (db *DB) ClaimHousekeeping(ctx context.Context, job, owner string, period time.Duration) (mine bool, err error) {
	tag, err := db.Pool.Exec(ctx, `INSERT INTO housekeeping AS h (job, due_at, owner) VALUES ($1, now() + $3::interval, $2)
ON CONFLICT (job) DO UPDATE SET due_at = now() + $3::interval, owner = $2 WHERE h.due_at <= now()`, job, owner, period)
	if err != nil {
		return false, fmt.Errorf("claim housekeeping job %s: %w", job, err)
	}
	return tag.RowsAffected() == 1, nil
}

// PruneBatch bounds the rows that one statement changes, so that no statement
// runs long.
const PruneBatch = 5000

// ExecInBatches runs a statement until it changes fewer rows than it is allowed to,
// which is its last parameter, and returns how many it has changed.
func (db *DB) ExecInBatches(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	args = append(args, PruneBatch)
	for batch := int64(PruneBatch); batch == PruneBatch; changed += batch {
		tag, err := db.Pool.Exec(ctx, statement, args...)
		if err != nil {
			return changed, err
		}
		batch = tag.RowsAffected()
	}
	return changed, nil
}

// PruneHistory deletes ended runs, transitions, audits and quarantined records
// that are older than kept, in batches, and returns how many rows went. An
// integration keeps its newest twenty transitions and its newest audit whatever
// their age, and the runs that further ones without changes will be added to.
func (db *DB) PruneHistory(ctx context.Context, kept time.Duration) (deleted int64, err error) {
	defer WrapError(&err, "prune history")
	for _, statement := range []string{
		`WITH gone AS (
    DELETE FROM sync_runs WHERE id IN (SELECT r.id FROM sync_runs r WHERE r.finished_at < now() - $1::interval
        AND NOT EXISTS (SELECT FROM sync_streams s WHERE s.integration_id = r.integration_id AND s.last_run_id = r.id) LIMIT $2)
    RETURNING 1
) SELECT count(*) FROM gone`,
		`WITH gone AS (
    DELETE FROM integration_transitions WHERE id IN (SELECT t.id FROM integration_transitions t WHERE t.at < now() - $1::interval
        AND EXISTS (SELECT FROM integration_transitions n WHERE n.integration_id = t.integration_id AND n.id > t.id ORDER BY n.id OFFSET 19 LIMIT 1) LIMIT $2)
    RETURNING 1
) SELECT count(*) FROM gone`,
		`WITH gone AS (
    DELETE FROM sync_audits WHERE id IN (SELECT a.id FROM sync_audits a WHERE a.finished_at < now() - $1::interval
        AND EXISTS (SELECT FROM sync_audits n WHERE n.integration_id = a.integration_id AND n.finished_at IS NOT NULL AND n.requested_at > a.requested_at) LIMIT $2)
    RETURNING 1
) SELECT count(*) FROM gone`,
		`WITH gone AS (
    DELETE FROM quarantine WHERE (integration_id, resource, key) IN
        (SELECT integration_id, resource, key FROM quarantine WHERE last_seen_at < now() - $1::interval LIMIT $2)
    RETURNING integration_id
), counted AS (
    UPDATE sync_state s SET quarantined = greatest(0, s.quarantined - g.n)
    FROM (SELECT integration_id, count(*) AS n FROM gone GROUP BY 1) g WHERE s.integration_id = g.integration_id
) SELECT count(*) FROM gone`,
	} {
		for batch := int64(PruneBatch); batch == PruneBatch; deleted += batch {
			if err := db.Pool.QueryRow(ctx, statement, kept, PruneBatch).Scan(&batch); err != nil {
				return deleted, err
			}
		}
	}
	return deleted, nil
}

// Survey counts the integrations of one kind and health.
type Survey struct {
	Kind   record.Kind
	Health Health
	Count  int64
	// Median and P99 are quantiles of the time since the last success, over
	// the kind's polled integrations that have had one; 0 when there is none.
	Median, P99 time.Duration
	// Polled counts the kind's integrations that are polled, which those that the
	// platform refuses are not; Stale those of them whose data is older than two
	// intervals, or that have had none for that long since they were made.
	Polled, Stale int64
}

// Surveys is the result of SurveyIntegrations.
type Surveys []Survey

// Ages picks one entry of each kind, for its quantiles.
func (s Surveys) Ages() Surveys {
	var ages Surveys
	for _, e := range s {
		if len(ages) == 0 || ages[len(ages)-1].Kind != e.Kind {
			ages = append(ages, e)
		}
	}
	return ages
}

// SurveyIntegrations counts the integrations by kind and health, ordered by
// kind.
func (db *DB) SurveyIntegrations(ctx context.Context) (surveys Surveys, err error) {
	defer WrapError(&err, "survey integrations")
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

// Completeness is what the last complete audits say of one resource, over all
// polled integrations of a kind.
type Completeness struct {
	Kind         record.Kind
	Resource     record.Resource
	Lowest, Mean float64 // 0 to 1
}

// SurveyCompleteness reads what the last audits have found.
func (db *DB) SurveyCompleteness(ctx context.Context) (list []Completeness, err error) {
	defer WrapError(&err, "survey completeness")
	rows, err := db.Pool.Query(ctx, `SELECT s.kind, c.resource, min(c.ratio), avg(c.ratio) FROM sync_completeness c
JOIN sync_state s ON s.integration_id = c.integration_id WHERE s.claimable_at < 'infinity' GROUP BY s.kind, c.resource ORDER BY s.kind, c.resource`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c Completeness, err error) {
		return c, row.Scan(&c.Kind, &c.Resource, &c.Lowest, &c.Mean)
	})
}
