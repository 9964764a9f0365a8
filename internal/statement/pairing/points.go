package pairing

import (
	"math/big"
	"slices"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/table"
)

// A fill that closes several openings states one result. How much each of them earned follows from
// the prices, if what a point of the symbol is worth is known from fills that close one opening, or all
// that is open, and explains the result. Platforms that book at the average price give results that it does not explain.

// leastShown is the least result that shows the value of a point. Those below are rounded too much.
const leastShown = 1

// closing are the pairings that one execution closed.
type closing []pairing

// divideResults gives each pairing its part of the result of what closed it.
func (l *List) divideResults() {
	if !slices.ContainsFunc(l.executions, func(x Execution) bool { return x.Profit != "" }) {
		return
	}
	values := map[string]*table.PointValue{}
	l.eachClosing(func(c closing) { l.notePoint(values, c) })
	l.eachClosing(func(c closing) {
		by := &l.executions[c[0].closed]
		if l.table.Kind == format.Fills && !l.isAtOnePrice(c) && amount.IsNonzero(by.Profit) && !l.divideByMoves(c, values[by.Symbol]) {
			l.Shared++
		}
	})
}

// eachClosing calls f with the pairings of each execution that closes. Those of one follow each other.
func (l *List) eachClosing(f func(closing)) {
	for from := 0; from < len(l.pairings); {
		to := from + 1
		for to < len(l.pairings) && l.pairings[to].closed == l.pairings[from].closed {
			to++
		}
		if c := closing(l.pairings[from:to]); c[0].closed >= 0 {
			f(c)
		}
		from = to
	}
}

// notePoint divides the result by volume, which is right for openings at one price, and then notes
// what a point is worth.
func (l *List) notePoint(values map[string]*table.PointValue, c closing) {
	by := &l.executions[c[0].closed]
	for i := range c {
		c[i].profit = amount.Share(by.Profit, c[i].closedFrom, c[i].volume, by.closes)
	}
	moves, _ := l.movesOf(c)
	earned := l.earnedBy(c)
	if new(big.Rat).Abs(earned).Cmp(big.NewRat(leastShown, 1)) < 0 || moves.Sign() == 0 || !l.isAtOnePrice(c) && !l.isWhole(c) {
		return
	}
	value := earned.Quo(earned, moves)
	v := values[by.Symbol]
	worth, _ := value.Float64()
	if v == nil {
		v = &table.PointValue{Least: worth, Most: worth}
		values[by.Symbol] = v
	}
	v.Least, v.Most = min(v.Least, worth), max(v.Most, worth)
	size, _ := new(big.Rat).Abs(moves).Float64()
	if size > v.Move {
		v.Move, v.Value = size, value
	}
}

// isAtOnePrice reports whether all that was closed had been opened at one price.
func (l *List) isAtOnePrice(c closing) bool {
	for _, p := range c {
		if l.executions[p.opened].Price != l.executions[c[0].opened].Price {
			return false
		}
	}
	return true
}

// isWhole reports whether all that was open was closed, and nothing of it before. Its result is the same at
// the average price.
func (l *List) isWhole(c closing) bool {
	for _, p := range c {
		if p.volume != l.executions[p.opened].whole {
			return false
		}
	}
	return l.executions[c[0].closed].flat
}

// movesOf adds up the moves of prices, times volume, to the side of what was closed. size is their sum
// without signs.
func (l *List) movesOf(c closing) (moves, size *big.Rat) {
	moves, size = new(big.Rat), new(big.Rat)
	for _, p := range c {
		move := l.moveOf(p)
		moves.Add(moves, move)
		size.Add(size, move.Abs(move))
	}
	return moves, size
}

func (l *List) moveOf(p pairing) *big.Rat {
	opened, closed := &l.executions[p.opened], &l.executions[p.closed]
	move := amount.ToRat(closed.Price)
	move.Sub(move, amount.ToRat(opened.Price))
	if opened.Sells {
		move.Neg(move)
	}
	return move.Mul(move, big.NewRat(p.volume, amount.OneUnit))
}

// earnedBy returns what was earned before costs.
func (l *List) earnedBy(c closing) *big.Rat {
	earned := new(big.Rat)
	for _, p := range c {
		earned.Add(earned, amount.ToRat(p.profit))
		if l.table.Profit == format.Net {
			t := l.makeTrade(p)
			earned.Sub(earned, amount.ToRat(amount.Add(t.Commission, t.Swap)))
		}
	}
	return earned
}

// divideByMoves divides a result by how far the price moved from each opening. What the moves do not
// explain, such as costs, is divided by volume. It reports false if it does not know how.
func (l *List) divideByMoves(c closing, v *table.PointValue) bool {
	by := &l.executions[c[0].closed]
	if !v.IsKnown() {
		return false
	}
	volume := int64(0)
	for _, p := range c {
		volume += p.volume
	}
	explained, most := l.movesOf(c)
	explained.Mul(explained, v.Value)
	most.Mul(most, v.Value)
	most.Mul(most, new(big.Rat).SetFloat64(table.Tolerance))
	differs := new(big.Rat).Sub(l.earnedBy(c), explained)
	if volume != by.closes || differs.Abs(differs).Cmp(most) > 0 {
		return false
	}
	rest := new(big.Rat).Sub(amount.ToRat(by.Profit), explained) // with the costs, if the result is after them
	before, given := new(big.Rat), record.Decimal("0")
	for i := range c {
		move := l.moveOf(c[i])
		before.Add(before, move.Mul(move, v.Value))
		before.Add(before, new(big.Rat).Mul(rest, big.NewRat(c[i].volume, volume)))
		until := by.Profit
		if i < len(c)-1 {
			until, _ = record.ParseDecimal(before.FloatString(amount.UnitDigits)) // which is one
		}
		c[i].profit = amount.Add(until, amount.Negate(given))
		given = until
	}
	return true
}
