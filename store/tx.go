package store

import (
	"context"
	"database/sql"
	"errors"
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

// viewer runs a function on pgx's view of a Bun transaction: see pgxView.
type viewer func(func(pgx.Tx) error) error

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
		return fn(ctx, tx, func(use func(pgx.Tx) error) error { return pgxView(conn, use) })
	})
}

// errNotOwner refuses to end a transaction that Bun began.
var errNotOwner = errors.New("the transaction is ended by the one who began it")

// pgxView passes fn a pgx.Tx on the connection c while a transaction that was begun through c is
// open: what fn writes commits or rolls back with it. It is for what Bun cannot do: see
// docs/decisions/0043-bun-and-pgx.md.
//
// fn must use nothing but the view: a Bun statement inside fn waits forever for the connection that
// fn holds. The view and what comes from it must not be used after fn has returned.
func pgxView(c bun.Conn, fn func(pgx.Tx) error) error {
	// fn's error bypasses database/sql, which interprets some errors as a broken connection.
	var failed error
	err := c.Raw(func(driverConn any) error {
		conn, ok := driverConn.(bindingConn)
		if !ok {
			return fmt.Errorf("connection is a %T", driverConn)
		}
		failed = fn(&view{conn: conn.Conn.Conn()})
		return nil
	})
	if err != nil {
		return err
	}
	return failed
}

// view is a pgx.Tx on a connection with a transaction that it does not own.
type view struct {
	conn      *pgx.Conn
	savepoint string // empty for the transaction itself, which the view must not end
	nested    int    // savepoints begun below this view, for their names
	done      bool
}

var _ pgx.Tx = (*view)(nil)

// Begin sets a savepoint. Commit of the result keeps what was done since, Rollback undoes it.
func (v *view) Begin(ctx context.Context) (pgx.Tx, error) {
	if v.done {
		return nil, pgx.ErrTxClosed
	}
	v.nested++
	name := fmt.Sprintf("%s_%d", v.savepointName(), v.nested)
	if _, err := v.conn.Exec(ctx, "SAVEPOINT "+name); err != nil {
		return nil, err
	}
	return &view{conn: v.conn, savepoint: name}, nil
}

func (v *view) savepointName() string {
	if v.savepoint == "" {
		return "view"
	}
	return v.savepoint
}

// Commit releases the savepoint. The transaction itself cannot be committed from here.
func (v *view) Commit(ctx context.Context) error { return v.endSavepoint(ctx, "RELEASE SAVEPOINT ") }

// Rollback rolls back to the savepoint. The transaction itself can only be rolled back by returning
// an error.
func (v *view) Rollback(ctx context.Context) error {
	return v.endSavepoint(ctx, "ROLLBACK TO SAVEPOINT ")
}

func (v *view) endSavepoint(ctx context.Context, how string) error {
	switch {
	case v.savepoint == "":
		return errNotOwner
	case v.done:
		return pgx.ErrTxClosed
	}
	v.done = true
	_, err := v.conn.Exec(ctx, how+v.savepoint)
	return err
}

func (v *view) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	if v.done {
		return 0, pgx.ErrTxClosed
	}
	return v.conn.CopyFrom(ctx, table, columns, rows)
}

func (v *view) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return v.conn.SendBatch(ctx, b)
}

// LargeObjects completes the interface. assay stores no large objects.
func (v *view) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

func (v *view) Prepare(ctx context.Context, name, query string) (*pgconn.StatementDescription, error) {
	if v.done {
		return nil, pgx.ErrTxClosed
	}
	return v.conn.Prepare(ctx, name, query)
}

func (v *view) Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	if v.done {
		return pgconn.CommandTag{}, pgx.ErrTxClosed
	}
	return v.conn.Exec(ctx, query, args...)
}

func (v *view) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	if v.done {
		return nil, pgx.ErrTxClosed
	}
	return v.conn.Query(ctx, query, args...)
}

func (v *view) QueryRow(ctx context.Context, query string, args ...any) pgx.Row {
	return v.conn.QueryRow(ctx, query, args...)
}

func (v *view) Conn() *pgx.Conn { return v.conn }
