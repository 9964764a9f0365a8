package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// waits runs one slice and returns the bounds of the wait that it ended with,
// because the database's clock is read before and after it.
func waits(t *testing.T, w *enginetest.Fixture, e *engine.Engine) (least, most time.Duration) {
	t.Helper()
	before := databaseNow(t, w)
	runSlice(t, w, e)
	after := databaseNow(t, w)
	at := moment(t, w, `SELECT claimable_at FROM sync_state`)
	return at.Sub(after), at.Sub(before)
}

// TestThrottledGivesTheSlotBack: a wait after 429 is in the schedule, not in the
// process.
func TestThrottledGivesTheSlotBack(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	if err := w.Platform.SetFault("status-429", fault.Options{Endpoint: "/trades", After: 2, Times: 1, Value: "50"}); err != nil {
		t.Fatal(err)
	}
	least, most := waits(t, w, w.Engine)
	if least > 55*time.Second+time.Second || most < 50*time.Second {
		t.Errorf("the wait is between %s and %s, want 50 s and at most a tenth more", least, most)
	}
	if got := text(t, w, `SELECT concat_ws(' ', owner IS NULL, wait_reason, (throttling->>'refused')::int = 1, (run->>'throttled_ms')::int BETWEEN 50000 AND 55001) FROM sync_state`); got != "t throttled t t" {
		t.Errorf("nobody holds the lease, the reason, that it was refused once, and the run's wait: %s", got)
	}
	if claims := due(t, w); len(claims) != 0 {
		t.Error("the integration is due although the platform wants to be left alone")
	}
	log.count()
	w.Cycle(t)
	if pages := log.pages("/trades"); len(pages) != 8 || fromStart(pages) != 0 {
		t.Errorf("%d pages were read after the wait, %d from the start; want the eight that were missing", len(pages), fromStart(pages))
	}
	if got := text(t, w, `SELECT concat_ws(' ', count(*), min(status), min(throttled_ms) BETWEEN 50000 AND 55001) FROM sync_runs WHERE resource = 'trades'`); got != "1 succeeded t" {
		t.Errorf("runs of trades, their status, and whether the wait was counted: %s", got)
	}
	w.Compare(t)
}

// TestThrottledForAnInterval: a cycle waits after 429 for one interval at most.
func TestThrottledForAnInterval(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.NewClocked(t, long(&log))
	w.Cycle(t)
	change(w)
	log.count()
	if err := w.Platform.SetFault("status-429-huge", fault.Options{Endpoint: "/trades", After: 3}); err != nil {
		t.Fatal(err)
	}
	runSlice(t, w, w.Engine)
	w.Exec(t, `UPDATE sync_state SET slot_at = now()`) // the slot passes while the cycle waits
	before := databaseNow(t, w)
	w.Cycle(t)
	// Each wait is 60 to 66 seconds. Together with the earlier waits, the fifth
	// would exceed the interval of 300, or the sixth if the jitter was small.
	if n := len(log.pages("/trades")); n != 3+5 {
		t.Errorf("%d requests for trades, want three pages and five refusals", n)
	}
	check(t, w, "trades", syncing.RunThrottled, connectors.CodeThrottled, syncing.HealthDegraded)
	if got := text(t, w, `SELECT concat_ws(' ', cycle_id IS NULL, owner IS NULL, wait_reason IS NULL) FROM sync_state`); got != "t t t" {
		t.Errorf("the cycle is over, nobody holds it, and it waits for its slot alone: %s", got)
	}
	// The platform asked for a minute, and gets it from the next cycle too.
	if at := moment(t, w, `SELECT claimable_at FROM sync_state`); at.Before(before.Add(time.Minute)) {
		t.Errorf("the next cycle begins %s after this one, before the platform wants it", at.Sub(before))
	}
	w.Platform.ClearFaults()
	w.Cycle(t)
	if pages := log.pages("/trades"); len(pages) != 7 || fromStart(pages) != 0 {
		t.Errorf("the next run read %d pages, %d from the start; want it to go on after the third", len(pages), fromStart(pages))
	}
	w.Compare(t)
}

// TestPostponedRetries: after three attempts, a page is tried twice more, a quarter
// of a minute and a minute later, before the run fails.
func TestPostponedRetries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		code connectors.Code
		away bool
		runs []string
	}{
		{"the endpoint fails", connectors.CodeServerError, false, []string{"traders succeeded", "accounts succeeded", "trades failed", "payouts succeeded"}},
		{"the endpoint breaks the connection", connectors.CodeConnectFailed, false, []string{"traders succeeded", "accounts succeeded", "trades failed", "payouts succeeded"}},
		{"the endpoint is slow", connectors.CodeTimeout, false, []string{"traders succeeded", "accounts succeeded", "trades failed", "payouts succeeded"}},
		{"the platform is away", connectors.CodeConnectFailed, true, []string{"traders succeeded", "accounts succeeded", "trades failed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.New(t, long(&log))
			f := &failing{code: tt.code, left: 3, only: record.StreamTrades, away: tt.away}
			e := w.NewEngine(t, with(t, w, &through{page: f.page}))
			w.Cycle(t)
			w.Platform.Advance(time.Hour)
			for i, wait := range []time.Duration{15 * time.Second, time.Minute} {
				if least, most := waits(t, w, e); least > wait || most < wait {
					t.Errorf("wait %d is between %s and %s, want %s", i+1, least, most, wait)
				}
				if got := text(t, w, `SELECT concat_ws(' ', owner IS NULL, wait_reason, cycle_id IS NOT NULL) FROM sync_state`); got != "t retry t" {
					t.Errorf("after try %d, nobody holds the lease, the reason, and the cycle goes on: %s", i+1, got)
				}
				if claims := due(t, w); len(claims) != 0 {
					t.Errorf("the integration is due at once after try %d", i+1)
				}
			}
			runSlice(t, w, e)
			if diff := cmp.Diff(tt.runs, w.Texts(t, `SELECT concat_ws(' ', resource, status) FROM sync_runs WHERE mode = 'incremental' ORDER BY started_at, id`)); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			if got := text(t, w, `SELECT concat_ws(' ', cycle_id IS NULL, claimable_at = slot_at, wait_reason IS NULL) FROM sync_state`); got != "t t t" {
				t.Errorf("the cycle is over and waits for its slot: %s", got)
			}
			if got := text(t, w, `SELECT concat_ws(' ', requests, error->>'code') FROM sync_runs WHERE status = 'failed'`); got != "9 "+string(tt.code) {
				t.Errorf("requests and code of the failed run: %s", got)
			}
			check(t, w, "trades", syncing.RunFailed, tt.code, syncing.HealthDegraded)
			cycle(t, w, e)
			w.Compare(t)
			if got := w.Integration(t); got.LastError != nil || got.HealthStatus != syncing.HealthHealthy {
				t.Errorf("last error %+v and health %s after a success", got.LastError, got.HealthStatus)
			}
		})
	}
}

// TestSilentPlatform: when no endpoint answers, the first page is tried again later, and
// one of each other resource is tried only once.
func TestSilentPlatform(t *testing.T) {
	t.Parallel()
	for _, code := range []connectors.Code{connectors.CodeConnectFailed, connectors.CodeTimeout} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.New(t, long(&log))
			w.Cycle(t)
			f := &failing{code: code, left: 1_000_000}
			cycle(t, w, w.NewEngine(t, with(t, w, &through{page: f.page})))
			want := []string{"traders failed 9", "accounts failed 3", "trades failed 3", "payouts failed 3"}
			if diff := cmp.Diff(want, w.Texts(t, `SELECT concat_ws(' ', resource, status, requests) FROM sync_runs WHERE mode = 'incremental' ORDER BY started_at, id`)); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			if got := text(t, w, `SELECT failures::text FROM sync_state`); got != "1" {
				t.Errorf("%s cycles without success, want one", got)
			}
		})
	}
}

// TestPostponedRetriesArePerPage: a page that was read clears the count.
func TestPostponedRetriesArePerPage(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	f := &failing{only: record.StreamTrades}
	e := w.NewEngine(t, with(t, w, &through{page: f.page}), func(c *engine.Config) { c.PagesPerSlice = 4 })
	for range 2 { // traders, accounts and pages of trades, then payouts and pages
		f.set(connectors.CodeServerError, 0)
		runSlice(t, w, e)
		f.set(connectors.CodeServerError, 1)
		if least, most := waits(t, w, e); least > 15*time.Second || most < 15*time.Second {
			t.Errorf("the wait is between %s and %s, want 15 s: it is the page's first", least, most)
		}
	}
	cycle(t, w, e)
	w.Compare(t)
	if got := text(t, w, `SELECT count(*)::text FROM sync_runs WHERE resource = 'trades'`); got != "1" {
		t.Errorf("%s rows of trades, want one", got)
	}
}

// TestCheckpointOutlivesRunsWithoutPages: a platform fails at the same page of a
// first read in several cycles. Each run begins at that page, not at the first one,
// although the run before it read none.
func TestCheckpointOutlivesRunsWithoutPages(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	f := &failing{only: record.StreamTrades}
	var cursors []string
	note := func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
		if req.Stream == record.StreamTrades {
			cursors = append(cursors, req.Cursor)
		}
		return f.page(ctx, req, read)
	}
	e := w.NewEngine(t, with(t, w, &through{page: note}), func(c *engine.Config) { c.PagesPerSlice = 4 })
	runSlice(t, w, e) // traders, accounts and two pages of trades
	if len(cursors) != 2 || cursors[0] != "" {
		t.Fatalf("the first slice asked for trades with the cursors %q, want two pages from the first on", cursors)
	}
	f.set(connectors.CodeServerError, 1_000_000)
	for i := range 4 {
		cursors = nil
		cycle(t, w, e)
		check(t, w, "trades", syncing.RunFailed, connectors.CodeServerError, syncing.HealthDegraded)
		if len(cursors) != 3 || slices.Contains(cursors, "") {
			t.Errorf("run %d asked for the cursors %q, want the third page's three times", i+1, cursors)
		}
	}
	f.set("", 0)
	cursors = nil
	cycle(t, w, e)
	if len(cursors) != 8 || cursors[0] == "" {
		t.Errorf("when the platform had recovered, %d pages were read, the first at %q; want the eight that were missing", len(cursors), cursors[0])
	}
	w.Compare(t)
}

// TestStandstillIsNoSuccess: a backfill that stopped in the middle must not hide
// that the platform is down.
func TestStandstillIsNoSuccess(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	f := &failing{away: true}
	e := w.NewEngine(t, with(t, w, &through{page: f.page}), func(c *engine.Config) { c.PagesPerSlice = 4 })
	runSlice(t, w, e)
	runSlice(t, w, e)
	if got := w.Integration(t).HealthStatus; got != syncing.HealthHealthy {
		t.Fatalf("health %s while the backfill goes on, want healthy", got)
	}
	f.set(connectors.CodeDNSFailed, 1_000_000)
	// The backfill's own retries come first, and end the first cycle.
	var seen []string
	for range 5 {
		w.Exec(t, `UPDATE sync_state SET slot_at = now()`)
		cycle(t, w, e)
		seen = append(seen, fmt.Sprint(w.Integration(t).HealthStatus, " ", text(t, w, `SELECT failures::text FROM sync_state`)))
	}
	if last := seen[len(seen)-1]; last != "failing 4" && last != "failing 5" {
		t.Errorf("health and failures after each cycle %q, want it to end failing", seen)
	}
	if got := text(t, w, `SELECT (slot_at > now() + interval '15 minutes')::text FROM sync_state`); got != "true" {
		t.Error("a failing integration is polled at its ordinary interval")
	}
	f.set("", 0)
	cycle(t, w, e)
	w.Compare(t)
	if got := w.Integration(t).HealthStatus; got != syncing.HealthHealthy {
		t.Errorf("health %s after the platform has come back, want healthy", got)
	}
}

// TestDenied: after a 401, assay sends nothing until a live check passes.
func TestDenied(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"status-401", "status-403"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.New(t, long(&log))
			if err := w.Platform.SetFault(name, fault.Options{Endpoint: "/trades", After: 4}); err != nil {
				t.Fatal(err)
			}
			runSlice(t, w, w.Engine)
			if got := w.Integration(t); got.HealthStatus != syncing.HealthBlocked || got.NextSyncAt != nil {
				t.Errorf("health %s, next sync %v; want blocked, never", got.HealthStatus, got.NextSyncAt)
			}
			log.count()
			if claims := due(t, w); len(claims) != 0 {
				t.Error("a blocked integration is due")
			}
			if _, err := syncing.ClaimOne(t.Context(), w.DB, "test", w.IntegrationID, time.Minute); !errors.Is(err, store.ErrBlocked) {
				t.Errorf("claiming it gives %v, want ErrBlocked", err)
			}
			if reason, err := integrations.RequestSync(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID); err != nil || reason != integrations.Blocked {
				t.Errorf("asking for a sync gives %q, %v; want %q", reason, err, integrations.Blocked)
			}
			if n := log.count(); n != 0 {
				t.Errorf("%d requests were sent while it was blocked", n)
			}
			w.Platform.ClearFaults()
			w.Pass(t)
			w.Cycle(t)
			if pages := log.pages("/trades"); len(pages) != 6 || fromStart(pages) != 0 {
				t.Errorf("%d pages were read after the check, %d from the start; want the six that were missing", len(pages), fromStart(pages))
			}
			w.Compare(t)
		})
	}
}

// TestManualSyncDuringARun: all requests that arrive while a cycle runs lead to one
// more cycle.
func TestManualSyncDuringARun(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	w.Cycle(t)
	g := newGate(record.StreamTrades, 1)
	e := w.NewEngine(t, with(t, w, &through{page: g.page}))
	claim, done := w.Claim(t, "test"), make(chan error, 1)
	go func() { done <- e.RunSlice(context.WithoutCancel(t.Context()), claim) }()
	<-g.reached
	for i, want := range []bool{true, false, false} {
		reason, err := integrations.RequestSync(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID)
		if queued := reason == ""; err != nil || queued != want {
			t.Errorf("request %d: queued %t, %v; want %t", i+1, queued, err, want)
		}
	}
	close(g.open)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := text(t, w, `SELECT concat_ws(' ', manual, wait_reason) FROM sync_state`); got != "t requested" {
		t.Errorf("the follow-up is noted, and the reason for being due: %s", got)
	}
	if reason, err := integrations.RequestSync(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID); err != nil || reason == "" {
		t.Errorf("asking once more before it has begun: queued, %v", err)
	}
	claims := due(t, w)
	if len(claims) != 1 || claims[0].Cycle.Trigger != syncing.TriggerManual {
		t.Fatalf("claims %+v, want the follow-up at once", claims)
	}
	if err := e.RunSlice(t.Context(), claims[0]); err != nil {
		t.Fatal(err)
	}
	if claims := due(t, w); len(claims) != 0 {
		t.Error("another cycle follows the follow-up")
	}
	want := []string{"traders 0", "accounts 0", "trades 0", "payouts 0"}
	if diff := cmp.Diff(want, w.Texts(t, `SELECT concat_ws(' ', resource, repeats) FROM sync_runs WHERE trigger = 'manual' ORDER BY started_at, id`)); diff != "" {
		t.Errorf("manual runs and their repeats (-want +got):\n%s", diff)
	}
	// Scheduled cycles that change nothing do not share the manual cycle's rows.
	w.Cycle(t)
	if got := text(t, w, `SELECT concat_ws(' ', count(*), sum(repeats)) FROM sync_runs WHERE trigger = 'manual'`); got != "4 0" {
		t.Errorf("manual rows and repeats after a scheduled cycle: %s", got)
	}
}
