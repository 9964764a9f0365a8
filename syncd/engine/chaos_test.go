package engine_test

import (
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/internal/simulator/wire"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/syncd/enginetest"
)

// wrong is a way in which a platform can fail.
type wrong struct {
	name   string
	faults []string                                      // each cycle has one of them
	often  bool                                          // they strike in every cycle, otherwise a few times
	skewed bool                                          // the clock is an hour fast or slow
	reused bool                                          // accounts have trades of the same ids
	begin  func(p *reference.Platform)                   // before the first cycle
	living func(r *chaostest.Run, p *reference.Platform) // after each request
}

// wrongs are the rows of platform faults.
func wrongs() []wrong {
	return []wrong{
		{name: "429 storms", faults: []string{"status-429", "status-429-zero", "status-429-absent", "status-429-date", "status-429-fraction", "status-429-negative", "status-429-huge"}},
		{name: "5xx bursts", faults: []string{"status-500", "status-502", "status-503"}},
		{name: "HTML 200s", faults: []string{"html-200"}},
		{name: "truncated bodies", faults: []string{"truncated-json", "empty-body", "cut-body", "reset"}},
		{name: "duplicated records", faults: []string{"duplicate-records"}, often: true},
		{name: "reordered pages", faults: []string{"unordered"}, often: true},
		{name: "repeated pages", faults: []string{"repeated-pages", "overlapping-pages", "empty-pages", "short-pages"}, often: true},
		{name: "mutated pages", living: mutate},
		{name: "cyclic cursors", faults: []string{"cyclic-cursor", "ignores-cursor"}, often: true},
		{name: "expired cursors", faults: []string{"expired-cursor"}},
		{name: "clock skew", skewed: true},
		{name: "ties on updated_at", begin: tie},
		{name: "trades closing between two reads", living: func(r *chaostest.Run, p *reference.Platform) {
			p.Advance(time.Duration(r.Between(1, 40)) * time.Minute)
		}},
		{name: "ids reused across accounts", faults: []string{"overlapping-pages", "unordered"}, often: true, reused: true},
	}
}

// mutate changes some records, so that a page that is read again is another one.
func mutate(r *chaostest.Run, p *reference.Platform) {
	s := p.Snapshot()
	for range r.IntN(4) {
		trade := s.Trades[r.IntN(len(s.Trades))]
		trade.Commission, trade.UpdatedAt = wire.NewDecimal(int64(r.IntN(1e6)), 2), time.Time{}
		p.PutTrade(trade)
		trader := s.Traders[r.IntN(len(s.Traders))]
		trader.LastName, trader.UpdatedAt = []string{"Miller", "Smith", "Ny"}[r.IntN(3)], time.Time{}
		p.PutTrader(trader)
	}
}

// tie gives many trades the same updated_at.
func tie(p *reference.Platform) {
	const day = 24 * time.Hour
	for _, trade := range p.Snapshot().Trades {
		if at := trade.UpdatedAt.Truncate(10 * day).Add(10 * day); at.Before(p.Now()) {
			trade.UpdatedAt = at
		}
		p.PutTrade(trade)
	}
}

// TestChaosPlatform reads platforms that fail in each of the ways for some cycles.
// Then the fault is fixed, the platform is read once more, and nothing may be
// missing.
func TestChaosPlatform(t *testing.T) {
	for _, kind := range wrongs() {
		t.Run(kind.name, func(t *testing.T) {
			chaostest.Fault{Name: "platform: " + kind.name, Small: 1, Large: 20, Width: 8}.Each(t, func(t *testing.T, r *chaostest.Run) { kind.run(t, r) })
		})
	}
}

// run is one life of a platform.
func (k wrong) run(t *testing.T, r *chaostest.Run) {
	t.Helper()
	var (
		w    *enginetest.Fixture
		mu   sync.Mutex
		calm bool
	)
	w = enginetest.New(t, reference.Options{
		Firm:               firm.Options{Seed: r.Seed, Traders: r.Between(5, 60), AccountsPerTrader: 2, Trades: r.Between(200, 2500), Payouts: r.Between(1, 30), Weekends: true},
		TradeIDsPerAccount: k.reused,
		OnRequest: func(fault.RequestInfo) {
			mu.Lock()
			defer mu.Unlock()
			if k.living != nil && !calm {
				k.living(r, w.Platform.Platform)
			}
		},
	})
	if k.begin != nil {
		k.begin(w.Platform.Platform)
	}
	skew := time.Duration(0)
	if k.skewed {
		skew = []time.Duration{time.Hour, -time.Hour}[r.IntN(2)]
		setFault(t, w, "clock-skew", fault.Options{Delay: skew})
	}
	for range r.Between(1, 3) {
		if r.IntN(4) > 0 && len(k.faults) > 0 {
			setFault(t, w, k.faults[r.IntN(len(k.faults))], k.options(r))
		}
		w.Cycle(t)
		w.Platform.Advance(time.Duration(r.Between(1, 600)) * time.Minute)
	}
	mu.Lock()
	calm = true
	mu.Unlock()
	if !k.skewed {
		w.Platform.ClearFaults()
	}
	w.Pass(t)
	w.Cycle(t)
	for _, table := range []string{"traders", "accounts", "trades", "payouts"} { // as they would be by the right time
		w.Exec(t, `UPDATE `+table+` SET platform_updated_at = platform_updated_at - $1::interval`, skew)
	}
	w.Compare(t)
	if i := w.Integration(t); i.HealthStatus != syncing.HealthHealthy {
		t.Errorf("health %s after the platform was mended: %+v", i.HealthStatus, i.LastError)
	}
}

// options chooses when a fault strikes.
func (k wrong) options(r *chaostest.Run) fault.Options {
	o := fault.Options{Endpoint: []string{"/traders", "/accounts", "/trades", "/payouts"}[r.IntN(4)], After: r.IntN(4)}
	if !k.often {
		o.Times = r.Between(1, 6)
	}
	return o
}

func setFault(t *testing.T, w *enginetest.Fixture, name string, o fault.Options) {
	t.Helper()
	if err := w.Platform.SetFault(name, o); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %+v", name, o)
}

// TestChaosPartnerPlatform is TestChaosPlatform for partner platforms.
func TestChaosPartnerPlatform(t *testing.T) {
	for _, kind := range []wrong{
		{name: "429 storms", faults: wrongs()[0].faults},
		{name: "5xx bursts", faults: wrongs()[1].faults},
		{name: "HTML 200s and truncated bodies", faults: []string{"html-200", "truncated-json", "empty-body", "cut-body", "reset"}},
		{name: "duplicated, reordered and repeated pages", faults: []string{"duplicate-records", "unordered", "overlapping-pages", "short-pages"}, often: true},
	} {
		t.Run(kind.name, func(t *testing.T) {
			chaostest.Fault{Name: "partner: " + kind.name, Small: 1, Large: 20, Width: 8}.Each(t, func(t *testing.T, r *chaostest.Run) {
				w := enginetest.NewPartner(t, partner.Options{
					Firm:              firm.Options{Seed: r.Seed, Traders: r.Between(5, 60), AccountsPerTrader: 2, Trades: r.Between(200, 2500), Payouts: r.Between(1, 30), Weekends: true},
					Dialect:           partner.Dialects()[r.IntN(3)],
					Totals:            partner.TotalsPlaces()[r.IntN(3)],
					TicketsPerAccount: r.IntN(2) == 0,
				}, nil)
				for range r.Between(1, 3) {
					o := kind.options(r)
					o.Endpoint = ""
					name := kind.faults[r.IntN(len(kind.faults))]
					if err := w.Partner.SetFault(name, o); err != nil {
						t.Fatal(err)
					}
					t.Logf("%s %+v", name, o)
					w.Cycle(t)
					w.Partner.Advance(time.Duration(r.Between(1, 600)) * time.Minute)
				}
				w.Partner.ClearFaults()
				w.Pass(t)
				if kind.often { // hidden records are read again, as an operator or the nightly audit would request
					w.Exec(t, `UPDATE sync_streams SET watermark = NULL, run = NULL`)
				}
				w.Cycle(t) // goes on where the last run failed
				w.Cycle(t) // sees what has changed on the pages before that
				w.Compare(t)
			})
		})
	}
}
