package statement

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/assayhq/assay/internal/statement/sheet"

	"github.com/assayhq/assay/connectors/record"
)

// Some platforms let people choose whether profits are before or after costs, others call both of them
// realized, and the file does not say which. A running sum of the net results shows it, or the prices.

// runningSum is a row with costs: the sum with it, the one before it, and what it states.
type runningSum struct {
	before, sum, profit number
	costs               []number
	found               bool
}

// readRunning looks for the first row that has costs and a sum.
func (t *table) readRunning(r *sheet.Row) {
	s := &t.sums
	if !t.hasRole(roleRunning) || s.found {
		return
	}
	sum, summed := scanNumber(t.cellOf(r, roleRunning).Text)
	profit, stated := scanNumber(t.cellOf(r, roleProfit).Text)
	if !summed || !stated {
		return
	}
	s.costs = s.costs[:0]
	for _, i := range t.columns[roleCommission] {
		if i < len(r.Cells) {
			if n, ok := scanNumber(r.Cells[i].Text); ok && !n.isZero() {
				s.costs = append(s.costs, n)
			}
		}
	}
	if len(s.costs) == 0 {
		s.before = sum
		return
	}
	s.sum, s.profit, s.found = sum, profit, true
}

// decideProfit sets what the profits of the table are, where a running sum or the prices show it.
func (t *table) decideProfit(mark DecimalMark) {
	s := &t.sums
	if !s.found {
		t.weighPrices(mark)
		return
	}
	value := func(n number) *big.Rat {
		d, _ := n.toDecimal(mark)
		v, _ := new(big.Rat).SetString(string(d))
		if v == nil {
			v = new(big.Rat)
		}
		return v
	}
	result := new(big.Rat).Sub(value(s.sum), value(s.before))
	profit, afterCosts := value(s.profit), value(s.profit)
	for _, n := range s.costs {
		cost := value(n)
		afterCosts.Sub(afterCosts, cost.Abs(cost))
	}
	switch {
	case isNear(result, profit):
		t.profit = net
	case isNear(result, afterCosts):
		t.profit = gross
	}
}

// pricedRow is a row whose prices may show whether its profit is before or after costs.
type pricedRow struct {
	opened, closed, volume, profit number
	commissions, swaps             []number
	sells                          bool
}

// mostPriced is how many rows are looked at, which is enough to find one whose costs stand out.
const mostPriced = 64

// readPrices keeps a row of a table that does not say what its profits are.
func (t *table) readPrices(r *sheet.Row) {
	if t.profit != unknown || t.kind != positions || !t.hasRole(roleProfit) || len(t.priced) == mostPriced {
		return
	}
	side, _ := sideOf(t.cellOf(r, roleSide).Text)
	x := pricedRow{sells: side == record.Sell, commissions: t.readNumbers(r, roleCommission), swaps: t.readNumbers(r, roleSwap)}
	for what, n := range map[role]*number{roleOpenPrice: &x.opened, roleClosePrice: &x.closed, roleVolume: &x.volume, roleProfit: &x.profit} {
		all := t.readNumbers(r, what)
		if len(all) == 0 {
			return
		}
		*n = all[0]
	}
	if len(x.commissions) > 0 {
		t.priced = append(t.priced, x)
	}
}

// readNumbers returns the numbers in the columns of a role that are not zero.
func (t *table) readNumbers(r *sheet.Row, what role) (all []number) {
	for _, i := range t.columns[what] {
		if i < len(r.Cells) {
			if n, ok := readNumber(r.Cells[i]); ok && !n.isZero() {
				n.body, n.signed = strings.Clone(n.body), strings.Clone(n.signed) // so that it does not keep its row in memory
				all = append(all, n)
			}
		}
	}
	return all
}

// weighPrices compares profits with what the prices give for a volume in units, as that of cryptocurrencies
// and shares is. What they give has to stand out from the costs, because in lots it is next to nothing.
func (t *table) weighPrices(mark DecimalMark) {
	value := func(n number) float64 {
		d, _ := n.toDecimal(mark)
		v, _ := strconv.ParseFloat(string(d), 64)
		return v
	}
	sign := 1.0
	if t.flipsCommissions() {
		sign = -1
	}
	before, after := 0, 0 // costs
	for _, x := range t.priced {
		move, costs := (value(x.closed)-value(x.opened))*math.Abs(value(x.volume)), 0.0
		if x.sells {
			move = -move
		}
		for _, n := range x.commissions {
			costs += sign * value(n)
		}
		for _, n := range x.swaps {
			costs += value(n)
		}
		asGross, asNet := math.Abs(value(x.profit)-move), math.Abs(value(x.profit)-move-costs)
		switch {
		case math.Abs(move) <= math.Abs(costs), 4*min(asGross, asNet) >= math.Abs(costs):
		case asGross < asNet:
			before++
		default:
			after++
		}
	}
	switch {
	case before > 0 && after == 0:
		t.profit = gross
	case after > 0 && before == 0:
		t.profit = net
	}
}
