package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/internal/simulator/wire"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestTakeover lets a process die in the middle of a run. Another one continues
// from the checkpoint, in a row of its own.
func TestTakeover(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		later bool // not the first cycle, but one in which every trade has changed
	}{{"backfill", false}, {"incremental", true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.New(t, long(&log))
			mode := "backfill"
			if tt.later {
				mode = "incremental"
				w.Cycle(t)
				change(w)
			}
			log.count()
			g := newGate(record.StreamTrades, 6)
			crash(t, w, g, func() { written(t, w, g.n-1) })
			before := log.pages("/trades")
			readFrom := text(t, w, `SELECT run->>'read_from' FROM sync_state`)
			cursor := text(t, w, `SELECT run->>'cursor' FROM sync_state`)
			if len(before) != 6 || cursor == "" {
				t.Fatalf("%d pages were read before the crash and the checkpoint is %q", len(before), cursor)
			}

			claims := due(t, w)
			if len(claims) != 1 || claims[0].PriorOwner != "dead" {
				t.Fatalf("claims %+v, want one with the prior owner", claims)
			}
			if err := w.Engine.RunSlice(t.Context(), claims[0]); err != nil {
				t.Fatal(err)
			}
			want := []string{
				"trades " + mode + " interrupted", "trades " + mode + " succeeded",
			}
			if diff := cmp.Diff(want, w.Texts(t, `SELECT concat_ws(' ', resource, mode, status) FROM sync_runs WHERE resource = 'trades' AND
                (updated_since, cycle_id) = (SELECT updated_since, cycle_id FROM sync_runs WHERE status = 'interrupted') ORDER BY started_at, id`)); diff != "" {
				t.Errorf("rows of the same cycle and bound (-want +got):\n%s", diff)
			}
			// The new row counts its own work only.
			sums := text(t, w, `SELECT concat_ws(' ', sum(records_seen) >= 1950, bool_and(finished_at IS NOT NULL), bool_and(records_seen > 0), sum(repeats)) FROM sync_runs
                WHERE resource = 'trades' AND cycle_id = (SELECT cycle_id FROM sync_runs WHERE status = 'interrupted')`)
			if sums != "t t t 0" {
				t.Errorf("both rows read everything, ended and saw something: %s, want t t t", sums)
			}
			if reason := text(t, w, `SELECT reason FROM integration_transitions WHERE kind = 'lease'`); !strings.Contains(reason, "dead") {
				t.Errorf("transition %q, want the dead process named", reason)
			}
			// The checkpoint was the cursor of the first page that was requested,
			// with the bound of the run that died: page 6 is lost, and nothing
			// before it.
			after := log.pages("/trades")
			if fromStart(after) != 0 || len(after) != 5 {
				t.Errorf("%d pages were read after the crash, %d of them from the start; want 5 that go on", len(after), fromStart(after))
			}
			if since := func(q string) string { return q[strings.Index(q, "updated_since="):] }; since(after[0]) != since(before[0]) {
				t.Errorf("the new run asks for %s, the one before for %s", after[0], before[0])
			}
			w.Compare(t)
			// The watermark is that of the first request, which the dead process
			// made.
			if got := text(t, w, `SELECT (watermark = $1::timestamptz)::text FROM sync_streams WHERE stream = 'trades'`, readFrom); got != "true" {
				t.Error("the watermark is not the start of the run that was taken over")
			}
		})
	}
}

// change changes every trade of the platform.
func change(w *enginetest.Fixture) {
	for _, trade := range w.Platform.Snapshot().Trades {
		trade.Commission = wire.NewDecimal(-123, 2)
		trade.UpdatedAt = trade.UpdatedAt.AddDate(0, 4, 0) // keeps the order
		w.Platform.PutTrade(trade)
	}
}

// TestTakeoverAfterTheLastPage lets a process die between writing the last page and
// recording that the run is over. Only that page is read again.
func TestTakeoverAfterTheLastPage(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	w.Exec(t, `CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'dead'; END $$`)
	w.Exec(t, `CREATE TRIGGER die BEFORE UPDATE ON sync_state FOR EACH ROW
        WHEN (OLD.run->>'stream' = 'trades' AND NEW.run IS NULL) EXECUTE FUNCTION die()`)
	if err := w.Engine.RunSlice(t.Context(), w.Claim(t, "dead")); err == nil {
		t.Fatal("the slice did not die")
	}
	w.Exec(t, `DROP TRIGGER die ON sync_state`)
	expire(t, w)
	log.count()
	w.Cycle(t)
	if pages := log.pages("/trades"); len(pages) != 1 || fromStart(pages) != 0 {
		t.Errorf("%d pages of trades were read again, %d from the start; want the last alone", len(pages), fromStart(pages))
	}
	w.Compare(t)
}

// TestZombie freezes a process in the middle of a run. When it wakes up,
// another one has taken over: it must not write anything.
func TestZombie(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		stream record.Stream
		page   int
	}{
		{"in a backfill", record.StreamTrades, 3},
		{"on the last page", record.StreamTrades, 10},
		{"on the first page of a cycle", record.StreamTraders, 1},
		{"on the only page of payouts", record.StreamPayouts, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.New(t, long(&log))
			g := newGate(tt.stream, tt.page)
			frozen := w.NewEngine(t, with(t, w, &through{page: g.page}))
			claim, done := w.Claim(t, "frozen"), make(chan error, 1)
			go func() { done <- frozen.RunSlice(context.WithoutCancel(t.Context()), claim) }()
			<-g.reached
			written(t, w, tt.page-1)
			expire(t, w)
			w.Cycle(t)
			w.Compare(t)
			before := everything(t, w)
			close(g.open)
			if err := <-done; !errors.Is(err, store.ErrFenced) {
				t.Errorf("the zombie's slice ended with %v, want ErrFenced", err)
			}
			if diff := cmp.Diff(before, everything(t, w)); diff != "" {
				t.Errorf("the zombie wrote (-before +after):\n%s", diff)
			}
		})
	}
}

// everything returns all rows that a slice can write.
func everything(t *testing.T, w *enginetest.Fixture) map[string][]string {
	t.Helper()
	rows := make(map[string][]string)
	for _, table := range []string{"integrations", "sync_state", "sync_streams", "sync_runs", "integration_transitions", "quarantine", "findings", "traders", "accounts", "trades", "payouts"} {
		rows[table] = w.Texts(t, `SELECT r::text FROM `+table+` r ORDER BY 1`)
	}
	return rows
}

// TestYieldKeepsTheRow reads a long list in many slices.
func TestYieldKeepsTheRow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		later bool
	}{{"backfill", false}, {"incremental", true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.New(t, long(&log))
			if tt.later {
				w.Cycle(t)
				change(w)
				w.Exec(t, `DELETE FROM sync_runs`)
			}
			e := w.NewEngine(t, func(c *engine.Config) { c.PagesPerSlice = 3 })
			log.count()
			var starts []string
			for range 3 {
				runSlice(t, w, e)
				starts = append(starts, w.Texts(t, `SELECT id || ' ' || started_at FROM sync_runs WHERE resource = 'trades' AND status = 'running'`)...)
				if got := text(t, w, `SELECT concat_ws(' ', owner IS NULL, claimable_at <= now(), wait_reason) FROM sync_state`); got != "t t yield" {
					t.Errorf("after a slice, nobody holds the lease, it is due, and the reason: %s", got)
				}
			}
			cycle(t, w, e)
			starts = append(starts, w.Texts(t, `SELECT id || ' ' || started_at FROM sync_runs WHERE resource = 'trades' AND status = 'succeeded'`)...)
			for _, s := range starts {
				if s != starts[0] {
					t.Errorf("the run's row and start changed: %q", starts)
				}
			}
			if len(starts) < 3 {
				t.Errorf("the run's row was seen %d times only", len(starts))
			}
			if pages := log.pages("/trades"); len(pages) != 10 || fromStart(pages) != 1 {
				t.Errorf("%d pages of trades were read, %d from the start; want every page once", len(pages), fromStart(pages))
			}
			w.Compare(t)
		})
	}
}

// TestNewOriginFences points the integration at another platform while a cycle
// reads the old one.
func TestNewOriginFences(t *testing.T) {
	t.Parallel()
	var log, otherLog requestLog
	options := long(&log)
	w := enginetest.New(t, options)
	options.OnRequest, options.Firm.Start, options.Key = otherLog.add, w.Platform.Now(), w.Platform.Key
	other, err := reference.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	g := newGate(record.StreamTrades, 5)
	e := w.NewEngine(t, with(t, w, &through{page: g.page}))
	claim, done := w.Claim(t, "test"), make(chan error, 1)
	go func() { done <- e.RunSlice(context.WithoutCancel(t.Context()), claim) }()
	<-g.reached
	if _, err := integrations.Update(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID, integrations.Patch{BaseURL: &other.URL}); err != nil {
		t.Fatal(err)
	}
	before := everything(t, w)
	close(g.open)
	if err := <-done; !errors.Is(err, store.ErrFenced) {
		t.Errorf("the slice ended with %v, want ErrFenced", err)
	}
	if diff := cmp.Diff(before, everything(t, w)); diff != "" {
		t.Errorf("the fenced slice wrote (-before +after):\n%s", diff)
	}
	if claims := due(t, w); len(claims) != 0 {
		t.Errorf("%d integrations are due before a live check has passed", len(claims))
	}
	if got := text(t, w, `SELECT status FROM sync_runs WHERE resource = 'trades'`); got != "interrupted" {
		t.Errorf("the run of the old origin is %s, want interrupted", got)
	}

	// The new platform serves the same world with another certificate.
	pool := w.Platform.CertPool.Clone()
	pool.AppendCertsFromPEM(other.CA)
	client := fetch.New(fetch.Options{AllowCIDRs: enginetest.Loopback(), RootCAs: pool})
	t.Cleanup(client.Close)
	known, err := connectors.NewRegistry(customapi.New(client))
	if err != nil {
		t.Fatal(err)
	}
	second := w.NewEngine(t, func(c *engine.Config) { c.Connectors = known })
	w.Pass(t)
	log.count()
	cycle(t, w, second)
	if n := log.count(); n != 0 {
		t.Errorf("%d requests went to the old origin", n)
	}
	if fromStart(otherLog.pages("/trades")) != 1 {
		t.Error("the trades of the new origin were not read from the start")
	}
	w.Compare(t)
}
