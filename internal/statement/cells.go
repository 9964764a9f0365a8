package statement

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

// refuseCell refuses a cell. It names the column but does not show the cell.
func (t *table) refuseCell(r *sheet.Row, what format.Role, problem string) error {
	title := ""
	if columns := t.columns[what]; len(columns) > 0 {
		title = t.titles[columns[0]]
	}
	where := "Line"
	if r.Sheet != "" {
		where = "Sheet " + words.Clean(r.Sheet, refusal.MaxSeenBytes) + ", line"
	}
	return refusal.New(refusal.NotUnderstood, "%s %d: %s. A row that looks like a trade is never skipped. Correct or remove it, and send the file again.", where, r.Line, problem).AddSeen(title)
}

// refusePending refuses a row in which a formula of a role has no value; nil for others.
func (t *table) refusePending(r *sheet.Row, what format.Role) error {
	for _, i := range t.columns[what] {
		if i < len(r.Cells) && r.Cells[i].Pending {
			return t.refuseCell(r, what, "a formula has not been calculated. Open the workbook in a spreadsheet program and save it")
		}
	}
	return nil
}

// timeText returns the text of a time column, or of two columns if the first has
// only the date. The date of a closing time without one is that of the opening.
func (t *table) timeText(r *sheet.Row, what format.Role) string {
	text := ""
	for _, i := range t.columns[what] {
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
	if what == format.RoleCloseTime && t.borrowsDay(r) {
		return r.Cells[t.columns[format.RoleOpenTime][0]].Text + " " + text
	}
	return text
}

// borrowsDay reports whether a closing time has no date, and the opening has its date in a column of its own.
func (t *table) borrowsDay(r *sheet.Row) bool {
	opened := t.columns[format.RoleOpenTime]
	return len(opened) == 2 && len(t.columns[format.RoleCloseTime]) == 1 && opened[0] < len(r.Cells) && value.IsClock(t.cellOf(r, format.RoleCloseTime).Text)
}

// scanTime reads the cell of a time. MetaTrader counts the seconds of its server's clock as if that showed UTC.
func (t *table) scanTime(r *sheet.Row, what format.Role) (s value.Stamp, ok bool) {
	s, ok = value.ScanStamp(t.timeText(r, what))
	if s.IsEpoch() && (t.format.Coded || t.scripted) {
		s.Zoned = false
	}
	return s, ok
}

// pricesOf returns the columns of the prices at which a position of the side was opened and closed.
func (t *table) pricesOf(side record.Side) (opened, closed format.Role) {
	switch {
	case !t.hasRole(format.RoleBuyPrice):
		return format.RoleOpenPrice, format.RoleClosePrice
	case side == record.Sell:
		return format.RoleSellPrice, format.RoleBuyPrice
	}
	return format.RoleBuyPrice, format.RoleSellPrice
}

// isOpenKind knows "Open position" in the column of a row's kind.
func isOpenKind(kind string) bool { return kind != "" && strings.HasPrefix(words.Fold(kind), "open") }

// flipsCommissions reports whether commissions are written without a minus: as
// the format does, or, where the file does not say, as most of its commissions
// show. The others are rebates.
func (t *table) flipsCommissions() bool {
	return (t.format.CostsPositive || t.format.Profit == format.Unknown) && t.positive > t.negative
}

// isPaired reports whether trades are made of deals or fills.
func (t *table) isPaired() bool { return t.kind == format.Deals || t.kind == format.Fills }

// rateConfidence returns the format's confidence, unless deals do not say to which position they belong.
func (t *table) rateConfidence() format.Confidence {
	if t.kind == format.Deals && !t.hasRole(format.RolePosition) {
		return format.Low
	}
	return t.format.Confidence
}

// readSide reads the side of a trade, from what opened it or from what closed it; ok is false if there is none.
func (t *table) readSide(r *sheet.Row) (side record.Side, ok bool) {
	text := t.sideText(r)
	if side, ok = sideOf(text); !ok {
		side, ok = readOrderSide(text)
	}
	if ok && t.closing && slices.Contains(executionSides, inEnglish(text)) {
		side = map[record.Side]record.Side{record.Buy: record.Sell, record.Sell: record.Buy}[side]
	}
	if !ok && t.kind == format.Positions {
		side, ok = readClosedSide(text)
	}
	return side, ok
}

// holdsOpen reports whether the position of a row is open.
func (t *table) holdsOpen(r *sheet.Row) bool {
	return t.kind == format.OpenOnly || isOpenKind(t.cellOf(r, format.RoleKind).Text)
}
