package engine_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// budgetGap is how far apart requests are at the default budget of five a second.
const budgetGap = 200 * time.Millisecond

// walk is a platform with its own clock. It has only empty pages and refuses
// requests when the test says so. Requests take slots of the integration's budget,
// as those of connectors/fetch do, and wait for them on that clock.
type walk struct {
	*enginetest.Fixture
	engine *engine.Engine
	trades int // pages of the list of trades

	// answer is what the platform answers to a request. Nil means a page. It is
	// called for one request at a time.
	answer func(r record.Resource, now time.Time) *connectors.Error

	throttled bool // of the answer before
	succeeded int
	gap       time.Duration
	pages     map[record.Stream]int
}

// newWalk is a walk whose lists have been read once, except for the list of trades.
func newWalk(t *testing.T, trades int) *walk {
	t.Helper()
	w := &walk{Fixture: enginetest.NewClocked(t, reference.Options{Firm: firm.Options{Seed: 1, Traders: 1, AccountsPerTrader: 1, Trades: 1}}), trades: trades, pages: make(map[record.Stream]int)}
	w.engine = w.NewEngine(t, with(t, w.Fixture, &through{page: func(ctx context.Context, req connectors.PageRequest, _ reader) (*connectors.Page, error) {
		return w.page(ctx, t, req)
	}}), func(c *engine.Config) { c.PagesPerSlice = 4 })
	return w
}

// page answers a request.
func (w *walk) page(ctx context.Context, t *testing.T, req connectors.PageRequest) (*connectors.Page, error) {
	delay, gap, err := syncing.ReserveSlots(ctx, w.DB, w.IntegrationID, 1, budgetGap, w.throttled, w.succeeded)
	if err != nil {
		return nil, err
	}
	w.Clock.Advance(t, delay)
	w.gap, w.throttled, w.succeeded = gap, false, 0
	if w.answer != nil {
		if refusal := w.answer(req.Stream.Resource(), w.Clock.Now()); refusal != nil {
			w.throttled = refusal.Code == connectors.CodeThrottled
			return nil, refusal
		}
	}
	w.succeeded = 1
	w.pages[req.Stream]++
	page := &connectors.Page{Release: func() {}, Stats: connectors.Stats{Requests: 1}}
	n, _ := strconv.Atoi(req.Cursor)
	if n++; req.Stream == record.StreamTrades && n < w.trades {
		page.Next = strconv.Itoa(n)
	}
	return page, nil
}

// refusal returns the answer 429 that asks for a wait.
func refusal(r record.Resource, wait time.Duration) *connectors.Error {
	return &connectors.Error{
		Code: connectors.CodeThrottled, HTTPStatus: 429, Endpoint: "GET /" + string(r), Message: "the platform answered with status 429", RetryAfter: wait,
		Stats: connectors.Stats{Requests: 1},
	}
}

// step lets the current wait pass and runs one slice.
func (w *walk) step(t *testing.T) {
	t.Helper()
	w.Wait(t)
	runSlice(t, w.Fixture, w.engine)
}

// over reports whether no cycle is under way.
func (w *walk) over(t *testing.T) bool {
	t.Helper()
	return text(t, w.Fixture, `SELECT (cycle_id IS NULL)::text FROM sync_state`) == "true"
}

// finish runs slices until no cycle is under way.
func (w *walk) finish(t *testing.T) {
	t.Helper()
	for range 1000 {
		if w.step(t); w.over(t) {
			return
		}
	}
	t.Fatal("the cycle goes on for ever")
}

// untilNext returns the time until the next claim.
func (w *walk) untilNext(t *testing.T) time.Duration {
	t.Helper()
	return max(0, moment(t, w.Fixture, `SELECT claimable_at FROM sync_state`).Sub(databaseNow(t, w.Fixture)))
}

// schedule returns what GET …/schedule shows.
func (w *walk) schedule(t *testing.T) integrations.Schedule {
	t.Helper()
	s, err := integrations.ReadSchedule(t.Context(), w.DB, w.Organization, w.IntegrationID)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// says fails the test unless the integration is degraded with that error.
func (w *walk) says(t *testing.T, code connectors.Code, endpoint string) {
	t.Helper()
	i := w.Integration(t)
	if i.HealthStatus != syncing.HealthDegraded {
		t.Errorf("health %s, want degraded", i.HealthStatus)
	}
	if e := i.LastError; e == nil || e.Code != string(code) || e.Endpoint != endpoint || e.Hint == "" {
		t.Errorf("last error %+v, want %s of %s with a hint", e, code, endpoint)
	}
}

// TestEndlessThrottling: assay reports a platform that answers only 429 after the
// second 429. Each cycle waits for an interval at most, and all is well soon after
// the platform has recovered.
func TestEndlessThrottling(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{time.Second, 10 * time.Second, time.Minute} {
		t.Run(wait.String(), func(t *testing.T) {
			t.Parallel()
			w := newWalk(t, 40)
			w.finish(t)
			var refused int
			var first, last time.Time
			w.answer = func(r record.Resource, now time.Time) *connectors.Error {
				if refused++; refused == 1 {
					first = now
				}
				last = now
				return refusal(r, wait)
			}
			w.step(t)
			if i := w.Integration(t); i.HealthStatus != syncing.HealthHealthy || i.LastError != nil {
				t.Errorf("after the first 429: health %s, last error %+v", i.HealthStatus, i.LastError)
			}
			w.step(t)
			w.says(t, connectors.CodeThrottled, "GET /traders")
			s := w.schedule(t)
			if s.WaitReason == nil || *s.WaitReason != "throttled" || s.ThrottledSince == nil || s.GapMS == nil || *s.GapMS <= budgetGap.Milliseconds() {
				t.Errorf("after %d answers of 429 the schedule shows reason %v, since %v, gap %v", refused, s.WaitReason, s.ThrottledSince, s.GapMS)
			}
			t.Logf("told after %d answers of 429, %s after the first; requests are %d ms apart", refused, last.Sub(first).Round(time.Second), *s.GapMS)
			for range 2 {
				w.finish(t)
				if took := last.Sub(first); took > enginetest.Interval {
					t.Errorf("the cycle went on for %s after its first 429", took)
				}
				if got := text(t, w.Fixture, `SELECT status FROM sync_runs ORDER BY started_at DESC, id DESC LIMIT 1`); got != "throttled" {
					t.Errorf("its run is %s", got)
				}
				w.says(t, connectors.CodeThrottled, "GET /traders")
				if s := w.schedule(t); s.WaitReason == nil || *s.WaitReason != "throttled" {
					t.Errorf("between two cycles the schedule shows the reason %v", s.WaitReason)
				}
				refused = 0
			}
			w.answer = nil
			w.finish(t)
			if i := w.Integration(t); i.HealthStatus != syncing.HealthHealthy || i.LastError != nil {
				t.Errorf("after a good cycle: health %s, last error %+v", i.HealthStatus, i.LastError)
			}
			if s := w.schedule(t); s.WaitReason != nil || s.ThrottledSince != nil {
				t.Errorf("after a good cycle the schedule shows reason %v, since %v", s.WaitReason, s.ThrottledSince)
			}
		})
	}
}

// TestThrottlingIsForgotten: after twenty seconds of 429, a first read is back at
// the budget's rate within a minute of good answers.
func TestThrottlingIsForgotten(t *testing.T) {
	t.Parallel()
	const good = time.Minute
	w := newWalk(t, 2000)
	w.step(t) // the first pages
	began := w.Clock.Now()
	var back, fast time.Time // the first good answer, and the first at the budget's rate
	widest := time.Duration(0)
	w.answer = func(r record.Resource, now time.Time) *connectors.Error {
		if now.Sub(began) < 20*time.Second {
			return refusal(r, time.Second)
		}
		if back.IsZero() {
			back = now
		}
		if widest = max(widest, w.gap); fast.IsZero() && w.gap == budgetGap {
			fast = now
		}
		return nil
	}
	for fast.IsZero() && (back.IsZero() || w.Clock.Now().Sub(back) < 2*good) {
		w.step(t)
	}
	if fast.IsZero() || fast.Sub(back) > good {
		t.Errorf("requests are %s apart %s after the first good answer", w.gap, w.Clock.Now().Sub(back))
	}
	t.Logf("requests were %s apart, and back at %s %s after the first good answer", widest, budgetGap, fast.Sub(back).Round(time.Second))
}

// TestBackfillIsNotStarved: a platform that answers a few requests and then refuses
// still has its list of trades read to the end, even if somebody requests a sync
// after each slice, and the other lists are still read.
func TestBackfillIsNotStarved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		asking  bool
		wait    time.Duration
		trades  bool // the limit applies to the list of trades
		allowed int
	}{
		{"somebody asks all the time", true, 10 * time.Second, false, 3},
		{"nobody asks", false, 10 * time.Second, false, 3},
		{"the wait is longer than the interval", true, 60 * time.Second, false, 3},
		{"only trades are limited", true, 10 * time.Second, true, 3},
		{"other lists are refused in the same cycle", true, 10 * time.Second, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const trades = 12
			w := newWalk(t, trades)
			w.Fixture.Exec(t, `UPDATE sync_state SET period_ms = 60000`)
			left, until := tt.allowed, time.Time{}
			w.answer = func(r record.Resource, now time.Time) *connectors.Error {
				if tt.trades && r != record.Trades {
					return nil
				}
				if left == 0 && now.After(until) {
					left = tt.allowed
				}
				if left == 0 {
					return refusal(r, tt.wait)
				}
				if left--; left == 0 {
					until = now.Add(tt.wait)
				}
				return nil
			}
			slices := 0
			for w.pages[record.StreamTrades] < trades && slices < 100 {
				w.step(t)
				slices++
				if tt.asking {
					if _, err := integrations.RequestSync(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID); err != nil {
						t.Fatal(err)
					}
				}
			}
			others := w.pages[record.StreamTraders]
			t.Logf("%d pages of trades in %d slices, beside %d of traders", w.pages[record.StreamTrades], slices, others)
			if w.pages[record.StreamTrades] < trades {
				t.Error("the list of trades is not read to its end")
			}
			if tt.asking && others < 3 {
				t.Errorf("traders were read %d times while somebody asked all the time", others)
			}
		})
	}
}

// TestOthersAreNotStarved: when a platform refuses only one list and never stops,
// the others keep their interval.
func TestOthersAreNotStarved(t *testing.T) {
	t.Parallel()
	w := newWalk(t, 40)
	w.answer = func(r record.Resource, _ time.Time) *connectors.Error {
		if r == record.Trades {
			return refusal(r, 10*time.Second)
		}
		return nil
	}
	const intervals = 6
	for end := w.Clock.Now().Add(intervals * enginetest.Interval); w.Clock.Now().Before(end); {
		w.step(t)
		if w.over(t) {
			w.Clock.Advance(t, w.untilNext(t))
		}
	}
	for _, stream := range []record.Stream{record.StreamTraders, record.StreamAccounts} {
		if n := w.pages[stream]; n < intervals-1 {
			t.Errorf("%s were read %d times in %d intervals", stream, n, intervals)
		}
	}
	// By now the trades are too old for "degraded".
	if i := w.Integration(t); i.HealthStatus != syncing.HealthFailing || i.LastError == nil || i.LastError.Code != string(connectors.CodeThrottled) {
		t.Errorf("health %s, last error %+v", i.HealthStatus, i.LastError)
	}
}

// TestOthersAreNotStarvedByChanges: when a platform refuses only the list of
// changed trades and never stops, that list goes first in one cycle, after a
// refusal that ended the cycle before. In every second cycle the others are read,
// and no cycle is postponed.
func TestOthersAreNotStarvedByChanges(t *testing.T) {
	t.Parallel()
	const cycles = 8
	for _, tt := range []struct{ interval, wait time.Duration }{
		{5 * time.Minute, 10 * time.Second},
		{time.Minute, 30 * time.Second},
	} {
		t.Run(fmt.Sprintf("%s in an interval of %s", tt.wait, tt.interval), func(t *testing.T) {
			t.Parallel()
			w := newWalk(t, 1)
			w.Fixture.Exec(t, `UPDATE sync_state SET period_ms = $1`, tt.interval.Milliseconds())
			w.finish(t)
			wait, refused := tt.interval, 0
			w.answer = func(r record.Resource, _ time.Time) (e *connectors.Error) {
				if r == record.Trades {
					e, wait, refused = refusal(r, wait), tt.wait, refused+1
				}
				return e
			}
			var skipped []int
			for n := range cycles {
				w.Clock.Advance(t, w.untilNext(t))
				before := [...]int{w.pages[record.StreamTraders], w.pages[record.StreamAccounts]}
				w.finish(t)
				if w.pages[record.StreamTraders] == before[0] || w.pages[record.StreamAccounts] == before[1] {
					skipped = append(skipped, n+1)
				}
			}
			t.Logf("%d refusals in %d cycles; traders or accounts were not read in cycles %v", refused, cycles, skipped)
			if len(skipped) > 1 {
				t.Errorf("traders or accounts were not read in the cycles %v of %d", skipped, cycles)
			}
			if next := w.untilNext(t); next > tt.interval {
				t.Errorf("the next cycle is %s away, want at most the interval of %s", next, tt.interval)
			}
		})
	}
}

// TestPlatformAwayIsTold: assay reports a platform that hangs or fails after the
// attempts at one page, while further attempts at the page are still due.
func TestPlatformAwayIsTold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code   connectors.Code
		status int
		took   time.Duration // three attempts and the pauses between them
	}{
		{connectors.CodeTimeout, 0, 63 * time.Second},
		{connectors.CodeServerError, 502, 3 * time.Second},
		{connectors.CodeConnectFailed, 0, 3 * time.Second},
	} {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, first cycle %t", tt.code, first), func(t *testing.T) {
				t.Parallel()
				w := newWalk(t, 8)
				if !first {
					w.finish(t)
				}
				w.answer = func(r record.Resource, _ time.Time) *connectors.Error {
					w.Clock.Advance(t, tt.took)
					return &connectors.Error{Code: tt.code, HTTPStatus: tt.status, Endpoint: "GET /" + string(r), Message: "made by the test", Stats: connectors.Stats{Requests: 3}}
				}
				began := w.Clock.Now()
				w.step(t)
				t.Logf("told after %s", w.Clock.Now().Sub(began).Round(time.Second))
				w.says(t, tt.code, "GET /traders")
				if s := w.schedule(t); s.WaitReason == nil || *s.WaitReason != "retry" {
					t.Errorf("the schedule shows the reason %v", s.WaitReason)
				}
				w.answer = nil
				w.finish(t)
				if i := w.Integration(t); i.HealthStatus != syncing.HealthHealthy || i.LastError != nil {
					t.Errorf("after the platform has come back: health %s, last error %+v", i.HealthStatus, i.LastError)
				}
			})
		}
	}
}
