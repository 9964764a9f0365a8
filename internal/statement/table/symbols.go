package table

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
)

// Some exports write more into the symbol than what was traded, such as the side, and others less, such as an option's
// underlying alone.

// splitSide splits a symbol such as "BTCUSDT Long·Cross" or "Buy Apple" into what was traded and the word for the side; the word
// is empty if there is none.
func splitSide(text string) (symbol, side string) {
	isSeparator := func(c rune) bool { return strings.ContainsRune(" ·()_|/,", c) }
	for at := 0; at < len(text); {
		length := strings.IndexFunc(text[at:], isSeparator)
		if length < 0 {
			length = len(text) - at
		}
		word := text[at : at+length]
		if _, ok := SideOf(word); ok && len(word) >= len("buy") {
			symbol := strings.TrimFunc(text[:at], isSeparator)
			if symbol == "" {
				symbol = strings.TrimFunc(text[at+length:], isSeparator)
			}
			return symbol, word
		}
		at += length + 1
	}
	return text, ""
}

// confirmSides makes a table without a column of sides one that cannot be used, unless the first trade has its side in the symbol
// or alone in a column of another name.
func (t *Table) confirmSides(r *sheet.Row) {
	if _, side := splitSide(t.CellOf(r, format.RoleSymbol).Text); !t.sided || side != "" {
		return
	}
	t.sided = false
	var found []int
	for i, c := range r.Cells {
		word := inEnglish(c.Text)
		if word == "long" || word == "short" || (word == "buy" || word == "sell") && i < len(t.Titles) && !namesClosing(t.Titles[i]) {
			found = append(found, i)
		}
	}
	if len(found) != 1 {
		t.Kind = format.Ignored
		return
	}
	for what, columns := range t.Columns {
		if slices.Equal(columns, found) {
			t.Columns[what] = nil
		}
	}
	t.Columns[format.RoleSide] = found
}

// namesClosing reports whether a column's title is about what closed a position, whose side is the other one.
func namesClosing(title string) bool {
	name := readHeading(title).name
	return slices.ContainsFunc([]string{"close", "closing", "exit", "out"}, func(part string) bool { return strings.Contains(name, part) })
}

// costNames are how the names of further costs end, and swapNames what those of costs of the night have within.
var costNames, swapNames = []string{"fee", "fees", "commission", "commissions", "charge", "charges", "tax", "taxes", "duty", "levy"}, []string{"overnight", "swap", "funding", "financing", "rollover"}

// mapCosts maps further columns of positions whose names are those of costs, so that none is lost. A spread is in the prices.
func mapCosts(headings []heading, columns *[format.Roles][]int) {
	for i, h := range headings {
		if a, known := format.FindName(h.name); known && a.Role != format.NoRole || strings.Contains(h.name, "spread") || namesResult(h.name) || slices.Contains(columns[format.RoleCommission], i) {
			continue
		}
		if !slices.ContainsFunc(costNames, func(end string) bool { return strings.HasSuffix(h.name, end) }) {
			continue
		}
		what := format.RoleCommission
		if slices.ContainsFunc(swapNames, func(part string) bool { return strings.Contains(h.name, part) }) {
			what = format.RoleSwap
		}
		columns[what] = append(columns[what], i)
	}
}

// contractColumns finds the columns that name a contract together with the symbol, such as its expiry.
func contractColumns(headings []heading) (columns []int) {
	for _, name := range slices.Concat(expiryNames, strikeNames) {
		if at := slices.IndexFunc(headings, func(h heading) bool { return h.name == name }); at >= 0 {
			columns = append(columns, at)
		}
	}
	return columns
}

// namesContract reports whether a symbol has so many digits that it is that of a contract, and not of its underlying.
func namesContract(symbol string) bool {
	const least = 4
	digits := 0
	for i := range len(symbol) {
		if c := symbol[i]; c >= '0' && c <= '9' {
			digits++
		}
	}
	return digits >= least
}

// contractTexts returns what the columns of a contract say in a row.
func (t *Table) contractTexts(r *sheet.Row) (texts []string) {
	for _, i := range t.contract {
		if i >= len(r.Cells) {
			continue
		}
		text := strings.TrimSpace(r.Cells[i].Text)
		if !value.IsAbsent(text) && text != "XX" && strings.Trim(text, "0.,") != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// joinContract adds to a symbol what further columns say of the contract, unless it names the contract itself.
func (t *Table) joinContract(symbol string, r *sheet.Row) string {
	if symbol == "" || namesContract(symbol) {
		return symbol
	}
	return strings.Join(append([]string{symbol}, t.contractTexts(r)...), " ")
}

// refuseContract refuses an option of which neither the symbol nor a column has the expiry; nil for others.
func (t *Table) refuseContract(r *sheet.Row) error {
	expires := slices.ContainsFunc(t.contract, func(i int) bool { return slices.Contains(expiryNames, readHeading(t.Titles[i]).name) })
	if expires || namesContract(t.CellOf(r, format.RoleSymbol).Text) || len(t.contractTexts(r)) == 0 {
		return nil
	}
	return t.RefuseCell(r, format.RoleSymbol, "the symbol of an option does not name the contract, and no column has its expiry")
}

// dropTotal stops reading a column with a name such as Total as the net result if a trade shows that the other amounts do not add
// up to it.
func (t *Table) dropTotal(r *sheet.Row) {
	if t.Format.Columns != nil || !t.HasRole(format.RoleNet) || !slices.Contains(format.TotalNames, readHeading(t.Titles[t.Columns[format.RoleNet][0]]).name) {
		return
	}
	var signed, unsigned, total amount.Sum
	add := func(what format.Role) {
		for _, i := range t.Columns[what] {
			if i >= len(r.Cells) {
				continue
			}
			n, _ := value.ReadNumber(r.Cells[i])
			d, _ := n.ToDecimal(value.Point)
			switch what {
			case format.RoleNet:
				total.Add(d)
			case format.RoleCommission:
				signed.Add(d)
				unsigned.Add(amount.Negate(record.Decimal(strings.TrimPrefix(string(d), "-"))))
			default:
				signed.Add(d)
				unsigned.Add(d)
			}
		}
	}
	add(format.RoleNet)
	add(format.RoleCommission)
	add(format.RoleSwap)
	if t.HasRole(format.RoleGross) {
		add(format.RoleGross)
	} else {
		add(format.RoleProfit)
	}
	if !amount.IsNear(signed.ToRat(), total.ToRat()) && !amount.IsNear(unsigned.ToRat(), total.ToRat()) {
		t.Columns[format.RoleNet] = nil
	}
}

// isCJK reports whether a column's title is in Chinese, Japanese or Korean, whose numbers have a decimal point.
func isCJK(title string) bool {
	return strings.ContainsFunc(title, func(c rune) bool { return c >= 0x3040 && c <= 0x9fff || c >= 0xac00 && c <= 0xd7a3 })
}

// UsualMark is the decimal mark that a table has where its numbers do not show it.
func (t *Table) UsualMark() value.DecimalMark {
	if t.Format.Mark == "" && slices.ContainsFunc(t.Titles, isCJK) {
		return value.Point
	}
	return t.Format.Mark
}

// hasSide reports whether a table says of its rows on which side they are.
func (t *Table) hasSide() bool {
	return t.HasRole(format.RoleSide) || t.HasRole(format.RoleBuyTime) || t.Format.Signed || t.Format.Sided || t.sided
}
