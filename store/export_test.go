package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// Plans returns the plans of the statements that list a directory.
func (db *DB) Plans(ctx context.Context, orgID uuid.UUID, f TraderFilter, total int, p Page) (count, page string, err error) {
	from, args := f.directory(orgID)
	if count, err = db.explain(ctx, `SELECT count(*)`+from, args); err != nil {
		return "", "", err
	}
	query, args := f.pageQuery(orgID, total, p)
	page, err = db.explain(ctx, query, args)
	return count, page, err
}

// TradePlans returns the plans of the statements that list a trader's trades.
func (db *DB) TradePlans(ctx context.Context, integrationID uuid.UUID, externalID string, f TradeFilter, p Page) (count, page string, err error) {
	o := owner{IntegrationID: &integrationID, ExternalID: &externalID}
	query, args := f.countQuery(o)
	if count, err = db.explain(ctx, query, args); err != nil {
		return "", "", err
	}
	query, args = f.pageQuery(o, p)
	page, err = db.explain(ctx, query, args)
	return count, page, err
}

func (db *DB) explain(ctx context.Context, query string, args []any) (plan string, err error) {
	var lines []string
	err = db.bun.NewRaw("EXPLAIN (COSTS OFF) "+query, args...).Scan(ctx, &lines)
	for _, line := range lines {
		plan += line + "\n"
	}
	return plan, err
}

// WithView runs fn in a transaction on one connection, with Bun's view of it
// and pgx's, as the package's own methods do.
func (db *DB) WithView(ctx context.Context, fn func(ctx context.Context, tx bun.Tx, view func(func(pgx.Tx) error) error) error) error {
	c, err := db.bun.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	return c.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		return fn(ctx, tx, func(use func(pgx.Tx) error) error { return pgxView(c, use) })
	})
}
