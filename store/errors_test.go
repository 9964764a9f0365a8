package store_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func TestTransient(t *testing.T) {
	t.Parallel()
	state := func(code string) error { return fmt.Errorf("op: %w", &pgconn.PgError{Code: code}) }
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"nil", nil, false},
		{"shutdown", state("57P01"), true},
		{"starting", state("57P03"), true},
		{"standby", state("25006"), true},
		{"standby, of an unlogged table", state("0A000"), true},
		{"serialization", state("40001"), true},
		{"dead-lock", state("40P01"), true},
		{"lock timeout", state("55P03"), true},
		{"connection class", state("08006"), true},
		{"too many connections", state("53300"), true},
		{"frozen", state("25P03"), true},
		{"unique", state("23505"), false},
		{"statement timeout", state("57014"), false},
		{"syntax", state("42601"), false},
		{"disk full", state("53100"), true},
		{"broken off", fmt.Errorf("op: %w", io.ErrUnexpectedEOF), true},
		{"reset", &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}, true},
		{"a folder on a read-only disk", &fs.PathError{Op: "mkdir", Path: "blobs", Err: syscall.EROFS}, false},
		{"bad connection", driver.ErrBadConn, true},
		{"not found", store.ErrNotFound, false},
		{"fenced", fmt.Errorf("op: %w", store.ErrFenced), false},
		{"cancelled", fmt.Errorf("op: %w", context.Canceled), false},
		{"deadline", fmt.Errorf("op: %w", context.DeadlineExceeded), false},
		{"no rows", sql.ErrNoRows, false},
	} {
		if got := store.Transient(c.err); got != c.want {
			t.Errorf("%s: transient %v, want %v", c.name, got, c.want)
		}
	}
}

// TestTransientForReal causes the conditions instead of constructing their errors.
func TestTransientForReal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := "postgres://u@" + listener.Addr().String() + "/x?sslmode=disable"
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	down, err := store.Open(t.Context(), store.Options{URL: seal.NewSecret(nowhere)})
	if err != nil {
		t.Fatalf("opening while Postgres is down: %v", err)
	}
	defer down.Close()
	if err := down.Pool.Ping(t.Context()); !store.Transient(err) {
		t.Errorf("Postgres is down: %v, want a transient error", err)
	}
	if _, err := integrations.List(t.Context(), down, b.Org); !store.Transient(err) {
		t.Errorf("Postgres is down: %v, want a transient error", err)
	}

	err = b.WithView(t.Context(), func(ctx context.Context, tx bun.Tx, _ func(func(*pgx.Conn) error) error) error {
		pid := 0
		if err := tx.NewRaw(`SELECT pg_backend_pid()`).Scan(ctx, &pid); err != nil {
			return err
		}
		b.Exec(t, `SELECT pg_terminate_backend($1, 5000)`, pid)
		_, err := tx.NewRaw(`SELECT 1`).Exec(ctx)
		return err
	})
	if !store.Transient(err) {
		t.Errorf("the session was ended: %v, want a transient error", err)
	}
	if _, err := integrations.Read(t.Context(), b.DB, b.Org, i.ID); err != nil {
		t.Errorf("the next call: %v, want success on another connection", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := integrations.Read(ctx, b.DB, b.Org, i.ID); err == nil || store.Transient(err) {
		t.Errorf("cancelled: %v, want an error that is not transient", err)
	}
}

// TestErrorText checks that any error's text can be stored.
func TestErrorText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1999)
	for _, tt := range []struct{ name, text, want string }{
		{"a short text", "disk full", "disk full"},
		{"zero bytes", "a\x00b\x00", "ab"},
		{"invalid UTF-8", "a\xffb", "ab"},
		{"a long text", long + "yz", long + "y"},
		{"a long text that is cut within a letter", long + "é", long},
	} {
		if got := store.ErrorText(errors.New(tt.text)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestErrorsNameTheOperation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := uuid.New()
	_, err := integrations.Read(t.Context(), b.DB, b.Org, id)
	if want := "read integration " + id.String() + ": not found"; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}
