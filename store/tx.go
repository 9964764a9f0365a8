package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

// InSnapshot runs fn in a read-only transaction whose statements all see the database as it was at
// the first of them.
func (c Connections) InSnapshot(ctx context.Context, fn func(ctx context.Context, tx bun.Tx) error) error {
	return c.Bun.RunInTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, fn)
}

// viewer runs a function on the connection of a Bun transaction: see pgxView.
type viewer func(func(*pgx.Conn) error) error

// Querier is implemented by pgx's transactions, and by the connection of a change (Tx.View).
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// inViewedTx runs fn in a transaction that begins with the opening and commits if fn returns nil,
// with Bun's view of it and pgx's. It returns the opening's refusal before fn runs.
func (c Connections) inViewedTx(ctx context.Context, o *opening, fn func(ctx context.Context, tx bun.Tx, view viewer) error) error {
	conn, err := c.Bun.Conn(ctx)
	if err != nil {
		return err
	}
	// The connection returns to its pool, which detects a broken one.
	defer func() { _ = conn.Close() }()
	return conn.RunInTx(context.WithValue(ctx, openingKey{}, o), nil, func(_ context.Context, tx bun.Tx) error {
		if err := o.refusal(); err != nil {
			return err
		}
		return fn(ctx, tx, func(use func(*pgx.Conn) error) error { return pgxView(conn, use) })
	})
}

// pgxView passes fn pgx's connection of c while a transaction that was begun through c is open: what
// fn writes commits or rolls back with it. It is for what Bun cannot do: see
// docs/decisions/0043-bun-and-pgx.md.
//
// fn must use nothing but the connection, because a Bun statement inside fn waits for it forever. fn
// must not begin or end a transaction, and nothing of the connection may be used after it has
// returned.
func pgxView(c bun.Conn, fn func(*pgx.Conn) error) error {
	// fn's error bypasses database/sql, which interprets some errors as a broken connection.
	var failed error
	err := c.Raw(func(driverConn any) error {
		conn, ok := driverConn.(bindingConn)
		if !ok {
			return fmt.Errorf("connection is a %T", driverConn)
		}
		failed = fn(conn.Conn.Conn())
		return nil
	})
	if err != nil {
		return err
	}
	return failed
}
