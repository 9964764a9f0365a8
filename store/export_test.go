package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// CheckSettings is what Migrate thinks of a server's version and a database's encoding.
func CheckSettings(number int, version, encoding string) error {
	return checkSettings(number, version, encoding)
}

// WithView runs fn in a transaction on one connection, with Bun and with pgx, in the way of
// the package's own methods.
func (db *DB) WithView(ctx context.Context, fn func(ctx context.Context, tx bun.Tx, view func(func(*pgx.Conn) error) error) error) error {
	return db.inViewedTx(ctx, new(opening), func(ctx context.Context, tx bun.Tx, view viewer) error { return fn(ctx, tx, view) })
}
