package analysis_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

func TestHoldHistogram(t *testing.T) {
	t.Parallel()
	const month = 28 * 24 * time.Hour
	var deals []deal
	for _, hold := range []time.Duration{
		0, time.Second - time.Microsecond, time.Second, 119 * time.Second, 2 * time.Minute, 3*time.Minute - 1000, month - 1000, month, 100 * month, open,
	} {
		deals = append(deals, deal{hold: hold})
	}
	got := map[string]int{}
	bins := analyse(deals...).Charts.HoldHistogram
	for i, b := range bins {
		to := "∞"
		if b.To != nil {
			to = fmt.Sprint(*b.To)
		}
		if b.Count > 0 {
			got[fmt.Sprint(b.From, " to ", to)] = b.Count
		}
		if i > 0 && *bins[i-1].To != b.From {
			t.Errorf("a gap before %v", b.From)
		}
	}
	want := map[string]int{"0 to 1": 2, "1 to 2": 1, "60 to 120": 1, "120 to 180": 2, "1.2096e+06 to 2.4192e+06": 1, "2.4192e+06 to ∞": 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bins (-want +got):\n%s", diff)
	}
}

func TestHoursAndWeekdays(t *testing.T) {
	t.Parallel()
	kolkata, err := time.LoadLocation("Asia/Kolkata") // UTC+5:30
	if err != nil {
		t.Fatal(err)
	}
	in := input(owner(1), deal{hold: open}, deal{at: 10*time.Hour + 30*time.Minute, hold: open}, deal{at: -9 * time.Hour, hold: open})
	in.Location, in.Basis = kolkata, result.FromFile
	a := analysis.Analyse(in)
	// Monday 08:00, 18:30 and Sunday 23:00 UTC.
	var hours [24]int
	hours[13], hours[0], hours[4] = 1, 1, 1
	weekdays := [7]int{2, 1}
	if a.Charts.ByHour != hours || a.Charts.ByWeekday != weekdays {
		t.Errorf("hours %v, weekdays %v", a.Charts.ByHour, a.Charts.ByWeekday)
	}
	if a.Timezone != "Asia/Kolkata" || a.TimezoneBasis != "file" || len(a.Limitations) != 1 {
		t.Errorf("timezone %s %s %v", a.Timezone, a.TimezoneBasis, a.Limitations)
	}
}

func TestDailyPnL(t *testing.T) {
	t.Parallel()
	accounts := owner(3)
	accounts[2].Currency = "EUR"
	a := analysis.Analyse(input(
		accounts,
		deal{hold: time.Hour, net: 5}, deal{account: 1, hold: time.Hour, net: -2}, deal{account: 2, hold: time.Hour, net: 1},
		deal{hold: 30 * time.Hour, net: 7}, deal{hold: open},
	))
	want := []result.PeriodPnL{
		{Day: "2026-01-05", Days: 1, Currency: "EUR", Net: 1, Closed: 1},
		{Day: "2026-01-05", Days: 1, Currency: "USD", Net: 3, Closed: 2},
		{Day: "2026-01-06", Days: 1, Currency: "USD", Net: 7, Closed: 1},
	}
	if diff := cmp.Diff(want, a.Charts.DailyPnL); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
}

// TestChartsAreBounded analyses years of trading, with a burst each day.
func TestChartsAreBounded(t *testing.T) {
	t.Parallel()
	const days = 2000
	var deals []deal
	traded := 0
	for d := range days {
		if d%7 == 6 {
			continue
		}
		traded++
		for i := range 5 {
			at := time.Duration(d)*24*time.Hour + time.Duration(i)*10*time.Second
			deals = append(deals, deal{at: at, hold: time.Hour, net: 1, side: turn(i)})
		}
	}
	c := analyse(deals...).Charts
	closed, net := 0, 0.0
	for i, p := range c.DailyPnL {
		closed += p.Closed
		net += p.Net
		if p.Days != 3 {
			t.Fatalf("row %d spans %d days", i, p.Days)
		}
		if day, err := time.Parse(time.DateOnly, p.Day); err != nil || int(day.Sub(monday.Truncate(24*time.Hour)).Hours())%72 != 0 {
			t.Fatalf("row %d begins on %s, which no step of three days reaches", i, p.Day)
		}
	}
	if n := len(c.DailyPnL); n > 800 || n < 400 || closed != 5*traded || net != 5*float64(traded) {
		t.Errorf("%d rows with %d trades and %v", n, closed, net)
	}
	points := c.Equity[0].Points
	if last := points[len(points)-1]; len(points) > 500 || len(points) < 250 || last.Net != 5*float64(traded) {
		t.Errorf("%d points, the last at %v", len(points), last.Net)
	}
	if c.Bursts.Total != traded || len(c.Bursts.Shown) != 200 {
		t.Errorf("%d of %d bursts", len(c.Bursts.Shown), c.Bursts.Total)
	}
	for i := 1; i < len(c.Bursts.Shown); i++ {
		if c.Bursts.Shown[i].From.Before(c.Bursts.Shown[i-1].To) {
			t.Fatal("bursts are not in order of time")
		}
	}
}

// TestEquity has two accounts of a currency, and a stretch with more than its
// end tells.
func TestEquity(t *testing.T) {
	t.Parallel()
	accounts := owner(2)
	deals := []deal{
		{hold: time.Hour, net: 10},
		{account: 1, hold: 2 * time.Hour, net: -30},
		{hold: 3 * time.Hour, net: 5},
		{account: 1, hold: 3 * time.Hour, net: 1, side: turn(1)},
		{hold: open},
	}
	lines := analysis.Analyse(input(accounts, deals...)).Charts.Equity
	at := func(h int) time.Time { return monday.Add(time.Duration(h) * time.Hour) }
	want := []result.EquityLine{{Currency: "USD", Points: []result.EquityPoint{
		{At: at(1), Net: 10, Low: 10, High: 10}, {At: at(2), Net: -20, Low: -20, High: -20}, {At: at(3), Net: -14, Low: -14, High: -14},
	}}}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("equity (-want +got):\n%s", diff)
	}
	var many []deal
	for i := range 1000 { // each stretch takes a loss and a win
		net := -100.0
		if i%2 == 1 {
			net = 101
		}
		many = append(many, deal{at: time.Duration(i) * time.Minute, hold: time.Second, net: net})
	}
	p := analyse(many...).Charts.Equity[0].Points[3]
	if p.Net != 4 || p.Low != 3-100 || p.High != 4 {
		t.Errorf("fourth stretch %+v", p)
	}
}

func TestBurstBars(t *testing.T) {
	t.Parallel()
	deals := opens(every(0, 10, 6)...)
	deals[1].side = deals[0].side
	want := result.BurstLine{Total: 1, Shown: []result.BurstBar{{
		AccountID: accountID(0), From: monday, To: monday.Add(50 * time.Second), Decisions: 6, SameSideShare: 4.0 / 6,
	}}}
	if diff := cmp.Diff(want, analyse(deals...).Charts.Bursts); diff != "" {
		t.Errorf("bursts (-want +got):\n%s", diff)
	}
}

// TestSides counts decisions, not tickets: what is opened within three seconds on
// one side of one symbol is one.
func TestSides(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	got := analyse(
		deal{at: 0, hold: time.Minute}, deal{at: time.Second, hold: time.Minute}, // one decision
		deal{at: time.Hour, side: record.Sell},
		deal{at: day, symbol: "XAUUSD.pro"}, deal{at: day + time.Hour, symbol: "xauusd"}, deal{at: day + 2*time.Hour, symbol: "XAUUSD"},
		deal{at: 3 * day, symbol: "BTCUSD", side: record.Sell, hold: open},
		deal{at: 3 * day, symbol: "ADAUSD", side: record.Sell},
	).Charts.Sides
	want := result.SideChart{
		Periods: []result.SidePeriod{
			{Day: "2026-01-05", Days: 1, Buys: 1, Sells: 1}, {Day: "2026-01-06", Days: 1, Buys: 3}, {Day: "2026-01-08", Days: 1, Sells: 2},
		},
		Symbols: []result.SideSymbol{
			{Symbol: "XAUUSD", Buys: 3}, {Symbol: "EURUSD", Buys: 1, Sells: 1}, {Symbol: "ADAUSD", Sells: 1}, {Symbol: "BTCUSD", Sells: 1},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sides (-want +got):\n%s", diff)
	}
}

// TestSidesAreBounded trades 30 symbols on 1,000 days.
func TestSidesAreBounded(t *testing.T) {
	t.Parallel()
	const days, symbols = 1000, 30
	var deals []deal
	for d := range days {
		deals = append(deals, deal{at: time.Duration(d) * 24 * time.Hour, symbol: fmt.Sprintf("S%02d", d%symbols), side: turn(d), hold: time.Hour})
	}
	got := analyse(deals...).Charts.Sides
	buys, sells := got.Rest.Buys, got.Rest.Sells
	for _, s := range got.Symbols {
		buys, sells = buys+s.Buys, sells+s.Sells
	}
	if len(got.Symbols) != 20 || got.Rest.Symbols != symbols-20 || buys != days/2 || sells != days/2 {
		t.Errorf("%d symbols and %+v, %d buys and %d sells in all", len(got.Symbols), got.Rest, buys, sells)
	}
	buys, sells = 0, 0
	for _, p := range got.Periods {
		buys, sells = buys+p.Buys, sells+p.Sells
	}
	if len(got.Periods) != days/2 || got.Periods[0].Days != 2 || buys != days/2 || sells != days/2 {
		t.Errorf("%d periods of %d days, %d buys and %d sells in all", len(got.Periods), got.Periods[0].Days, buys, sells)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	in := input(owner(1), deal{hold: 5 * time.Hour}, deal{at: time.Hour, hold: time.Minute})
	w := analysis.Analyse(in).Window
	if !w.From.Equal(monday) || !w.To.Equal(monday.Add(5*time.Hour)) {
		t.Errorf("found window %v to %v", w.From, w.To)
	}
	in.Window = trades.Window{From: monday.Add(-time.Hour)}
	w = analysis.Analyse(in).Window
	if !w.From.Equal(monday.Add(-time.Hour)) || !w.To.Equal(monday.Add(5*time.Hour)) {
		t.Errorf("half given window %v to %v", w.From, w.To)
	}
}

// TestCorrection has one detector with a low p among several that were tested: its
// adjusted p is what Holm makes of its own comparisons, and Benjamini and Hochberg of
// all detectors.
func TestCorrection(t *testing.T) {
	t.Parallel()
	a := exampleBook().analyse()
	tests, least, adjusted := 0, math.Inf(1), 0.0
	for _, d := range a.Detectors {
		if d.Metric == nil || d.Metric.PAdjusted == nil {
			continue
		}
		tests++
		if *d.Metric.PAdjusted < *d.Metric.P {
			t.Errorf("%s: adjusted %v below %v", d.Kind, *d.Metric.PAdjusted, *d.Metric.P)
		}
		if p := *d.Metric.P * float64(d.Metric.Comparisons); p < least {
			least, adjusted = p, *d.Metric.PAdjusted
		}
	}
	if tests < 3 || a.CorrectedTests != tests {
		t.Errorf("%d tests, %d said", tests, a.CorrectedTests)
	}
	if adjusted > least*float64(tests)+1e-15 || adjusted < least/float64(tests) {
		t.Errorf("least p %v became %v of %d tests", least, adjusted, tests)
	}
	for _, kind := range []string{"short_holding", "lot_size", "day_concentration"} {
		if m := detection(t, a, kind).Metric; m != nil && m.PAdjusted != nil {
			t.Errorf("%s takes part in the correction", kind)
		}
	}
}
