package broker

import (
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/words"
)

// namedColumns are the columns of a table by their folded titles, the first of each.
type namedColumns map[string]int

func nameColumns(header []sheet.Cell) namedColumns {
	columns := namedColumns{}
	for i, c := range header {
		name := words.Fold(c.Text)
		if _, known := columns[name]; !known && name != "" {
			columns[name] = i
		}
	}
	return columns
}

// cellOf returns a row's cell in a column. Without one, it is an empty cell that no row has.
func (c namedColumns) cellOf(r *sheet.Row, name string) *sheet.Cell {
	if i, known := c[name]; known && i < len(r.Cells) {
		return &r.Cells[i]
	}
	return &sheet.Cell{}
}
