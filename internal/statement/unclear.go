package statement

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
func (l *list) settleFees() {
	if !l.table.IsExecutionList() || l.table.Profit == format.Gross {
		return
	}
	openings := 0
	for i := range l.executions {
		if x := &l.executions[i]; amount.IsNonzero(x.profit) && x.profit == x.commission {
			openings++
		}
	}
	if openings == 0 {
		return
	}
	for i := range l.executions {
		if x := &l.executions[i]; x.profit != "" {
			x.profit = amount.Add(x.profit, amount.Negate(x.commission))
		}
	}
	l.table.Profit = format.Gross
}

// decideResults decides whether results are before or after costs, where prices show it.
func (l *list) decideResults() {
	if !l.table.IsExecutionList() || l.table.Profit != format.Unknown {
		return
	}
	var trades []table.PricedTrade
	l.eachClosing(func(c closing) {
		by := &l.executions[c[0].closed]
		x := table.PricedTrade{Symbol: by.symbol}
		moves, _ := l.movesOf(c)
		x.Move, _ = moves.Float64()
		x.Profit, _ = amount.ToRat(by.profit).Float64()
		for _, p := range c {
			t := l.makeTrade(p)
			costs, _ := amount.ToRat(amount.Add(t.Commission, t.Swap)).Float64()
			x.Costs += costs
		}
		if amount.IsNonzero(by.profit) && x.Costs != 0 {
			trades = append(trades, x)
		}
	})
	if rule, ok := table.WeighResults(trades); ok {
		l.table.Profit = rule
	}
}

// refuseUnclear refuses a list of executions of an unknown platform that does not show what opens and what closes;
// nil for others.
func (l *list) refuseUnclear() error {
	switch {
	case !l.table.IsExecutionList(), !slices.ContainsFunc(l.executions, func(x execution) bool { return !x.stated }):
		return nil
	case slices.ContainsFunc(l.executions, func(x execution) bool { return amount.IsNonzero(x.profit) }):
		return l.refuseContradiction()
	}
	l.assumesFlat = true
	return l.refuseUnbalanced()
}

// refuseContradiction refuses a list whose results do not agree with what its executions close: most close nothing that the list
// opens, as rows of positions with one time do, or one without a result would close a position at another price, so that it
// opens, or the list begins within a position.
func (l *list) refuseContradiction() (err error) {
	opened, unopened, first := 0, 0, int32(0)
	for i := range l.executions {
		switch x := &l.executions[i]; {
		case !amount.IsNonzero(x.profit):
		case x.volume < x.whole:
			opened++
		default:
			unopened++
			first = cmp.Or(first, x.line)
		}
	}
	if unopened >= opened {
		return refusal.New(refusal.NotUnderstood, "Line %d: a row has a result, and the list has no execution that opened it. If its rows are closed positions, it lacks open_time or close_time. Export the history of closed positions with both times, or a list of executions that begins without positions.", first)
	}
	l.eachClosing(func(c closing) {
		by := &l.executions[c[0].closed]
		if err != nil || amount.IsNonzero(by.profit) || l.isAtOnePrice(c) && l.executions[c[0].opened].price == by.price {
			return
		}
		err = refusal.New(refusal.NotUnderstood, "Line %d: an execution of %s has no result, although it closes what was opened in line %d if the list begins without positions. Export the history of closed positions, or a list that begins without positions.",
			by.line, strings.ToValidUTF8(by.symbol, ""), l.executions[c[0].opened].line)
	})
	return err
}

// refuseUnbalanced refuses executions that leave positions open; nil for others. What the list only buys is open beside
// symbols of which as much was sold as bought: nothing that was closed rests on it.
func (l *list) refuseUnbalanced() error {
	type holding struct{ account, symbol string }
	sold, closed := map[holding]bool{}, false
	for _, x := range l.executions {
		sold[holding{x.account, x.symbol}] = sold[holding{x.account, x.symbol}] || x.sells
		closed = closed || x.closes > 0
	}
	for i := range l.executions {
		x := &l.executions[i]
		if x.volume == 0 || closed && !sold[holding{x.account, x.symbol}] {
			continue
		}
		more, less := "bought", "sold"
		if x.sells {
			more, less = less, more
		}
		return refusal.New(refusal.NotUnderstood, "Line %d: more of %s was %s than %s. A list of executions that does not say what opens and what closes is read only if as much was sold as bought of each symbol that was sold. Export the history of closed positions, or a list that begins and ends without positions.",
			x.line, strings.ToValidUTF8(x.symbol, ""), more, less)
	}
	return nil
}
