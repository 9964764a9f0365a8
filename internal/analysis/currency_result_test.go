package analysis_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
)

// TestResults sums up trades by currency. Amounts that binary numbers only come near to are exact.
func TestResults(t *testing.T) {
	t.Parallel()
	accounts := owner(3)
	accounts[2].Currency = "EUR"
	held := func(seconds float64) *float64 { return &seconds }
	usd := result.CurrencyResult{Currency: "USD", MeanHold: held(3600)}
	for _, tt := range []struct {
		name  string
		deals []deal
		want  result.CurrencyResult
	}{
		{"nothing", nil, result.CurrencyResult{Currency: "USD"}},
		{"open only", []deal{{hold: open}}, result.CurrencyResult{Currency: "USD", Trades: 1}},
		{"gains and losses", []deal{
			{hold: time.Hour, net: 0.1},
			{at: time.Minute, hold: time.Hour, net: 0.2},
			{at: 2 * time.Minute, hold: 2 * time.Hour, net: -0.05},
			{at: 3 * time.Minute, hold: 3 * time.Hour, net: -0.02},
			{account: 1, at: 4 * time.Minute, hold: open},
			{at: 5 * time.Minute, hold: 4 * time.Hour},
		}, result.CurrencyResult{
			Currency: "USD", Trades: 6, Closed: 5, Won: 2, Lost: 2, Net: "0.23", AverageLoss: "0.035", LargestLoss: "0.05", MaxDrawdown: "0.07",
			MeanHold: held(11 * 3600 / 5.),
		}},
		{"a drawdown begins at zero, and one moment has one total", []deal{
			{hold: time.Hour, net: 100},
			{account: 1, hold: time.Hour, net: -150},
			{account: 1, at: time.Hour, hold: time.Hour, net: -10},
			{at: 2 * time.Hour, hold: time.Hour, net: 10},
			{at: 3 * time.Hour, hold: time.Hour, net: 40},
			{at: 4 * time.Hour, hold: time.Hour, net: -30},
		}, with(usd, func(r *result.CurrencyResult) {
			r.Trades, r.Closed, r.Won, r.Lost = 6, 6, 3, 3
			r.Net, r.AverageLoss, r.LargestLoss, r.MaxDrawdown = "-40", "63.33333333", "150", "60"
		})},
		{"large amounts keep their cents", []deal{
			{hold: time.Hour, net: 1e12 + 0.1}, {at: time.Hour, hold: time.Hour, net: -1e12}, {at: 2 * time.Hour, hold: time.Hour, net: -20_000_000.13},
		}, with(usd, func(r *result.CurrencyResult) {
			r.Trades, r.Closed, r.Won, r.Lost = 3, 3, 1, 2
			r.Net, r.AverageLoss, r.LargestLoss, r.MaxDrawdown = "-20000000.03", "500010000000.065", "1000000000000", "1000020000000.13"
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := analysis.Analyse(input(accounts, append([]deal{{account: 2, hold: time.Hour, net: -7}}, tt.deals...)...))
			eur := result.CurrencyResult{
				Currency: "EUR", Trades: 1, Closed: 1, Lost: 1, Net: "-7", AverageLoss: "7", LargestLoss: "7", MaxDrawdown: "7", MeanHold: held(3600),
			}
			if diff := cmp.Diff([]result.CurrencyResult{eur, tt.want}, a.Results); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

func with(r result.CurrencyResult, change func(*result.CurrencyResult)) result.CurrencyResult {
	change(&r)
	return r
}
