package analysis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// withPeer returns one person's account and another trader's.
func withPeer() []trades.Account {
	accounts := owner(2)
	accounts[1].Peer = true
	return accounts
}

// leader opens n positions, some each day at times of its own, on two symbols.
func leader(n int) []deal {
	r := random(3)
	var deals []deal
	for i := range n {
		deals = append(deals, deal{
			symbol: []string{"EURUSD", "XAUUSD"}[i%2], side: []record.Side{record.Buy, record.Sell}[r.IntN(2)],
			at: time.Duration(i/4)*24*time.Hour + time.Duration(r.IntN(8*3600))*time.Second, hold: 30 * time.Minute, lots: 1, net: 10, price: 1.1,
		})
	}
	return deals
}

// follow repeats deals in the second account, changed by a function; what it
// refuses is left out.
func follow(deals []deal, change func(i int, d *deal) bool) []deal {
	all := deals
	for i, d := range deals {
		d.account, d.id = 1, fmt.Sprintf("b%d", i)
		if change(i, &d) {
			all = append(all, d)
		}
	}
	return all
}

func lagged(lag time.Duration) func(int, *deal) bool {
	return func(_ int, d *deal) bool { d.at += lag; return true }
}

func TestCopied(t *testing.T) {
	t.Parallel()
	r := random(9)
	for _, c := range []struct {
		name     string
		accounts []trades.Account
		deals    []deal
		want     string
	}{
		{"follows at once", withPeer(), follow(leader(80), lagged(2*time.Second)), "high"},
		{"comes before", withPeer(), follow(leader(80), lagged(-2*time.Second)), "high"},
		{"at the largest lag", withPeer(), follow(leader(80), lagged(5*time.Second)), "high"},
		{"beyond it", withPeer(), follow(leader(80), lagged(5*time.Second+time.Microsecond)), "none"},
		{"with sizes of its own", withPeer(), follow(leader(80), func(_ int, d *deal) bool { d.lots = 1 + 2*r.Float64(); return true }), "medium"},
		{"on one symbol", withPeer(), follow(leader(80), func(_ int, d *deal) bool { return d.symbol == "EURUSD" }), "medium"},
		{"every second", withPeer(), follow(leader(90), func(i int, d *deal) bool {
			if i%2 != 0 {
				d.at += time.Hour
			}
			return true
		}), "medium"},
		// A third of 90 is 25 to 44 % at 95 %.
		{"every third", withPeer(), follow(leader(90), func(i int, d *deal) bool {
			if i%3 != 0 {
				d.at += time.Hour
			}
			return true
		}), "none"},
		{"on either side of the same minutes", withPeer(), follow(leader(80), func(i int, d *deal) bool {
			if i%2 == 0 {
				d.side = map[record.Side]record.Side{record.Buy: record.Sell, record.Sell: record.Buy}[d.side]
			}
			d.at += time.Second
			return true
		}), "none"},
		{"buys only, always behind", withPeer(), follow(oneWay(leader(80)), lagged(2*time.Second)), "high"},
		{"buys only, now before and now behind", withPeer(), follow(oneWay(leader(80)), func(i int, d *deal) bool {
			d.at += time.Duration(1-2*(i%2)) * time.Second
			return true
		}), "none"},
		{"every fifth", withPeer(), follow(leader(90), func(i int, d *deal) bool {
			if i%5 != 0 {
				d.at += time.Hour
			}
			return true
		}), "none"},
		{"nineteen decisions", withPeer(), follow(leader(80), func(i int, _ *deal) bool { return i < 19 }), "insufficient_data"},
		{"the other side", withPeer(), follow(leader(80), func(_ int, d *deal) bool {
			if d.side == record.Buy {
				d.side = record.Sell
			} else {
				d.side = record.Buy
			}
			return true
		}), "none"},
		{"two days, which cannot be moved", withPeer(), follow(twoDays(), lagged(time.Second)), "low"},
		{"two accounts of one person", owner(2), follow(leader(80), lagged(time.Second)), "low"},
		{"one account", owner(1), leader(80), "not_checkable"},
		// A clockwork matches as well with its days moved.
		{"always the same minute", withPeer(), follow(clockwork(), lagged(time.Second)), "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := analyseOf(c.accounts, c.deals...)
			if got := severity(t, a, "copied_trades"); got != c.want {
				t.Errorf("severity %s, want %s: %s", got, c.want, detection(t, a, "copied_trades").Detail)
			}
			if detail := detection(t, a, "copied_trades").Detail; strings.Contains(detail, "opens -") || c.name == "comes before" && !strings.Contains(detail, "The second opens 2 s before the first") {
				t.Errorf("detail %q", detail)
			}
		})
	}
}

// oneWay makes buys of all.
func oneWay(deals []deal) []deal {
	for i := range deals {
		deals[i].side = record.Buy
	}
	return deals
}

// twoDays opens forty positions on two days.
func twoDays() []deal {
	deals := leader(40)
	for i := range deals {
		deals[i].at = time.Duration(i%2)*24*time.Hour + time.Duration(i)*17*time.Minute
	}
	return deals
}

// clockwork opens the same positions at the same times of each day.
func clockwork() []deal {
	var deals []deal
	for d := range 20 {
		for i, at := range []time.Duration{9 * time.Hour, 10 * time.Hour, 14 * time.Hour} {
			deals = append(deals, deal{symbol: []string{"EURUSD", "XAUUSD", "US30"}[i], at: time.Duration(d)*24*time.Hour + at, hold: time.Hour, lots: 1, net: 1})
		}
	}
	return deals
}

func TestCopiedSaysWhatItSaw(t *testing.T) {
	t.Parallel()
	a := analyseOf(withPeer(), follow(leader(80), lagged(2*time.Second))...)
	if lag := value(t, a, "copied_lag"); lag != 2 {
		t.Errorf("lag %v s, want 2", lag)
	}
	if spread := value(t, a, "copied_lag_spread"); spread != 0 {
		t.Errorf("spread of the lag %v, want 0", spread)
	}
	if m := a.Metrics["copied_match_rate"]; *m.Value != 1 || m.P == nil || *m.P > 1e-20 || m.CI == nil || m.CI.Low < 0.95 {
		t.Errorf("rate %+v", m)
	}
	d := detection(t, a, "copied_trades")
	if d.EvidenceTotal != 160 || len(d.Evidence) != result.MaxEvidence {
		t.Errorf("%d of %d pieces of evidence", len(d.Evidence), d.EvidenceTotal)
	}
	if d.Metric.PAdjusted == nil || d.Metric.Comparisons != 1 {
		t.Errorf("the test is not corrected: %+v", d.Metric)
	}
	limits := strings.Join(d.Limitations, " ")
	for _, want := range []string{"One match proves nothing", "same person"} {
		if !strings.Contains(limits, want) {
			t.Errorf("limitations do not say %q: %s", want, limits)
		}
	}
	if !strings.Contains(d.Detail, `Account "900"`) || !strings.Contains(d.Detail, "0 are expected by chance (0 to 0 with shifted days)") || !strings.Contains(d.Detail, "2 accounts were compared") || !strings.Contains(d.Detail, "another trader's account") || strings.Contains(d.Detail, "901") {
		t.Errorf("detail does not tell whose account it is, or names another's: %s", d.Detail)
	}
	// What a peer does alone is no part of the trader's own figures.
	if a.Totals.Trades != 80 || len(a.Accounts) != 1 {
		t.Errorf("totals %+v of %d accounts", a.Totals, len(a.Accounts))
	}
}

// against is the other side of deals, after a while, in a number of them.
func against(n int, lag time.Duration, change func(*deal)) []deal {
	return follow(leader(80), func(i int, d *deal) bool {
		if i%5 != 0 || i/5 >= n {
			return false
		}
		d.at += lag
		d.net = -d.net
		if d.side == record.Buy {
			d.side = record.Sell
		} else {
			d.side = record.Buy
		}
		if change != nil {
			change(d)
		}
		return true
	})
}

// alike are deals of the second account on the same side, at other moments of the
// first one's than against takes.
func alike(n int, lag time.Duration) []deal {
	var out []deal
	for i, d := range leader(80) {
		if i%5 == 2 && i/5 < n {
			d.account, d.id = 1, fmt.Sprintf("c%d", i)
			d.at += lag
			out = append(out, d)
		}
	}
	return out
}

// facing has the first account buy only, and the second one sell.
func facing(n int) []deal {
	deals := against(n, 30*time.Second, nil)
	for i := range deals {
		deals[i].side = []record.Side{record.Buy, record.Sell}[deals[i].account]
	}
	return deals
}

func TestOpposite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		accounts []trades.Account
		deals    []deal
		want     string
	}{
		{"an account without trades", owner(2), against(0, 0, nil), "insufficient_data"},
		{"one, of one person", owner(2), against(1, 30*time.Second, nil), "low"},
		{"one, of two persons", withPeer(), against(1, 30*time.Second, nil), "none"},
		// Six of six are on opposite sides by chance in one case of 64.
		{"six", owner(2), against(6, 30*time.Second, nil), "low"},
		{"six, of two persons", withPeer(), against(6, 30*time.Second, nil), "none"},
		{"sixteen that cancel out", withPeer(), against(16, 30*time.Second, nil), "high"},
		{"sixteen that both win", withPeer(), against(16, 30*time.Second, func(d *deal) { d.net = 10 }), "medium"},
		{"sixteen, and as many on the same side", withPeer(), append(against(16, 30*time.Second, nil), alike(16, 30*time.Second)...), "none"},
		{"one buys, the other sells", withPeer(), facing(16), "high"},
		{"at the largest gap", owner(2), against(16, time.Minute, nil), "high"},
		{"beyond it", owner(2), against(16, time.Minute+time.Microsecond, nil), "none"},
		{"twice the size", owner(2), against(16, 0, func(d *deal) { d.lots = 2 }), "high"},
		{"more than twice", owner(2), against(16, 0, func(d *deal) { d.lots = 2.01 }), "none"},
		{"without a size", owner(2), against(16, 0, func(d *deal) { d.lots = 0 }), "none"},
		{"still open", owner(2), against(16, 0, func(d *deal) { d.hold = open }), "none"},
		// 30 minutes against 20 s of which 10 s are left.
		{"overlaps for half", owner(2), against(16, -10*time.Second, func(d *deal) { d.hold = 20 * time.Second }), "high"},
		{"overlaps for less", owner(2), against(16, -11*time.Second, func(d *deal) { d.hold = 20 * time.Second }), "none"},
		{"one account", owner(1), leader(80), "not_checkable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := analyseOf(c.accounts, c.deals...)
			if got := severity(t, a, "opposite_positions"); got != c.want {
				t.Errorf("severity %s, want %s: %s", got, c.want, detection(t, a, "opposite_positions").Detail)
			}
		})
	}
}

// TestOppositeOfTwoCurrencies: results of two currencies are not added, so
// nothing can be said to cancel out.
func TestOppositeOfTwoCurrencies(t *testing.T) {
	t.Parallel()
	accounts := owner(2)
	accounts[1].Currency = "EUR"
	a := analyseOf(accounts, against(16, 0, nil)...)
	if got := severity(t, a, "opposite_positions"); got != "medium" {
		t.Errorf("severity %s, want medium", got)
	}
	if m := a.Metrics["opposite_net_share"]; m.Value != nil {
		t.Errorf("net of two currencies: %v", *m.Value)
	}
}

// TestSearchedInVain: a trader whom no other account resembles was compared with all of them.
func TestSearchedInVain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		searched, trades int
		cut              bool
		copied, opposite string
	}{
		{20, 80, false, "none", "none"},
		{20, 5, false, "insufficient_data", "none"},
		{0, 80, false, "not_checkable", "not_checkable"},
		{20, 0, false, "insufficient_data", "insufficient_data"},
		{20, 80, true, "insufficient_data", "insufficient_data"},
	} {
		in := input(owner(1), leader(80)[:c.trades]...)
		in.PeersSearched, in.PeersCut = c.searched, c.cut
		a := analysis.Analyse(in)
		if copied, opposite := severity(t, a, "copied_trades"), severity(t, a, "opposite_positions"); copied != c.copied || opposite != c.opposite {
			t.Errorf("%d trades and %d other accounts: copied %s, want %s; opposite %s, want %s", c.trades, c.searched, copied, c.copied, opposite, c.opposite)
		}
		if d := detection(t, a, "opposite_positions"); d.Status == result.OK && !strings.Contains(d.Detail, "21 accounts were compared") {
			t.Error(d.Detail)
		}
	}
}
