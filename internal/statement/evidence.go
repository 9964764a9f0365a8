package statement

import (
	"strings"

	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// surveyRow lets a row below the header testify how the file writes numbers and dates, and what the columns hold.
func (t *table) surveyRow(r *sheet.Row) {
	switch {
	case t.kind == format.Ignored:
		t.readPreamble(r)
		return
	case t.skipReason(r) != "":
		return
	}
	if t.confirmSides(r); t.kind == format.Ignored {
		return
	}
	t.rows++
	t.widest = max(t.widest, len(r.Cells))
	if t.rows == 1 {
		t.narrowest = len(r.Cells)
		t.dropEntries(r)
		t.dropBrokerage(r)
		t.readAction(r)
	}
	t.narrowest = min(t.narrowest, len(r.Cells))
	t.dropTotal(r)
	t.dropTotalCosts(r)
	t.readRunning(r)
	t.readPrices(r)
	if r.Whole && !r.Unended {
		t.ends.addLast(r)
	}
	for what := format.NoRole + 1; what < format.Roles; what++ {
		if what.IsTime() {
			if stamp, ok := t.scanTime(r, what); ok {
				t.dates.AddStamp(stamp, r.Line)
			}
			continue
		}
		for _, i := range t.columns[what] {
			if what == format.RoleUnit && i < len(r.Cells) {
				t.noteUnit(value.OneOf(words.Fold(r.Cells[i].Text)), what, r)
			}
			if i < len(r.Cells) && !value.IsAbsent(r.Cells[i].Text) {
				t.weighCell(what, i, r)
			}
		}
	}
}

// readPreamble reads the account from a small table above the trades. A table in
// which the same rows may be orders or payments of others is none.
func (t *table) readPreamble(r *sheet.Row) {
	f := t.facts
	if f.tables > 1 || r.Line > t.line+2 {
		return
	}
	if login := t.cellOf(r, format.RoleAccount).Text; f.login == "" {
		f.login = readLogin(login)
	}
	if currency := t.cellOf(r, format.RoleCurrency).Text; f.currency == "" && words.IsCurrency(currency) {
		f.currency = strings.Clone(currency)
	}
}

// weighCell lets a cell testify how the file writes numbers.
func (t *table) weighCell(what format.Role, column int, r *sheet.Row) {
	if !what.IsNumber() {
		return
	}
	if n, ok := value.ReadNumber(r.Cells[column]); ok { // otherwise the conversion refuses it
		t.marks.AddNumber(column, n, r.Line)
		t.weighCosts(what, n)
		if what.IsMoney() {
			t.noteUnit(n, what, r)
		}
	}
}

// weighCosts counts how commissions are signed.
func (t *table) weighCosts(what format.Role, n value.Number) {
	switch {
	case what != format.RoleCommission || n.IsZero():
	case n.Negative:
		t.negative++
	default:
		t.positive++
	}
}
