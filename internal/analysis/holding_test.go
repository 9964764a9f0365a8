package analysis_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// held makes decisions an hour apart, held for these seconds, with these results
// in turn.
func held(seconds []float64, nets ...float64) []deal {
	out := make([]deal, len(seconds))
	for i, s := range seconds {
		out[i] = deal{at: time.Duration(i) * time.Hour, hold: time.Duration(math.Round(s * float64(time.Second))), lots: 1, side: turn(i)}
		if len(nets) > 0 {
			out[i].net = nets[i%len(nets)]
		}
	}
	return out
}

// TestHoldQuantiles: of 1…20 minutes type 7 gives 1 + 19p minutes.
func TestHoldQuantiles(t *testing.T) {
	t.Parallel()
	a := analyse(held(every(60, 60, 20))...)
	for name, p := range map[string]float64{"hold_p5": .05, "hold_p10": .1, "hold_p25": .25, "hold_p50": .5, "hold_p75": .75, "hold_p90": .9, "hold_p95": .95} {
		if got, want := value(t, a, name), 60*(1+19*p); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	logs := 0.0
	for i := range 20 {
		logs += math.Log(60 * float64(i+1))
	}
	if got, want := value(t, a, "hold_geometric_mean"), math.Exp(logs/20); math.Abs(got-want) > 1e-9 {
		t.Errorf("geometric mean %v, want %v", got, want)
	}
	if m := analyse(held(every(60, 60, 19))...).Metrics["hold_p50"]; m.Status != result.InsufficientData || m.Value != nil || m.N != 19 || m.MinN != 20 {
		t.Errorf("19 trades: %+v", m)
	}
}

func TestGeometricMeanOfNoTime(t *testing.T) {
	t.Parallel()
	if got := value(t, analyse(held(every(0, 0, 20))...), "hold_geometric_mean"); got != 1 {
		t.Errorf("geometric mean %v of holds of zero, want 1 second", got)
	}
}

func TestShortHolds(t *testing.T) {
	t.Parallel()
	// 10 of 20 are short; they make 300 of 1,000 gross profit.
	seconds := append(every(119, 0, 10), every(120, 0, 10)...)
	deals := held(seconds)
	for i := range deals {
		switch {
		case i < 5:
			deals[i].net = 60
		case i < 10:
			deals[i].net = -500
		case i < 15:
			deals[i].net = 140
		}
	}
	a := analyse(deals...)
	for name, want := range map[string]float64{
		"hold_under_60s_trades": 0, "hold_under_120s_trades": 0.5, "hold_under_180s_trades": 1,
		"hold_under_60s_profit": 0, "hold_under_120s_profit": 0.3, "hold_under_180s_profit": 1,
	} {
		if got := value(t, a, name); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

func TestShortHoldSeverity(t *testing.T) {
	t.Parallel()
	short := func(n, of int) []float64 { return append(every(119.999, 0, n), every(120, 0, of-n)...) }
	profit := func(n int) []deal { // n of 100 short, which make n times 15 of the gross profit
		deals := held(short(n, 100))
		for i := range deals {
			deals[i].net = 1
			if i < n {
				deals[i].net = 15
			}
		}
		return deals
	}
	for _, tc := range []struct {
		name  string
		deals []deal
		want  string
	}{
		{"a fifth of trades", held(short(4, 20)), "low"},
		{"less than a fifth", held(short(3, 20)), "none"},
		{"few trades, more than 30 % of profit", profit(3), "low"},
		{"few trades, less than 30 % of profit", profit(2), "none"},
		{"19 trades", held(short(19, 19)), "insufficient_data"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := severity(t, analyse(tc.deals...), "short_holding"); got != tc.want {
				t.Errorf("severity %s, want %s", got, tc.want)
			}
			// With a minimum that the organization has set, a short hold is against it.
			in := input(owner(1), tc.deals...)
			in.Ruleset = ruleset.Neutral()
			in.Ruleset.Holding.MinHoldSeconds = new(120.0)
			want := strings.Replace(tc.want, "low", "medium", 1)
			if got := severity(t, analysis.Analyse(in), "short_holding"); got != want {
				t.Errorf("severity under a minimum %s, want %s", got, want)
			}
		})
	}
}

func TestHoldLimitsComeFromTheRuleset(t *testing.T) {
	t.Parallel()
	in := input(owner(1), held(append(every(150, 0, 14), every(700, 0, 6)...))...)
	if a := analysis.Analyse(in); severity(t, a, "short_holding") != "none" || severity(t, a, "short_holding_long_limit") != "not_checkable" {
		t.Error("the neutral preset looks at 120 seconds and nothing else")
	}
	in.Ruleset, _ = ruleset.Preset("minimum_hold")
	a := analysis.Analyse(in)
	if severity(t, a, "short_holding") != "medium" || severity(t, a, "short_holding_long_limit") != "medium" {
		t.Error("minimum_hold looks at three and ten minutes")
	}
	odd := 95.5
	in.Ruleset = ruleset.Neutral()
	in.Ruleset.Holding.MinHoldSeconds = &odd
	a = analysis.Analyse(in)
	if d := detection(t, a, "short_holding"); a.Metrics[d.Metric.Name].Status != result.OK || d.Metric.Name != "hold_under_95.5s_trades" {
		t.Errorf("finding rests on %q", d.Metric.Name)
	}
}

// TestProfitSharesPerCurrency has short winners in one currency only.
func TestProfitSharesPerCurrency(t *testing.T) {
	t.Parallel()
	accounts := owner(2)
	accounts[1].Currency = "JPY"
	deals := held(every(3600, 0, 20), 1e6)
	for _, d := range held(every(5, 0, 20), 1) {
		d.account = 1
		deals = append(deals, d)
	}
	a := analysis.Analyse(input(accounts, deals...))
	m := a.Metrics["hold_under_10s_profit"]
	if m.Value == nil || *m.Value != 1 || m.Params["currency"] != "JPY" || m.N != 20 {
		t.Errorf("%+v", m)
	}
	if got := detection(t, a, "short_holding").Detail; !strings.HasSuffix(got, " They made 100.0% of gross profit in JPY (20 closed trades).") {
		t.Errorf("the share of one currency reads as one of all: %q", got)
	}
}

func TestFewTradesOfACurrencyDecideNothing(t *testing.T) {
	t.Parallel()
	accounts := owner(2)
	accounts[1].Currency = "GBP"
	deals := held(every(3600, 0, 20), 1)
	for _, d := range held(every(5, 0, 19), 1) {
		d.account = 1
		deals = append(deals, d)
	}
	m := analysis.Analyse(input(accounts, deals...)).Metrics["hold_under_10s_profit"]
	if m.Value == nil || *m.Value != 0 || m.Params["currency"] != "USD" {
		t.Errorf("%+v", m)
	}
}

func TestWinnersAndLosers(t *testing.T) {
	t.Parallel()
	deals := held(append(every(60, 0, 10), every(600, 0, 10)...))
	for i := range deals {
		deals[i].net = 1
		if i >= 10 {
			deals[i].net = -1
		}
	}
	a := analyse(deals...)
	for name, want := range map[string]float64{"hold_median_winners": 60, "hold_median_losers": 600, "hold_winner_loser_ratio": 0.1} {
		if got := value(t, a, name); got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if m := analyse(deals[1:]...).Metrics["hold_winner_loser_ratio"]; m.Status != result.InsufficientData || m.N != 9 {
		t.Errorf("nine winners: %+v", m)
	}
}

// TestQuotesAreNotInTrades also holds Fisher's p against the published table
// (8,4;2,16): the short ones win 8 of 12, the others 2 of 18.
func TestQuotesAreNotInTrades(t *testing.T) {
	t.Parallel()
	deals := held(append(every(9.999999, 0, 12), every(10, 0, 18)...))
	for i := range deals {
		deals[i].net = -1
		if i < 8 || i >= 28 {
			deals[i].net = 1
		}
	}
	a := analyse(deals...)
	m := a.Metrics["hold_under_10s_win_rate"]
	if *m.Value != 8.0/12 || m.P == nil || math.Abs(*m.P-.00265472) > 1e-8 {
		t.Errorf("%+v", m)
	}
	for _, kind := range []string{"latency_arbitrage", "tick_feed_abuse", "off_firm_hedging"} {
		if d := detection(t, a, kind); d.Status != result.NotCheckable || *d.Reason != "needs_quotes" || d.Severity != nil {
			t.Errorf("%s: %+v", kind, d)
		}
	}
}

// dayDeals makes trades on consecutive days that close with these results.
func dayDeals(account int, nets ...float64) []deal {
	out := make([]deal, len(nets))
	for i, net := range nets {
		out[i] = deal{account: account, at: time.Duration(i) * 24 * time.Hour, hold: time.Hour, net: net, side: turn(i)}
	}
	return out
}

func TestDayShares(t *testing.T) {
	t.Parallel()
	ten := []float64{500, 100, 100, 100, 100, -200, 100, -400, 50, 50} // positive 1,100, net 500
	days := func(best float64, n int) []float64 { return append([]float64{best}, every(100, 0, n-1)...) }
	for _, tc := range []struct {
		name          string
		nets          []float64
		net, positive any    // share, or status
		severity      string // with a limit of a half
	}{
		{"ten days", ten, 1.0, 500.0 / 1100, "none"},
		{"half of the positive days is not above it", days(900, 10), 0.5, 0.5, "none"},
		{"more on ten days", days(901, 10), 901.0 / 1801, 901.0 / 1801, "low"},
		{"more on twenty days", days(1901, 20), 1901.0 / 3801, 1901.0 / 3801, "medium"},
		{"a loss altogether", append(days(500, 2), -600, 0, 0, 0, 0, 0, 0, -10), "not_checkable", 500.0 / 600, "low"},
		{"losses only", every(-1, 0, 10), "not_checkable", "not_checkable", "not_checkable"},
		{"nine days", days(901, 9), "insufficient_data", "insufficient_data", "insufficient_data"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in, limit := input(owner(1), dayDeals(0, tc.nets...)...), 0.5
			if got := severity(t, analysis.Analyse(in), "day_concentration"); got != strings.Replace(tc.severity, "medium", "low", 1) {
				t.Errorf("severity %s without a limit, want %s, low at most", got, tc.severity)
			}
			in.Ruleset = ruleset.Neutral()
			in.Ruleset.DayShare.MaxOfPositive = &limit
			a := analysis.Analyse(in)
			for name, want := range map[string]any{"best_day_share_of_net": tc.net, "best_day_share_of_positive": tc.positive} {
				m := a.Metrics[name]
				switch want := want.(type) {
				case string:
					if string(m.Status) != want {
						t.Errorf("%s: %s, want %s", name, m.Status, want)
					}
				case float64:
					if m.Value == nil || math.Abs(*m.Value-want) > 1e-12 {
						t.Errorf("%s: %+v, want %v", name, m, want)
					}
				}
			}
			if got := severity(t, a, "day_concentration"); got != tc.severity {
				t.Errorf("severity %s, want %s", got, tc.severity)
			}
		})
	}
}

// TestDaySharesOfSeveralAccounts: a further account never makes a finding less severe.
func TestDaySharesOfSeveralAccounts(t *testing.T) {
	t.Parallel()
	days := func(account, n int) []deal {
		if n == 0 {
			return nil
		}
		return dayDeals(account, append([]float64{2000}, every(10, 0, n-1)...)...)
	}
	rules := ruleset.Neutral()
	limit := 0.5
	rules.DayShare.MaxOfNet, rules.DayShare.MaxOfPositive = &limit, &limit
	for _, further := range []int{0, 12, 9} {
		in := input(owner(2), append(days(0, 40), days(1, further)...)...)
		in.Ruleset = rules
		a := analysis.Analyse(in)
		for _, kind := range []string{"day_concentration", "day_concentration_net"} {
			d := detection(t, a, kind)
			if *d.Severity != result.Medium || !strings.Contains(d.Detail, `Account "900"`) || d.Metric.N != 40 {
				t.Errorf("%s with a further account of %d days: %s: %s", kind, further, *d.Severity, d.Detail)
			}
		}
	}
}

// TestDailyLoss follows the sum of a day from close to close.
func TestDailyLoss(t *testing.T) {
	t.Parallel()
	hours := func(h float64) time.Duration { return time.Duration(h * float64(time.Hour)) }
	deals := []deal{
		{at: 0, hold: hours(1), net: 4000},
		{at: 0, hold: hours(2), net: -6000, side: record.Sell}, // −2,000
		{at: 0, hold: hours(3), net: 8000, symbol: "A"},
		{at: 0, hold: hours(3), net: -9000, symbol: "B"},  // the same moment: −3,000, never −11,000 nor 6,000
		{at: 0, hold: hours(20), net: -1000, symbol: "C"}, // closes on the next day
		{at: hours(48), hold: open, symbol: "D"},
	}
	a := analyse(deals...)
	if got := value(t, a, "closed_daily_loss"); math.Abs(got-0.03) > 1e-12 {
		t.Errorf("daily loss %v, want 0.03", got)
	}
	if got := severity(t, a, "daily_loss"); got != "not_checkable" {
		t.Errorf("without a limit: %s", got)
	}
	in := input(owner(1), deals...)
	in.Ruleset, _ = ruleset.Preset("consistency")
	if got := severity(t, analysis.Analyse(in), "daily_loss"); got != "none" {
		t.Errorf("3 %% against 5 %%: %s", got)
	}
	limit := 0.0299
	in.Ruleset.DayShare.MaxDailyLoss = &limit
	if got := severity(t, analysis.Analyse(in), "daily_loss"); got != "medium" {
		t.Errorf("3 %% against 2.99 %%: %s", got)
	}
	accounts := owner(2)
	accounts[1].InitialBalance = nil
	in = input(accounts, append(deals, deal{account: 1, at: hours(4), hold: hours(1), net: -18000})...)
	in.Ruleset, _ = ruleset.Preset("consistency")
	if d := detection(t, analysis.Analyse(in), "daily_loss"); !slices.Contains(d.Limitations, "Accounts left out because their initial balance is not known: 1.") {
		t.Errorf("an account without balance is left out, and the limitations are %q", d.Limitations)
	}
}

// TestDaysBeginAtTheAccountsMidnight closes two trades around midnight in New
// York on the night in which its clocks change, and around midnight UTC.
func TestDaysBeginAtTheAccountsMidnight(t *testing.T) {
	t.Parallel()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	accounts := owner(1)
	accounts[0].Location = newYork
	b := trades.NewBuilder(accounts)
	for i, closed := range []string{"2026-03-08T04:59:59Z", "2026-03-08T05:00:00Z", "2026-03-09T03:59:59Z", "2026-03-09T04:00:00Z"} {
		r := deal{net: 1, hold: 0}.record(i)
		if r.CloseTime, err = time.Parse(time.RFC3339, closed); err != nil {
			t.Fatal(err)
		}
		r.OpenTime = r.CloseTime.Add(-time.Minute)
		b.Add(accountID(0), r)
	}
	in := b.Input()
	in.Location, in.Basis = newYork, result.Given
	a := analysis.Analyse(in)
	var got []string
	for _, p := range a.Charts.DailyPnL {
		for range p.Closed {
			got = append(got, p.Day)
		}
	}
	want := []string{"2026-03-07", "2026-03-08", "2026-03-08", "2026-03-09"}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("days %v, want %v", got, want)
		}
	}
	// The clocks go forward at 07:00 UTC, from two to three.
	jump := openedAt(t, accounts, "2026-03-08T06:59:59Z", "2026-03-08T07:00:00Z")
	jump.Location = newYork
	if hours := analysis.Analyse(jump).Charts.ByHour; hours[1] != 1 || hours[2] != 0 || hours[3] != 1 {
		t.Errorf("hours around the jump %v", hours)
	}
	// Opened a minute before: 23:58:59, 23:59, 23:58:59 and 23:59 local.
	if a.Charts.ByHour[23] != 4 || a.Charts.ByWeekday[5] != 2 || a.Charts.ByWeekday[6] != 2 || a.Timezone != "America/New_York" {
		t.Errorf("hours %v, weekdays %v", a.Charts.ByHour, a.Charts.ByWeekday)
	}
}

// openedAt is an account's trades at these moments.
func openedAt(t *testing.T, accounts []trades.Account, moments ...string) trades.Input {
	t.Helper()
	b := trades.NewBuilder(accounts)
	for i, m := range moments {
		r := deal{hold: open}.record(i)
		var err error
		if r.OpenTime, err = time.Parse(time.RFC3339, m); err != nil {
			t.Fatal(err)
		}
		b.Add(accounts[0].ID, r)
	}
	return b.Input()
}
