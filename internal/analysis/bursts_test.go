package analysis_test

import (
	"math"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
)

// opens makes decisions at these seconds, on sides in turn.
func opens(seconds ...float64) []deal {
	out := make([]deal, len(seconds))
	for i, s := range seconds {
		out[i] = deal{at: time.Duration(math.Round(s*1e6)) * time.Microsecond, hold: time.Hour, side: turn(i)}
	}
	return out
}

func turn(i int) record.Side {
	if i%2 == 1 {
		return record.Sell
	}
	return record.Buy
}

// every returns n moments, each gap seconds after the one before.
func every(from, gap float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = from + float64(i)*gap
	}
	return out
}

func TestBursts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name                 string
		deals                []deal
		count, within, in60s float64
	}{
		{"five just within the window", opens(0, 30, 60, 90, 119.999), 1, 5, 3},
		{"the window is half-open", opens(0, 30, 60, 90, 120), 0, 0, 2},
		{"one microsecond decides", opens(0, 30, 60, 90, 119.999999), 1, 5, 3},
		{"a minute is half-open", opens(0, 15, 30, 45, 60), 1, 5, 4},
		{"four are none", opens(0, 10, 20, 30, 400), 0, 0, 4},
		{"overlapping windows are one burst", opens(0, 25, 50, 75, 100, 125, 150, 175, 200), 1, 9, 3},
		{"windows that share one open are one burst", opens(0, 10, 20, 30, 100, 190, 200, 210, 219), 1, 9, 4},
		{"windows that touch no open of each other are two", opens(0, 10, 20, 30, 40, 160, 170, 180, 190, 200), 2, 10, 5},
		{"all at one moment on both sides", opens(0, 0, 0, 0, 0), 0, 0, 2},
		{"split orders are one decision", split5(0, 0.5, 1, 1.5, 2, 2.5), 0, 0, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			deals := append(tc.deals, opens(every(36000, 3600, 6)...)...) // enough decisions to judge
			a := analyse(deals...)
			for name, want := range map[string]float64{"burst_count": tc.count, "clusters_in_burst": tc.within, "max_in_60s": tc.in60s} {
				if got := value(t, a, name); got != want {
					t.Errorf("%s = %v, want %v", name, got, want)
				}
			}
		})
	}
}

// split5 makes tickets of one side at these seconds.
func split5(seconds ...float64) []deal {
	out := opens(seconds...)
	for i := range out {
		out[i].side = record.Buy
	}
	return out
}

func TestBurstsStayWithinAnAccount(t *testing.T) {
	t.Parallel()
	deals := opens(every(0, 20, 6)...)
	for i := range deals {
		deals[i].account = i % 2
	}
	a := analysis.Analyse(input(owner(2), deals...))
	if got := value(t, a, "burst_count"); got != 0 {
		t.Errorf("%v bursts of two accounts together", got)
	}
}

// vectorDay is 20 decisions within 6,000 seconds, six of them within 120.
func vectorDay() []float64 {
	out := append(every(0, 400, 7), every(3000, 20, 6)...)
	return append(append(out, every(3600, 400, 6)...), 6000)
}

// TestBurstSignificance holds the family p against the published approximation
// at m=6, N=20, x=0.02: 5.2549e-4 for one day.
func TestBurstSignificance(t *testing.T) {
	t.Parallel()
	const p = 5.2549e-4
	var two []float64
	for _, s := range vectorDay() {
		two = append(two, s, s+86400)
	}
	for _, tc := range []struct {
		name string
		at   []float64
		want float64
	}{
		{"one day", vectorDay(), p},
		{"two days", two, 1 - (1-p)*(1-p)},
		{"a day with too few is not tested", append(vectorDay(), every(86400, 100, 7)...), p},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := analyse(opens(tc.at...)...).Metrics["burst_count"]
			if m.P == nil || math.Abs(*m.P/tc.want-1) > 1e-4 {
				t.Errorf("p = %v, want %v", m.P, tc.want)
			}
		})
	}
}

// TestShortDaysSpanAnHour tests eight opens within a minute as if their day had
// been an hour long: m=8, N=8, x=1/30.
func TestShortDaysSpanAnHour(t *testing.T) {
	t.Parallel()
	m := analyse(opens(every(0, 8, 8)...)...).Metrics["burst_count"]
	x := 1.0 / 30
	b := math.Pow(x, 8)
	want := (8/x-8-1)*b + 2*b
	if m.P == nil || math.Abs(*m.P/want-1) > 1e-9 {
		t.Errorf("p = %v, want %v", *m.P, want)
	}
}

func TestBurstSeverity(t *testing.T) {
	t.Parallel()
	hours := func(from float64, n int) []float64 { return every(from, 3600, n) }
	// Bursts of five, each on a day of its own at another hour, with single decisions
	// around them.
	salvos := func(n int, alone int) (at []float64) {
		for d := range n {
			from := float64(86400 * d)
			at = append(at, every(from+float64(3000+3100*d%50_000), 20, 5)...)
			at = append(at, every(from, 61_000/float64(alone), alone)...)
		}
		return at
	}
	for _, tc := range []struct {
		name string
		at   []float64
		want string
	}{
		{"too few decisions", every(0, 20, 4), "insufficient_data"},
		{"none", hours(0, 30), "none"},
		{"one burst among many", append(every(0, 20, 5), hours(7200, 40)...), "low"},
		{"twenty bursts, a third of decisions", salvos(20, 10), "medium"},
		{"twenty bursts, a sixth of decisions", salvos(20, 24), "low"},
		{"twenty bursts, five of eight decisions", salvos(20, 3), "high"},
		// At the open of a session, day by day.
		{"in the same minutes of each day", atOpen(60, 9), "low"},
		{"ten within a minute, on a single day", append(every(0, 6, 10), hours(7200, 200)...), "low"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := severity(t, analyse(opens(tc.at...)...), "bursts"); got != tc.want {
				t.Errorf("severity %s, want %s", got, tc.want)
			}
		})
	}
}

// atOpen makes n decisions a day, each of them as likely within two minutes of the
// open of a session as in the hours after it.
func atOpen(days, n int) (at []float64) {
	r := random(4)
	for d := range days {
		for range n {
			within := 120.0
			if r.IntN(2) == 0 {
				within = 8 * 3600
			}
			at = append(at, float64(86400*d)+within*r.Float64())
		}
	}
	return at
}

func TestBurstEvidence(t *testing.T) {
	t.Parallel()
	d := detection(t, analyse(opens(append(every(0, 5, 24), every(86400, 3600, 3)...)...)...), "bursts")
	if d.EvidenceTotal != 24 || len(d.Evidence) != result.MaxEvidence {
		t.Errorf("%d of %d shown", len(d.Evidence), d.EvidenceTotal)
	}
	if e := d.Evidence[0]; e.AccountID != accountID(0) || e.TradeID != "t000000" || e.Type != "trade" {
		t.Errorf("first evidence %+v", e)
	}
}

// TestDailyDispersion: counts 1…10 have mean 5.5 and variance 55/6.
func TestDailyDispersion(t *testing.T) {
	t.Parallel()
	var at []float64
	for d := range 10 {
		at = append(at, every(float64(d)*86400, 600, d+1)...)
	}
	if got, want := value(t, analyse(opens(at...)...), "daily_dispersion"), 55.0/6/5.5; math.Abs(got-want) > 1e-12 {
		t.Errorf("dispersion %v, want %v", got, want)
	}
	if m := analyse(opens(every(0, 86400, 9)...)...).Metrics["daily_dispersion"]; m.Status != result.InsufficientData {
		t.Errorf("nine days: %+v", m)
	}
}

// TestBusyStates compares with the best of all sequences of states.
func TestBusyStates(t *testing.T) {
	t.Parallel()
	r, busy := random(8), 0.0
	for range 12 {
		at := []float64{0}
		for i := range 19 {
			pace := 1000.0
			if i%10 < 5 {
				pace = 40
			}
			at = append(at, at[i]+4+math.Round(r.ExpFloat64()*pace))
		}
		if got, want := value(t, analyse(opens(at...)...), "busy_state_share"), bestStates(at); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v of the decisions at %v, want %v", got, at, want)
		} else {
			busy += got
		}
	}
	if busy == 0 {
		t.Error("no sample was ever busy")
	}
	steady := analyse(opens(every(0, 600, 40)...)...)
	if got := value(t, steady, "busy_state_share"); got != 0 {
		t.Errorf("%v of a steady pace", got)
	}
}

// bestStates tries all sequences.
func bestStates(at []float64) float64 {
	n := len(at) - 1
	rate, enter := float64(n)/(at[n]-at[0]), math.Log(float64(n))
	least, best := math.Inf(1), 0
	for states := range 1 << n {
		cost := 0.0
		for i := range n {
			fast, wasFast := states>>i&1, 0
			if i > 0 {
				wasFast = states >> (i - 1) & 1
			}
			x := rate * (at[i+1] - at[i])
			if fast == 1 {
				cost += 2*x - math.Ln2
			} else {
				cost += x
			}
			if fast > wasFast {
				cost += enter
			}
		}
		if cost < least {
			least, best = cost, states
		}
	}
	busy := 0
	for i := range n + 1 {
		if i < n && best>>i&1 == 1 || i > 0 && best>>(i-1)&1 == 1 {
			busy++
		}
	}
	return float64(busy) / float64(n+1)
}
