package directory

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// The index over all filters is a table of its own, directory_filters, because adding to it costs
// more than everything else that is done for a new trader. A trigger on traders notes new ones in
// directory_arrivals, and MoveArrivals moves them. Other triggers make later changes in both tables
// at once.

// arrivalsBatch is how many parts of new traders one transaction moves. A part has at most 250
// traders.
const arrivalsBatch = 20

// MoveArrivals moves the traders that were added into the index over all filters, and returns how
// many. Until then, lists read them one by one. A trader whom another transaction is changing is
// left for the next time.
func MoveArrivals(ctx context.Context, db *store.DB) (moved int, err error) {
	defer store.WrapError(&err, "move new traders into the directory's index")
	for parts := arrivalsBatch; parts == arrivalsBatch; {
		err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
			due, err := takeArrivals(ctx, db, tx)
			if err != nil || len(due) == 0 {
				parts = 0
				return err
			}
			parts = len(due)
			n, err := indexArrivals(ctx, db, tx, slices.Concat(due...), parts == arrivalsBatch)
			if n == 0 {
				parts = 0 // all of them are being changed
			}
			moved += n
			return err
		})
		if err != nil {
			return moved, err
		}
	}
	return moved, nil
}

// takeArrivals removes parts of new traders from the queue. They are chosen in a query of its own, because a planner
// that takes the queue for empty would run a subquery again for each row, and take more than the limit.
func takeArrivals(ctx context.Context, db *store.DB, tx pgx.Tx) (parts [][]uuid.UUID, err error) {
	rows, err := tx.Query(ctx, `WITH part AS MATERIALIZED (SELECT organization_id, id FROM directory_arrivals ORDER BY organization_id, id LIMIT $1 FOR UPDATE SKIP LOCKED)
DELETE FROM directory_arrivals AS a USING part AS p WHERE a.organization_id = p.organization_id AND a.id = p.id RETURNING trader_ids`, store.Prepared(db, arrivalsBatch)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[[]uuid.UUID])
}

// indexArrivals adds traders to the index over all filters, and returns how many. Those that are
// locked go back to the queue. If more is set, the index's list of pending entries may grow large,
// because more traders follow: merging it seldom costs a third less.
func indexArrivals(ctx context.Context, db *store.DB, tx pgx.Tx, ids []uuid.UUID, more bool) (added int, err error) {
	if more {
		if _, err := tx.Exec(ctx, `SELECT set_config('gin_pending_list_limit', '64MB', true), set_config('work_mem', '64MB', true)`); err != nil {
			return 0, err
		}
	}
	// The lock makes those who change a trader wait for the row that their trigger changes.
	rows, err := tx.Query(ctx, `INSERT INTO directory_filters AS f (organization_id, id, created_at, status, source, country_key, kyc_key, search, tags)
SELECT organization_id, id, created_at, status, source, country_key, kyc_key, search, coalesce(override_tags, tags)
FROM traders WHERE id = ANY ($1) FOR SHARE SKIP LOCKED
ON CONFLICT (organization_id, id) DO UPDATE SET created_at = excluded.created_at, status = excluded.status, source = excluded.source,
    country_key = excluded.country_key, kyc_key = excluded.kyc_key, search = excluded.search, tags = excluded.tags RETURNING id`, store.Prepared(db, ids)...)
	if err != nil {
		return 0, err
	}
	done, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil || len(done) == len(ids) {
		return len(done), err
	}
	_, err = tx.Exec(ctx, `INSERT INTO directory_arrivals (organization_id, trader_ids)
SELECT organization_id, array_agg(id) FROM traders WHERE id = ANY ($1) AND id <> ALL ($2) GROUP BY organization_id`, ids, done)
	return len(done), err
}
