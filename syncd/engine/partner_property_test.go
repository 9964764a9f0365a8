package engine_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/wire"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// life changes a partner platform at random between two requests, as happens to
// real ones. Its ghosts are trades that appear only to vanish again, because assay
// keeps what a platform forgets. Closed ghosts vanish only where the total shows
// it: between two requests for the list of closed trades while no trade closes.
// Other requests may come between.
type life struct {
	platform *partner.Platform
	totals   partner.Totals
	random   *rand.Rand
	accounts []partner.Account
	open     []partner.Trade
	ghosts   []partner.Trade
	lagging  []string
	born     int
	shrinks  bool // until closed trades are requested again, ghosts vanish and nothing else happens
	calm     bool
}

func newLife(p *partner.Platform, totals partner.Totals, seed uint64) *life {
	l := &life{platform: p, totals: totals, random: rand.New(rand.NewPCG(seed, 4))}
	for a := range p.AllAccounts() {
		l.accounts = append(l.accounts, a)
	}
	for r := range p.AllTrades() {
		if r.CloseDate.IsZero() {
			l.open = append(l.open, r)
		}
	}
	return l
}

// before changes the platform before a request.
func (l *life) before(r *http.Request) {
	if l.calm {
		return
	}
	for range l.random.IntN(8) {
		if l.shrinks {
			l.shrink()
		} else {
			l.happen()
		}
	}
	if strings.HasSuffix(r.URL.Path, "/trades/closed") {
		l.shrinks = l.totals != partner.NoTotals && l.random.IntN(4) == 0
	}
}

// shrink makes a ghost vanish.
func (l *life) shrink() {
	if r, i, ok := pick(l.random, l.ghosts); ok {
		l.platform.DeleteTrade(r.AccountNr, r.Ticket)
		l.ghosts = append(l.ghosts[:i], l.ghosts[i+1:]...)
	}
}

// happen makes a change that shrinks no list of closed trades.
func (l *life) happen() {
	switch n := l.random.IntN(20); {
	case n < 5:
		l.open = append(l.open, l.platform.OpenTrade(l.trade("new")))
	case n < 10:
		if r, i, ok := pick(l.random, l.open); ok {
			l.platform.CloseTrade(r.AccountNr, r.Ticket)
			l.lag(r)
			l.open = append(l.open[:i], l.open[i+1:]...)
		}
	case n < 12: // it closed a while ago, and shows only now
		if r, i, ok := pick(l.random, l.open); ok {
			l.platform.ModifyTrade(r.AccountNr, r.Ticket, func(r *partner.Trade) {
				r.CloseDate = l.platform.Now().Add(-time.Duration(l.random.IntN(3600)) * time.Second)
				r.ClosePrice, r.PnL = r.OpenPrice, wire.NewDecimal(int64(l.random.IntN(1e6)), 2)
			})
			l.open = append(l.open[:i], l.open[i+1:]...)
		}
	case n < 15:
		if r, _, ok := pick(l.random, l.open); ok {
			l.platform.ModifyTrade(r.AccountNr, r.Ticket, func(r *partner.Trade) {
				r.StopLossPrice = wire.NewDecimal(int64(l.random.IntN(1e6)), 4)
			})
		}
	case n < 19:
		ghost := l.trade("ghost")
		ghost.OpenDate = l.platform.Now().Add(-time.Duration(l.random.IntN(100)) * 24 * time.Hour)
		ghost.CloseDate, ghost.ClosePrice = ghost.OpenDate.Add(time.Minute), ghost.OpenPrice
		if l.random.IntN(4) == 0 {
			ghost.CloseDate, ghost.ClosePrice = time.Time{}, wire.Decimal{}
		}
		l.ghosts = append(l.ghosts, l.platform.PutTrade(ghost))
	default:
		l.platform.Advance(time.Duration(l.random.IntN(5)) * time.Second)
	}
}

// lag keeps every third closed trade in the list of open trades, as a cache or a
// replica that lags behind does.
func (l *life) lag(r partner.Trade) {
	if l.random.IntN(3) > 0 {
		return
	}
	id := fmt.Sprint("lag-", len(l.lagging))
	l.lagging = append(l.lagging, id)
	l.platform.PutRaw(partner.OpenTrades, id, time.Time{}, fmt.Sprintf(`{"ticket": %q, "accountNr": %q, "symbol": "EURUSD", "side": "buy", "lots": 1}`, r.Ticket, r.AccountNr))
}

// vanish removes the remaining ghosts and brings the list of open trades up to
// date.
func (l *life) vanish() {
	l.calm = true
	for _, id := range l.lagging {
		l.platform.Delete(partner.OpenTrades, id)
	}
	for _, r := range l.ghosts {
		l.platform.DeleteTrade(r.AccountNr, r.Ticket)
	}
}

// trade makes a trade on an account. Every third ticket is also used by another
// account.
func (l *life) trade(kind string) partner.Trade {
	l.born++
	return partner.Trade{
		Ticket: fmt.Sprintf("%s-%d", kind, l.born/3), AccountNr: l.accounts[l.born%len(l.accounts)].AccountNr, Symbol: "EURUSD", Side: "sell",
		Lots: wire.NewDecimal(50, 2), OpenPrice: wire.NewDecimal(int64(10_000+l.random.IntN(1000)), 4),
	}
}

func pick[T any](random *rand.Rand, list []T) (chosen T, at int, ok bool) {
	if len(list) == 0 {
		return chosen, 0, false
	}
	at = random.IntN(len(list))
	return list[at], at, true
}

// TestChaosPartnerSettles: while a partner platform's trades open, change, close
// and vanish, and its lists shift as they are read, no closed trade ever becomes
// open again. When the platform is calm again, store and platform agree.
func TestChaosPartnerSettles(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a platform that changes, again and again")
	}
	chaostest.Fault{Name: "partner: lives while it is read", Small: 8, Large: 200, Width: 8}.Each(t, func(t *testing.T, r *chaostest.Run) {
		partnerSettles(t, r.Seed)
	})
}

func partnerSettles(t *testing.T, seed uint64) {
	t.Helper()
	var l *life
	totals := partner.TotalsPlaces()[seed/3%3]
	w := enginetest.NewPartner(t, partner.Options{
		Firm:              firm.Options{Seed: seed, Traders: 40, AccountsPerTrader: 2, Trades: 700 + int(seed%5)*100, Payouts: 30, Weekends: true},
		Dialect:           partner.Dialects()[seed%3],
		Totals:            totals,
		TicketsPerAccount: seed%2 == 0,
		BeforeRequest:     func(r *http.Request) { l.before(r) },
	}, nil, func(c *engine.Config) { c.PagesPerSlice = 3 + int(seed%7)*4 })
	l = newLife(w.Partner.Platform, totals, seed)
	w.Exec(t, `CREATE TABLE reopened (account text, id text);
CREATE FUNCTION note_reopened() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO reopened VALUES (OLD.account_external_id, OLD.id); RETURN NULL; END $$;
CREATE TRIGGER reopened AFTER UPDATE ON trades FOR EACH ROW WHEN (OLD.close_time IS NOT NULL AND NEW.close_time IS NULL) EXECUTE FUNCTION note_reopened();
CREATE TRIGGER removed AFTER DELETE ON trades FOR EACH ROW EXECUTE FUNCTION note_reopened()`)
	for range 4 {
		w.Cycle(t)
	}
	l.vanish()
	w.Cycle(t)
	if i := w.Integration(t); i.HealthStatus != syncing.HealthHealthy {
		t.Errorf("health %s, %+v", i.HealthStatus, i.LastError)
	}
	if got := w.Texts(t, `SELECT account || '/' || id FROM reopened`); len(got) > 0 {
		t.Errorf("%d closed trades were open again or gone in between, such as %s", len(got), got[0])
	}
	w.Exec(t, `DROP TRIGGER removed ON trades`)
	w.Exec(t, `WITH ghosts AS (DELETE FROM trades WHERE id LIKE 'ghost-%' RETURNING 1) UPDATE sync_state SET trades = trades - (SELECT count(*) FROM ghosts)`)
	w.Compare(t)
	t.Logf("%d trades were made, %d of them still open", l.born, len(l.open))
}
