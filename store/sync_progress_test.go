package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// TestRunsShowProgress: a run that goes on shows what it has done so far, not
// what it had done when its row was made.
func TestRunsShowProgress(t *testing.T) {
	t.Parallel()
	b := setupSync(t)
	run := b.run(record.StreamTrades, store.ModeBackfill)
	for page := range 3 {
		run.Pages, run.Requests, run.Seen, run.Cursor = run.Pages+1, run.Requests+1, run.Seen+1, "next"
		run = b.write(t, run, trades(trade("a", string(rune('1'+page)), page)), func(p *store.PageCommit) { p.More = true }).Run
	}
	runs, total, err := b.db.SyncRuns(context.Background(), b.org, b.claim.IntegrationID, store.Page{Number: 1, Limit: 10})
	if err != nil || total != 1 {
		t.Fatalf("%d runs, error %v, want one", total, err)
	}
	if r := runs[0]; r.Status != "running" || r.Pages != 3 || r.RecordsSeen != 3 || r.RecordsUpserted() != 3 {
		t.Errorf("run %+v, want three pages and records so far", r)
	}
}

// TestForgetQuarantine: a complete read empties the quarantine of what it has
// not met, also of records whose id could never be read.
func TestForgetQuarantine(t *testing.T) {
	t.Parallel()
	b := setupSync(t)
	reject := func(key string) func(*store.PageCommit) {
		return func(p *store.PageCommit) {
			p.Rejected = []record.Rejected{{Key: key, Raw: "{}", Rule: "required_missing", Detail: "id is missing."}}
		}
	}
	b.write(t, b.run(record.StreamTrades, store.ModeIncremental), record.Batch{}, reject(record.RawKey("old")))
	var since time.Time
	if err := b.conn.QueryRow(context.Background(), `SELECT clock_timestamp()`).Scan(&since); err != nil {
		t.Fatal(err)
	}
	b.write(t, b.run(record.StreamTrades, store.ModeIncremental), record.Batch{}, reject(record.RawKey("new")))
	left, err := b.db.ForgetQuarantine(context.Background(), &b.claim, record.Trades, since)
	if err != nil || left != 1 {
		t.Errorf("%d left, error %v, want the one that was met since", left, err)
	}
	b.claim.Token--
	if _, err := b.db.ForgetQuarantine(context.Background(), &b.claim, record.Trades, since); err == nil {
		t.Error("no error under an old lease")
	}
}
