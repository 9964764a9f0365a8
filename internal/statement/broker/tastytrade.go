package broker

import (
	"context"
	"strings"

	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
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
	var columns namedColumns
	return s.Source.Each(ctx, func(r *sheet.Row) error {
		if isTastytrade(r.Cells) {
			columns = nameColumns(r.Cells)
			return f(r)
		}
		price, action := columns.cellOf(r, "averageprice"), columns.cellOf(r, "action")
		_, stated, found := strings.Cut(columns.cellOf(r, "description").Text, "@ ")
		switch {
		case found:
			*price = sheet.Cell{Text: strings.TrimSpace(stated)}
		case removals[words.Fold(columns.cellOf(r, "subtype").Text)]:
			*price = sheet.Cell{Text: "0"}
			if value.IsAbsent(action.Text) {
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
	var columns namedColumns
	return s.Source.Each(ctx, func(r *sheet.Row) error {
		if isTastyworks(r.Cells) {
			columns = nameColumns(r.Cells)
			return f(r)
		}
		side, effect := columns.cellOf(r, "buysell"), columns.cellOf(r, "openclose").Text
		switch {
		case removals[words.Fold(columns.cellOf(r, "transactionsubcode").Text)]:
			*side, *columns.cellOf(r, "price") = sheet.Cell{Text: removal}, sheet.Cell{Text: "0"}
		case !value.IsAbsent(side.Text) && !value.IsAbsent(effect):
			*side = sheet.Cell{Text: strings.ToUpper(side.Text + "_TO_" + effect)}
		}
		if strike := columns.cellOf(r, "strike").Text; !value.IsAbsent(strike) {
			symbol := columns.cellOf(r, "symbol")
			symbol.Text = strings.Join([]string{symbol.Text, columns.cellOf(r, "expirationdate").Text, strike, columns.cellOf(r, "callput").Text}, " ")
		}
		return f(r)
	})
}
