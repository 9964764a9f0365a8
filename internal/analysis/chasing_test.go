package analysis_test

import (
	"math"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis/result"
)

// step is one decision: whether the one before it lost, and whether it is
// larger by the factor.
type step struct {
	loss   bool
	factor float64 // 0 means back to one lot
}

// chain makes decisions of one symbol, one after the other. The first has one lot.
func chain(steps ...step) []deal {
	out := []deal{{lots: 1, hold: time.Minute}}
	for i, s := range steps {
		last := &out[len(out)-1]
		last.net = 10
		if s.loss {
			last.net = -10
		}
		lots := 1.0
		if s.factor > 0 {
			lots = last.lots * s.factor
		}
		out = append(out, deal{at: time.Duration(i+1) * time.Hour, hold: time.Minute, lots: lots, side: turn(i / 2), net: 10})
	}
	return out
}

// repeat returns n equal steps.
func repeat(n int, s step) []step {
	out := make([]step, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// steps joins lists of steps.
func steps(lists ...[]step) []step {
	var out []step
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// TestRaisesAfterLosses holds p against the published table (8,4;2,16): size is
// raised after 8 of 12 losses and after 2 of 18 wins.
func TestRaisesAfterLosses(t *testing.T) {
	t.Parallel()
	var s []step
	for range 8 { // never two raises in a row
		s = append(s, step{true, 1.3}, step{false, 0})
	}
	s = append(s, repeat(4, step{true, 0})...)
	s = append(s, step{false, 2}, step{false, 0}, step{false, 1.5})
	s = append(s, repeat(7, step{false, 1})...)
	a := analyse(chain(s...)...)
	m := a.Metrics["raise_rate_after_loss"]
	if m.N != 12 || *m.Value != 8.0/12 || m.P == nil || math.Abs(*m.P-.00265472) > 1e-8 {
		t.Errorf("after losses: %+v, p %v", m, *m.P)
	}
	if got := value(t, a, "raise_rate_after_win"); got != 2.0/18 {
		t.Errorf("after wins: %v", got)
	}
	if got := value(t, a, "loss_ladder_depth"); got != 1 {
		t.Errorf("depth %v", got)
	}
}

func TestLossChasingSeverity(t *testing.T) {
	t.Parallel()
	wins := repeat(20, step{false, 1})
	pair := []step{{true, 1.3}, {false, 0}}
	ladder := steps(repeat(3, step{true, 1.4}), []step{{false, 0}})
	var pairs []step
	for range 12 {
		pairs = append(pairs, pair...)
	}
	for _, tc := range []struct {
		name  string
		steps []step
		want  string
		depth float64
	}{
		{"raised after each loss", steps(pairs, wins), "medium", 1},
		{"one ladder of three", steps(pairs, ladder, wins), "medium", 3},
		{"two ladders of three", steps(pairs, ladder, ladder, wins), "high", 3},
		{"size grows fourfold", steps(pairs, repeat(2, step{true, 2}), []step{{false, 0}}, wins), "high", 2},
		{"raised after wins as well", steps(repeat(12, step{true, 1.4}), repeat(20, step{false, 1.4})), "none", 12},
		{"never raised", steps(repeat(12, step{true, 1}), wins), "none", 0},
		{"by less than the ratio", steps(repeat(12, step{true, 1.29}), wins), "none", 0},
		{"nine losses", steps(repeat(9, step{true, 2}), wins), "insufficient_data", 0},
		{"nine wins", steps(repeat(12, step{true, 1.4}), repeat(9, step{false, 1})), "insufficient_data", 12},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := analyse(chain(tc.steps...)...)
			if got := severity(t, a, "loss_chasing"); got != tc.want {
				t.Errorf("severity %s, want %s: %+v", got, tc.want, detection(t, a, "loss_chasing").Metric)
			}
			if m := a.Metrics["loss_ladder_depth"]; m.Value != nil && *m.Value != tc.depth {
				t.Errorf("depth %v, want %v", *m.Value, tc.depth)
			}
		})
	}
}

// TestPriorIsTheLastClosed has positions that overlap: what counts as the one
// before is the decision that closed last before the open, at that very moment
// included, and of the same symbol.
func TestPriorIsTheLastClosed(t *testing.T) {
	t.Parallel()
	const h = time.Hour
	block := func(day int) []deal {
		from := time.Duration(day) * 24 * h
		return []deal{
			{at: from, hold: 9 * h, lots: 9, net: 1, symbol: "LONG"},
			{at: from + h, hold: 3 * h, lots: 2, net: -1},                 // prior of the fourth: closes at 4 h
			{at: from + h, hold: 2 * h, lots: 1, net: 1, side: "sell"},    // closes earlier
			{at: from + 4*h, hold: 10 * h, lots: 4, net: 1},               // raised after the loss, twice
			{at: from + 5*h, hold: 10 * h, lots: 1, symbol: "XAUUSD"},     // another symbol
			{at: from + 6*h, hold: open, lots: 1, side: record.Sell},      // prior is still the loss; not raised
			{at: from + 20*h, hold: h, lots: 4, net: 1},                   // prior is the fourth: a win
			{at: from + 22*h, hold: h, net: 1, side: record.Sell},         // no volume: compared with nothing
			{at: from + 23*h + h/2, hold: h / 4, lots: 1, net: 0, id: ""}, // prior has no volume
		}
	}
	var deals []deal
	for d := range 10 {
		deals = append(deals, block(d)...)
	}
	a := analyse(deals...)
	loss, win := a.Metrics["raise_rate_after_loss"], a.Metrics["raise_rate_after_win"]
	if loss.N != 20 || *loss.Value != 0.5 {
		t.Errorf("after losses: n %d, %v", loss.N, *loss.Value)
	}
	// After each 20 h decision, and LONG on the nine days that follow another.
	if win.N != 19 || *win.Value != 0 {
		t.Errorf("after wins: n %d, %v", win.N, *win.Value)
	}
}

// TestLaddersAreRuns raises twice after one loss, the first raise still being
// open: that is no run of two.
func TestLaddersAreRuns(t *testing.T) {
	t.Parallel()
	var deals []deal
	for d := range 12 {
		from := time.Duration(d) * 24 * time.Hour
		deals = append(deals,
			deal{at: from, hold: time.Hour, lots: 1, net: -1}, deal{at: from + 2*time.Hour, hold: 9 * time.Hour, lots: 2, net: 1},
			deal{at: from + 3*time.Hour, hold: time.Hour, lots: 2, net: 1, side: record.Sell},
		)
	}
	if got := value(t, analyse(deals...), "loss_ladder_depth"); got != 1 {
		t.Errorf("depth %v, want 1", got)
	}
}

// TestPriorOfEqualCloses: of two that close in one moment, the one before is the
// one that was opened later.
func TestPriorOfEqualCloses(t *testing.T) {
	t.Parallel()
	var deals []deal
	for d := range 10 {
		from := time.Duration(d) * 24 * time.Hour
		deals = append(deals,
			deal{at: from, hold: 2 * time.Hour, lots: 1, net: -1}, deal{at: from + time.Hour, hold: time.Hour, lots: 1, net: 1, side: record.Sell},
			deal{at: from + 3*time.Hour, hold: time.Hour, lots: 1},
		)
	}
	a := analyse(deals...)
	if wins, losses := a.Metrics["raise_rate_after_win"].N, a.Metrics["raise_rate_after_loss"].N; wins != 10 || losses != 0 {
		t.Errorf("%d decisions after wins and %d after losses, want 10 and none", wins, losses)
	}
}

func TestSizesUnknown(t *testing.T) {
	t.Parallel()
	deals := chain(repeat(40, step{true, 2})...)
	for i := range deals {
		deals[i].lots = 0
	}
	d := detection(t, analyse(deals...), "loss_chasing")
	if d.Status != result.NotCheckable || *d.Reason != "no_volume" {
		t.Errorf("%s %v", d.Status, d.Reason)
	}
}

// basketOf opens decisions at these prices, ten minutes apart, and closes them
// together an hour after the last. Lots are one where there are none.
func basketOf(from time.Duration, side record.Side, prices []float64, lots ...float64) []deal {
	out := make([]deal, len(prices))
	end := from + time.Duration(len(prices)-1)*10*time.Minute + time.Hour
	for i, p := range prices {
		at := from + time.Duration(i)*10*time.Minute
		out[i] = deal{at: at, hold: end - at, price: p, lots: 1, side: side}
		if i < len(lots) {
			out[i].lots = lots[i]
		}
	}
	return out
}

func TestAveraging(t *testing.T) {
	t.Parallel()
	quiet := func(n int) []deal { // single decisions that make no basket
		out := make([]deal, n)
		for i := range out {
			out[i] = deal{at: time.Duration(1000+i) * time.Hour, hold: time.Minute, price: 100, lots: 1}
		}
		return out
	}
	several := func(n int, side record.Side, prices []float64, lots ...float64) []deal {
		var out []deal
		for i := range n {
			out = append(out, basketOf(time.Duration(i)*24*time.Hour, side, prices, lots...)...)
		}
		return out
	}
	down, up := []float64{100, 99, 97.3, 97}, []float64{100, 101, 102.7, 103}
	for _, tc := range []struct {
		name                                string
		deals                               []deal
		depth, low, deep, escalating, grids float64
		want                                string
	}{
		{"single decisions", quiet(12), 0, 0, 0, 0, 0, "none"},
		{"too few", quiet(9), 0, 0, 0, 0, 0, "insufficient_data"},
		{"one add", append(quiet(10), basketOf(0, record.Buy, down[:2])...), 1, 0, 0, 0, 0, "none"},
		{"two adds", append(quiet(10), basketOf(0, record.Buy, down[:3])...), 2, 1, 0, 0, 0, "low"},
		{"three adds twice", append(quiet(10), several(2, record.Buy, down)...), 3, 2, 2, 0, 0, "low"},
		// Three of three are adverse by chance in one case of eight.
		{"three adds thrice", several(3, record.Buy, down), 3, 3, 3, 0, 0, "low"},
		{"twelve times", several(12, record.Buy, down), 3, 12, 12, 0, 0, "medium"},
		{"as often to winners", append(several(12, record.Buy, down), several(12, record.Sell, down)...), 3, 12, 12, 0, 0, "low"},
		{"sells into a rise", several(12, record.Sell, up), 3, 12, 12, 0, 0, "medium"},
		{"buys into a rise add to winners", several(3, record.Buy, up), 0, 0, 0, 0, 0, "none"},
		{"growing size", several(12, record.Buy, down, 1, 1, 1, 1.1), 3, 12, 12, 12, 0, "high"},
		{"even steps", several(3, record.Buy, []float64{100, 99, 98, 97, 96}), 4, 3, 3, 0, 3, "high"},
		{"uneven steps", several(12, record.Buy, []float64{100, 99, 95, 94.5, 90}), 4, 12, 12, 0, 0, "medium"},
		{"above the average, below the last", several(3, record.Buy, []float64{100, 90, 96}), 1, 0, 0, 0, 0, "insufficient_data"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := analyse(tc.deals...)
			if got := severity(t, a, "averaging_down"); got != tc.want {
				t.Errorf("severity %s, want %s", got, tc.want)
			}
			if tc.want == "insufficient_data" {
				return
			}
			for name, want := range map[string]float64{
				"averaging_depth": tc.depth, "averaging_baskets": tc.low, "averaging_deep_baskets": tc.deep,
				"averaging_escalating": tc.escalating, "averaging_grids": tc.grids, "averaging_closed_together": tc.low,
			} {
				if got := value(t, a, name); got != want {
					t.Errorf("%s = %v, want %v", name, got, want)
				}
			}
		})
	}
}

// TestBasketsEnd closes everything before the next add, at its very moment.
func TestBasketsEnd(t *testing.T) {
	t.Parallel()
	var deals []deal
	for i := range 12 {
		deals = append(deals, deal{at: time.Duration(i) * time.Hour, hold: time.Hour, price: 100 - float64(i), lots: 1})
	}
	a := analyse(deals...)
	if got := value(t, a, "averaging_depth"); got != 0 {
		t.Errorf("depth %v over baskets that had ended", got)
	}
	if got := a.Metrics["averaging_depth"].Params["baskets"]; got != 12 {
		t.Errorf("%v baskets, want 12", got)
	}
}

// TestClosedTogether closes three positions over six and over five seconds.
func TestClosedTogether(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		step time.Duration
		want float64
	}{{"within five seconds", 2500 * time.Millisecond, 1}, {"beyond", 2500*time.Millisecond + time.Microsecond, 0}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			deals := basketOf(0, record.Buy, []float64{100, 99, 98})
			for i := range deals {
				deals[i].hold += time.Duration(i) * tc.step
			}
			for i := range 10 {
				deals = append(deals, deal{at: time.Duration(1000+i) * time.Hour, hold: time.Minute, price: 100, lots: 1})
			}
			if got := value(t, analyse(deals...), "averaging_closed_together"); got != tc.want {
				t.Errorf("%v baskets, want %v", got, tc.want)
			}
		})
	}
}

func TestPricesUnknown(t *testing.T) {
	t.Parallel()
	var deals []deal
	for i := range 12 {
		deals = append(deals, deal{at: time.Duration(i) * time.Hour, hold: time.Hour, lots: 1})
	}
	d := detection(t, analyse(deals...), "averaging_down")
	if d.Status != result.NotCheckable || *d.Reason != "no_prices" {
		t.Errorf("%s %v", d.Status, d.Reason)
	}
}
