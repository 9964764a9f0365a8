package table

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
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

// IsExecutionList reports whether the table is a list of executions of an unknown platform.
func (t *Table) IsExecutionList() bool { return t.Format == &format.ExecutionList }

// findActions finds the columns beside that of sides that may say what an execution does to positions.
func (t *Table) findActions(headings []heading) {
	for i, h := range headings {
		switch {
		case slices.Contains(t.Columns[format.RoleSide], i):
		case h.name == "action":
			t.action = []int{i}
		case h.name == "positionside":
			t.held = []int{i}
		}
	}
}

// readAction uses the column called Action of a list whose sides are those of positions, as the first execution shows: it has the
// sides of the executions, or what these do.
func (t *Table) readAction(r *sheet.Row) {
	if side := inEnglish(t.CellOf(r, format.RoleSide).Text); len(t.action) == 0 || t.action[0] >= len(r.Cells) || side != "long" && side != "short" {
		return
	}
	word := r.Cells[t.action[0]].Text
	effect, _ := entryOf(word)
	switch _, ok := SideOf(word); {
	case ok:
		t.held, t.Columns[format.RoleSide] = t.Columns[format.RoleSide], t.action
	case effect != format.EntryAuto && !t.HasRole(format.RoleEntry):
		t.Columns[format.RoleEntry] = t.action
	}
}

// sideOfAction returns the side of an execution from that of the position and what is done to it; "" for others.
func (t *Table) sideOfAction(position string, r *sheet.Row) string {
	if !t.IsExecutionList() || !t.HasRole(format.RoleEntry) {
		return ""
	}
	effect, _ := entryOf(t.CellOf(r, format.RoleEntry).Text)
	switch word := inEnglish(position); {
	case effect == format.EntryIn && word == "long", effect == format.EntryOut && word == "short":
		return "buy"
	case effect == format.EntryIn && word == "short", effect == format.EntryOut && word == "long":
		return "sell"
	}
	return ""
}

// entryOnSide returns what an execution does where a column has the side of the position: who sells a long one closes it.
func (t *Table) entryOnSide(r *sheet.Row, sells bool) format.Entry {
	if !t.IsExecutionList() || len(t.held) == 0 || t.held[0] >= len(r.Cells) {
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
func (t *Table) dropTotalCosts(r *sheet.Row) {
	fees := t.Columns[format.RoleCommission]
	if t.totaled || len(fees) < 2 || t.Format.Columns != nil {
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
		if !amount.IsNonzero(total) {
			continue
		}
		t.totaled = true
		others := slices.Delete(slices.Clone(fees), at, at+1)
		if len(others) == 1 && !strings.HasPrefix(readHeading(t.Titles[i]).name, "total") {
			continue // which may be equal by chance
		}
		if add(others) == total || add(slices.Concat(others, t.Columns[format.RoleSwap])) == total {
			t.Columns[format.RoleCommission] = others
			return
		}
	}
}

// effectWords splits a side such as "Close Long" or "CLOSE_LONG".
func effectWords(side string) []string {
	return strings.FieldsFunc(side, func(c rune) bool { return c == ' ' || c == '_' || c == '-' })
}

// effectSide returns the side of a word that says what an execution does as well; "" for others.
func (t *Table) effectSide(text string) string {
	if !t.IsExecutionList() {
		return ""
	}
	return effectSides[words.Fold(text)]
}

// ReadEffect reads whether an execution opens or closes, which is auto if nothing says it. turns means that a position on its
// side is held after it.
func (t *Table) ReadEffect(r *sheet.Row, sells bool) (effect format.Entry, turns bool, err error) {
	if words := effectWords(t.CellOf(r, format.RoleSide).Text); len(words) > 1 { // "Close Long", "Trade Sell Out"
		for _, word := range words {
			if stated, known := entryOf(word); known {
				effect = stated
			}
		}
	}
	if stated, _ := entryOf(t.wordOf(r, format.RoleKind)); stated == format.EntryOut {
		effect = format.EntryOut
	}
	if stated, known := t.Format.Effects[cmp.Or(t.CellOf(r, format.RoleSide).Text, t.sideText(r))]; known {
		effect = stated
	}
	if word := t.wordOf(r, format.RoleEntry); t.HasRole(format.RoleEntry) {
		stated, known := entryOf(word)
		if code := t.CellOf(r, format.RoleEntry).Text; t.Format.Coded && len(code) == 1 && strings.Contains("0123", code) {
			stated, known = [...]format.Entry{format.EntryIn, format.EntryOut, format.EntryReverse, format.EntryOut}[code[0]-'0'], true
		}
		if !known {
			return effect, false, t.RefuseCell(r, format.RoleEntry, "a deal neither opens nor closes")
		}
		if effect = stated; effect == format.EntryIn && t.Format.Netting {
			effect = format.EntryAuto
		}
	}
	if effect == format.EntryAuto {
		effect = t.entryOnSide(r, sells)
	}
	held := words.Fold(t.CellOf(r, format.RoleHeld).Text)
	return effect, strings.HasSuffix(held, "s") && sells || strings.HasSuffix(held, "l") && !sells, nil
}

// chineseEntries are what an execution of a future does in mainland China, where what was opened on the day is closed by another
// word.
var chineseEntries = map[string]format.Entry{"开": format.EntryIn, "开仓": format.EntryIn, "平": format.EntryOut, "平仓": format.EntryOut, "平今": format.EntryOut, "平昨": format.EntryOut}

// entryOf reads MT5's direction of a deal, or another platform's effect.
func entryOf(text string) (format.Entry, bool) {
	if effect, known := chineseEntries[text]; known {
		return effect, true
	}
	word := foldWord(text)
	if english, ok := words.English[word]; ok {
		word = english
	}
	switch word {
	case "in", "open", "opening", "opened", "toopen", "entry":
		return format.EntryIn, true
	case "out", "outby", "close", "closing", "closed", "toclose", "exit", "liquidation", "busttrade", "adltrade", "expired", "assigned", "exercised":
		return format.EntryOut, true
	case "inout":
		return format.EntryReverse, true
	case "", "undetermined":
		return format.EntryAuto, true
	}
	return format.EntryAuto, false
}
