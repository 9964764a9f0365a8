package access_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bundle is a database with an organization.
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

// texts reads rows of one text.
func (b bundle) texts(t *testing.T, query string, args ...any) []string {
	t.Helper()
	rows, err := b.conn.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return list
}

func one[T any](t *testing.T, b bundle, query string, args ...any) (value T) {
	t.Helper()
	if err := b.conn.QueryRow(t.Context(), query, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
