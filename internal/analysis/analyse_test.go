package analysis_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/trades"
)

func TestNothingToAnalyse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		in   trades.Input
	}{
		{"no input at all", trades.Input{}},
		{"accounts without trades", input(owner(2))},
		{"one trade", input(owner(1), deal{hold: time.Minute, lots: 1, price: 1, net: 5})},
		{"only open positions", input(owner(1), deal{hold: open}, deal{at: time.Hour, hold: open})},
		{"closed before it was opened", input(owner(1), deal{hold: -time.Minute, net: 5})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := analysis.Analyse(tc.in)
			for name, m := range a.Metrics {
				if (m.Value != nil) != (m.Status == result.OK) {
					t.Errorf("%s has a value %v with status %s", name, m.Value, m.Status)
				}
				if m.Status == result.OK && m.N < m.MinN {
					t.Errorf("%s is ok with n %d below %d", name, m.N, m.MinN)
				}
			}
			if f := a.Findings(); len(f) > 0 {
				t.Errorf("findings of nothing: %+v", f)
			}
			for _, d := range a.Detectors {
				if d.Status == result.OK && d.Metric.N < 1 {
					t.Errorf("%s is clean although there was nothing to see", d.Kind)
				}
			}
		})
	}
}

// TestNullsAreWritten sees to it that every member is there, with null for what
// does not exist and [] and {} for what is empty.
func TestNullsAreWritten(t *testing.T) {
	t.Parallel()
	var got map[string]any
	if err := json.Unmarshal([]byte(text(t, analysis.Analyse(trades.Input{}))), &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "metrics")
	delete(got, "detectors")
	charts := got["charts"].(map[string]any)
	delete(charts, "hold_histogram")
	zeros := func(n int) []any { return slices.Repeat([]any{0.0}, n) }
	want := map[string]any{
		"window": map[string]any{"from": nil, "to": nil}, "timezone": "UTC", "timezone_basis": "assumed_utc",
		"ruleset": "neutral", "ruleset_version": ruleset.Neutral().Version(),
		"accounts": []any{}, "evidence_trades": []any{}, "excluded": []any{}, "sources": []any{}, "corrected_tests": 0.0, "data_gaps": []any{},
		"outside": map[string]any{"before": nil, "after": nil}, "results": []any{},
		"totals": map[string]any{
			"trades": 0.0, "closed": 0.0, "open": 0.0, "decisions": 0.0, "symbols": 0.0, "active_days": 0.0, "net_by_currency": map[string]any{},
		},
		"charts": map[string]any{
			"by_hour": zeros(24), "by_weekday": zeros(7), "daily_pnl": []any{}, "equity": []any{},
			"bursts": map[string]any{"total": 0.0, "shown": []any{}},
			"sides":  map[string]any{"periods": []any{}, "symbols": []any{}, "rest": map[string]any{"symbols": 0.0, "buys": 0.0, "sells": 0.0}},
		},
		"limitations": []any{
			"Observations under your preset, not proof of intent.",
			"The time zone is unknown, so UTC is assumed, and hours, weekdays and days may be off.",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("empty activity (-want +got):\n%s", diff)
	}
}

func TestExclusions(t *testing.T) {
	t.Parallel()
	b := trades.NewBuilder(owner(1))
	add := func(id string, change func(*record.Trade)) {
		r := deal{id: id, hold: time.Minute, net: 1}.record(0)
		change(&r)
		b.Add(accountID(0), r)
	}
	for i := range 7 {
		add(fmt.Sprintf("neg%d", 9-i), func(r *record.Trade) { r.CloseTime = r.OpenTime.Add(-time.Microsecond) })
	}
	add("good", func(*record.Trade) {})
	add("good", func(*record.Trade) {})
	add("noopen", func(r *record.Trade) { r.OpenTime = time.Time{} })
	add("noside", func(r *record.Trade) { r.Side = "long" })
	add("nosymbol", func(r *record.Trade) { r.Symbol = " " })
	add("huge", func(r *record.Trade) { r.Profit = record.Decimal("1" + strings.Repeat("0", 999)) })
	add("early", func(r *record.Trade) { r.OpenTime = monday.Add(-time.Microsecond) })
	add("late", func(r *record.Trade) { r.OpenTime = monday.Add(time.Hour); r.CloseTime = r.OpenTime })
	b.Add("somebody", deal{id: "stranger"}.record(0))
	in := b.Input()
	in.Window = trades.Window{From: monday, To: monday.Add(time.Hour)}
	got := analysis.Analyse(in)
	want := []result.Exclusion{
		{Reason: "duplicate", Count: 1, Examples: []string{"good"}},
		{Reason: "negative_duration", Count: 7, Examples: []string{"neg3", "neg4", "neg5", "neg6", "neg7"}},
		{Reason: "no_open_time", Count: 1, Examples: []string{"noopen"}},
		{Reason: "no_symbol", Count: 1, Examples: []string{"nosymbol"}},
		{Reason: "number_out_of_range", Count: 1, Examples: []string{"huge"}},
		{Reason: "outside_window", Count: 2, Examples: []string{"early", "late"}},
		{Reason: "unknown_account", Count: 1, Examples: []string{"stranger"}},
		{Reason: "unknown_side", Count: 1, Examples: []string{"noside"}},
	}
	if diff := cmp.Diff(want, got.Excluded); diff != "" {
		t.Errorf("excluded (-want +got):\n%s", diff)
	}
	if got.Totals.Trades != 1 {
		t.Errorf("%d trades analysed, want 1", got.Totals.Trades)
	}
}

func TestTotalsNeverAddCurrencies(t *testing.T) {
	t.Parallel()
	accounts := owner(3)
	accounts[1].Currency, accounts[2].Currency = "EUR", ""
	a := analysis.Analyse(input(
		accounts,
		deal{account: 0, hold: time.Minute, net: 10}, deal{account: 1, hold: time.Minute, net: 5, symbol: "EURUSD.pro"},
		deal{account: 2, hold: time.Minute, net: -1, at: 24 * time.Hour}, deal{account: 0, hold: open, at: time.Second, symbol: "XAUUSD"},
		deal{account: 1, hold: time.Minute, net: 2, at: time.Second, symbol: "EURUSDm"},
	))
	want := result.Totals{
		Trades: 5, Closed: 4, Open: 1, Decisions: 4, Symbols: 2, ActiveDays: 2,
		NetByCurrency: map[string]float64{"USD": 10, "EUR": 7, "": -1},
	}
	if diff := cmp.Diff(want, a.Totals); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

// TestAmountsAreDecimal: sums of cents are shown as cents, not with what their
// binary form leaves.
func TestAmountsAreDecimal(t *testing.T) {
	t.Parallel()
	a := analyse(deal{hold: time.Minute, net: 11.3}, deal{at: time.Hour, hold: time.Minute, net: -12.7}, deal{at: 2 * time.Hour, hold: time.Minute, net: 0.1})
	got := []float64{a.Totals.NetByCurrency["USD"], a.Charts.DailyPnL[0].Net}
	want := []float64{-1.3, -1.3}
	for _, p := range a.Charts.Equity[0].Points {
		got = append(got, p.Net)
	}
	want = append(want, 11.3, -1.4, -1.3)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("total, day and running sums (-want +got):\n%s", diff)
	}
}

// TestLargeAmounts adds amounts of 10^15 and cents, which a plain sum of
// float64 loses.
func TestLargeAmounts(t *testing.T) {
	t.Parallel()
	var deals []deal
	for i := range 1000 {
		at := time.Duration(i) * time.Minute
		deals = append(deals, deal{at: at, hold: time.Second, net: 1e15}, deal{at: at, hold: time.Second, net: 0.01}, deal{at: at, hold: time.Second, net: -1e15})
	}
	if got := analyse(deals...).Totals.NetByCurrency["USD"]; math.Abs(got-10) > 1e-6 {
		t.Errorf("sum = %v, want 10", got)
	}
}

func TestEqualInputsGiveEqualBytes(t *testing.T) {
	t.Parallel()
	base := exampleBook()
	want := text(t, base.analyse())
	for range 3 {
		if got := text(t, base.analyse()); got != want {
			t.Fatal("a second analysis differs")
		}
	}
	if got := text(t, shuffled(base).analyse()); got != want {
		t.Error("the order of arrival decides something")
	}
}

// TestInputIsLeftAlone analyses trades in disorder, which have to be copied.
func TestInputIsLeftAlone(t *testing.T) {
	t.Parallel()
	in := input(owner(2), deal{hold: time.Hour}, deal{account: 1, hold: time.Hour}, deal{at: time.Hour, hold: -time.Second})
	slices.Reverse(in.Trades)
	before := slices.Clone(in.Trades)
	analysis.Analyse(in)
	if diff := cmp.Diff(before, in.Trades); diff != "" {
		t.Errorf("trades changed (-before +after):\n%s", diff)
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const gap = 3 * time.Second
	for _, tc := range []struct {
		name  string
		deals []deal
		want  int
	}{
		{"gap of three seconds", []deal{{at: 0}, {at: gap}}, 1},
		{"gap beyond three seconds", []deal{{at: 0}, {at: gap + time.Microsecond}}, 2},
		{"chain longer than three seconds", []deal{{at: 0}, {at: gap}, {at: 2 * gap}, {at: 3 * gap}}, 1},
		{"chain of fifteen seconds", []deal{{at: 0}, {at: gap}, {at: 2 * gap}, {at: 3 * gap}, {at: 4 * gap}, {at: 5 * gap}}, 1},
		{"chain longer than fifteen seconds", []deal{{at: 0}, {at: gap}, {at: 2 * gap}, {at: 3 * gap}, {at: 4 * gap}, {at: 5 * gap}, {at: 5*gap + time.Second}}, 2},
		{"one after the other", []deal{{at: 0, hold: time.Second}, {at: 2 * time.Second, hold: time.Second}, {at: 4 * time.Second}}, 3},
		{"closed as the next one opens", []deal{{at: 0, hold: time.Second}, {at: time.Second}}, 2},
		{"a part closed before the next one opens", []deal{{at: 0}, {at: 0, hold: time.Second}, {at: 2 * time.Second}}, 1},
		{"still open", []deal{{at: 0, hold: open}, {at: 2 * time.Second}}, 1},
		{"closed in the moment of the open", []deal{{at: 0, hold: time.Nanosecond}, {at: 0, hold: time.Nanosecond}}, 1},
		{"other side", []deal{{at: 0}, {at: 0, side: record.Sell}}, 2},
		{"other symbol", []deal{{at: 0}, {at: 0, symbol: "XAUUSD"}}, 2},
		{"same symbol under another name", []deal{{at: 0}, {at: 0, symbol: "eurusd.pro"}}, 1},
		{"another between them", []deal{{at: 0}, {at: time.Second, symbol: "XAUUSD"}, {at: gap}}, 2},
		{"same moment", []deal{{at: 0}, {at: 0}, {at: 0}}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for i := range tc.deals {
				if tc.deals[i].hold == 0 {
					tc.deals[i].hold = time.Hour
				}
			}
			if got := analyse(tc.deals...).Totals.Decisions; got != tc.want {
				t.Errorf("%d decisions, want %d", got, tc.want)
			}
		})
	}
}

// TestTickScalper: positions that follow each other every two seconds are decisions of
// their own, and equal lots stay equal.
func TestTickScalper(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name              string
		hold              time.Duration
		perDecision, in60 int
	}{
		{"one after the other", time.Second, 1, 30},
		{"several at a time", 10 * time.Second, 8, 4},
	} {
		r := random(5)
		var deals []deal
		for d := range 12 {
			for k := range 400 {
				deals = append(deals, deal{
					at: startWorkday(d) + time.Duration(2*k)*time.Second, hold: c.hold, lots: 0.5, price: 1.1,
					net: 2*r.Float64() - 0.8, side: []record.Side{record.Buy, record.Sell}[d%2],
				})
			}
		}
		a := analyse(deals...)
		if got, want := a.Totals.Decisions, len(deals)/c.perDecision; got != want {
			t.Errorf("%s: %d trades are %d decisions, want %d", c.name, len(deals), got, want)
		}
		if got := value(t, a, "max_in_60s"); got != float64(c.in60) {
			t.Errorf("%s: %v opens within a minute, want %d", c.name, got, c.in60)
		}
		if got := value(t, a, "burst_trade_share"); got != 1 {
			t.Errorf("%s: %v of decisions are in bursts, want all", c.name, got)
		}
		if got := severity(t, a, "lot_size"); got != "none" {
			t.Errorf("%s: one lot size jumps: %s", c.name, got)
		}
		if got := a.Metrics["hold_under_10s_win_rate"].N; c.perDecision == 1 && got != len(deals) {
			t.Errorf("%s: %d decisions have a result within ten seconds, want all", c.name, got)
		}
	}
}

func TestDecisionsStayWithinAnAccount(t *testing.T) {
	t.Parallel()
	if got := analysis.Analyse(input(owner(2), deal{}, deal{account: 1})).Totals.Decisions; got != 2 {
		t.Errorf("%d decisions, want 2", got)
	}
}

// TestPeersOnlyCompare adds an account of another trader, whose trades must not
// count as the trader's own.
func TestPeersOnlyCompare(t *testing.T) {
	t.Parallel()
	accounts := owner(2)
	alone := text(t, analysis.Analyse(input(accounts[:1], deal{hold: time.Hour, net: 3, lots: 1, price: 1})))
	accounts[1].Peer = true
	in := input(accounts, deal{hold: time.Hour, net: 3, lots: 1, price: 1}, deal{account: 1, hold: time.Minute, net: -7, lots: 2, price: 1})
	together := analysis.Analyse(in)
	for name := range together.Metrics {
		if strings.HasPrefix(name, "copied_") || strings.HasPrefix(name, "opposite_") {
			delete(together.Metrics, name)
		}
	}
	var a, b map[string]any
	if err := json.Unmarshal([]byte(alone), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text(t, together)), &b); err != nil {
		t.Fatal(err)
	}
	for name := range a["metrics"].(map[string]any) {
		if strings.HasPrefix(name, "copied_") || strings.HasPrefix(name, "opposite_") {
			delete(a["metrics"].(map[string]any), name)
		}
	}
	for _, activity := range []map[string]any{a, b} { // which count a test more
		delete(activity, "detectors")
		delete(activity, "corrected_tests")
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("with a peer (-alone +together):\n%s", diff)
	}
}

func TestFindingIDs(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, d := range exampleBook().analyse().Detectors {
		if len(d.ID) != 32 {
			t.Errorf("%s has id %q", d.Kind, d.ID)
		}
		if other, ok := seen[d.ID]; ok {
			t.Errorf("%s and %s share an id", d.Kind, other)
		}
		seen[d.ID] = d.Kind
	}
	if a, b := detection(t, analyse(deal{}), "bursts").ID, detection(t, analyse(deal{at: time.Hour}), "bursts").ID; a != b {
		t.Errorf("equal content has ids %s and %s", a, b)
	}
}
