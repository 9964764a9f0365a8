package history

import (
	"context"
	"time"

	"github.com/assayhq/assay/store"
)

// Prune deletes ended runs, transitions, audits and quarantined records that are older than
// kept, in batches, and returns how many rows it deleted. An integration keeps its newest twenty
// transitions and its newest audit regardless of their age, and the runs to which further ones
// without changes will be added.
func Prune(ctx context.Context, db *store.DB, kept time.Duration) (deleted int64, err error) {
	defer store.WrapError(&err, "prune history")
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
		for batch := int64(store.PruneBatch); batch == store.PruneBatch; deleted += batch {
			if err := db.Pool.QueryRow(ctx, statement, kept, store.PruneBatch).Scan(&batch); err != nil {
				return deleted, err
			}
		}
	}
	return deleted, nil
}
