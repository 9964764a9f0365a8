package analysis

import (
	"math"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
)

// minRisk is how many decisions say what somebody risks with one.
const minRisk = 20

// Risk is what a decision could lose at its stops, or has lost.
type Risk struct {
	Account *AccountView
	Cluster uint32  // index in Account.Clusters
	Amount  float64 // in the account's currency, above 0
	Share   float64 // of the initial balance; NaN when that is not known
}

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
func detectRisk(v *View) Result {
	metrics := map[string]result.Metric{"stop_share": v.stopShare()}
	shares := riskShares{shares: make([]float64, 0, v.Decisions)}
	reason := v.eachRisk(shares.add)
	shares.addQuantiles("decision_risk", reason, metrics)
	shares = riskShares{shares: shares.shares[:0]}
	v.eachLoss(shares.add)
	shares.addQuantiles("decision_loss", "", metrics)
	return Result{Metrics: metrics}
}

// riskShares are what decisions risk or have lost of the initial balance.
type riskShares struct {
	decisions int
	shares    []float64 // of those whose balance is known
}

func (s *riskShares) add(r Risk) {
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

func (v *View) stopShare() result.Metric {
	with, all := 0, 0
	for _, a := range v.Accounts {
		if n := a.countStops(); n > 0 {
			with, all = with+n, all+len(a.Trades)
		}
	}
	if with == 0 && v.Trades >= minRisk {
		return result.UndefinedMetric("share", v.Trades, minRisk, result.ReasonNoStopData)
	}
	return result.NewMetric("share", stat.Fraction(with, all), all, minRisk).AddParam("without_any", v.Trades-all)
}

// countStops counts the trades that state a stop.
func (a *AccountView) countStops() (n int) {
	for i := range a.Trades {
		if a.Trades[i].Has&HasStopLoss != 0 {
			n++
		}
	}
	return n
}

// Risks returns what each decision could lose at its stops, if that is known, in the order of
// accounts and decisions. If there are none, reason says what is missing: ReasonNoStopData or
// ReasonNoContractSize.
func (v *View) Risks() (risks []Risk, reason string) {
	reason = v.eachRisk(func(r Risk) { risks = append(risks, r) })
	return risks, reason
}

// eachRisk visits what Risks returns.
func (v *View) eachRisk(visit func(Risk)) (reason string) {
	reason = result.ReasonNoStopData
	found := false
	for _, a := range v.Accounts {
		amounts := make([]float64, len(a.Clusters))
		for i := range a.Trades {
			amount, missing := v.tradeRisk(a, &a.Trades[i])
			if missing == result.ReasonNoContractSize {
				reason = missing
			}
			amounts[a.Cluster[i]] += amount // NaN stays
		}
		for i, amount := range amounts {
			if amount > 0 && amount <= MaxNumber {
				found = true
				visit(Risk{a, uint32(i), amount, a.shareOf(amount)})
			}
		}
	}
	if found {
		reason = ""
	}
	return reason
}

// tradeRisk returns what a trade could lose at its stop, in the account's currency,
// or NaN if that is not known.
func (v *View) tradeRisk(a *AccountView, t *Trade) (amount float64, missing string) {
	const needed = HasStopLoss | HasOpenPrice
	lots, ok := t.Lots()
	if !ok || t.Has&needed != needed || !(t.OpenPrice > 0) {
		return math.NaN(), result.ReasonNoStopData
	}
	distance := t.OpenPrice - t.StopLoss
	if t.Side == Sell {
		distance = -distance
	}
	if distance <= 0 { // it was moved past the entry: what it was is not known
		return math.NaN(), result.ReasonNoStopData
	}
	of := &v.contracts[v.Key(t)]
	rate := of.quoteRate(a.Currency, t.OpenPrice)
	if !(of.size > 0) || !(rate > 0) {
		return math.NaN(), result.ReasonNoContractSize
	}
	return distance * lots * of.size * rate, ""
}

// Losses returns what each closed decision with a loss has lost, in the order of
// accounts and decisions.
func (v *View) Losses() (losses []Risk) {
	v.eachLoss(func(r Risk) { losses = append(losses, r) })
	return losses
}

// eachLoss visits what Losses returns.
func (v *View) eachLoss(visit func(Risk)) {
	for _, a := range v.Accounts {
		for i := range a.Clusters {
			if c := &a.Clusters[i]; c.Closed && c.HasNet && c.Net < 0 {
				visit(Risk{a, uint32(i), -c.Net, a.shareOf(-c.Net)})
			}
		}
	}
}

// shareOf is the part of the initial balance; NaN when that is not known.
func (a *AccountView) shareOf(amount float64) float64 {
	balance, ok := a.Balance()
	if !ok {
		return math.NaN()
	}
	return amount / balance
}

// contract is what is needed to compute the money of a symbol group.
type contract struct {
	base, quote string  // currencies, as instrument.BaseAndQuote returns them
	size        float64 // units per lot; 0 when not known
}

// quoteRate returns what one unit of the currency in which the symbol group is
// quoted is worth in an account's currency, or 0 if the price does not show that.
func (c *contract) quoteRate(account string, price float64) float64 {
	if account == "" {
		return 0
	}
	switch account {
	case c.quote:
		return 1
	case c.base:
		return 1 / price
	}
	return 0
}

// EvidenceOf points at the trades of a decision, at most so many, and says how
// many there are.
func (a *AccountView) EvidenceOf(cluster uint32, most int) (shown []result.Evidence, total int) {
	var e evidence
	e.addCluster(a, cluster)
	return e.shown[:min(len(e.shown), max(most, 0))], e.total
}
