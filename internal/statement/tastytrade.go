package statement

import (
	"context"
	"strings"

	"github.com/assayhq/assay/internal/statement/words"
)

// tastytradeReader gives the history of transactions with the prices that its descriptions have: the columns
// have what a contract cost, with the multiplier and a sign, and nothing for futures. What removed an option
// from the account has no side.
type tastytradeReader struct{ source }

// tastytradeColumns are the folded names that only the history of transactions has together.
var tastytradeColumns = []string{"subtype", "action", "symbol", "instrumenttype", "description", "averageprice"}

// removals are the folded kinds of transactions that end an option without a price.
var removals = map[string]bool{"expiration": true, "assignment": true, "exercise": true}

// isTastytrade reports whether a row is the header of the history of transactions.
func isTastytrade(cells []cell) bool { return hasTitles(cells, tastytradeColumns...) }

// each implements source.
func (s tastytradeReader) each(ctx context.Context, f func(*row) error) error {
	at := map[string]int{}
	return s.source.each(ctx, func(r *row) error {
		if isTastytrade(r.cells) {
			for i, c := range r.cells {
				at[words.Fold(c.text)] = i
			}
			return f(r)
		}
		cellAt := func(name string) *cell {
			if i, known := at[name]; known && i < len(r.cells) {
				return &r.cells[i]
			}
			return &cell{}
		}
		price, action := cellAt("averageprice"), cellAt("action")
		_, stated, found := strings.Cut(cellAt("description").text, "@ ")
		switch {
		case found:
			*price = cell{text: strings.TrimSpace(stated)}
		case isAbsent(action.text) && removals[words.Fold(cellAt("subtype").text)]:
			*price, *action = cell{text: "0"}, cell{text: "REMOVAL"}
		default:
			*price = cell{}
		}
		return f(r)
	})
}
