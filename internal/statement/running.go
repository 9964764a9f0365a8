package statement

import "math/big"

// Some platforms let people choose whether profits are before or after costs, and the
// file does not say which. Their running sum of the net results shows it.

// runningSum is a row with costs: the sum with it, the one before it, and what it states.
type runningSum struct {
	before, sum, profit number
	costs               []number
	found               bool
}

// readRunning looks for the first row that has costs and a sum.
func (t *table) readRunning(r *row) {
	s := &t.sums
	if !t.hasRole(roleRunning) || s.found {
		return
	}
	sum, summed := scanNumber(t.cellOf(r, roleRunning).text)
	profit, stated := scanNumber(t.cellOf(r, roleProfit).text)
	if !summed || !stated {
		return
	}
	s.costs = s.costs[:0]
	for _, i := range t.columns[roleCommission] {
		if i < len(r.cells) {
			if n, ok := scanNumber(r.cells[i].text); ok && !n.isZero() {
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

// decideProfit sets what the profits of the table are, where a running sum shows it.
func (t *table) decideProfit(mark DecimalMark) {
	s := &t.sums
	if !s.found {
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
