package table

import (
	"strings"

	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// SurveyRow lets a row below the header testify how the file writes numbers and dates, and what the columns hold.
func (t *Table) SurveyRow(r *sheet.Row) {
	switch {
	case t.Kind == format.Ignored:
		t.readPreamble(r)
		return
	case t.SkipReason(r) != "":
		return
	}
	if t.confirmSides(r); t.Kind == format.Ignored {
		return
	}
	t.Rows++
	t.widest = max(t.widest, len(r.Cells))
	if t.Rows == 1 {
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
			if stamp, ok := t.ScanTime(r, what); ok {
				t.Dates.AddStamp(stamp, r.Line)
			}
			continue
		}
		for _, i := range t.Columns[what] {
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
func (t *Table) readPreamble(r *sheet.Row) {
	f := t.Facts
	if f.Tables > 1 || r.Line > t.Line+2 {
		return
	}
	if login := t.CellOf(r, format.RoleAccount).Text; f.Login == "" {
		f.Login = ReadLogin(login)
	}
	if currency := t.CellOf(r, format.RoleCurrency).Text; f.Currency == "" && words.IsCurrency(currency) {
		f.Currency = strings.Clone(currency)
	}
}

// weighCell lets a cell testify how the file writes numbers.
func (t *Table) weighCell(what format.Role, column int, r *sheet.Row) {
	if !what.IsNumber() {
		return
	}
	if n, ok := value.ReadNumber(r.Cells[column]); ok { // otherwise the conversion refuses it
		t.Marks.AddNumber(column, n, r.Line)
		t.weighCosts(what, n)
		if what.IsMoney() {
			t.noteUnit(n, what, r)
		}
	}
}

// weighCosts counts how commissions are signed.
func (t *Table) weighCosts(what format.Role, n value.Number) {
	switch {
	case what != format.RoleCommission || n.IsZero():
	case n.Negative:
		t.negative++
	default:
		t.positive++
	}
}
