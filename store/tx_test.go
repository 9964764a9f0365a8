package store_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"

	"github.com/assayhq/assay/store/storetest"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

type note struct {
	bun.BaseModel `bun:"table:notes"`
	Text          string `bun:"text"`
}

var errNotToday = errors.New("not today")

// TestViewSharesTheTransaction writes a row by Bun and two by COPY in one transaction.
func TestViewSharesTheTransaction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		fail error
		want [2]int // notes by Bun, notes by COPY
	}{
		{"commit", nil, [2]int{1, 2}},
		{"rollback", errNotToday, [2]int{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.Exec(t, `CREATE TABLE notes (text text NOT NULL)`)
			err := b.WithView(t.Context(), func(ctx context.Context, tx bun.Tx, view func(func(*pgx.Conn) error) error) error {
				if _, err := tx.NewInsert().Model(&note{Text: "bun"}).Exec(ctx); err != nil {
					return err
				}
				err := view(func(conn *pgx.Conn) error {
					rows := pgx.CopyFromRows([][]any{{"copy"}, {"copy"}})
					_, err := conn.CopyFrom(ctx, pgx.Identifier{"notes"}, []string{"text"}, rows)
					return err
				})
				if err != nil {
					return err
				}
				if n, err := tx.NewSelect().Model((*note)(nil)).Count(ctx); err != nil || n != 3 {
					t.Errorf("Bun sees %d notes, %v; want its own and the two copied", n, err)
				}
				return c.fail
			})
			if !errors.Is(err, c.fail) {
				t.Fatalf("transaction ended with %v, want %v", err, c.fail)
			}
			got := [2]int{
				storetest.One[int](t, b.Conn, `SELECT count(*) FROM notes WHERE text = 'bun'`),
				storetest.One[int](t, b.Conn, `SELECT count(*) FROM notes WHERE text = 'copy'`),
			}
			if got != c.want {
				t.Errorf("notes by Bun, notes by COPY: %v, want %v", got, c.want)
			}
		})
	}
}

// TestViewReturnsTheError also checks errors that database/sql would interpret as a broken
// connection.
func TestViewReturnsTheError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	err := b.WithView(t.Context(), func(_ context.Context, _ bun.Tx, view func(func(*pgx.Conn) error) error) error {
		return view(func(*pgx.Conn) error { return errors.Join(errNotToday, driver.ErrBadConn) })
	})
	if !errors.Is(err, errNotToday) {
		t.Errorf("%v, want the error of the function", err)
	}
	if err := b.Pool.Ping(t.Context()); err != nil {
		t.Errorf("ping afterwards: %v", err)
	}
}
