package table

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// RefuseCell refuses a cell. It names the column but does not show the cell.
func (t *Table) RefuseCell(r *sheet.Row, what format.Role, problem string) error {
	title := ""
	if columns := t.Columns[what]; len(columns) > 0 {
		title = t.Titles[columns[0]]
	}
	where := "Line"
	if r.Sheet != "" {
		where = "Sheet " + words.Clean(r.Sheet, refusal.MaxSeenBytes) + ", line"
	}
	return refusal.New(refusal.NotUnderstood, "%s %d: %s. A row that looks like a trade is never skipped. Correct or remove it, and send the file again.", where, r.Line, problem).AddSeen(title)
}

// RefusePending refuses a row in which a formula of a role has no value; nil for others.
func (t *Table) RefusePending(r *sheet.Row, what format.Role) error {
	for _, i := range t.Columns[what] {
		if i < len(r.Cells) && r.Cells[i].Pending {
			return t.RefuseCell(r, what, "a formula has not been calculated. Open the workbook in a spreadsheet program and save it")
		}
	}
	return nil
}

// TimeText returns the text of a time column, or of two columns if the first has
// only the date. The date of a closing time without one is that of the opening.
func (t *Table) TimeText(r *sheet.Row, what format.Role) string {
	text := ""
	for _, i := range t.Columns[what] {
		switch {
		case i >= len(r.Cells) || value.IsAbsent(r.Cells[i].Text):
		case text == "":
			text = r.Cells[i].Text
		case r.Cells[i].Number && strings.HasPrefix(r.Cells[i].Text, "0."): // a serial's day and hour
			text += r.Cells[i].Text[1:]
		case !value.IsClock(r.Cells[i].Text) && value.IsStamp(r.Cells[i].Text): // the day stands in both
			text = r.Cells[i].Text
		default:
			text += " " + r.Cells[i].Text
		}
	}
	if what == format.RoleCloseTime && t.BorrowsDay(r) {
		return r.Cells[t.Columns[format.RoleOpenTime][0]].Text + " " + text
	}
	return text
}

// BorrowsDay reports whether a closing time has no date, and the opening has its date in a column of its own.
func (t *Table) BorrowsDay(r *sheet.Row) bool {
	opened := t.Columns[format.RoleOpenTime]
	return len(opened) == 2 && len(t.Columns[format.RoleCloseTime]) == 1 && opened[0] < len(r.Cells) && value.IsClock(t.CellOf(r, format.RoleCloseTime).Text)
}

// ScanTime reads the cell of a time. MetaTrader counts the seconds of its server's clock as if that showed UTC.
func (t *Table) ScanTime(r *sheet.Row, what format.Role) (s value.Stamp, ok bool) {
	s, ok = value.ScanStamp(t.TimeText(r, what))
	if s.IsEpoch() && (t.Format.Coded || t.scripted) {
		s.Zoned = false
	}
	return s, ok
}

// PricesOf returns the columns of the prices at which a position of the side was opened and closed.
func (t *Table) PricesOf(side record.Side) (opened, closed format.Role) {
	switch {
	case !t.HasRole(format.RoleBuyPrice):
		return format.RoleOpenPrice, format.RoleClosePrice
	case side == record.Sell:
		return format.RoleSellPrice, format.RoleBuyPrice
	}
	return format.RoleBuyPrice, format.RoleSellPrice
}

// isOpenKind knows "Open position" in the column of a row's kind.
func isOpenKind(kind string) bool { return kind != "" && strings.HasPrefix(words.Fold(kind), "open") }

// FlipsCommissions reports whether commissions are written without a minus: as
// the format does, or, where the file does not say, as most of its commissions
// show. The others are rebates.
func (t *Table) FlipsCommissions() bool {
	return (t.Format.CostsPositive || t.Format.Profit == format.Unknown) && t.positive > t.negative
}

// IsPaired reports whether trades are made of deals or fills.
func (t *Table) IsPaired() bool { return t.Kind == format.Deals || t.Kind == format.Fills }

// RateConfidence returns the format's confidence, unless deals do not say to which position they belong.
func (t *Table) RateConfidence() format.Confidence {
	if t.Kind == format.Deals && !t.HasRole(format.RolePosition) {
		return format.Low
	}
	return t.Format.Confidence
}

// ReadSide reads the side of a trade, from what opened it or from what closed it; ok is false if there is none.
func (t *Table) ReadSide(r *sheet.Row) (side record.Side, ok bool) {
	text := t.sideText(r)
	if side, ok = SideOf(text); !ok {
		side, ok = readOrderSide(text)
	}
	if ok && t.closing && slices.Contains(executionSides, inEnglish(text)) {
		side = map[record.Side]record.Side{record.Buy: record.Sell, record.Sell: record.Buy}[side]
	}
	if !ok && t.Kind == format.Positions {
		side, ok = readClosedSide(text)
	}
	return side, ok
}

// HoldsOpen reports whether the position of a row is open.
func (t *Table) HoldsOpen(r *sheet.Row) bool {
	return t.Kind == format.OpenOnly || isOpenKind(t.CellOf(r, format.RoleKind).Text)
}
