package partner_test

import (
	"math/rand/v2"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/platformtest"
)

func TestSameSeedSameAnswers(t *testing.T) {
	t.Parallel()
	everything := func(o partner.Options) (all []string) {
		p := newPlatform(t, o)
		p.Advance(30 * time.Hour)
		for _, list := range partner.Lists() {
			all = append(all, walk(t, p, list, 100, nil)...)
		}
		return all
	}
	for _, dialect := range partner.Dialects() {
		one, two := small(1), small(2)
		one.Dialect, two.Dialect = dialect, dialect
		first := everything(one)
		if diff := cmp.Diff(first, everything(one)); diff != "" {
			t.Errorf("%s: the same options answer in two ways:\n%s", dialect, diff)
		}
		if cmp.Equal(first, everything(two)) {
			t.Errorf("%s: seeds 1 and 2 give the same answers", dialect)
		}
	}
}

// clock is a clock that a test moves.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// A platform that is looked at now and then shows what one does that is started
// later, trades that close and open included.
func TestWorldIsAFunctionOfTime(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		end := platformtest.Wednesday().Add(40 * time.Minute)
		o := small(seed)
		o.Firm.Speed, o.Dialect = 300, partner.Dialects()[seed]
		watched := clock{platformtest.Wednesday()}
		o.Firm.Clock = watched.Now
		a := newPlatform(t, o)
		before := truthOf(a)
		random := rand.New(rand.NewPCG(seed, 0))
		for watched.now.Before(end) {
			watched.now = watched.now.Add(time.Duration(random.Int64N(int64(2 * time.Minute))))
			walk(t, a, partner.OpenTrades, 100, nil)
		}
		restarted := clock{watched.now}
		o.Firm.Clock = restarted.Now
		after := truthOf(a)
		if diff := differ(truthOf(newPlatform(t, o)), after); diff != "" {
			t.Fatalf("seed %d (-restarted +watched):\n%s", seed, diff)
		}
		if len(after.closed) < len(before.closed)+20 || len(after.customers) <= len(before.customers) {
			t.Errorf("seed %d: the world stands still: %d and %d closed trades", seed, len(before.closed), len(after.closed))
		}
		closed := make(map[string]partner.Trade)
		for _, r := range after.closed {
			closed[r.Ticket] = r
		}
		for _, r := range before.closed {
			if closed[r.Ticket] != r {
				t.Fatalf("seed %d: a closed trade changed: %s", seed, cmp.Diff(r, closed[r.Ticket]))
			}
		}
	}
}

// A client that reads open trades before closed ones, newest first until it
// meets what it knows, misses nothing, whatever happens in between.
func TestNothingIsLostBetweenTwoReads(t *testing.T) {
	t.Parallel()
	now := clock{platformtest.Wednesday()}
	o := small(9)
	o.Firm.Clock, o.Firm.Speed, o.Firm.Weekends = now.Now, 600, true
	p := newPlatform(t, o)
	known := make(map[string]bool)
	for range 10 {
		for _, record := range walk(t, p, partner.OpenTrades, 50, nil) {
			known[read(t, partner.OpenTrades, record).str("ticket")] = true
		}
		now.now = now.now.Add(5 * time.Second)
		for _, record := range walk(t, p, partner.ClosedTrades, 100, url.Values{"sort_order": {"desc"}}) {
			known[read(t, partner.ClosedTrades, record).str("ticket")] = true
		}
		for r := range p.AllTrades() {
			if !known[r.Ticket] && now.now.Sub(r.OpenDate) > 10*time.Second {
				t.Fatalf("nobody shows %+v", r)
			}
		}
		now.now = now.now.Add(time.Minute)
	}
}

// Readers, a living world and a test that changes it, all at once; the race
// detector judges.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	o := small(2)
	o.Firm.Start, o.Firm.Speed, o.Firm.Weekends, o.Dialect = time.Time{}, 5_000, true, partner.Seeded
	o.OnRequest = func(fault.RequestInfo) {}
	p := newPlatform(t, o)
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 0))
			for range 20 {
				for _, list := range partner.Lists() {
					platformtest.Get(t, p, path(list))
				}
				platformtest.Get(t, p, "/v1/payouts?platforms=mt5&updated_gte=2026-01-01T00:00:00Z")
				change(p, random)
				_ = p.SetFault("slow", fault.Options{Delay: time.Microsecond})
				p.ClearFaults()
				p.Counts()
			}
		})
	}
	wg.Wait()
}
