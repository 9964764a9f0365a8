package statement

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// A list of executions of an unknown platform shows what opens and what closes by its words, by the results of what closes,
// or not at all. In the last case it has to begin without positions.

// effectSides are the sides of folded words that say what an execution does to positions as well.
var effectSides = map[string]string{
	"openlong": "buy", "closeshort": "buy", "openshort": "sell", "closelong": "sell",
	"buytoopen": "buy", "buytoclose": "buy", "selltoopen": "sell", "selltoclose": "sell",
	"openbuy": "buy", "closebuy": "buy", "opensell": "sell", "closesell": "sell",
	"buyopen": "buy", "buyclose": "buy", "sellopen": "sell", "sellclose": "sell",
}

// isExecutionList reports whether the table is a list of executions of an unknown platform.
func (t *table) isExecutionList() bool { return t.format == &format.ExecutionList }

// findActions finds the columns beside that of sides that may say what an execution does to positions.
func (t *table) findActions(headings []heading) {
	for i, h := range headings {
		switch {
		case slices.Contains(t.columns[format.RoleSide], i):
		case h.name == "action":
			t.action = []int{i}
		case h.name == "positionside":
			t.held = []int{i}
		}
	}
}

// readAction uses the column called Action of a list whose sides are those of positions, as the first execution shows: it has the
// sides of the executions, or what these do.
func (t *table) readAction(r *sheet.Row) {
	if side := inEnglish(t.cellOf(r, format.RoleSide).Text); len(t.action) == 0 || t.action[0] >= len(r.Cells) || side != "long" && side != "short" {
		return
	}
	word := r.Cells[t.action[0]].Text
	effect, _ := entryOf(word)
	switch _, ok := sideOf(word); {
	case ok:
		t.held, t.columns[format.RoleSide] = t.columns[format.RoleSide], t.action
	case effect != format.EntryAuto && !t.hasRole(format.RoleEntry):
		t.columns[format.RoleEntry] = t.action
	}
}

// sideOfAction returns the side of an execution from that of the position and what is done to it; "" for others.
func (t *table) sideOfAction(position string, r *sheet.Row) string {
	if !t.isExecutionList() || !t.hasRole(format.RoleEntry) {
		return ""
	}
	effect, _ := entryOf(t.cellOf(r, format.RoleEntry).Text)
	switch word := inEnglish(position); {
	case effect == format.EntryIn && word == "long", effect == format.EntryOut && word == "short":
		return "buy"
	case effect == format.EntryIn && word == "short", effect == format.EntryOut && word == "long":
		return "sell"
	}
	return ""
}

// entryOnSide returns what an execution does where a column has the side of the position: who sells a long one closes it.
func (t *table) entryOnSide(r *sheet.Row, sells bool) format.Entry {
	if !t.isExecutionList() || len(t.held) == 0 || t.held[0] >= len(r.Cells) {
		return format.EntryAuto
	}
	switch word := inEnglish(r.Cells[t.held[0]].Text); {
	case word == "long" && !sells, word == "short" && sells:
		return format.EntryIn
	case word == "long", word == "short":
		return format.EntryOut
	}
	return format.EntryAuto
}

// chooseResult leaves one column of results, and returns what is in it: of a list that has results before and after costs,
// those before them.
func chooseResult(columns *[format.Roles][]int) format.ProfitRule {
	for _, of := range []struct {
		from format.Role
		rule format.ProfitRule
	}{{format.RoleGross, format.Gross}, {format.RoleProfit, format.Unknown}, {format.RoleNet, format.Net}} {
		if chosen := columns[of.from]; chosen != nil {
			columns[format.RoleGross], columns[format.RoleNet], columns[format.RoleProfit] = nil, nil, chosen
			return of.rule
		}
	}
	return format.Unknown
}

// addFees reads the further columns of a list whose names end as those of fees do, and only the total of the fees if there is
// one.
func addFees(headings []heading, fees []int) []int {
	for i, h := range headings {
		if isFeeName(h.name) && !slices.Contains(fees, i) {
			fees = append(fees, i)
		}
	}
	for _, i := range fees {
		if strings.HasPrefix(headings[i].name, "total") {
			return []int{i}
		}
	}
	return fees
}

// isFeeName reports whether a name ends as those of fees do.
func isFeeName(name string) bool {
	return !namesResult(name) && (strings.HasSuffix(name, "fee") || strings.HasSuffix(name, "fees") || strings.HasSuffix(name, "commission"))
}

// namesResult reports whether a name is that of an amount before, after or with costs, such as "PnL after fees".
func namesResult(name string) bool {
	return slices.ContainsFunc([]string{"after", "before", "incl", "excl", "without", "net", "gross", "profit", "pnl", "result", "proceeds", "value"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}

// dropTotalCosts stops reading a column of fees as one more fee if the first trade with fees shows that it is the sum of the others,
// or of these and the swaps.
func (t *table) dropTotalCosts(r *sheet.Row) {
	fees := t.columns[format.RoleCommission]
	if t.totaled || len(fees) < 2 || t.format.Columns != nil {
		return // a known export
	}
	add := func(columns []int) record.Decimal {
		var total amount.Sum
		for _, i := range columns {
			if i < len(r.Cells) {
				n, _ := value.ReadNumber(r.Cells[i])
				d, _ := n.ToDecimal(value.Point)
				total.Add(record.Decimal(strings.TrimPrefix(string(d), "-")))
			}
		}
		return total.Value()
	}
	for at, i := range fees {
		total := add([]int{i})
		if !isNonzero(total) {
			continue
		}
		t.totaled = true
		others := slices.Delete(slices.Clone(fees), at, at+1)
		if len(others) == 1 && !strings.HasPrefix(readHeading(t.titles[i]).name, "total") {
			continue // which may be equal by chance
		}
		if add(others) == total || add(slices.Concat(others, t.columns[format.RoleSwap])) == total {
			t.columns[format.RoleCommission] = others
			return
		}
	}
}

// effectWords splits a side such as "Close Long" or "CLOSE_LONG".
func effectWords(side string) []string {
	return strings.FieldsFunc(side, func(c rune) bool { return c == ' ' || c == '_' || c == '-' })
}

// effectSide returns the side of a word that says what an execution does as well; "" for others.
func (t *table) effectSide(text string) string {
	if !t.isExecutionList() {
		return ""
	}
	return effectSides[words.Fold(text)]
}

// settleFees makes results that are after the fee of their own execution results before it. Such a list shows it by openings
// whose result is their fee.
func (b *builder) settleFees() {
	if !b.chosen.isExecutionList() || b.chosen.profit == format.Gross {
		return
	}
	openings := 0
	for i := range b.executions {
		if x := &b.executions[i]; isNonzero(x.profit) && x.profit == x.commission {
			openings++
		}
	}
	if openings == 0 {
		return
	}
	for i := range b.executions {
		if x := &b.executions[i]; x.profit != "" {
			x.profit = amount.Add(x.profit, amount.Negate(x.commission))
		}
	}
	b.chosen.profit = format.Gross
}

// decideResults decides whether results are before or after costs, where prices show it.
func (b *builder) decideResults() {
	if !b.chosen.isExecutionList() || b.chosen.profit != format.Unknown {
		return
	}
	var trades []pricedTrade
	b.eachClosing(func(c closing) {
		by := &b.executions[c[0].closed]
		x := pricedTrade{symbol: by.symbol}
		moves, _ := b.movesOf(c)
		x.move, _ = moves.Float64()
		x.profit, _ = amount.ToRat(by.profit).Float64()
		for _, p := range c {
			t := b.makeTrade(p)
			costs, _ := amount.ToRat(amount.Add(t.Commission, t.Swap)).Float64()
			x.costs += costs
		}
		if isNonzero(by.profit) && x.costs != 0 {
			trades = append(trades, x)
		}
	})
	if rule, ok := weighResults(trades); ok {
		b.chosen.profit = rule
	}
}

// refuseUnclearPositions refuses a list of executions of an unknown platform that does not show what opens and what closes;
// nil for others.
func (b *builder) refuseUnclearPositions() error {
	switch {
	case !b.chosen.isExecutionList(), !slices.ContainsFunc(b.executions, func(x execution) bool { return !x.stated }):
		return nil
	case slices.ContainsFunc(b.executions, func(x execution) bool { return isNonzero(x.profit) }):
		return b.refuseContradiction()
	}
	b.flatAssumed = true
	return b.refuseUnbalanced()
}

// refuseContradiction refuses a list whose results do not agree with what its executions close: most close nothing that the list
// opens, as rows of positions with one time do, or one without a result would close a position at another price, so that it
// opens, or the list begins within a position.
func (b *builder) refuseContradiction() (err error) {
	opened, unopened, first := 0, 0, int32(0)
	for i := range b.executions {
		switch x := &b.executions[i]; {
		case !isNonzero(x.profit):
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
	b.eachClosing(func(c closing) {
		by := &b.executions[c[0].closed]
		if err != nil || isNonzero(by.profit) || b.isAtOnePrice(c) && b.executions[c[0].opened].price == by.price {
			return
		}
		err = refusal.New(refusal.NotUnderstood, "Line %d: an execution of %s has no result, although it closes what was opened in line %d if the list begins without positions. Export the history of closed positions, or a list that begins without positions.",
			by.line, strings.ToValidUTF8(by.symbol, ""), b.executions[c[0].opened].line)
	})
	return err
}

// refuseUnbalanced refuses executions that leave positions open; nil for others. What the list only buys is open beside
// symbols of which as much was sold as bought: nothing that was closed rests on it.
func (b *builder) refuseUnbalanced() error {
	type holding struct{ account, symbol string }
	sold, closed := map[holding]bool{}, false
	for _, x := range b.executions {
		sold[holding{x.account, x.symbol}] = sold[holding{x.account, x.symbol}] || x.sells
		closed = closed || x.closes > 0
	}
	for i := range b.executions {
		x := &b.executions[i]
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
