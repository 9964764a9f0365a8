package store

import "context"

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
