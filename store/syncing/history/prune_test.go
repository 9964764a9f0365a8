package history_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/history"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// TestPruneReadsOldRows checks that a batch reads what it deletes, and not the history that stays.
func TestPruneReadsOldRows(t *testing.T) {
	t.Parallel()
	b := storetest.NewOrgDB(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://firm.example.com")
	// A row every ten minutes, of which the first five are older than a month.
	const (
		rows = `FROM (SELECT now() - interval '30 days 50 minutes' + n * interval '10 minutes' AS at FROM generate_series(0, 4000) AS n) AS r`
		id   = `(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid`
	)
	b.Exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at, finished_at)
SELECT `+id+`, $1, gen_random_uuid(), 'trades', 'schedule', 'incremental', 'succeeded', at, at + interval '1 minute' `+rows, i.ID)
	b.Exec(t, `INSERT INTO sync_audits (id, integration_id, trigger, status, requested_at, finished_at)
SELECT `+id+`, $1, 'schedule', 'succeeded', at, at + interval '1 minute' `+rows, i.ID)
	before := storetest.One[time.Time](t, b.Conn, `SELECT now() - interval '30 days'`)
	b.Vacuum(t, "sync_runs", "sync_audits")
	for name, statement := range map[string]string{"runs": history.PruneRunsSQL, "audits": history.PruneAuditsSQL} {
		storetest.Explain(t, b.DB, false, statement, store.OldestID(before), before, store.PruneBatch).CheckReads(t, name, 100, 30)
	}
	if n, err := history.Prune(t.Context(), b.DB, 30*24*time.Hour); err != nil || n < 10 || n > 12 {
		t.Errorf("%d rows deleted, %v, want five of each", n, err)
	}
}
