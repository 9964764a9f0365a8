package history

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// CheckCycle reports whether an integration has no cycle under way, and otherwise how long the
// current one still waits before it continues.
func CheckCycle(ctx context.Context, db *store.DB, integrationID uuid.UUID) (over bool, wait time.Duration, err error) {
	defer store.WrapError(&err, "look at cycle of integration %s", integrationID)
	var seconds float64
	err = db.Bun.NewRaw(`SELECT cycle_id IS NULL OR claimable_at = 'infinity',
    CASE WHEN claimable_at < 'infinity' THEN greatest(extract(epoch FROM claimable_at - now()), 0)::float8 ELSE 0 END
FROM sync_state WHERE integration_id = ?`, integrationID).Scan(ctx, &over, &seconds)
	return over, time.Duration(seconds * float64(time.Second)), err
}

// ListCycle returns the runs of a cycle in the order in which they began. It needs no
// organization, because it serves the operator's command line.
func ListCycle(ctx context.Context, db *store.DB, integrationID, cycleID uuid.UUID) (runs []Run, err error) {
	defer store.WrapError(&err, "read runs of integration %s", integrationID)
	err = db.Bun.NewRaw(`SELECT `+runListColumns+` FROM sync_runs WHERE integration_id = ? AND cycle_id = ? ORDER BY started_at, id`,
		integrationID, cycleID).Scan(ctx, &runs)
	return runs, err
}
