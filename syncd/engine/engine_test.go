package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// small is a world that a cycle reads in a moment, with several pages of trades.
var small = reference.Options{Firm: firm.Options{Seed: 1, Traders: 20, AccountsPerTrader: 2, Trades: 900, Payouts: 15, Weekends: true}}

func TestCycleReadsEverything(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	w.Cycle(t)
	w.Compare(t)
	if got := w.Integration(t).HealthStatus; got != syncing.HealthHealthy {
		t.Errorf("health %s, want healthy", got)
	}
	if diff := cmp.Diff([]string{"traders backfill succeeded", "accounts backfill succeeded", "trades backfill succeeded", "payouts backfill succeeded"}, w.Runs(t)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func TestCycleFollowsThePlatform(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	w.Cycle(t)
	for _, d := range []time.Duration{time.Minute, time.Hour, 26 * time.Hour} {
		w.Platform.Advance(d)
		w.Cycle(t)
		w.Compare(t)
	}
}

func TestIdleCyclesShareARow(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	for range 4 {
		w.Cycle(t)
	}
	want := []string{
		"traders backfill 0", "accounts backfill 0", "trades backfill 0", "payouts backfill 0",
		"traders incremental 2", "accounts incremental 2", "trades incremental 2", "payouts incremental 2",
	}
	if diff := cmp.Diff(want, w.Texts(t, `SELECT concat_ws(' ', resource, mode, repeats) FROM sync_runs ORDER BY started_at, id`)); diff != "" {
		t.Errorf("runs and their repeats (-want +got):\n%s", diff)
	}
}

func TestBackfillYieldsToOtherStreams(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, reference.Options{Firm: firm.Options{Seed: 2, Traders: 30, AccountsPerTrader: 1, Trades: 5000, Payouts: 10, Weekends: true}},
		func(c *engine.Config) { c.PagesPerSlice = 4 })
	slice := func() {
		t.Helper()
		if err := w.Engine.RunSlice(context.Background(), w.Claim(t, "test")); err != nil {
			t.Fatal(err)
		}
	}
	slice() // traders, accounts, two pages of trades
	slice() // payouts, then trades continue
	open := w.Texts(t, `SELECT concat_ws(' ', resource, status) FROM sync_runs ORDER BY started_at, id`)
	if diff := cmp.Diff([]string{"traders succeeded", "accounts succeeded", "trades running", "payouts succeeded"}, open); diff != "" {
		t.Fatalf("runs while trades are read (-want +got):\n%s", diff)
	}
	// The slot comes while the backfill is under way: a new cycle reads the others.
	if _, err := w.Conn.Exec(context.Background(), `UPDATE sync_state SET slot_at = now()`); err != nil {
		t.Fatal(err)
	}
	w.Platform.Advance(time.Hour)
	slice()
	if got := w.Texts(t, `SELECT count(*)::text FROM sync_runs WHERE resource = 'traders'`); got[0] != "2" {
		t.Errorf("%s runs of traders, want a second one in a cycle of its own", got[0])
	}
	w.Cycle(t)
	w.Cycle(t)
	w.Compare(t)
	if got := w.Texts(t, `SELECT count(DISTINCT id)::text FROM sync_runs WHERE resource = 'trades' AND mode = 'backfill'`); got[0] != "1" {
		t.Errorf("%s rows for the backfill of trades, want one", got[0])
	}
}
