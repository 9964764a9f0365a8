package table

import (
	"strings"

	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
)

// A row that looks like a trade and cannot be read must not disappear among the
// notes of an export, and half of a trade must not become another one.

// delimiters are the marks between cells of text.
const delimiters = ",;\t|"

// RefuseStray refuses a row outside of tables that looks like a trade; nil for
// others.
func RefuseStray(r *sheet.Row) error {
	texts := make([]string, 0, len(r.Cells))
	for _, c := range r.Cells {
		texts = append(texts, c.Text)
	}
	if IsTradeLike(texts) {
		return refusal.New(refusal.NotUnderstood, "Line %d looks like a trade, but there is no row of column names above it. Remove what is between it and the table, or send it in its own file.", r.Line)
	}
	return RefuseMixed(r, IsTradeLike)
}

// RefuseMixed refuses a row that is a trade under another delimiter than that of
// the file, as isTrade says of its cells; nil for others.
func RefuseMixed(r *sheet.Row, isTrade func(texts []string) bool) error {
	mark := otherDelimiter(r, isTrade)
	if mark == 0 {
		return nil
	}
	return refusal.New(refusal.NotUnderstood, "Line %d: the row looks like a trade, but its cells are separated by %s and those of the table by %s. Use the same separator in all rows, and send the file again.",
		r.Line, markName(mark), markName(r.Delimiter))
}

// IsTradeLike reports whether cells with the texts hold a side, a date and at least
// two numbers.
func IsTradeLike(texts []string) bool {
	const shortestSide = 3 // 0, 1, b and s are sides only in a column of sides
	sides, dates, figures := 0, 0, 0
	for _, text := range texts {
		text = strings.Trim(text, " \"'")
		if text == "" {
			continue
		}
		if _, ok := value.ScanNumber(text); ok {
			figures++
		} else if _, ok := value.ScanStamp(text); ok {
			dates++
		} else if _, ok := SideOf(text); ok && len(text) >= shortestSide {
			sides++
		}
	}
	return sides > 0 && dates > 0 && figures > 1
}

// fitsTable reports whether cells with the texts have a time in a column of times, and as many
// cells as a trade of the table needs: some exports have no side, or one of a letter.
func (t *Table) fitsTable(texts []string) bool {
	if len(texts) < min(t.cellsNeeded(), max(t.widest, 1)) {
		return false
	}
	for what := format.NoRole + 1; what < format.Roles; what++ {
		for _, i := range t.Columns[what] {
			if what.IsTime() && i < len(texts) {
				if _, ok := value.ScanStamp(strings.Trim(texts[i], " \"'")); ok {
					return true
				}
			}
		}
	}
	return false
}

// otherDelimiter is the mark under which the row's text is a trade, where it is
// none under the file's. It is zero when there is no such mark.
func otherDelimiter(r *sheet.Row, isTrade func(texts []string) bool) byte {
	const fewest = 4 // side, date and two numbers, with marks between them
	if r.Delimiter == 0 {
		return 0
	}
	var whole strings.Builder
	for i, c := range r.Cells {
		if i > 0 {
			whole.WriteByte(r.Delimiter)
		}
		whole.WriteString(c.Text)
	}
	for _, mark := range delimiters {
		if byte(mark) == r.Delimiter || strings.Count(whole.String(), string(mark)) < fewest-1 {
			continue
		}
		if isTrade(strings.Split(whole.String(), string(mark))) {
			return byte(mark)
		}
	}
	return 0
}

// HoldsHeader reports whether the row is one cell with the names of several columns.
func HoldsHeader(r *sheet.Row) bool {
	const fewest = 4
	if sheet.CountFilled(r.Cells) != 1 {
		return false
	}
	joined := func(mark rune) bool {
		var names []sheet.Cell
		for _, name := range strings.Split(r.Cells[0].Text, string(mark)) {
			names = append(names, sheet.Cell{Text: strings.Trim(name, ` "`)})
		}
		return len(names) >= fewest && CountNames(names) >= fewest
	}
	return strings.ContainsFunc(delimiters, joined)
}

// RefuseDamaged refuses a trade with a cell in which a spreadsheet program shows that it has no
// value, or no room for it; nil for others.
func (t *Table) RefuseDamaged(r *sheet.Row) error {
	for what := format.NoRole + 1; what < format.Roles; what++ {
		for _, i := range t.Columns[what] {
			if i >= len(r.Cells) || len(r.Cells[i].Text) < 2 || r.Cells[i].Text[0] != '#' {
				continue
			}
			switch text := r.Cells[i].Text; {
			case strings.Trim(text, "#") == "":
				return t.RefuseCell(r, what, "a column was too narrow for the value when a spreadsheet program saved it. Send the file as the platform exported it")
			case strings.HasSuffix(text, "!"), strings.HasSuffix(text, "?"), text == "#N/A", text == "#NV": // #VALUE!, #NAME?
				return t.RefuseCell(r, what, "the cell holds the error of a formula. Send the file as the platform exported it")
			}
		}
	}
	return nil
}

// RefuseBroken refuses a row of a table of trades that is written with another
// delimiter than the rest, or that ends before its last cell; nil for others.
// reason is what the row was taken for, empty for a trade.
func (t *Table) RefuseBroken(r *sheet.Row, reason string) error {
	if !r.Whole {
		return nil // a workbook holds its cells by their columns
	}
	_, sided := SideOf(t.sideText(r))
	if reason != "" || !sided {
		err := RefuseMixed(r, func(texts []string) bool { return IsTradeLike(texts) || t.fitsTable(texts) })
		if err != nil {
			return err
		}
	}
	if reason == "" && t.isShifted(r) {
		return refusal.New(refusal.NotUnderstood, "Line %d: the row has %d cells, unlike the %d column names above it, so that a value may stand in the wrong column. Put quotes around text and numbers with a separator in them, and send the file again.", r.Line, len(r.Cells), t.width)
	}
	if !t.isCut(r, reason) {
		return nil
	}
	if r.Unended {
		return refusal.New(refusal.NotUnderstood, "Line %d: the file ends within this row, in cell %d of %d, so it was truncated. Export it again.", r.Line, len(r.Cells), max(t.cellsNeeded(), len(r.Cells)))
	}
	return refusal.New(refusal.NotUnderstood, "Line %d: the row has %d cells, fewer than the %d that a trade of this table needs. Correct or remove it, and send the file again.", r.Line, len(r.Cells), t.cellsNeeded())
}

// isShifted reports whether a trade has more or fewer cells than there are names of columns, as one
// with a separator too many has, or a cell too few. Some exports end all rows with a separator, and
// some leave out empty cells at the end.
func (t *Table) isShifted(r *sheet.Row) bool {
	last := len(r.Cells) - 1
	if last >= t.width {
		return len(r.Cells) > t.narrowest || sheet.CountFilled(r.Cells[t.width:]) > 0
	}
	return last+1 < min(t.width, t.widest) && r.Cells[last].Text == "" && !r.Unended
}

// cellsNeeded returns how many cells a row has to have for all columns that
// trades are read from.
func (t *Table) cellsNeeded() int {
	most := 0
	for _, columns := range t.Columns {
		for _, i := range columns {
			most = max(most, i+1)
		}
	}
	return most
}

// isCut reports whether a row ends too early. A trade does when other trades have
// the cells that it lacks, or when the file ends with it. Another row does when
// the file ends with it and it begins as trades do.
func (t *Table) isCut(r *sheet.Row, reason string) bool {
	needed := t.cellsNeeded()
	if t.Rows > 1 || t.Rows > 0 && (reason != "" || !r.Unended) { // there are others to compare it with
		needed = min(needed, t.widest)
	}
	usual := t.ends.narrowest
	if t.ends.rows == 0 {
		usual = t.width
	}
	short := r.Unended && len(r.Cells) < usual
	switch {
	case len(r.Cells) > needed, len(r.Cells) == needed && !short: // the last cell of a short row may be half of one
		return r.Unended && reason == "" && t.ends.isCutOff(r)
	case !r.Unended:
		return reason == ""
	case isTotal(r):
		return false
	case short && (reason == skipPending || reason == skipCancelled):
		return true
	}
	return reason == "" || reason == skipNote && (beginsWithData(r) || t.ends.beginsLike(r)) || reason == skipOther || reason == SkipTotal
}

// ends is how the last cells of a table's trades are written, as long as that is
// always the same.
type ends struct {
	rows, column, shape int
	varies              bool
	narrowest           int    // cells of the shortest row
	first               string // last cell of the first row
	account             string // first cell of the first row, such as the name of an account
	differs             bool   // the last cells are not all the same
}

// shapeOf is how long the fraction of a number is, or the text of a date; ok is
// false for other text.
func shapeOf(text string) (shape int, ok bool) {
	if _, number := value.ScanNumber(text); number {
		_, _, last := value.CountMarks(text)
		return len(text) - 1 - last, last >= 0
	}
	_, date := value.ScanStamp(text)
	return len(text), date
}

// addLast records the last cell of a row that a line break ends.
func (e *ends) addLast(r *sheet.Row) {
	last := len(r.Cells) - 1
	if e.rows++; e.rows == 1 {
		e.column, e.narrowest, e.first, e.account = last, len(r.Cells), strings.Clone(r.Cells[last].Text), strings.Clone(r.Cells[0].Text)
	}
	e.narrowest = min(e.narrowest, len(r.Cells))
	e.differs = e.differs || r.Cells[last].Text != e.first
	if e.varies {
		return
	}
	shape, ok := shapeOf(r.Cells[last].Text)
	if e.rows == 1 {
		e.shape = shape
	}
	e.varies = !ok || last != e.column || shape != e.shape
}

// beginsLike reports whether a row begins as the trades do, or with a part of that.
func (e *ends) beginsLike(r *sheet.Row) bool {
	return r.Cells[0].Text != "" && strings.HasPrefix(e.account, r.Cells[0].Text)
}

// isCutOff reports whether a row's last cell is written shorter than all others are:
// the file may have been cut off within it.
func (e *ends) isCutOff(r *sheet.Row) bool {
	last := len(r.Cells) - 1
	if e.rows == 0 || last != e.column {
		return false
	}
	text := r.Cells[last].Text
	if !e.differs && len(text) < len(e.first) && strings.HasPrefix(e.first, text) { // of an account that all rows have
		return true
	}
	enough := 3 // rows, so that being alike is no chance
	if _, date := value.ScanStamp(e.first); date || !value.HasDigit(text) {
		enough = 1
	}
	if e.rows < enough || e.varies {
		return false
	}
	shape, ok := shapeOf(text)
	if _, number := value.ScanNumber(text); number && !ok { // 12 of 12.50
		shape, ok = 0, true
	}
	return !ok || shape < e.shape
}

// beginsWithData reports whether the first cell is a number or a date, as those
// of most exports are, and no words.
func beginsWithData(r *sheet.Row) bool {
	first := r.Cells[0].Text
	if _, ok := value.ScanStamp(first); ok || first != "" && strings.Trim(first, "0123456789-./: T") == "" { // or a part of a date
		return true
	}
	n, ok := value.ScanNumber(first)
	return ok && n.Unit == ""
}

// markName names a delimiter for people.
func markName(mark byte) string {
	return map[byte]string{',': "commas", ';': "semicolons", '\t': "tabs", '|': "bars"}[mark]
}
