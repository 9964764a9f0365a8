package table

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
)

// Some platforms let people choose whether profits are before or after costs, others call both of them
// realized, and the file does not say which. A running sum of the net results shows it, or the prices.

// runningSum is a row with costs: the sum with it, the one before it, and what it states.
type runningSum struct {
	before, sum, profit value.Number
	costs               []value.Number
	found               bool
}

// readRunning looks for the first row that has costs and a sum.
func (t *Table) readRunning(r *sheet.Row) {
	s := &t.sums
	if !t.HasRole(format.RoleRunning) || s.found {
		return
	}
	sum, summed := value.ScanNumber(t.CellOf(r, format.RoleRunning).Text)
	profit, stated := value.ScanNumber(t.CellOf(r, format.RoleProfit).Text)
	if !summed || !stated {
		return
	}
	s.costs = s.costs[:0]
	for _, i := range t.Columns[format.RoleCommission] {
		if i < len(r.Cells) {
			if n, ok := value.ScanNumber(r.Cells[i].Text); ok && !n.IsZero() {
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

// DecideProfit sets what the profits of the table are, where a running sum or the prices show it.
func (t *Table) DecideProfit(mark value.DecimalMark) {
	s := &t.sums
	if !s.found {
		t.weighPrices(mark)
		return
	}
	value := func(n value.Number) *big.Rat {
		d, _ := n.ToDecimal(mark)
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
	case amount.IsNear(result, profit):
		t.Profit = format.Net
	case amount.IsNear(result, afterCosts):
		t.Profit = format.Gross
	}
}

// pricedRow is a row whose prices may show whether its profit is before or after costs.
type pricedRow struct {
	symbol                         string
	opened, closed, volume, profit value.Number
	commissions, swaps             []value.Number
	sells                          bool
}

// mostPriced is how many rows are looked at, which is enough to find one whose costs stand out.
const mostPriced = 64

// readPrices keeps a row of a table that does not say what its profits are.
func (t *Table) readPrices(r *sheet.Row) {
	if t.Profit != format.Unknown || t.Kind != format.Positions || !t.HasRole(format.RoleProfit) || len(t.priced) == mostPriced {
		return
	}
	side, _ := SideOf(t.sideText(r))
	x := pricedRow{symbol: strings.Clone(t.CellOf(r, format.RoleSymbol).Text), sells: side == record.Sell, commissions: t.readNumbers(r, format.RoleCommission), swaps: t.readNumbers(r, format.RoleSwap)}
	for what, n := range map[format.Role]*value.Number{format.RoleOpenPrice: &x.opened, format.RoleClosePrice: &x.closed, format.RoleVolume: &x.volume, format.RoleProfit: &x.profit} {
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
func (t *Table) readNumbers(r *sheet.Row, what format.Role) (all []value.Number) {
	for _, i := range t.Columns[what] {
		if i < len(r.Cells) {
			if n, ok := value.ReadNumber(r.Cells[i]); ok && !n.IsZero() {
				all = append(all, n.Clone()) // so that it does not keep its row in memory
			}
		}
	}
	return all
}

// PricedTrade is a pricedRow in numbers.
type PricedTrade struct {
	Symbol              string
	Move, Costs, Profit float64 // Move is that of the price, times the volume
}

// pricedTrades returns the priced rows in numbers.
func (t *Table) pricedTrades(mark value.DecimalMark) []PricedTrade {
	value := func(n value.Number) float64 {
		d, _ := n.ToDecimal(mark)
		v, _ := strconv.ParseFloat(string(d), 64)
		return v
	}
	sign := 1.0
	if t.FlipsCommissions() {
		sign = -1
	}
	all := make([]PricedTrade, 0, len(t.priced))
	for _, x := range t.priced {
		p := PricedTrade{Symbol: x.symbol, Move: (value(x.closed) - value(x.opened)) * math.Abs(value(x.volume)), Profit: value(x.profit)}
		if x.sells {
			p.Move = -p.Move
		}
		for _, n := range x.commissions {
			p.Costs += sign * value(n)
		}
		for _, n := range x.swaps {
			p.Costs += value(n)
		}
		all = append(all, p)
	}
	return all
}

// weighPrices compares profits with what the prices give for a volume in units, as that of cryptocurrencies
// and shares is. What they give has to stand out from the costs, because in lots it is next to nothing.
func (t *Table) weighPrices(mark value.DecimalMark) {
	if rule, ok := WeighResults(t.pricedTrades(mark)); ok {
		t.Profit = rule
	}
}

// WeighResults returns whether the results of trades are before or after costs; ok is false if nothing shows it.
func WeighResults(trades []PricedTrade) (rule format.ProfitRule, ok bool) {
	before, after := 0, 0 // costs
	for _, x := range trades {
		asGross, asNet := math.Abs(x.Profit-x.Move), math.Abs(x.Profit-x.Move-x.Costs)
		switch {
		case math.Abs(x.Move) <= math.Abs(x.Costs), 4*min(asGross, asNet) >= math.Abs(x.Costs):
		case asGross < asNet:
			before++
		default:
			after++
		}
	}
	if before == 0 && after == 0 {
		before, after = weighPoints(trades)
	}
	switch {
	case before > 0 && after == 0:
		return format.Gross, true
	case after > 0 && before == 0:
		return format.Net, true
	}
	return format.Unknown, false
}

// Tolerance is by which part point values and results may differ, because of rates and rounding.
const Tolerance = 0.02

// PointValue is what a point of a symbol is worth, as fills show.
type PointValue struct {
	Least, Most float64
	Move        float64  // the largest, which gives
	Value       *big.Rat // the most exact value
}

// IsKnown reports whether all fills show the same value.
func (v *PointValue) IsKnown() bool {
	return v != nil && v.Least > 0 && v.Most-v.Least <= Tolerance*v.Most
}

// weighPoints counts the symbols whose trades show that results are before or after costs: what a point is worth is the
// same in all trades of a symbol, and only the results before costs are in proportion to the moves of the price.
func weighPoints(trades []PricedTrade) (before, after int) {
	const even, uneven = 0.001, 0.005 // by which the greatest point value exceeds the least
	asGross, asNet := map[string]*PointValue{}, map[string]*PointValue{}
	for _, x := range trades {
		if x.Move != 0 {
			notePointValue(asGross, x.Symbol, x.Profit/x.Move)
			notePointValue(asNet, x.Symbol, (x.Profit-x.Costs)/x.Move)
		}
	}
	for symbol, v := range asGross {
		spread, other := v.relativeSpread(), asNet[symbol].relativeSpread()
		switch {
		case spread <= even && other >= uneven:
			before++
		case other <= even && spread >= uneven:
			after++
		}
	}
	return before, after
}

// notePointValue notes one more value of a point of a symbol.
func notePointValue(values map[string]*PointValue, symbol string, worth float64) {
	if v := values[symbol]; v != nil {
		v.Least, v.Most = min(v.Least, worth), max(v.Most, worth)
	} else {
		values[symbol] = &PointValue{Least: worth, Most: worth}
	}
}

// relativeSpread returns by which part of it the greatest value exceeds the least; infinite if one is not above zero.
func (v *PointValue) relativeSpread() float64 {
	if v.Least <= 0 {
		return math.Inf(1)
	}
	return v.Most/v.Least - 1
}
