package broker

import (
	"context"
	"strings"

	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/words"
)

// oandaReader gives OANDA's history of transactions with the words that other lists have: only fills of orders are
// executions, and the order that was filled says what it does. A minus before units is left out: in some histories, what closes
// a trade has one on both sides, in others nothing has, and it is not known whether other orders that reduce a position have it.
type oandaReader struct{ sheet.Source }

// oandaFill is the folded type of a transaction that is an execution.
const oandaFill = "orderfill"

// oandaEffects are the folded orders whose fills say what they do to positions. Those that do not say it close if they have a
// result, and open otherwise. A fill of any other order is refused.
var oandaEffects = map[string]string{
	"marketorder": "undetermined", "limitorder": "undetermined", "stoporder": "undetermined", "marketiftouchedorder": "undetermined",
	"marketordertradeclose": "close", "marketorderpositioncloseout": "close", "marketordermargincloseout": "close", "marketorderdelayedtradeclose": "close",
	"takeprofitorder": "close", "stoplossorder": "close", "trailingstoplossorder": "close", "guaranteedstoplossorder": "close",
}

// isOanda reports whether a row is the header of the history of transactions.
func isOanda(cells []sheet.Cell) bool {
	return hasTitles(cells, "ticket", "transactiondate", "transactiontype", "details", "instrument", "units", "direction", "pl")
}

// Each implements sheet.Source.
func (s oandaReader) Each(ctx context.Context, f func(*sheet.Row) error) error {
	var columns namedColumns
	return s.Source.Each(ctx, func(r *sheet.Row) error {
		if isOanda(r.Cells) {
			columns = nameColumns(r.Cells)
			return f(r)
		}
		kind, details, units := columns.cellOf(r, "transactiontype"), columns.cellOf(r, "details"), columns.cellOf(r, "units")
		switch word := words.Fold(kind.Text); {
		case word == oandaFill:
			units.Text = strings.TrimLeft(units.Text, "-\u2212")
			if effect, known := oandaEffects[words.Fold(details.Text)]; known {
				details.Text = effect
			}
		case strings.HasSuffix(word, "order"), strings.HasSuffix(word, "reject"), strings.HasSuffix(word, "modify"):
			kind.Text = "Pending"
		}
		return f(r)
	})
}
