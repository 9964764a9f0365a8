package table

import (
	"slices"

	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// executionDays are the names of days that stand beside a time. The trade date of a future that was executed in the evening is
// the next business day, so it is used only if there is no other day.
var executionDays = []string{"executiondate", "filldate", "date", "tradedate", "td"}

// orderSigns are columns that only orders have.
var orderSigns = []string{"status", "state", "orderstatus", "orderstate", "limitprice", "stopprice", "orderprice", "triggerprice", "ordertime", "placedtime", "placingtime", "timeinforce", "tif", "totalqty", "orderqty", "remainingqty"}

// expiryNames and strikeNames are columns without which the symbol may not name what was traded.
var expiryNames, strikeNames = []string{"expiry", "expiration", "expirationdate", "expirydate", "exp"}, []string{"strike", "strikeprice", "right", "putcall", "callput", "callorput", "optiontype"}

// unclearParts are columns without which the side does not say what was done.
var unclearParts = []string{"closeexecutiontime"}

// valueColumns have what was paid, so that an amount beside them is how much was bought or sold.
var valueColumns = []string{"tradevalue", "value", "grossvalue", "notional", "turnover", "fillvalue"}

// mapExecutions maps columns of a list of executions, and returns what its results are; ok is false for other tables.
func mapExecutions(headings []heading) (columns [format.Roles][]int, profit format.ProfitRule, ok bool) {
	columns = mapNames(headings)
	for _, r := range []format.Role{format.RoleCloseTime, format.RoleClosePrice, format.RoleOpenPrice, format.RoleStop, format.RoleTarget} {
		isPrice := len(columns[r]) == 1 && headings[columns[r][0]].name == "price"
		if columns[r] != nil && (r != format.RoleOpenPrice || !isPrice) {
			return columns, format.Unknown, false // a table of positions, or of orders
		}
	}
	if slices.ContainsFunc(headings, func(h heading) bool { return slices.Contains(unclearParts, h.name) }) {
		return columns, format.Unknown, false
	}
	columns[format.RoleOpenPrice], columns[format.RoleOpenTime], columns[format.RoleKind] = nil, nil, nil
	columns[format.RoleSwap] = slices.DeleteFunc(columns[format.RoleSwap], func(i int) bool { return headings[i].name != "swap" }) // of others, the sign is not known
	names := format.ExecutionColumns
	if !slices.ContainsFunc(headings, func(h heading) bool { return slices.Contains(orderSigns, h.name) }) {
		names = slices.Concat(format.ExecutionColumns, format.PlainExecutions)
	}
	feesBeside := slices.ContainsFunc(headings, func(h heading) bool { return h.name == "taf" || h.name == "comm" })
	for _, c := range slices.Backward(names) {
		for i, h := range headings {
			switch {
			case h.name != c.Name, h.name == "sec" && !feesBeside: // which may be a security
			case c.Role == format.RoleCommission:
				if !slices.Contains(columns[c.Role], i) { // a cost is not counted twice
					columns[c.Role] = append(columns[c.Role], i)
				}
			case c.Role != format.RoleSymbol && c.Role != format.RoleSide || columns[c.Role] == nil:
				columns[c.Role] = []int{i}
			}
		}
	}
	for _, day := range executionDays {
		at := slices.IndexFunc(headings, func(h heading) bool { return h.name == day })
		if at >= 0 {
			columns[format.RoleOpenTime] = append([]int{at}, columns[format.RoleOpenTime]...)
			break
		}
	}
	if quantity := slices.IndexFunc(headings, func(h heading) bool { return h.name == "quantity" || h.name == "qty" }); quantity >= 0 && columns[format.RoleVolume] != nil && headings[columns[format.RoleVolume][0]].name == "volume" {
		columns[format.RoleVolume] = []int{quantity} // the volume is what was paid
	}
	if columns[format.RoleVolume] == nil && slices.ContainsFunc(headings, func(h heading) bool { return slices.Contains(valueColumns, h.name) }) {
		if at := slices.IndexFunc(headings, func(h heading) bool { return h.name == "amount" }); at >= 0 {
			columns[format.RoleVolume] = []int{at}
		}
	}
	for _, r := range []format.Role{format.RoleSymbol, format.RoleSide, format.RoleVolume, format.RoleOpenPrice, format.RoleOpenTime} {
		if columns[r] == nil {
			return columns, format.Unknown, false
		}
	}
	columns[format.RoleCommission] = addFees(headings, columns[format.RoleCommission])
	profit = chooseResult(&columns)
	return columns, profit, true
}

// hasExecutions reports whether a header has all columns that a list of executions needs.
func hasExecutions(headings []heading) bool {
	_, _, ok := mapExecutions(composeNames(headings))
	return ok
}

// dropBrokerage stops reading a column called Brokerage as a fee if the first trade shows that it names the broker.
func (t *Table) dropBrokerage(r *sheet.Row) {
	if t.Format.Columns != nil {
		return // a known export
	}
	t.Columns[format.RoleCommission] = slices.DeleteFunc(t.Columns[format.RoleCommission], func(i int) bool {
		if i >= len(r.Cells) || value.IsAbsent(r.Cells[i].Text) || readHeading(t.Titles[i]).name != "brokerage" {
			return false
		}
		_, ok := value.ReadNumber(r.Cells[i])
		return !ok
	})
}

// executionSides are the words by which an execution is told from a position, which may be long or short.
var executionSides = []string{"buy", "sell", "b", "s", "bought", "sold", "buytocover", "sellshort", "shortsell", "bot", "sld", "k", "v", "ss", "bc"}

// filledStates are the words for orders that were filled as a whole.
var filledStates = []string{"filled", "complete", "completed", "executed", "traded", "done", "closed"}

// RefuseUnclear refuses an execution whose words say something that is not known; nil for others.
func (t *Table) RefuseUnclear(r *sheet.Row) error {
	if n, ok := value.ReadNumber(t.CellOf(r, format.RoleMargin)); ok && !n.IsZero() {
		return t.RefuseCell(r, format.RoleMargin, "a trade on margin does not say whether a sale closes a position or opens a short one")
	}
	if !t.Format.Strict {
		return nil
	}
	if err := t.refuseContract(r); err != nil {
		return err
	}
	if !slices.Contains(executionSides, inEnglish(t.wordOf(r, format.RoleSide))) {
		return t.RefuseCell(r, format.RoleSide, "an execution is neither a purchase nor a sale")
	}
	if t.HasRole(format.RoleState) && !slices.Contains(filledStates, inEnglish(t.CellOf(r, format.RoleState).Text)) {
		return t.RefuseCell(r, format.RoleState, "it is not known whether an order in this state was filled")
	}
	return nil
}

// inEnglish folds a word and gives its English if it has one.
func inEnglish(text string) string {
	word := words.Fold(text)
	if english, ok := words.English[word]; ok {
		return english
	}
	return word
}

// RefuseFollowing refuses a row without a symbol that has a volume and a price of its own, such as the second fill of the
// order above it; nil for others, and for sums and averages that are called so.
func (t *Table) RefuseFollowing(r *sheet.Row, reason string) error {
	if !t.Format.Strict || reason != skipNote && reason != SkipTotal || isTotal(r) || beginsWith(r, averages) {
		return nil
	}
	_, sized := value.ReadNumber(t.CellOf(r, format.RoleVolume))
	_, priced := value.ReadNumber(t.CellOf(r, format.RoleOpenPrice))
	if !sized || !priced {
		return nil
	}
	return t.RefuseCell(r, format.RoleSymbol, "an execution has no symbol. If it is a further fill of the order above it, write the order's symbol and side into its row")
}
