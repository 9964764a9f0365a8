package pairing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/table"
)

// settleFees makes results that are after the fee of their own execution results before it. Such a list shows it by openings
// whose result is their fee.
func (l *List) settleFees() {
	if !l.table.IsExecutionList() || l.table.Profit == format.Gross {
		return
	}
	openings := 0
	for i := range l.executions {
		if x := &l.executions[i]; amount.IsNonzero(x.Profit) && x.Profit == x.Commission {
			openings++
		}
	}
	if openings == 0 {
		return
	}
	for i := range l.executions {
		if x := &l.executions[i]; x.Profit != "" {
			x.Profit = amount.Add(x.Profit, amount.Negate(x.Commission))
		}
	}
	l.table.Profit = format.Gross
}

// decideResults decides whether results are before or after costs, where prices show it.
func (l *List) decideResults() {
	if !l.table.IsExecutionList() || l.table.Profit != format.Unknown {
		return
	}
	var trades []table.PricedTrade
	l.eachClosing(func(c closing) {
		by := &l.executions[c[0].closed]
		x := table.PricedTrade{Symbol: by.Symbol}
		moves, _ := l.movesOf(c)
		x.Move, _ = moves.Float64()
		x.Profit, _ = amount.ToRat(by.Profit).Float64()
		for _, p := range c {
			t := l.makeTrade(p)
			costs, _ := amount.ToRat(amount.Add(t.Commission, t.Swap)).Float64()
			x.Costs += costs
		}
		if amount.IsNonzero(by.Profit) && x.Costs != 0 {
			trades = append(trades, x)
		}
	})
	if rule, ok := table.WeighResults(trades); ok {
		l.table.Profit = rule
	}
}

// RefuseUnclear refuses a list of executions of an unknown platform that does not show what opens and what closes;
// nil for others.
func (l *List) RefuseUnclear() error {
	switch {
	case !l.table.IsExecutionList(), !slices.ContainsFunc(l.executions, func(x Execution) bool { return !x.Stated }):
		return nil
	case slices.ContainsFunc(l.executions, func(x Execution) bool { return amount.IsNonzero(x.Profit) }):
		return l.refuseContradiction()
	}
	l.AssumesFlat = true
	return l.refuseUnbalanced()
}

// refuseContradiction refuses a list whose results do not agree with what its executions close: most close nothing that the list
// opens, as rows of positions with one time do, or one without a result would close a position at another price, so that it
// opens, or the list begins within a position.
func (l *List) refuseContradiction() (err error) {
	opened, unopened, first := 0, 0, int32(0)
	for i := range l.executions {
		switch x := &l.executions[i]; {
		case !amount.IsNonzero(x.Profit):
		case x.Volume < x.whole:
			opened++
		default:
			unopened++
			first = cmp.Or(first, x.Line)
		}
	}
	if unopened >= opened {
		return refusal.New(refusal.NotUnderstood, "Line %d: a row has a result, and the list has no execution that opened it. If its rows are closed positions, it lacks open_time or close_time. Export the history of closed positions with both times, or a list of executions that begins without positions.", first)
	}
	l.eachClosing(func(c closing) {
		by := &l.executions[c[0].closed]
		if err != nil || amount.IsNonzero(by.Profit) || l.isAtOnePrice(c) && l.executions[c[0].opened].Price == by.Price {
			return
		}
		err = refusal.New(refusal.NotUnderstood, "Line %d: an execution of %s has no result, although it closes what was opened in line %d if the list begins without positions. Export the history of closed positions, or a list that begins without positions.",
			by.Line, strings.ToValidUTF8(by.Symbol, ""), l.executions[c[0].opened].Line)
	})
	return err
}

// refuseUnbalanced refuses executions that leave positions open; nil for others. What the list only buys is open beside
// symbols of which as much was sold as bought: nothing that was closed rests on it.
func (l *List) refuseUnbalanced() error {
	type holding struct{ account, symbol string }
	sold, closed := map[holding]bool{}, false
	for _, x := range l.executions {
		sold[holding{x.Account, x.Symbol}] = sold[holding{x.Account, x.Symbol}] || x.Sells
		closed = closed || x.closes > 0
	}
	for i := range l.executions {
		x := &l.executions[i]
		if x.Volume == 0 || closed && !sold[holding{x.Account, x.Symbol}] {
			continue
		}
		more, less := "bought", "sold"
		if x.Sells {
			more, less = less, more
		}
		return refusal.New(refusal.NotUnderstood, "Line %d: more of %s was %s than %s. A list of executions that does not say what opens and what closes is read only if as much was sold as bought of each symbol that was sold. Export the history of closed positions, or a list that begins and ends without positions.",
			x.Line, strings.ToValidUTF8(x.Symbol, ""), more, less)
	}
	return nil
}
