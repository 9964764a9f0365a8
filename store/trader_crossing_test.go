package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
)

// TestLastNoteMeets adds a note while another one that fills the trader up is
// about to be committed.
func TestLastNoteMeets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ada := b.create(t, store.NewTrader{FullName: "Ada"})
	b.exec(t, `INSERT INTO trader_notes (id, organization_id, trader_id, body, author_name) SELECT gen_random_uuid(), $1, $2, 'x', 'y' FROM generate_series(1, 999)`, b.org, ada.ID)
	tx, err := storetest.Conn(t, b.url).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT FROM traders WHERE id = $1 FOR NO KEY UPDATE`, ada.ID); err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `INSERT INTO trader_notes (id, organization_id, trader_id, body, author_name) VALUES (gen_random_uuid(), $1, $2, 'x', 'y')`, b.org, ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	added := make(chan error, 1)
	go func() {
		_, err := b.AddNote(context.Background(), b.by("desk"), ada.ID, "one too many")
		added <- err
	}()
	b.waiting(t, added)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-added; !errors.Is(err, store.ErrConflict) {
		t.Errorf("note 1,001: %v, want ErrConflict", err)
	}
}

// waiting returns when somebody waits for a lock in the database. It is a fault
// when done has something before.
func (b bundle) waiting(t *testing.T, done <-chan error) {
	t.Helper()
	for one[int](t, b, `SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE NOT l.granted AND a.datname = current_database()`) == 0 {
		select {
		case err := <-done:
			t.Fatalf("done without waiting: %v", err)
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}
