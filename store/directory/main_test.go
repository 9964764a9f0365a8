package directory_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bundle is a database with an organization, and a connection to its tables.
type bundle struct {
	*store.DB
	url  string
	conn *pgx.Conn
	org  uuid.UUID
}

func setup(t *testing.T) bundle {
	t.Helper()
	url := storetest.URL(t)
	db := storetest.Open(t, url)
	return bundle{DB: db, url: url, conn: storetest.Conn(t, url), org: storetest.Organization(t, db).ID}
}

func (b bundle) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := b.conn.Exec(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// list reads the ids of the first hundred traders that match the filter.
func (b bundle) list(t *testing.T, f directory.TraderFilter) (ids []uuid.UUID, total int) {
	t.Helper()
	traders, total, err := directory.ListTraders(t.Context(), b.DB, b.org, f, store.Page{Number: 1, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range traders {
		ids = append(ids, tr.ID)
	}
	return ids, total
}

// vacuum analyzes the tables, and vacuums them until every page is marked visible to all. One
// attempt may not suffice: another snapshot, such as autovacuum's while it analyzes another table,
// prevents fresh rows from being marked, and index-only scans from being planned.
func (b bundle) vacuum(t *testing.T, tables ...string) {
	t.Helper()
	for _, table := range tables {
		storetest.Eventually(t, "all pages of "+table+" are marked visible to all", func() bool {
			b.exec(t, `VACUUM ANALYZE `+table)
			return one[bool](t, b, `SELECT relallvisible = relpages FROM pg_class WHERE oid = $1::regclass`, table)
		})
	}
}

// one reads the single value that the query selects.
func one[T any](t *testing.T, b bundle, query string, args ...any) (value T) {
	t.Helper()
	if err := b.conn.QueryRow(t.Context(), query, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

func ptr[T any](v T) *T { return &v }

// pick returns one of the values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
