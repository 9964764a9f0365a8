package store

import (
	"context"
	"fmt"
	"time"
)

// ClaimHousekeeping claims a housekeeping task if it is due, and makes it due again after period.
// It reports whether the caller has claimed it.
func (db *DB) ClaimHousekeeping(ctx context.Context, job, owner string, period time.Duration) (mine bool, err error) {
	result, err := db.Bun.NewRaw(`INSERT INTO housekeeping AS h (job, due_at, owner) VALUES (?0, now() + ?1::interval, ?2)
ON CONFLICT (job) DO UPDATE SET due_at = now() + ?1::interval, owner = ?2 WHERE h.due_at <= now()`, job, IntervalText(period), owner).Exec(ctx)
	if err != nil {
		return false, fmt.Errorf("claim housekeeping job %s: %w", job, err)
	}
	return CountAffected(result) == 1, nil
}

// PruneBatch limits the rows that one statement changes, so that no statement runs long.
const PruneBatch = 5000

// ExecInBatches repeats a statement until it changes fewer rows than its limit, which is its last
// parameter. It returns how many rows it has changed.
func (db *DB) ExecInBatches(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	args = Prepared(db, append(args, PruneBatch)...)
	for batch := int64(PruneBatch); batch == PruneBatch; changed += batch {
		tag, err := db.Pool.Exec(ctx, statement, args...)
		if err != nil {
			return changed, err
		}
		batch = tag.RowsAffected()
	}
	return changed, nil
}
