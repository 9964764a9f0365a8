package store_test

import (
	"io"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

// TestEndSilent freezes a process while it copies rows under a lease: the server's limits do not
// end it, and others cannot take over.
func TestEndSilent(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := storetest.Open(t, url)
	i := storetest.Integration(t, db, storetest.Organization(t, db).ID, "https://a.example")
	frozen, looks := storetest.Conn(t, url), storetest.Conn(t, url)
	for _, statement := range []string{
		`SET application_name = 'test'`, `SET statement_timeout = '100ms'`, `SET idle_in_transaction_session_timeout = '100ms'`, `BEGIN`,
		`UPDATE sync_state SET claimable_at = now()`, `CREATE TEMPORARY TABLE rows (n int) ON COMMIT DROP`,
	} {
		if _, err := frozen.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	silent, wake := io.Pipe()
	defer wake.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = frozen.PgConn().CopyFrom(t.Context(), silent, `COPY rows FROM STDIN`) // COMMIT reports the result
	}()
	storetest.Eventually(t, "the copy waits for its client beyond every limit", func() bool {
		var waits bool
		if err := looks.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
            AND wait_event = 'ClientRead' AND state = 'active' AND query_start < now() - interval '1 second')`).Scan(&waits); err != nil {
			t.Fatal(err)
		}
		return waits
	})
	if claims, err := syncing.ClaimDue(t.Context(), db, "other", time.Second, syncing.Selection{Limit: 1}); err != nil || len(claims) != 0 {
		t.Fatalf("claimed %d, %v: nothing was locked, and the test shows nothing", len(claims), err)
	}
	if n, err := db.EndSilent(t.Context(), time.Minute); err != nil || n != 0 {
		t.Errorf("ended %d within its time, %v", n, err)
	}
	if n, err := db.EndSilent(t.Context(), time.Second); err != nil || n != 1 {
		t.Errorf("ended %d, %v", n, err)
	}
	if err := wake.Close(); err != nil {
		t.Fatal(err)
	}
	<-done
	if _, err := frozen.Exec(t.Context(), `COMMIT`); err == nil {
		t.Error("who was frozen has committed")
	}
	storetest.Eventually(t, "another process takes over", func() bool {
		claims, err := syncing.ClaimDue(t.Context(), db, "other", time.Second, syncing.Selection{Limit: 1})
		return err == nil && len(claims) == 1 && claims[0].IntegrationID == i.ID
	})
}
