package table

import (
	"cmp"
	"strings"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// Reasons for which rows below a header are no trades.
const (
	SkipTotal     = "total"
	skipNote      = "note"
	skipPending   = "pending_order"
	skipCancelled = "cancelled"
	skipOther     = "other_operation"
)

// operations are folded words for the type of a row that is no trade, and the
// reason under which it is counted.
var operations = map[string]string{
	"balance": "balance", "credit": "credit", "deposit": "deposit", "withdrawal": "withdrawal", "withdraw": "withdrawal", "payout": "withdrawal",
	"correction": "correction", "adjustment": "correction", "charge": "charge", "bonus": "credit", "transfer": "transfer", "rebate": "correction",
	"commission": "charge", "fee": "charge", "tax": "charge", "swap": "charge", "funding": "charge", "interest": "charge", "rollover": "charge", "agent": "charge",
	"orders": skipOther, "positions": skipOther,
	"dividend": "dividend", "dividends": "dividend", "dividendadjustment": "dividend",
	"buylimit": skipPending, "selllimit": skipPending, "buystop": skipPending, "sellstop": skipPending, "buystoplimit": skipPending, "sellstoplimit": skipPending,
	"limit": skipPending, "stop": skipPending, "pending": skipPending, "pendingorder": skipPending,
	"cancelled": skipCancelled, "canceled": skipCancelled, "rejected": skipCancelled, "working": skipPending, "placed": skipPending, "expired": skipCancelled, "deleted": skipCancelled,
}

// totals are folded words that begin a row of sums.
var totals = map[string]bool{
	"total": true, "totals": true, "subtotal": true, "sum": true, "grandtotal": true, "closedpl": true,
	"summe": true, "gesamt": true, "insgesamt": true, "totale": true, "totales": true, "suma": true, "razem": true, "celkem": true, "soma": true, "итого": true, "всего": true,
	"合计": true, "合計": true, "总计": true, "總計": true,
}

// averages are folded words that begin a row which people add below the trades, and
// which is no sum.
var averages = map[string]bool{
	"average": true, "avg": true, "mean": true, "median": true, "min": true, "max": true, "minimum": true, "maximum": true,
	"durchschnitt": true, "mittelwert": true, "moyenne": true, "promedio": true, "media": true,
}

// sides are folded words for the two sides.
var sides = map[string]record.Side{
	"buy": record.Buy, "long": record.Buy, "b": record.Buy, "l": record.Buy, "bought": record.Buy, "bid": record.Buy, "bot": record.Buy, "0": record.Buy, "buytocover": record.Buy, "bc": record.Buy, "k": record.Buy, "up": record.Buy,
	"sell": record.Sell, "short": record.Sell, "s": record.Sell, "sold": record.Sell, "ask": record.Sell, "sld": record.Sell, "1": record.Sell, "sellshort": record.Sell, "shortsell": record.Sell, "ss": record.Sell, "v": record.Sell, "down": record.Sell,
}

// SideOf reads a side; ok is false for other words.
func SideOf(text string) (side record.Side, ok bool) {
	const longest = 24
	switch text { // the common ones, without folding
	case "buy", "Buy", "BUY":
		return record.Buy, true
	case "sell", "Sell", "SELL":
		return record.Sell, true
	}
	if len(text) > longest || text == "-1" || text == "+1" { // which others write for short and long, not 1 for a sell
		return "", false
	}
	word := foldWord(text)
	if english, found := words.English[word]; found {
		word = english
	}
	side, ok = sides[word]
	return side, ok
}

// readOrderSide reads the side of a pending order such as a buy stop, which some exports
// write into the column of sides of the position that it opened.
func readOrderSide(text string) (side record.Side, ok bool) {
	word := foldWord(text)
	switch {
	case operations[word] != skipPending:
	case strings.HasPrefix(word, "buy"):
		return record.Buy, true
	case strings.HasPrefix(word, "sell"):
		return record.Sell, true
	}
	return "", false
}

// readClosedSide reads the side of a position from what closed it, such as "Close Long". That of an order is the other one.
func readClosedSide(text string) (side record.Side, ok bool) {
	switch words.Fold(text) {
	case "closelong", "buylong", "longposition":
		return record.Buy, true
	case "closeshort", "shortposition":
		return record.Sell, true
	}
	return "", false
}

// operationOf reads the type of a row that is no trade; "" for others.
func operationOf(text string) string {
	const longest = 40
	if text == "" || len(text) > longest {
		return ""
	}
	word := foldWord(text)
	if english, ok := words.English[word]; ok {
		word = english
	}
	if reason, ok := operations[word]; ok {
		return reason
	}
	for _, part := range []string{"balance", "deposit", "withdrawal", "credit", "correction", "dividend", "cancel"} {
		if strings.Contains(word, part) {
			if part == "cancel" {
				return skipCancelled
			}
			return operations[part]
		}
	}
	return ""
}

// constants are how MQL, the language of MetaTrader's programs, begins the names of its constants.
var constants = []string{"OP_", "DEAL_TYPE_", "DEAL_ENTRY_", "ORDER_TYPE_", "POSITION_TYPE_"}

// foldWord folds a word, or what the name of a constant such as POSITION_TYPE_BUY says.
func foldWord(text string) string {
	for _, prefix := range constants {
		if rest, found := strings.CutPrefix(text, prefix); found {
			text = rest
		}
	}
	return words.Fold(text)
}

// codeReason returns why a row is no trade by MT4's number for its type, in a list that a program wrote; "" for others.
func (t *Table) codeReason(r *sheet.Row, symbol, side string) string {
	switch {
	case !t.scripted:
	case len(side) == 1 && side >= "2" && side <= "5" && !t.hasResult(r):
		return skipPending
	case side == "6" && symbol == "":
		return "balance"
	case side == "7" && symbol == "":
		return "credit"
	}
	return ""
}

// CellOf returns the row's cell of a role; empty when there is none.
func (t *Table) CellOf(r *sheet.Row, what format.Role) sheet.Cell {
	if columns := t.Columns[what]; len(columns) > 0 && columns[0] < len(r.Cells) {
		return r.Cells[columns[0]]
	}
	return sheet.Cell{}
}

// SymbolOf returns the symbol of a row, without the side before it where the format has one there.
func (t *Table) SymbolOf(r *sheet.Row) string {
	text := t.CellOf(r, format.RoleSymbol).Text
	if side, symbol, found := strings.Cut(text, " "); found && t.Format.Sided {
		if _, ok := SideOf(side); ok {
			return strings.TrimSpace(symbol)
		}
	}
	if t.sided {
		text, _ = splitSide(text)
	}
	if t.contract != nil {
		text = t.joinContract(text, r)
	}
	return text
}

// wordOf returns the text of the row's cell of a role, in English where the format has codes.
func (t *Table) wordOf(r *sheet.Row, what format.Role) string {
	text := t.CellOf(r, what).Text
	if what == format.RoleSide && t.letters {
		text = cmp.Or(map[string]string{"A": "buy", "C": "buy", "V": "sell"}[text], text)
	}
	if what == format.RoleSide {
		text = cmp.Or(t.effectSide(text), t.sideOfAction(text, r), text)
	}
	return cmp.Or(t.Format.Words[text], text)
}

// sideText returns the side of a row, as its column, the word before its symbol or the sign of its volume says.
func (t *Table) sideText(r *sheet.Row) string {
	text := t.wordOf(r, format.RoleSide)
	if text == "" && t.Format.Sided {
		text, _, _ = strings.Cut(t.CellOf(r, format.RoleSymbol).Text, " ")
	}
	if t.sided {
		_, text = splitSide(t.CellOf(r, format.RoleSymbol).Text)
	}
	if text != "" || !t.Format.Signed {
		return text
	}
	switch n, ok := value.ReadNumber(t.CellOf(r, format.RoleVolume)); {
	case !ok || n.IsZero():
		return ""
	case n.Negative:
		return string(record.Sell)
	}
	return string(record.Buy)
}

// SkipReason returns why a row below the table's header is no trade, or "" for
// trades. The reader must refuse a row that looks like a trade and has no side.
func (t *Table) SkipReason(r *sheet.Row) string {
	symbol, side := t.SymbolOf(r), t.sideText(r)
	kind, state := t.wordOf(r, format.RoleKind), t.wordOf(r, format.RoleState)
	if reason := operationOf(kind); reason != "" && !isOrderType(kind) && (reason != skipPending || !t.hasResult(r)) {
		return reason
	}
	if reason := operationOf(state); (reason == skipCancelled || reason == skipPending) && !t.isPartFilled(r) && (words.Fold(state) != "expired" || !t.hasResult(r)) {
		return reason
	}
	if t.isUnfilled(r) {
		return skipPending
	}
	if _, ok := SideOf(side); ok && symbol != "" {
		return ""
	}
	if reason := operationOf(side); reason != "" && (reason != skipPending || !t.hasResult(r)) {
		return reason
	}
	if reason := t.codeReason(r, symbol, side); reason != "" {
		return reason
	}
	if isTotal(r) {
		return SkipTotal
	}
	if symbol == "" && side == "" && beginsWith(r, averages) {
		return skipNote
	}
	filled := sheet.CountFilled(r.Cells)
	switch {
	case t.hasBothTimes(r) && t.CellOf(r, format.RoleOpenPrice).Text != "": // a trade without a name
		return ""
	case symbol == "" && side == "" && t.isOperation(r):
		return skipOther
	case symbol == "" && side == "" && filled > 1 && t.holdsSums(r) && t.CellOf(r, format.RoleClosePrice).Text == "":
		return SkipTotal // sums have no price. Below a trade, MT4 writes its magic number there, and its comment beside it
	case symbol == "" && side == "", filled <= 2:
		return skipNote
	case t.HasRole(format.RoleBuyTime) && symbol != "": // such exports have no side
		return ""
	case t.CellOf(r, format.RoleVolume).Text == "" && t.CellOf(r, format.RoleOpenPrice).Text == "" && !t.hasBothTimes(r):
		return skipOther
	}
	return ""
}

// isOperation reports whether a row without a symbol has an id and a time of its own, as deposits have, and sums have not.
func (t *Table) isOperation(r *sheet.Row) bool {
	_, timed := value.ScanStamp(t.TimeText(r, format.RoleOpenTime))
	return timed && !value.IsAbsent(t.CellOf(r, format.RoleID).Text) && t.CellOf(r, format.RoleOpenPrice).Text == ""
}

// isPartFilled reports whether an order was filled before it was cancelled, in a list
// that gives the volume that was filled.
func (t *Table) isPartFilled(r *sheet.Row) bool {
	n, ok := value.ScanNumber(t.CellOf(r, format.RoleVolume).Text)
	return t.IsPaired() && ok && !n.IsZero() && t.CellOf(r, format.RoleOpenPrice).Text != ""
}

// hasResult reports whether a position was closed with a result, as one that a pending order
// opened, or that ended because it expired.
func (t *Table) hasResult(r *sheet.Row) bool {
	for what := format.RoleProfit; what <= format.RoleNet; what++ {
		if n, ok := value.ScanNumber(t.CellOf(r, what).Text); ok && !n.IsZero() {
			return t.hasBothTimes(r)
		}
	}
	return false
}

// isUnfilled reports whether a row of a list of orders has no price at which the order
// was filled, or no volume, and is not called filled. So is the row of the closing of a trade that is open.
func (t *Table) isUnfilled(r *sheet.Row) bool {
	if t.Kind != format.Fills || !t.HasRole(format.RoleState) && !t.Format.Numbered {
		return false
	}
	n, ok := value.ScanNumber(t.CellOf(r, format.RoleVolume).Text)
	if empty := ok && n.IsZero(); !empty && !value.IsAbsent(t.CellOf(r, format.RoleOpenPrice).Text) {
		return false
	}
	state := words.Fold(t.CellOf(r, format.RoleState).Text)
	return state != "filled" && state != "complete" && state != "completed"
}

// hasBothTimes reports whether the row has times of opening and of closing, which only
// positions have.
func (t *Table) hasBothTimes(r *sheet.Row) bool {
	_, opens := value.ScanStamp(t.TimeText(r, format.RoleOpenTime))
	_, closes := value.ScanStamp(t.TimeText(r, format.RoleCloseTime))
	return opens && closes
}

// isOrderType recognizes the type of an order that has become a trade, in exports
// that give the side in another column.
func isOrderType(kind string) bool {
	word := words.Fold(kind)
	return word == "limit" || word == "stop"
}

// isTotal reports whether the row's first word is one for sums.
func isTotal(r *sheet.Row) bool { return beginsWith(r, totals) }

// beginsWith reports whether the row's first text is one of the folded words.
func beginsWith(r *sheet.Row, folded map[string]bool) bool {
	const longest = 24
	for _, c := range r.Cells {
		if c.Text != "" {
			return len(c.Text) <= longest && !c.Number && folded[words.Fold(c.Text)]
		}
	}
	return false
}

// holdsSums reports whether a column of money holds a number.
func (t *Table) holdsSums(r *sheet.Row) bool {
	for what := format.RoleCommission; what <= format.RoleNet; what++ {
		for _, i := range t.Columns[what] {
			if i < len(r.Cells) {
				if _, ok := value.ScanNumber(r.Cells[i].Text); ok {
					return true
				}
			}
		}
	}
	return false
}
