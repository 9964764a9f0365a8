package table

import (
	"slices"

	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/words"
)

// layout knows the tables of an MT5 report by their form, whatever its language:
// the closed positions have two times and two prices, each under the same name.
type layout struct {
	// names are the folded names of the columns of closed positions, in order; nil
	// until their header has been found.
	names []string
}

// closedColumns are the columns of closed positions in an MT5 report.
var closedColumns = []string{"time", "position", "symbol", "type", "volume", "price", "sl", "tp", "time", "price", "commission", "swap", "profit"}

// openColumns are those of open positions. The first eight have the same names.
var openColumns = []string{"time", "position", "symbol", "type", "volume", "price", "sl", "tp", "marketprice", "swap", "profit", "comment"}

// readHeader reads the header of closed positions, and after it those of the other
// tables, which share names with it; nil for other rows.
func (l *layout) readHeader(cells []sheet.Cell) []heading {
	names := foldNames(cells)
	switch {
	case len(names) < len(openColumns)-1:
		return nil
	case l.isClosed(names):
		l.names = names
		return asHeadings(closedColumns)
	case l.names == nil:
		return nil
	case sharedNames(names, l.names[:8]) == 8 && len(names) <= len(openColumns):
		return asHeadings(openColumns[:len(names)])
	case names[2] == l.names[2] && names[3] == l.names[3]: // orders and deals
		return l.translateNames(names)
	}
	return nil
}

// isClosed reports whether the names are those of closed positions: the first and
// the ninth are alike, the sixth and the tenth, and no others.
func (l *layout) isClosed(names []string) bool {
	if len(names) != len(closedColumns) || names[0] != names[8] || names[5] != names[9] || slices.Contains(names, "") {
		return false
	}
	different := map[string]bool{}
	for _, name := range names {
		different[name] = true
	}
	return len(different) == len(closedColumns)-2
}

// sharedNames counts the names that are alike from the first on.
func sharedNames(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// translateNames gives the English of names that closed positions or other exports have.
func (l *layout) translateNames(names []string) []heading {
	headings := asHeadings(names)
	for i, name := range names {
		if english, ok := words.English[name]; ok {
			headings[i].name = english
		}
		for column, known := range l.names {
			if name == known {
				headings[i].name = closedColumns[column]
			}
		}
	}
	return headings
}

func asHeadings(names []string) []heading {
	headings := make([]heading, len(names))
	for i, name := range names {
		headings[i].name = name
	}
	return headings
}

// foldNames folds the cells up to the last that is not empty; nil if one of them is
// no name. Names that take several columns are followed by empty ones.
func foldNames(cells []sheet.Cell) []string {
	if len(cells) == 0 || !mayBeName(cells[0]) {
		return nil
	}
	filled := len(cells)
	for filled > 0 && cells[filled-1].Text == "" {
		filled--
	}
	const most = 20 // more than the widest table has columns
	if filled > most {
		return nil
	}
	for i, c := range cells[:filled] { // most rows are data, and end here
		if (i == 0 || c.Text != "") && (!mayBeName(c) || len(c.Text) > words.MaxHeadingBytes) {
			return nil
		}
	}
	names := make([]string, filled)
	for i, c := range cells[:filled] {
		if names[i] = readHeading(c.Text).name; names[i] == "" && c.Text != "" {
			return nil
		}
	}
	return names
}

// mayBeName reports whether a cell may be the name of a column, none of which
// begins like a number.
func mayBeName(c sheet.Cell) bool {
	return c.Text != "" && !c.Number && (c.Text[0] > '9' || c.Text[0] == '#')
}
