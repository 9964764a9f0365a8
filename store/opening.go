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

// opening is what a transaction begins with: locks, and then what is asked while
// they are held. It goes in one message with BEGIN, and costs no round trip of its
// own. Each statement of a message sees what was committed before it began, so an
// answer is never older than the locks. Its statements hold nothing but numbers
// and ids: a message of several statements has no parameters.
type opening struct {
	locks     []string
	questions []endedQuestion
	answers   []string // to the questions, as Postgres writes booleans; empty: there is no row
	reading   *reading // nil: nothing is read
}

// reading is a statement that a change begins with, and what takes its rows.
type reading struct {
	query string
	scan  func(pgx.Rows) error
}

// endedQuestion asks whether a key or a session has ended.
type endedQuestion struct {
	query string
	ended error // what it means
}

// lock takes an advisory lock, by the call of a function.
func (o *opening) lock(format string, numbers ...any) {
	o.locks = append(o.locks, fmt.Sprintf(format, numbers...))
}

// ask takes a share of the lock of what has the id, and asks whether it has ended.
func (o *opening) ask(id uuid.UUID, query string, ended error) {
	if id == uuid.Nil {
		return
	}
	o.lock("pg_advisory_xact_lock_shared(%d)", KeyLock(id))
	o.questions = append(o.questions, endedQuestion{fmt.Sprintf("%s'%s'", query, id), ended})
}

// refusal is what an answer means for the transaction; nil: it may go on.
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

// message returns the statements, BEGIN before them.
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

// openingKey is where a context holds the opening of the transaction that is
// begun with it.
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

// begin begins the transaction, reads the answers and hands the rows over.
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

// openedTx is a transaction that an opening has begun.
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

// drop closes a connection of which nobody knows what state it is in, without
// waiting for the server.
func (tx openedTx) drop() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = tx.conn.Close(ctx)
}
