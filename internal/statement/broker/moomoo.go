package broker

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
	return hasTitles(cells, "filledavgprice", "fillqty", "fillprice", "filltime") || hasTitles(cells, moomooChinese[0], "已成交均价", moomooChinese[3], "成交时间")
}

// These are the columns of an order's side, symbol and status, and of a fill's quantity.
var (
	moomooEnglish = [4]string{"side", "symbol", "status", "fillqty"}
	moomooChinese = [4]string{"方向", "代码", "交易状态", "成交数量"}
)

// titlesOf returns the names of the columns in the language of a header.
func titlesOf(header namedColumns) [4]string {
	if _, chinese := header[moomooChinese[0]]; chinese {
		return moomooChinese
	}
	return moomooEnglish
}

// Each implements sheet.Source.
func (s moomooReader) Each(ctx context.Context, f func(*sheet.Row) error) error {
	var columns namedColumns
	titles := moomooEnglish
	var order [3]string // side, symbol and status of the last order
	return s.Source.Each(ctx, func(r *sheet.Row) error {
		if isMoomoo(r.Cells) {
			columns = nameColumns(r.Cells)
			titles = titlesOf(columns)
			return f(r)
		}
		side, symbol, status := columns.cellOf(r, titles[0]), columns.cellOf(r, titles[1]), columns.cellOf(r, titles[2])
		switch {
		case side.Text != "" || symbol.Text != "":
			order = [3]string{strings.Clone(side.Text), strings.Clone(symbol.Text), strings.Clone(status.Text)}
		case columns.cellOf(r, titles[3]).Text != "":
			side.Text, symbol.Text, status.Text = order[0], order[1], order[2]
		}
		return f(r)
	})
}
