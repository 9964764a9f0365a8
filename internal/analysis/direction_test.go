package analysis_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
)

// sided makes n decisions a minute apart. The sells are spread evenly between the buys, so that
// there are no runs of one side.
func sided(buys, sells int, symbols ...string) []deal {
	n := buys + sells
	out := make([]deal, n)
	for i := range out {
		out[i] = deal{at: time.Duration(i) * 10 * time.Minute, hold: time.Minute, lots: 1, symbol: "EURUSD"}
		if sells > 0 && (i+1)*sells/n != i*sells/n {
			out[i].side = record.Sell
		}
		if len(symbols) > 0 {
			out[i].symbol = symbols[i%len(symbols)]
		}
	}
	return out
}

// TestDirectionVectors holds p and interval against published values.
func TestDirectionVectors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name            string
		buys, sells     int
		value, p        float64
		low, high       float64
		want            string
		wantBuysInParam int
	}{
		{"24 of 30 are not enough", 24, 6, 0.8, .00143091, .626943, .904949, "none", 24},
		{"26 of 30", 26, 4, 26.0 / 30, 5.9476e-5, .703179, .946926, "medium", 26},
		{"sells count the same", 4, 26, 26.0 / 30, 5.9476e-5, .703179, .946926, "medium", 4},
		{"even", 20, 20, 0.5, 1, .351989, .648011, "none", 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := analyse(sided(tc.buys, tc.sells)...)
			m := a.Metrics["side_share"]
			got := []float64{*m.Value, *m.P, m.CI.Low, m.CI.High}
			for i, want := range []float64{tc.value, tc.p, tc.low, tc.high} {
				if math.Abs(got[i]-want) > 1e-4*want {
					t.Errorf("value, p, low, high = %v, want %v at %d", got, want, i)
				}
			}
			if got := severity(t, a, "one_sided_direction"); got != tc.want {
				t.Errorf("severity %s, want %s", got, tc.want)
			}
			if m.Params["buys"] != tc.wantBuysInParam {
				t.Errorf("params %v", m.Params)
			}
		})
	}
}

func TestDirectionSeverity(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		deals []deal
		want  string
	}{
		{"29 decisions", sided(29, 0), "insufficient_data"},
		{"all buys of one symbol stay medium", sided(60, 0), "medium"},
		{"all buys of two symbols", sided(60, 0, "EURUSD", "XAUUSD"), "high"},
		{"all buys of one symbol under two names", sided(60, 0, "EURUSD", "EURUSD.pro"), "medium"},
		{"all buys, but less than fifty", sided(49, 0, "EURUSD", "XAUUSD"), "medium"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := severity(t, analyse(tc.deals...), "one_sided_direction"); got != tc.want {
				t.Errorf("severity %s, want %s", got, tc.want)
			}
		})
	}
}

// TestDependentSidesCountLess has forty buys and then ten sells: one change of
// mind is no fifty independent decisions.
func TestDependentSidesCountLess(t *testing.T) {
	t.Parallel()
	deals := sided(50, 0)
	for i := 40; i < 50; i++ {
		deals[i].side = record.Sell
	}
	a := analyse(deals...)
	m := a.Metrics["side_share"]
	if n := m.Params["n_effective"].(float64); n > 10 {
		t.Errorf("worth %v decisions", n)
	}
	if got := severity(t, a, "one_sided_direction"); got != "none" {
		t.Errorf("severity %s", got)
	}
	// 2 runs of 40 and 10: mean 17, variance 16·15/49.
	if z, want := value(t, a, "side_runs_z"), (2-17.0)/math.Sqrt(16*15/49.0); math.Abs(z-want) > 1e-9 {
		t.Errorf("z %v, want %v", z, want)
	}
}

func TestSizesOfSides(t *testing.T) {
	t.Parallel()
	const h = time.Hour
	for _, tc := range []struct {
		name                     string
		deals                    []deal
		imbalance, oneWay, index float64
	}{
		{"always long", []deal{{hold: h, lots: 1}, {at: 2 * h, hold: h, lots: 3}}, 1, 1, 1},
		{"long, then short", []deal{{hold: h, lots: 1}, {at: 2 * h, hold: h, lots: 1, side: record.Sell}}, 0, 1, 1},
		{"hedged all the time", []deal{{hold: h, lots: 1}, {hold: h, lots: 1, side: record.Sell}}, 0, 0, 1},
		{"hedged half of the time", []deal{{hold: 2 * h, lots: 1}, {at: h, hold: h, lots: 1, side: record.Sell}}, 0, 1.0 / 3, 1},
		{"two symbols do not hedge each other", []deal{{hold: h, lots: 1}, {hold: h, lots: 1, side: record.Sell, symbol: "XAUUSD"}}, 0, 1, 0.5},
		{"open until the last event", []deal{{hold: open, lots: 1}, {at: h, hold: h, lots: 1, side: record.Sell}}, 0, 1.0 / 3, 1},
		{"closed where the next one opens", []deal{{hold: h, lots: 1}, {at: h, hold: h, lots: 1, side: record.Sell}, {at: 2 * h, hold: 0, lots: 2}}, 0.5, 1, 1},
		{"volumes that are not stated are left out", []deal{{hold: h, lots: 1}, {hold: h, side: record.Sell}, {at: h, hold: h, lots: 1}}, 1, 1, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := input(owner(1), tc.deals...)
			in.Ruleset = ruleset.Neutral()
			in.Ruleset.OneSided.MinDecisions = 2
			a := analysis.Analyse(in)
			got := [3]float64{value(t, a, "volume_imbalance"), value(t, a, "exposure_one_sidedness"), value(t, a, "symbol_hhi")}
			for i, want := range [3]float64{tc.imbalance, tc.oneWay, tc.index} {
				if math.Abs(got[i]-want) > 1e-12 {
					t.Errorf("imbalance, one-sidedness, HHI = %v, want %v at %d", got, want, i)
				}
			}
		})
	}
}

func TestConcentration(t *testing.T) {
	t.Parallel()
	preset, _ := ruleset.Preset("consistency")
	deals := []deal{
		{id: "a", hold: time.Hour, net: -1500},
		{id: "b", at: 2 * time.Hour, hold: time.Hour, net: -1200},
		{id: "other side", hold: time.Hour, net: -9000, at: 48 * time.Hour, account: 1},
		{id: "gain", hold: time.Hour, net: 7100, at: 72 * time.Hour, symbol: "XAUUSD", side: record.Sell},
	}
	in := input(owner(1), deals[0], deals[1], deals[3])
	in.Ruleset = preset
	a := analysis.Analyse(in)
	for name, want := range map[string]float64{
		"day_symbol_side_loss": 0.027, "loss_share_of_limit": 0.54, "day_symbol_side_gain": 0.071, "gain_share_of_target": 0.71,
	} {
		if got := value(t, a, name); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	loss := detection(t, a, "one_sided_loss")
	want := []result.Evidence{
		{Type: "trade", AccountID: accountID(0), TradeID: "a"},
		{Type: "trade", AccountID: accountID(0), TradeID: "b"},
	}
	if diff := cmp.Diff(want, loss.Evidence); diff != "" || *loss.Severity != result.Medium {
		t.Errorf("%s with evidence (-want +got):\n%s", *loss.Severity, diff)
	}
	if got := severity(t, a, "one_sided_gain"); got != "medium" {
		t.Errorf("gain %s", got)
	}
	if got := severity(t, analyse(deals[0]), "one_sided_loss"); got != "not_checkable" {
		t.Errorf("without a limit: %s", got)
	}
}

func TestConcentrationNeedsABalance(t *testing.T) {
	t.Parallel()
	accounts := owner(1)
	accounts[0].InitialBalance = nil
	in := input(accounts, deal{hold: time.Hour, net: -5000})
	in.Ruleset, _ = ruleset.Preset("consistency")
	a := analysis.Analyse(in)
	for _, kind := range []string{"one_sided_loss", "one_sided_gain", "daily_loss"} {
		if d := detection(t, a, kind); d.Status != result.NotCheckable || *d.Reason != "no_balance" {
			t.Errorf("%s: %s %v", kind, d.Status, d.Reason)
		}
	}
}
