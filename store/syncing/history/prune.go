package history

import (
	"context"
	"time"

	"github.com/assayhq/assay/store"
)

// Ids are ordered by time, and what has ended long ago was created before that. Neither runs nor
// audits have an index on the time of their end: the newest run is written again with every poll,
// and an index would double that.
const (
	pruneRunsSQL = `DELETE FROM sync_runs WHERE id = ANY (ARRAY(SELECT r.id FROM sync_runs r WHERE r.id < $1 AND r.finished_at < $2
    AND NOT EXISTS (SELECT FROM sync_streams s WHERE s.integration_id = r.integration_id AND s.last_run_id = r.id) ORDER BY r.id LIMIT $3))`
	pruneAuditsSQL = `DELETE FROM sync_audits WHERE id = ANY (ARRAY(SELECT a.id FROM sync_audits a WHERE a.id < $1 AND a.finished_at < $2
    AND EXISTS (SELECT FROM sync_audits n WHERE n.integration_id = a.integration_id AND n.finished_at IS NOT NULL AND n.requested_at > a.requested_at) ORDER BY a.id LIMIT $3))`
	pruneTransitionsSQL = `DELETE FROM integration_transitions WHERE id = ANY (ARRAY(SELECT t.id FROM integration_transitions t WHERE t.at < $1
    AND EXISTS (SELECT FROM integration_transitions n WHERE n.integration_id = t.integration_id AND n.id > t.id ORDER BY n.id OFFSET 19 LIMIT 1) LIMIT $2))`
	// The rows that it returns are counted.
	pruneQuarantineSQL = `WITH gone AS (
    DELETE FROM quarantine WHERE (integration_id, resource, key) IN (SELECT integration_id, resource, key FROM quarantine WHERE last_seen_at < $1 LIMIT $2)
    RETURNING integration_id
), counted AS (
    UPDATE sync_state s SET quarantined = greatest(0, s.quarantined - g.n)
    FROM (SELECT integration_id, count(*) AS n FROM gone GROUP BY 1) g WHERE s.integration_id = g.integration_id
) SELECT FROM gone`
)

// Prune deletes ended runs, transitions, audits and quarantined records that are older than
// kept, in batches, and returns how many rows it deleted. An integration keeps its newest twenty
// transitions and its newest audit regardless of their age, and the runs to which further ones
// without changes will be added.
func Prune(ctx context.Context, db *store.DB, kept time.Duration) (deleted int64, err error) {
	defer store.WrapError(&err, "prune history")
	var now time.Time
	if err := db.Bun.NewRaw(`SELECT now()`).Scan(ctx, &now); err != nil {
		return 0, err
	}
	before := now.Add(-kept)
	for _, s := range []struct {
		statement string
		args      []any
	}{
		{pruneRunsSQL, []any{store.OldestID(before), before}},
		{pruneTransitionsSQL, []any{before}},
		{pruneAuditsSQL, []any{store.OldestID(before), before}},
		{pruneQuarantineSQL, []any{before}},
	} {
		n, err := db.ExecInBatches(ctx, s.statement, s.args...)
		if deleted += n; err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}
