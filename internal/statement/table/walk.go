package table

import (
	"context"
	"strings"

	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// Visitor receives what a walk finds.
type Visitor struct {
	// Table receives each header, before the rows below it.
	Table func(*Table) error
	// Row receives each row below a header.
	Row func(*Table, *sheet.Row) error
	// Pair receives names of a row with a value next to them, outside of tables: "Total Net
	// Profit:" and the cell that follows.
	Pair func(r *sheet.Row, key string, value sheet.Cell)
	// Other receives the rows that are none of these, and whether the title of a list of orders or payments is above them.
	Other func(r *sheet.Row, belowOrders bool)
}

// walker finds the tables of a file. It decides by the rows alone, so that
// two walks see the same tables and rows.
type walker struct {
	byName  *format.Format // for headers of no known export
	visitor Visitor

	layout  layout
	sheet   string
	section section
	current *Table // nil outside of tables
}

// WalkRows finds the tables among the rows of a file. byName is the format of headers of no known export.
func WalkRows(ctx context.Context, rows sheet.Source, byName *format.Format, v Visitor) error {
	w := walker{byName: byName, visitor: v}
	return rows.Each(ctx, w.visitRow)
}

func (w *walker) visitRow(r *sheet.Row) error {
	if r.Sheet != w.sheet {
		w.sheet, w.current, w.section, w.layout = r.Sheet, nil, sectionOf(r.Sheet), layout{}
	}
	headings := w.layout.readHeader(r.Cells)
	if headings == nil {
		headings = readHeader(r.Cells)
	}
	if headings != nil {
		return w.beginTable(r, headings)
	}
	first, filled := sheet.FirstFilled(r.Cells)
	if filled == 1 {
		if s := sectionOf(r.Cells[first].Text); s != noSection {
			w.section, w.current = s, nil
			w.visitor.Other(r, w.section == otherSection)
			return nil
		}
	}
	// The first cell of a row of data is an id, a date or a symbol.
	if name := r.Cells[first].Text; strings.HasSuffix(name, ":") && !value.HasDigit(name[:1]) && !isTotal(r) {
		w.current = nil
	}
	if w.current == nil {
		w.visitPairs(r)
		w.visitor.Other(r, w.section == otherSection)
		return nil
	}
	return w.visitor.Row(w.current, r)
}

func (w *walker) beginTable(r *sheet.Row, headings []heading) error {
	t := newTable(headings, w.byName)
	t.Sheet, t.Line, t.width = r.Sheet, r.Line, len(r.Cells)
	for _, c := range r.Cells[:len(headings)] {
		t.Titles = append(t.Titles, words.Clean(c.Text, refusal.MaxSeenBytes))
	}
	switch {
	case w.section == openSection && t.Kind == format.Positions:
		t.Kind = format.OpenOnly
	case w.section != openSection && t.Kind == format.OpenOnly && t.Format == w.byName && t.mayBeClosed():
		t.Kind = format.Ignored
	case w.section == otherSection:
		t.Kind = format.Ignored
	}
	if t.Format == w.byName {
		t.findDoubled(headings)
	}
	w.current = t
	return w.visitor.Table(t)
}

// visitPairs reports cells that end with a colon and the cells after them, and
// cells that hold both, "Account: 123456".
func (w *walker) visitPairs(r *sheet.Row) {
	const longest = 60
	key := ""
	for _, c := range r.Cells {
		if c.Text == "" {
			continue
		}
		name, rest, found := strings.Cut(c.Text, ":")
		switch {
		case found && rest == "" && len(name) <= longest:
			key = words.Fold(name)
		case key != "":
			w.visitor.Pair(r, key, c)
			key = ""
		case found && len(name) <= longest:
			w.visitor.Pair(r, words.Fold(name), sheet.Cell{Text: strings.TrimSpace(rest)})
		}
	}
}
