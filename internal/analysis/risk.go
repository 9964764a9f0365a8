package analysis

import (
	"math"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// minRisk is how many decisions say what somebody risks with one.
const minRisk = 20

// detectRisk measures stops and what decisions risk. No finding rests on it.
//
//   - stop_share: trades that state a stop, divided by all of the accounts in
//     which any trade states one. Share, minimum 20; not checkable when no trade
//     does: the source may not tell stops. Stops that were taken away before the
//     trades were read are not seen.
//   - decision_risk_p50, _p75, _p90: quantiles of type 7 of Σ |open − stop|·lots·
//     contract size over a decision's trades, divided by the initial balance.
//     Decisions of which a trade states no stop, or one beyond which there is no
//     loss, are left out, and those whose currency is not the account's and can't
//     be brought into it. Share, minimum 20.
//   - decision_loss_p50, _p75, _p90: the same of what decisions that lost have lost.
func detectRisk(v *trades.View) detect.Result {
	metrics := map[string]result.Metric{"stop_share": measureStops(v)}
	shares := riskShares{shares: make([]float64, 0, v.Decisions)}
	reason := v.EachRisk(shares.add)
	shares.addQuantiles("decision_risk", reason, metrics)
	shares = riskShares{shares: shares.shares[:0]}
	v.EachLoss(shares.add)
	shares.addQuantiles("decision_loss", "", metrics)
	return detect.Result{Metrics: metrics}
}

// riskShares are what decisions risk or have lost of the initial balance.
type riskShares struct {
	decisions int
	shares    []float64 // of those whose balance is known
}

func (s *riskShares) add(r trades.Risk) {
	s.decisions++
	if !math.IsNaN(r.Share) {
		s.shares = append(s.shares, r.Share)
	}
}

// addQuantiles adds the metrics of that name. The reason says why there are no
// decisions, if that is known.
func (s *riskShares) addQuantiles(name, reason string, metrics map[string]result.Metric) {
	shares := s.shares
	stat.Sort(shares)
	if s.decisions > 0 && len(shares) == 0 {
		reason = result.ReasonNoBalance
	}
	for suffix, q := range map[string]float64{"_p50": 0.5, "_p75": 0.75, "_p90": 0.9} {
		x, _ := stat.Quantile(shares, q)
		metrics[name+suffix] = result.NewMetric("share", x, len(shares), minRisk)
		if len(shares) == 0 && reason != "" {
			metrics[name+suffix] = result.UndefinedMetric("share", 0, minRisk, reason)
		}
	}
}

func measureStops(v *trades.View) result.Metric {
	with, all := 0, 0
	for _, a := range v.Accounts {
		if n := countStops(a); n > 0 {
			with, all = with+n, all+len(a.Trades)
		}
	}
	if with == 0 && v.Trades >= minRisk {
		return result.UndefinedMetric("share", v.Trades, minRisk, result.ReasonNoStopData)
	}
	return result.NewMetric("share", stat.Fraction(with, all), all, minRisk).AddParam("without_any", v.Trades-all)
}

// countStops counts the trades that state a stop.
func countStops(a *trades.AccountView) (n int) {
	for i := range a.Trades {
		if a.Trades[i].Has&trades.HasStopLoss != 0 {
			n++
		}
	}
	return n
}
