package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// opening is the beginning of a transaction: locks, and then queries that run while they are held.
// They are sent in one message with BEGIN, without a round trip of their own. Each statement of a
// message sees what was committed before it began, so an answer is never older than the locks. The
// statements contain only numbers and ids, because a message of several statements has no
// parameters.
type opening struct {
	locks     []string
	questions []endedQuestion
	answers   []string // to the questions, in Postgres' form of booleans; empty if there is no row
	reading   *reading // nil if nothing is read
}

// reading is a statement at the beginning of a change, with the function that scans its rows.
type reading struct {
	query string
	scan  func(pgx.Rows) error
}

// endedQuestion asks whether a key or a session has ended.
type endedQuestion struct {
	query string
	ended error // the error if it has
}

// lock takes an advisory lock by a function call.
func (o *opening) lock(format string, numbers ...any) {
	o.locks = append(o.locks, fmt.Sprintf(format, numbers...))
}

// ask takes a share of the lock of the key or session with the id, and asks whether it has ended.
func (o *opening) ask(id uuid.UUID, query string, ended error) {
	if id == uuid.Nil {
		return
	}
	o.lock("pg_advisory_xact_lock_shared(%d)", KeyLock(id))
	o.questions = append(o.questions, endedQuestion{fmt.Sprintf("%s'%s'", query, id), ended})
}

// refusal returns the error that follows from the answers, or nil if the transaction may continue.
func (o *opening) refusal() error {
	for i, q := range o.questions {
		switch o.answers[i] {
		case "f":
		case "t":
			return q.ended
		default:
			return fmt.Errorf("read the key or session again: %w", sql.ErrNoRows)
		}
	}
	return nil
}

// message returns the statements, beginning with BEGIN.
func (o *opening) message() string {
	statements := []string{"begin"}
	for _, call := range o.locks {
		statements = append(statements, "SELECT "+call)
	}
	for _, q := range o.questions {
		statements = append(statements, q.query)
	}
	if o.reading != nil {
		statements = append(statements, o.reading.query)
	}
	return strings.Join(statements, "; ")
}

// openingKey is the context key of a transaction's opening.
type openingKey struct{}

// BeginTx implements driver.ConnBeginTx.
func (c bindingConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	o, _ := ctx.Value(openingKey{}).(*opening)
	if o == nil {
		return c.Conn.BeginTx(ctx, opts)
	}
	conn := c.Conn.Conn()
	if conn.IsClosed() {
		return nil, driver.ErrBadConn
	}
	tx := openedTx{ctx, conn}
	if err := o.begin(ctx, conn); err != nil {
		_ = tx.Rollback() // BEGIN may have succeeded
		return nil, err
	}
	return tx, nil
}

// begin begins the transaction, reads the answers and passes the rows to the reading.
func (o *opening) begin(ctx context.Context, conn *pgx.Conn) error {
	results := conn.PgConn().Exec(ctx, o.message())
	err := o.readResults(conn, results)
	return cmp.Or(results.Close(), err)
}

func (o *opening) readResults(conn *pgx.Conn, results *pgconn.MultiResultReader) error {
	o.answers = make([]string, len(o.questions))
	for n := -1 - len(o.locks); results.NextResult(); n++ { // BEGIN and the locks come first
		if n == len(o.questions) {
			return o.reading.scan(pgx.RowsFromResultReader(conn.TypeMap(), results.ResultReader()))
		}
		if r := results.ResultReader().Read(); n >= 0 && len(r.Rows) == 1 {
			o.answers[n] = string(r.Rows[0][0])
		}
	}
	return nil
}

// openedTx is a transaction that was begun with an opening.
type openedTx struct {
	ctx  context.Context //nolint:containedctx // driver.Tx is ended without one
	conn *pgx.Conn
}

// Commit implements driver.Tx.
func (tx openedTx) Commit() error {
	tag, err := tx.conn.Exec(tx.ctx, "commit")
	if err != nil && tx.conn.PgConn().TxStatus() != 'I' {
		tx.drop()
	}
	if err == nil && tag.String() == "ROLLBACK" {
		return pgx.ErrTxCommitRollback
	}
	return err
}

// Rollback implements driver.Tx.
func (tx openedTx) Rollback() error {
	_, err := tx.conn.Exec(tx.ctx, "rollback")
	if err != nil {
		tx.drop()
	}
	return err
}

// drop closes a connection whose state is unknown, without waiting for the server.
func (tx openedTx) drop() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = tx.conn.Close(ctx)
}
