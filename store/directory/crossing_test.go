package directory_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
)

// TestLastNoteMeets adds a note while another one that reaches the limit is about to be committed.
func TestLastNoteMeets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ada := b.CreateTrader(t, directory.NewTrader{FullName: "Ada"})
	b.Exec(t, `INSERT INTO trader_notes (id, organization_id, trader_id, body, author_name) SELECT gen_random_uuid(), $1, $2, 'x', 'y' FROM generate_series(1, 999)`, b.Org, ada.ID)
	tx, err := storetest.Conn(t, b.URL).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT FROM traders WHERE id = $1 FOR NO KEY UPDATE`, ada.ID); err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `INSERT INTO trader_notes (id, organization_id, trader_id, body, author_name) VALUES (gen_random_uuid(), $1, $2, 'x', 'y')`, b.Org, ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	added := make(chan error, 1)
	go func() {
		_, err := directory.AddNote(context.Background(), b.DB, b.By("desk"), ada.ID, "one too many")
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

// waiting returns when a session waits for a lock in the database. It fails the test if done
// receives something first.
func (b orgDB) waiting(t *testing.T, done <-chan error) {
	t.Helper()
	for storetest.One[int](t, b.Conn, `SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE NOT l.granted AND a.datname = current_database()`) == 0 {
		select {
		case err := <-done:
			t.Fatalf("done without waiting: %v", err)
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// TestEmailsChangeWhileSumsAreRead changes a trader's email while the trader's belongings are
// locked, which must not delay changes of other emails in the organization.
func TestEmailsChangeWhileSumsAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		patch directory.TraderPatch
	}{
		{"without a condition", directory.TraderPatch{Email: to("new@x.test")}},
		{"with a condition", directory.TraderPatch{ExternalID: to("crm-1"), If: func(directory.TraderDetail) error { return nil }}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			storetest.Traders(t, b.URL, storetest.Integration(t, b.DB, b.Org, "https://a.example"), record.Trader{ID: "t1"})
			ids, _ := b.list(t, directory.TraderFilter{})
			tx, err := storetest.Conn(t, b.URL).Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Exec(t.Context(), `LOCK TABLE trades IN ACCESS EXCLUSIVE MODE`); err != nil {
				t.Fatal(err)
			}
			changed := make(chan error, 1)
			go func() {
				_, err := directory.UpdateTrader(context.Background(), b.DB, b.By("desk"), ids[0], c.patch)
				changed <- err
			}()
			b.waiting(t, changed)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := directory.CreateTrader(ctx, b.DB, b.By("desk"), directory.NewTrader{FullName: "Bob", Email: new("bob@x.test")}); err != nil {
				t.Errorf("another trader meanwhile: %v", err)
			}
			if err := tx.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-changed; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestConditionAfterACrossingChange checks that the condition receives what was committed during
// the change.
func TestConditionAfterACrossingChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		cross func(t *testing.T, tx pgx.Tx, b orgDB, id uuid.UUID) error
		want  string
	}{
		{"a field", func(t *testing.T, tx pgx.Tx, _ orgDB, id uuid.UUID) error {
			_, err := tx.Exec(t.Context(), `UPDATE traders SET country = 'GB', updated_at = now() WHERE id = $1`, id)
			return err
		}, "GB, 0 notes"},
		{"a note", func(t *testing.T, tx pgx.Tx, b orgDB, id uuid.UUID) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO trader_notes (id, organization_id, trader_id, body, author_name) VALUES (gen_random_uuid(), $1, $2, 'x', 'y')`, b.Org, id)
			return err
		}, "DE, 1 notes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ada := b.CreateTrader(t, directory.NewTrader{FullName: "Ada", Country: new("DE")})
			tx, err := storetest.Conn(t, b.URL).Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Exec(t.Context(), `SELECT FROM traders WHERE id = $1 FOR NO KEY UPDATE`, ada.ID); err != nil {
				t.Fatal(err)
			}
			if err := c.cross(t, tx, b, ada.ID); err != nil {
				t.Fatal(err)
			}
			changed, seen := make(chan error, 1), ""
			go func() {
				_, err := directory.UpdateTrader(context.Background(), b.DB, b.By("desk"), ada.ID, directory.TraderPatch{Status: new("restricted"), If: func(d directory.TraderDetail) error {
					seen = fmt.Sprintf("%s, %d notes", *d.Country, len(d.Notes))
					return nil
				}})
				changed <- err
			}()
			b.waiting(t, changed)
			if err := tx.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-changed; err != nil || seen != c.want {
				t.Errorf("%v, the condition last saw %s, want %s", err, seen, c.want)
			}
		})
	}
}
