package storetest

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Holding lists the tables of a database that contain one of the texts anywhere, ignoring case. It
// leaves out the audit log, whose rows are never deleted.
func Holding(t testing.TB, conn *pgx.Conn, texts ...string) (tables []string) {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT table_name FROM information_schema.tables
WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> 'audit_log' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range all {
		for _, text := range texts {
			var found bool
			err := conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT EXISTS (SELECT FROM %s AS x WHERE x::text ILIKE '%%' || $1 || '%%')`, table), text).Scan(&found)
			if err != nil {
				t.Fatal(err)
			}
			if found {
				tables = append(tables, table)
				break
			}
		}
	}
	return tables
}
