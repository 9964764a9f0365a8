package store

import (
	"context"
	"fmt"
	"time"
)

// EndSilent ends the sessions of the caller's kind of process whose client has been silent in the
// middle of a statement that began longer than limit ago: processes that were frozen while they
// sent or read rows. Their locks would remain held, because the server's own limits do not end a
// session that waits for its client within a COPY. limit must be longer than statements take.
// EndSilent returns how many sessions it ended.
func (db *DB) EndSilent(ctx context.Context, limit time.Duration) (ended int, err error) {
	err = db.Bun.NewRaw(`SELECT count(*) FROM (
    SELECT pg_terminate_backend(pid) AS done FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND application_name = current_setting('application_name')
        AND pid <> pg_backend_pid() AND state = 'active' AND wait_event IN ('ClientRead', 'ClientWrite') AND query_start < now() - ?::interval
) AS silent WHERE done`, IntervalText(limit)).Scan(ctx, &ended)
	if err != nil {
		return 0, fmt.Errorf("end silent sessions: %w", err)
	}
	return ended, nil
}
