package analysis_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// analyseOf analyses deals in some accounts.
func analyseOf(accounts []trades.Account, deals ...deal) *result.Activity {
	return analysis.Analyse(input(accounts, deals...))
}

// sized are decisions of given sizes, apart from each other, that win as much.
func sized(symbol string, lots ...float64) []deal {
	var deals []deal
	for i, l := range lots {
		deals = append(deals, deal{
			id: fmt.Sprintf("%s-%d", symbol, i), symbol: symbol, at: time.Duration(i) * time.Hour, hold: time.Minute, lots: l, net: 100 * l,
		})
	}
	return deals
}

// later moves deals by half an hour.
func later(deals []deal) []deal {
	for i := range deals {
		deals[i].at += 30 * time.Minute
	}
	return deals
}

// usual returns n sizes, the last ones of which differ.
func usual(n int, others ...float64) []float64 {
	out := make([]float64, n-len(others), n)
	for i := range out {
		out[i] = 1
	}
	return append(out, others...)
}

// setLotBand returns the neutral ruleset with a band of sizes.
func setLotBand() *ruleset.Ruleset {
	rules, low, high := ruleset.Neutral(), 0.25, 2.0
	rules.LotSize.BandLow, rules.LotSize.BandHigh = &low, &high
	return rules
}

func TestLotSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		deals   []deal
		want    string
		outside float64
	}{
		{"one size", sized("EURUSD", usual(20)...), "none", 0},
		// Averages: 1.2 and 1.6; the band is 0.25 to 2 times it.
		{"one in twenty", sized("EURUSD", usual(20, 5)...), "none", 0.05},
		{"one in twenty that made most", sized("EURUSD", usual(20, 50)...), "low", 0.05},
		{"three in twenty", sized("EURUSD", usual(20, 5, 5, 5)...), "medium", 0.15},
		{"six in twenty are low", sized("EURUSD", usual(20, .1, .1, .1, .1, .1, .1)...), "high", 0.3},
		{"two symbols have two sizes", append(sized("EURUSD", usual(20)...), sized("XAUUSD", .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1)...), "none", 0},
		{"variants of a symbol are one", append(sized("EURUSD", usual(10)...), later(sized("EURUSD.pro", usual(10, 7, 7, 7)...))...), "medium", 0.15},
		{"nineteen", sized("EURUSD", usual(19)...), "insufficient_data", 0},
		{"without volumes", sized("EURUSD", make([]float64, 30)...), "not_checkable", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := input(owner(1), c.deals...)
			in.Ruleset = setLotBand()
			a := analysis.Analyse(in)
			if got := severity(t, a, "lot_size"); got != c.want {
				t.Errorf("severity %s, want %s: %s", got, c.want, detection(t, a, "lot_size").Detail)
			}
			if m := a.Metrics["lot_outside_share"]; m.Status == result.OK && math.Abs(*m.Value-c.outside) > 1e-9 {
				t.Errorf("outside %v, want %v", *m.Value, c.outside)
			}
		})
	}
}

func TestLotSizeOutliers(t *testing.T) {
	t.Parallel()
	// Equal sizes have no scale: whatever is different would be an outlier.
	if m := analyse(sized("EURUSD", usual(20, 5)...)...).Metrics["lot_outlier_share"]; m.Status != result.InsufficientData {
		t.Errorf("outliers among equal sizes: %+v", m)
	}
	var lots []float64
	for i := range 39 {
		lots = append(lots, 1+0.02*float64(i%5))
	}
	a := analyse(sized("EURUSD", append(lots, 9)...)...)
	if got := value(t, a, "lot_outlier_share"); got != 1.0/40 {
		t.Errorf("outliers %v, want 1/40", got)
	}
	if got := value(t, a, "lot_outside_profit_share"); math.Abs(got-9/(9+39*1.04-0.04)) > 0.01 {
		t.Errorf("profit share %v", got)
	}
}

func TestLotSizeWithoutABand(t *testing.T) {
	t.Parallel()
	in := input(owner(1), sized("EURUSD", append(usual(20), 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.3, 1.3, 1.3, 1.3, 9, 9, 9, 9)...)...)
	if got := value(t, analysis.Analyse(in), "lot_outside_share"); got != 0.1 {
		t.Errorf("outside %v, want the outliers' 0.1", got)
	}
	for _, c := range []struct {
		name string
		lots []float64
		want string
	}{
		{"sizes without a spread", usual(100, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5), "low"},
		{"few jumps", usual(100, 5, 5, 5), "none"},
		{"one size", usual(100), "none"},
	} {
		if got := severity(t, analyse(sized("EURUSD", c.lots...)...), "lot_size"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestEqualRisk: who risks the same amount with every trade has sizes as different as the
// distances to the stops. The neutral ruleset holds nothing of that against anybody.
func TestEqualRisk(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := random(seed)
		spread := 0.3 + 0.7*r.Float64()
		var deals []deal
		for i := range 120 {
			pips, net := 15*math.Exp(spread*r.NormFloat64()), -500.0
			if r.Float64() < 0.45 {
				net = 700
			}
			deals = append(deals, deal{
				at: startWorkday(i/2) + time.Duration(i%2*3)*time.Hour + time.Duration(r.IntN(3600))*time.Second, hold: time.Duration(600+r.IntN(7200)) * time.Second,
				lots: max(math.Round(5000/pips)/100, 0.01), net: net, side: []record.Side{record.Buy, record.Sell}[r.IntN(2)],
			})
		}
		for _, d := range analyse(deals...).Findings() {
			if d.Severity.Rank() > result.Low.Rank() {
				t.Errorf("trader %d: %s %s: %s", seed, *d.Severity, d.Kind, d.Detail)
			}
		}
	}
}
