package statement

import (
	"context"
	"strings"

	"github.com/assayhq/assay/internal/statement/sheet"
)

// moomooReader gives the history of orders of Moomoo and Futu with one row for each fill. The further fills of an order
// repeat neither its side nor its symbol.
type moomooReader struct{ sheet.Source }

// isMoomoo reports whether a row is the header of the history of orders.
func isMoomoo(cells []sheet.Cell) bool {
	return hasTitles(cells, "filledavgprice", "fillqty", "fillprice", "filltime")
}

// Each implements sheet.Source.
func (s moomooReader) Each(ctx context.Context, f func(*sheet.Row) error) error {
	var columns namedColumns
	var order [3]string // side, symbol and status of the last order
	return s.Source.Each(ctx, func(r *sheet.Row) error {
		if isMoomoo(r.Cells) {
			columns = nameColumns(r.Cells)
			return f(r)
		}
		side, symbol, status := columns.cellOf(r, "side"), columns.cellOf(r, "symbol"), columns.cellOf(r, "status")
		switch {
		case side.Text != "" || symbol.Text != "":
			order = [3]string{strings.Clone(side.Text), strings.Clone(symbol.Text), strings.Clone(status.Text)}
		case columns.cellOf(r, "fillqty").Text != "":
			side.Text, symbol.Text, status.Text = order[0], order[1], order[2]
		}
		return f(r)
	})
}
