package analysis

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// listResults returns the result of each currency, in the order of currencies.
func listResults(v *trades.View) []result.CurrencyResult {
	out := []result.CurrencyResult{}
	for _, currency := range v.ListCurrencies() {
		out = append(out, sumUpResult(currency, v.AccountsIn(currency)))
	}
	return out
}

func sumUpResult(currency string, accounts []*trades.AccountView) result.CurrencyResult {
	r := result.CurrencyResult{Currency: currency}
	var s results
	var held stat.RunningSum
	closed := 0
	for _, a := range accounts {
		r.Trades += len(a.Trades)
		closed += len(a.ByClose)
		for _, i := range a.ByClose {
			held.Add(a.Trades[i].Hold())
		}
	}
	trades.EachNet(accounts, s.addResult)
	s.endMoment()
	r.Closed, r.Won, r.Lost = s.n, s.won, s.lost
	if s.n > 0 {
		r.Net, r.MaxDrawdown = amountOf(&s.total), amountOf(&s.drawdown)
	}
	if s.lost > 0 {
		r.AverageLoss, r.LargestLoss = amountOf(divideRounded(&s.loss, int64(s.lost))), amountOf(&s.largest)
	}
	if closed > 0 {
		mean := held.Value() / float64(closed)
		r.MeanHold = &mean
	}
	return r
}

// results sums up results that are added in order of time, in units of 1e-8.
type results struct {
	n, won, lost  int
	total         big.Int
	loss, largest big.Int // the sum and the largest of the losses, not below zero
	peak          big.Int // highest total so far, at least 0
	drawdown      big.Int // largest distance of the total below its peak
	moment        int64   // of the last result

	net, fall big.Int // used again for each result
}

// addResult adds a result, which is not earlier than those before.
func (r *results) addResult(moment int64, net float64) {
	if moment != r.moment {
		r.endMoment()
		r.moment = moment
	}
	setUnits(&r.net, net)
	r.n++
	r.total.Add(&r.total, &r.net)
	switch r.net.Sign() {
	case 1:
		r.won++
	case -1:
		r.lost++
		r.net.Neg(&r.net)
		r.loss.Add(&r.loss, &r.net)
		if r.net.Cmp(&r.largest) > 0 {
			r.largest.Set(&r.net)
		}
	}
}

// endMoment takes the total as it is once all results of one moment are in: their order is not known.
func (r *results) endMoment() {
	if r.total.Cmp(&r.peak) > 0 {
		r.peak.Set(&r.total)
	}
	if r.fall.Sub(&r.peak, &r.total).Cmp(&r.drawdown) > 0 {
		r.drawdown.Set(&r.fall)
	}
}

// amountDigits is how many digits an Amount has after the point.
const amountDigits = 8

// setUnits sets n to an amount in units of 1e-8. A float64 stands for the shortest decimal number
// that is read as it, which is what a platform has sent.
func setUnits(n *big.Int, x float64) {
	const exact = 1 << 24 // up to which the product is off by less than half a unit
	if math.Abs(x) < exact {
		n.SetInt64(int64(math.Round(x * 1e8)))
		return
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	fraction = (fraction + strings.Repeat("0", amountDigits))[:amountDigits] // beyond exact there are no more than nine digits
	n.SetString(whole+fraction, 10)
}

// divideRounded returns a/b rounded to the nearest whole number. Neither is negative.
func divideRounded(a *big.Int, b int64) *big.Int {
	var half big.Int
	half.Add(a, big.NewInt(b/2))
	return half.Quo(&half, big.NewInt(b))
}

// amountOf writes a number of units of 1e-8 as a decimal number.
func amountOf(units *big.Int) result.Amount {
	digits := new(big.Int).Abs(units).String()
	if missing := amountDigits + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - amountDigits
	text := strings.TrimSuffix(strings.TrimRight(digits[:point]+"."+digits[point:], "0"), ".")
	if units.Sign() < 0 {
		text = "-" + text
	}
	return result.Amount(text)
}
