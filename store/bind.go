package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"
)

// Bun writes values into the text of a statement, and Postgres logs the text of each statement that
// fails or is canceled. To keep names, emails and notes out of the server's log, texts leave the
// statement between Bun and pgx: the dialect below marks them, and the connection sends the marked
// values as parameters. The server infers their types, as it would infer those of quoted literals.
// Numbers, times and booleans stay in the text.

// mark begins a value within a statement's text. The value's length in bytes, a colon and the value
// follow. No other value can contain it, because texts in Postgres have no zero bytes.
const mark = '\x00'

// bindingDialect is Postgres' dialect, except that it marks texts instead of
// quoting them.
type bindingDialect struct{ *pgdialect.Dialect }

// AppendString implements schema.Dialect.
func (d bindingDialect) AppendString(b []byte, s string) []byte {
	if strings.IndexByte(s, 0) >= 0 {
		return d.Dialect.AppendString(b, s) // produces an error instead of the text
	}
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return appendMarked(b, s)
}

// AppendBytes implements schema.Dialect.
func (d bindingDialect) AppendBytes(b, bs []byte) []byte {
	return markQuoted(b, d.Dialect.AppendBytes(nil, bs))
}

// AppendJSON implements schema.Dialect.
func (d bindingDialect) AppendJSON(b, json []byte) []byte {
	return markQuoted(b, d.Dialect.AppendJSON(nil, json))
}

// BoundArray is a list that Bun appends as an array. Bun itself quotes arrays without the dialect.
type BoundArray struct{ schema.QueryAppender }

// Array returns the list as a Postgres array, for a Bun statement.
func Array(list any) BoundArray { return BoundArray{pgdialect.Array(list)} }

// AppendQuery implements schema.QueryAppender.
func (a BoundArray) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	literal, err := a.QueryAppender.AppendQuery(gen, nil)
	if err != nil {
		return nil, err
	}
	return markQuoted(b, literal), nil
}

// markQuoted appends the value of a literal as a marked value. Anything that is not a quoted
// literal, such as NULL, stays as it is.
func markQuoted(b, literal []byte) []byte {
	n := len(literal)
	if n < 2 || literal[0] != '\'' || literal[n-1] != '\'' {
		return append(b, literal...)
	}
	return appendMarked(b, strings.ReplaceAll(string(literal[1:n-1]), "''", "'"))
}

func appendMarked(b []byte, s string) []byte {
	b = strconv.AppendInt(append(b, mark), int64(len(s)), 10)
	return append(append(b, ':'), s...)
}

// bindMarked moves the marked values out of a statement's text and puts placeholders in their
// place.
func bindMarked(query string) (text string, values []driver.NamedValue) {
	at := strings.IndexByte(query, mark)
	if at < 0 {
		return query, nil
	}
	out := make([]byte, 0, len(query))
	for ; at >= 0; at = strings.IndexByte(query, mark) {
		out = append(out, query[:at]...)
		length, rest, _ := strings.Cut(query[at+1:], ":")
		n, err := strconv.Atoi(length)
		if err != nil || n > len(rest) {
			break // only appendMarked writes marks
		}
		values = append(values, driver.NamedValue{Ordinal: len(values) + 1, Value: rest[:n]})
		out = strconv.AppendInt(append(out, '$'), int64(len(values)), 10)
		query = rest[n:]
	}
	return string(append(out, query...)), values
}

// openBinding opens the pool for Bun, whose connections send marked values as parameters.
func openBinding(pool *pgxpool.Pool) *sql.DB {
	db := sql.OpenDB(bindingConnector{stdlib.GetPoolConnector(pool)})
	db.SetMaxIdleConns(0) // the pool keeps them
	return db
}

type bindingConnector struct{ driver.Connector }

// Connect implements driver.Connector.
func (c bindingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return bindingConn{conn.(*stdlib.Conn)}, nil //nolint:forcetypeassert // what pgx's connector makes
}

// bindingConn is a connection whose statements Bun has built.
type bindingConn struct{ *stdlib.Conn }

// ExecContext implements driver.ExecerContext.
func (c bindingConn) ExecContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	text, values := bindMarked(query)
	return c.Conn.ExecContext(ctx, text, values)
}

// QueryContext implements driver.QueryerContext.
func (c bindingConn) QueryContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	text, values := bindMarked(query)
	return c.Conn.QueryContext(ctx, text, values)
}
