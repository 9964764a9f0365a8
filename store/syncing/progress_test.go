package syncing_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
)

// TestRunsShowProgress checks that a running run shows what it has done so far rather than what it
// had done when its row was inserted.
func TestRunsShowProgress(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	run := b.NewRun(record.StreamTrades, syncing.ModeBackfill)
	for page := range 3 {
		run.Pages, run.Requests, run.Seen, run.Cursor = run.Pages+1, run.Requests+1, run.Seen+1, "next"
		run = b.WritePage(t, run, trades(storetest.Trade("a", string(rune('1'+page)), page)), func(p *ingest.PageCommit) { p.More = true }).Run
	}
	runs, total, err := history.ListRuns(context.Background(), b.DB, b.Org, b.Claim.IntegrationID, history.RunFilter{}, store.Page{Number: 1, Limit: 10})
	if err != nil || total != 1 {
		t.Fatalf("%d runs, error %v, want one", total, err)
	}
	if r := runs[0]; r.Status != "running" || r.Pages != 3 || r.RecordsSeen != 3 || r.RecordsUpserted() != 3 {
		t.Errorf("run %+v, want three pages and records so far", r)
	}
}

// TestForgetQuarantine checks that a complete read removes from quarantine what it has not met,
// including records whose id could never be read.
func TestForgetQuarantine(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	reject := func(key string) func(*ingest.PageCommit) {
		return func(p *ingest.PageCommit) {
			p.Rejected = []record.Rejected{{Key: key, Raw: "{}", Rule: "required_missing", Detail: "id is missing."}}
		}
	}
	b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), record.Batch{}, reject(record.RawKey("old")))
	var since time.Time
	if err := b.Conn.QueryRow(context.Background(), `SELECT clock_timestamp()`).Scan(&since); err != nil {
		t.Fatal(err)
	}
	b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), record.Batch{}, reject(record.RawKey("new")))
	left, err := ingest.ForgetQuarantine(context.Background(), b.DB, &b.Claim, record.Trades, since, time.Time{})
	if err != nil || left != 1 {
		t.Errorf("%d left, error %v, want the one that was met since", left, err)
	}
	b.Claim.Token--
	if _, err := ingest.ForgetQuarantine(context.Background(), b.DB, &b.Claim, record.Trades, since, time.Time{}); err == nil {
		t.Error("no error under an old lease")
	}
}

// TestForgetQuarantineOfATime checks that a read that shows trades since some day says nothing
// about older ones, regardless of the format of their times.
func TestForgetQuarantineOfATime(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	reject := func(p *ingest.PageCommit) {
		for name, raw := range map[string]string{
			"old date":         `{"updated_at":"2026-01-05T10:00:00Z"}`,
			"old seconds":      `{"closeDate": 1767607200, "id": 7}`,
			"old milliseconds": `{"closeDate":1767607200000}`,
			"old text":         `{"closeTime":"1767607200"}`,
			"new date":         `{"updated_at":"2026-06-05T10:00:00Z"}`,
			"new seconds":      `{"closeDate":1780653600}`,
			"no time":          `{"closeDate":null}`,
			"a long number":    `{"closeDate":17676072000000000000000}`,
		} {
			p.Rejected = append(p.Rejected, record.Rejected{Key: record.RawKey(name), Raw: raw, Rule: "required_missing", Detail: "id is missing."})
		}
	}
	b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), record.Batch{}, reject)
	left, err := ingest.ForgetQuarantine(context.Background(), b.DB, &b.Claim, record.Trades, time.Now().Add(time.Hour), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	if err != nil || left != 4 {
		t.Errorf("%d left, error %v, want the four old ones", left, err)
	}
}

// TestProgressOfLists checks that the progress of a list follows from the platform's total, or from
// the times of its records, and the estimated end from the pace since the run's first page.
func TestProgressOfLists(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	base := day(11)
	run := func(change func(*syncing.OpenRun)) *syncing.OpenRun {
		r := &syncing.OpenRun{ReadFrom: base, SavedAt: base}
		change(r)
		r.Paced()
		return r
	}
	ordered := run(func(r *syncing.OpenRun) { r.FirstAt, r.LastAt = day(1), day(2) })
	counted := run(func(r *syncing.OpenRun) { r.Read, r.Total = 100, 1000 })
	for _, tt := range []struct {
		name   string
		run    *syncing.OpenRun
		change func(*syncing.OpenRun)
		share  float64
		left   time.Duration // after the newest page; 0 if unknown
	}{
		{"nothing is known", run(func(*syncing.OpenRun) {}), func(*syncing.OpenRun) {}, -1, 0},
		{"the first page", ordered, func(*syncing.OpenRun) {}, 0.1, 0},
		{"half of the time", ordered, func(r *syncing.OpenRun) { r.LastAt, r.SavedAt = day(6), base.Add(40*time.Second) }, 0.5, 50 * time.Second},
		{"almost nothing", ordered, func(r *syncing.OpenRun) { r.LastAt = day(2).Add(time.Minute) }, 0.1, 0},
		{"backwards", ordered, func(r *syncing.OpenRun) { r.LastAt = day(1).Add(-time.Hour) }, 0, 0},
		{"newer than the run", ordered, func(r *syncing.OpenRun) { r.LastAt, r.SavedAt = day(12), base.Add(time.Minute) }, 1, 0},
		{"all records of one time", run(func(r *syncing.OpenRun) { r.FirstAt, r.LastAt = day(1), day(1) }), func(*syncing.OpenRun) {}, 0, 0},
		{"by the total", counted, func(r *syncing.OpenRun) { r.Read, r.SavedAt = 400, base.Add(30*time.Second) }, 0.4, time.Minute},
		{"the total has sunk", counted, func(r *syncing.OpenRun) { r.Read, r.Total = 400, 300 }, 1, 0},
		{"from the beginning", ordered, func(r *syncing.OpenRun) { r.Rewind() }, -1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := *tt.run
			tt.change(&r)
			share, known := r.Share()
			if !known {
				share = -1
			}
			if math.Abs(share-tt.share) > 0.01 {
				t.Errorf("share %v, want %v", share, tt.share)
			}
			at := r.EndsAt()
			switch {
			case tt.left == 0 && at != nil && tt.share < 1:
				t.Errorf("over at %s", at)
			case tt.left > 0 && (at == nil || !at.Equal(r.SavedAt.Add(tt.left))):
				t.Errorf("over at %v, want %s later", at, tt.left)
			}
		})
	}
}
