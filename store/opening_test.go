package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// TestChangeThatCannotBegin waits in vain for its key's lock, and leaves no trace for the next
// change on the only connection.
func TestChangeThatCannotBegin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	db, err := store.Open(t.Context(), store.Options{URL: seal.NewSecret(b.URL), MaxConnections: 1, Keyring: storetest.Keyring(), StatementTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	key := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM api_keys`)
	create := func(ctx context.Context, key uuid.UUID) error {
		_, err := directory.CreateTrader(ctx, db, store.Change{OrganizationID: b.Org, KeyID: key, By: "k"}, directory.NewTrader{FullName: "A"})
		return err
	}
	holder := storetest.Conn(t, b.URL)
	if _, err := holder.Exec(t.Context(), `SELECT pg_advisory_lock($1)`, store.KeyLock(key)); err != nil {
		t.Fatal(err)
	}
	if err := create(t.Context(), key); !store.HasState(err, "57014") {
		t.Errorf("beside a lock: %v, want the statement's timeout", err)
	}
	hurried, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := create(hurried, key); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("in a hurry: %v, want the deadline", err)
	}
	if _, err := holder.Exec(t.Context(), `SELECT pg_advisory_unlock($1)`, store.KeyLock(key)); err != nil {
		t.Fatal(err)
	}
	if err := create(t.Context(), uuid.New()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("in the name of no key: %v, want ErrNotFound", err)
	}
	if err := create(t.Context(), key); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM traders`); n != 1 {
		t.Errorf("%d traders, want the last one", n)
	}
}
