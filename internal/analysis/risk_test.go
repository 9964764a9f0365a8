package analysis_test

import (
	"math"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// risked is an input of n decisions a day apart that risk 20 pips with a lot, in
// two tickets of a half each.
func risked(n int, change func(t *record.Trade, i int)) trades.Input {
	b := trades.NewBuilder(owner(1))
	for i := range n {
		for ticket := range 2 {
			r := deal{at: time.Duration(i)*24*time.Hour + time.Duration(ticket)*time.Second, hold: time.Hour, lots: 0.5, price: 1.1, net: -50}.record(2*i + ticket)
			r.StopLoss = "1.098"
			if change != nil {
				change(&r, 2*i+ticket)
			}
			b.Add(accountID(0), r)
		}
	}
	in := b.Input()
	in.Ruleset = ruleset.Neutral()
	in.Ruleset.ContractSizes = map[string]float64{"EURUSD": 100_000, "USDJPY": 100_000, "EURGBP": 100_000}
	return in
}

func TestRisk(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		n      int
		change func(r *record.Trade, i int)
		metric string
		value  float64 // NaN: none
		reason string
	}{
		{"half a lot twice is one decision", 20, nil, "decision_risk_p50", 0.002, ""},
		{"too few", 19, nil, "decision_risk_p50", math.NaN(), ""},
		{"what was lost", 20, nil, "decision_loss_p90", 0.001, ""},
		{"all have stops", 10, nil, "stop_share", 1, ""},
		{"some have stops", 10, func(r *record.Trade, i int) {
			if i%4 == 0 {
				r.StopLoss = ""
			}
		}, "stop_share", 0.75, ""},
		{"nobody tells stops", 20, func(r *record.Trade, _ int) { r.StopLoss = "" }, "stop_share", math.NaN(), result.ReasonNoStopData},
		{"no stop, no risk", 20, func(r *record.Trade, _ int) { r.StopLoss = "0" }, "decision_risk_p50", math.NaN(), result.ReasonNoStopData},
		{"a stop in profit says nothing", 20, func(r *record.Trade, _ int) { r.StopLoss = "1.2" }, "decision_risk_p50", math.NaN(), result.ReasonNoStopData},
		{"sold, with the stop above", 20, func(r *record.Trade, _ int) { r.Side, r.StopLoss = record.Sell, "1.102" }, "decision_risk_p50", 0.002, ""},
		{"unknown contract", 20, func(r *record.Trade, _ int) { r.Symbol = "XAUUSD" }, "decision_risk_p50", math.NaN(), result.ReasonNoContractSize},
		{"paid in yen", 20, func(r *record.Trade, _ int) { r.Symbol, r.OpenPrice, r.StopLoss = "USDJPY", "150", "149.7" }, "decision_risk_p50", 0.002, ""},
		{"neither currency is the account's", 20, func(r *record.Trade, _ int) { r.Symbol = "EURGBP" }, "decision_risk_p50", math.NaN(), result.ReasonNoContractSize},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := analysis.Analyse(risked(tc.n, tc.change)).Metrics[tc.metric]
			if math.IsNaN(tc.value) != (m.Value == nil) || m.Value != nil && math.Abs(*m.Value-tc.value) > 1e-9 {
				t.Errorf("%s = %+v, want %g", tc.metric, m, tc.value)
			}
			if got := m.Reason; (got == nil) != (tc.reason == "") || got != nil && *got != tc.reason {
				t.Errorf("reason %v, want %q", got, tc.reason)
			}
		})
	}
}

func TestRiskWithoutBalance(t *testing.T) {
	t.Parallel()
	in := risked(20, nil)
	in.Accounts[0].InitialBalance = nil
	if m := analysis.Analyse(in).Metrics["decision_risk_p50"]; m.Reason == nil || *m.Reason != result.ReasonNoBalance {
		t.Errorf("decision_risk_p50 = %+v", m)
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	var deals []deal
	for day, n := range []int{1, 2, 3, 4, 5} {
		for i := range n {
			deals = append(deals, deal{at: time.Duration(day)*24*time.Hour + time.Duration(i)*time.Hour, hold: time.Minute})
		}
	}
	a := analyse(deals...)
	for name, want := range map[string]float64{"decisions_per_day_p25": 2, "decisions_per_day_p50": 3, "decisions_per_day_p75": 4, "decisions_per_day_p90": 4.6} {
		if got := value(t, a, name); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %g, want %g", name, got, want)
		}
	}
	if m := analyse(deals[:10]...).Metrics["decisions_per_day_p50"]; m.Status != result.InsufficientData || m.N != 4 {
		t.Errorf("with four days: %+v", m)
	}
}
