package statement

import (
	"context"
	"strings"

	"github.com/assayhq/assay/internal/statement/sheet"

	"github.com/assayhq/assay/internal/statement/words"
)

// tastytradeReader gives the history of transactions with the prices that its descriptions have: the columns
// have what a contract cost, with the multiplier and a sign, and nothing for futures. What removed an option
// from the account has no side.
type tastytradeReader struct{ sheet.Source }

// tastytradeColumns are the folded names that only the history of transactions has together.
var tastytradeColumns = []string{"subtype", "action", "symbol", "instrumenttype", "description", "averageprice"}

// removals are the folded kinds of transactions that end an option without a price.
var removals = map[string]bool{"expiration": true, "assignment": true, "exercise": true}

// removal is the action of what removed an option, where the history has none.
const removal = "REMOVAL"

// isTastytrade reports whether a row is the header of the history of transactions.
func isTastytrade(cells []sheet.Cell) bool { return hasTitles(cells, tastytradeColumns...) }

// Each implements sheet.Source.
func (s tastytradeReader) Each(ctx context.Context, f func(*sheet.Row) error) error {
	at := map[string]int{}
	return s.Source.Each(ctx, func(r *sheet.Row) error {
		if isTastytrade(r.Cells) {
			for i, c := range r.Cells {
				at[words.Fold(c.Text)] = i
			}
			return f(r)
		}
		cellAt := func(name string) *sheet.Cell {
			if i, known := at[name]; known && i < len(r.Cells) {
				return &r.Cells[i]
			}
			return &sheet.Cell{}
		}
		price, action := cellAt("averageprice"), cellAt("action")
		_, stated, found := strings.Cut(cellAt("description").Text, "@ ")
		switch {
		case found:
			*price = sheet.Cell{Text: strings.TrimSpace(stated)}
		case removals[words.Fold(cellAt("subtype").Text)]:
			*price = sheet.Cell{Text: "0"}
			if isAbsent(action.Text) {
				*action = sheet.Cell{Text: removal}
			}
		default:
			*price = sheet.Cell{}
		}
		return f(r)
	})
}

// tastyworksReader gives the history of transactions as tastytrade wrote it while it was called tastyworks: an option's symbol
// is that of what it is an option on, and columns of their own have the side and whether it opened or closed.
type tastyworksReader struct{ sheet.Source }

// isTastyworks reports whether a row is the header of the history as it was written then.
func isTastyworks(cells []sheet.Cell) bool {
	return hasTitles(cells, "transactioncode", "transactionsubcode", "buysell", "openclose", "callput")
}

// Each implements sheet.Source.
func (s tastyworksReader) Each(ctx context.Context, f func(*sheet.Row) error) error {
	at := map[string]int{}
	return s.Source.Each(ctx, func(r *sheet.Row) error {
		if isTastyworks(r.Cells) {
			for i, c := range r.Cells {
				at[words.Fold(c.Text)] = i
			}
			return f(r)
		}
		cellAt := func(name string) *sheet.Cell {
			if i, known := at[name]; known && i < len(r.Cells) {
				return &r.Cells[i]
			}
			return &sheet.Cell{}
		}
		side, effect := cellAt("buysell"), cellAt("openclose").Text
		switch {
		case removals[words.Fold(cellAt("transactionsubcode").Text)]:
			*side, *cellAt("price") = sheet.Cell{Text: removal}, sheet.Cell{Text: "0"}
		case !isAbsent(side.Text) && !isAbsent(effect):
			*side = sheet.Cell{Text: strings.ToUpper(side.Text + "_TO_" + effect)}
		}
		if strike := cellAt("strike").Text; !isAbsent(strike) {
			symbol := cellAt("symbol")
			symbol.Text = strings.Join([]string{symbol.Text, cellAt("expirationdate").Text, strike, cellAt("callput").Text}, " ")
		}
		return f(r)
	})
}
