package trades

import (
	"math"

	"github.com/assayhq/assay/internal/analysis/result"
)

// Risk is what a decision could lose at its stops, or has lost.
type Risk struct {
	Account *AccountView
	Cluster uint32  // index in Account.Clusters
	Amount  float64 // in the account's currency, above 0
	Share   float64 // of the initial balance; NaN when that is not known
}

// Risks returns what each decision could lose at its stops, if that is known, in the order of
// accounts and decisions. If there are none, reason says what is missing: ReasonNoStopData or
// ReasonNoContractSize.
func (v *View) Risks() (risks []Risk, reason string) {
	reason = v.EachRisk(func(r Risk) { risks = append(risks, r) })
	return risks, reason
}

// EachRisk visits what Risks returns.
func (v *View) EachRisk(visit func(Risk)) (reason string) {
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
	v.EachLoss(func(r Risk) { losses = append(losses, r) })
	return losses
}

// EachLoss visits what Losses returns.
func (v *View) EachLoss(visit func(Risk)) {
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
