package analysis_test

import (
	"math"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// timed opens n positions, per day of them between two hours, with the seconds
// within the minute that a function draws.
func timed(n, perDay int, from, to time.Duration, seconds func() time.Duration) []deal {
	r := random(4)
	var deals []deal
	for i := range n {
		at := time.Duration(i/perDay)*24*time.Hour + from - 8*time.Hour // the tests' Monday begins at eight
		at += (to - from) / time.Duration(perDay) * time.Duration(i%perDay)
		at += time.Duration(r.IntN(10)) * time.Minute
		at = at.Truncate(time.Minute) + seconds()
		deals = append(deals, deal{
			at: at, hold: 5*time.Minute + time.Duration(r.IntN(60))*time.Second, side: []record.Side{record.Buy, record.Sell}[r.IntN(2)], lots: 1, price: 1.1 + r.Float64()/100,
		})
	}
	return deals
}

// within draws seconds below a limit.
func within(limit time.Duration) func() time.Duration {
	r := random(8)
	return func() time.Duration { return time.Duration(r.Int64N(int64(limit))) }
}

// withStops puts stops at a distance that a function draws.
func withStops(in trades.Input, distance func() float64) trades.Input {
	for i := range in.Trades {
		in.Trades[i].StopLoss = in.Trades[i].OpenPrice - distance()
		in.Trades[i].Has |= trades.HasStopLoss
	}
	return in
}

func TestAutomation(t *testing.T) {
	t.Parallel()
	const morning, evening = 8 * time.Hour, 18 * time.Hour
	r := random(6)
	fixed := func() float64 { return 0.002 }
	scattered := func() float64 { return 0.002 * (1 + r.Float64()) }
	for _, c := range []struct {
		name string
		in   trades.Input
		want string
	}{
		{"a person", withStops(input(owner(1), timed(200, 10, morning, evening, within(time.Minute))...), scattered), "none"},
		{"at the turn of the minute", input(owner(1), timed(200, 10, morning, evening, within(3*time.Second))...), "low"},
		{"at the turn, and one stop", withStops(input(owner(1), timed(200, 10, morning, evening, within(3*time.Second))...), fixed), "medium"},
		{"one stop alone", withStops(input(owner(1), timed(200, 10, morning, evening, within(time.Minute))...), fixed), "none"},
		{"around the clock", input(owner(1), timed(240, 12, 0, 24*time.Hour, within(time.Minute))...), "low"},
		{"around the clock at the turn", input(owner(1), timed(240, 12, 0, 24*time.Hour, within(3*time.Second))...), "medium"},
		// Seven hours of sleep that midnight cuts in two.
		{"long days with a night", input(owner(1), timed(340, 17, 6*time.Hour+30*time.Minute, 23*time.Hour, within(time.Minute))...), "none"},
		{"nine days around the clock", input(owner(1), timed(108, 12, 0, 24*time.Hour, within(time.Minute))...), "none"},
		{"fifty-nine", input(owner(1), timed(59, 10, morning, evening, within(3*time.Second))...), "insufficient_data"},
		{"a file without seconds, then a source with them", minutesUntil(120, input(owner(1), timed(200, 10, morning, evening, within(time.Minute))...)), "none"},
		{"a source with seconds, then a file without", minutesFrom(120, input(owner(1), timed(200, 10, morning, evening, within(time.Minute))...)), "none"},
		{"at the turn of the minute after a file without seconds", minutesUntil(80, input(owner(1), timed(200, 10, morning, evening, within(3*time.Second))...)), "low"},
		// Each twentieth position is stopped out within the minute.
		{"exactly at the turn of the minute, and mostly closed there", minutesExcept(20, input(owner(1), timed(600, 10, morning, evening, within(time.Minute))...)), "low"},
		{"the source keeps minutes only", minutesOnly(input(owner(1), timed(200, 10, morning, evening, within(time.Minute))...)), "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := analysis.Analyse(c.in)
			if got := severity(t, a, "automation"); got != c.want {
				t.Errorf("severity %s, want %s: %s", got, c.want, detection(t, a, "automation").Detail)
			}
		})
	}
}

// cutSeconds cuts the times of some trades.
func cutSeconds(in trades.Input, cut func(i int) bool) trades.Input {
	for i := range in.Trades {
		if cut(i) {
			minutesOnly(trades.Input{Trades: in.Trades[i : i+1]})
		}
	}
	return in
}

func minutesUntil(n int, in trades.Input) trades.Input {
	return cutSeconds(in, func(i int) bool { return i < n })
}

func minutesFrom(n int, in trades.Input) trades.Input {
	return cutSeconds(in, func(i int) bool { return i >= n })
}

// minutesExcept opens all positions on whole minutes, and closes all but each n-th on them.
func minutesExcept(n int, in trades.Input) trades.Input {
	in = minutesUntil(len(in.Trades), in)
	for i := range in.Trades {
		if i%n == n/2 || i > 500 && i%10 == 0 {
			in.Trades[i].Close += 7_000_000
		}
	}
	return in
}

// minutesOnly cuts times as MT4 does.
func minutesOnly(in trades.Input) trades.Input {
	const minute = 60_000_000
	for i := range in.Trades {
		t := &in.Trades[i]
		t.Open, t.Close = t.Open/minute*minute, t.Close/minute*minute
	}
	return in
}

func TestAutomationWithoutSeconds(t *testing.T) {
	t.Parallel()
	a := analysis.Analyse(minutesOnly(input(owner(1), timed(200, 10, 8*time.Hour, 18*time.Hour, within(time.Minute))...)))
	m := a.Metrics["seconds_chi2"]
	if m.Status != result.InsufficientData || m.Params["without_seconds"] != 200 {
		t.Errorf("timing of whole minutes: %+v", m)
	}
	if d := detection(t, a, "automation"); d.Metric.PAdjusted != nil {
		t.Errorf("what could not be tested takes part in the correction: %+v", d.Metric)
	}
}

// TestAutomationOfMany: with many trades any trace of unevenness has a small p.
func TestAutomationOfMany(t *testing.T) {
	t.Parallel()
	r := random(2)
	uneven := func() time.Duration {
		if r.IntN(20) == 0 {
			return time.Duration(r.Int64N(int64(5 * time.Second)))
		}
		return time.Duration(r.Int64N(int64(time.Minute)))
	}
	a := analysis.Analyse(input(owner(1), timed(8000, 40, 8*time.Hour, 18*time.Hour, uneven)...))
	if p := a.Metrics["seconds_chi2"].P; p == nil || *p > 1e-6 {
		t.Fatalf("p = %v: the test tests nothing", p)
	}
	if got := severity(t, a, "automation"); got != "none" {
		t.Errorf("severity %s of a small effect, want none", got)
	}
}

// TestFixedStopAroundAPowerOfTen: a fixed distance is one, whatever the price is.
func TestFixedStopAroundAPowerOfTen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		symbol                 string
		around, tick, distance float64
	}{
		{"BTCUSD", 90_000, 1, 500},
		{"BTCUSD", 100_000, 1, 500},
		{"EURUSD", 1, 1e-5, 0.0025},
		{"USDJPY", 100, 1e-3, 0.25},
	} {
		r := random(3)
		deals := timed(200, 10, 8*time.Hour, 18*time.Hour, within(time.Minute))
		for i := range deals {
			deals[i].symbol, deals[i].price = c.symbol, math.Round(c.around/c.tick*(0.98+0.04*r.Float64()))*c.tick
		}
		in := withStops(input(owner(1), deals...), func() float64 { return c.distance })
		if got := value(t, analysis.Analyse(in), "modal_stop_share"); got != 1 {
			t.Errorf("%s around %v: %v of stops are at one distance, want all", c.symbol, c.around, got)
		}
	}
}
