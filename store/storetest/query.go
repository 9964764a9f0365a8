package storetest

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Exec executes a statement.
func Exec(t testing.TB, conn *pgx.Conn, statement string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// One reads the single value that the query selects.
func One[T any](t testing.TB, conn *pgx.Conn, query string, args ...any) (value T) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

// Texts reads the single column of texts that the query selects.
func Texts(t testing.TB, conn *pgx.Conn, query string, args ...any) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return list
}

// AwaitBlocked waits until some session of the database waits for another, or until none does.
func AwaitBlocked(t testing.TB, databaseURL string, want bool) {
	t.Helper()
	conn := Conn(t, databaseURL)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		blocked := One[bool](t, conn, `SELECT EXISTS (SELECT FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock') FROM pg_sleep(0.01)`)
		if blocked == want {
			return
		}
	}
	t.Fatalf("sessions wait for each other: never %v", want)
}
