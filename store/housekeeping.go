package store

import (
	"context"
	"fmt"
	"time"
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
