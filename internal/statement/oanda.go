package statement

import (
	"context"
	"strings"

	"github.com/assayhq/assay/internal/statement/sheet"

	"github.com/assayhq/assay/internal/statement/words"
)

// oandaReader gives OANDA's history of transactions with the words that other lists have: only fills of orders are
// executions, and the order that was filled says what it does. What closes has a minus before its units on both sides.
type oandaReader struct{ sheet.Source }

// oandaFill is the folded type of a transaction that is an execution.
const oandaFill = "orderfill"

// oandaEffects are the folded orders whose fills say what they do to positions. A fill of any other one is refused.
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
	at := map[string]int{}
	return s.Source.Each(ctx, func(r *sheet.Row) error {
		if isOanda(r.Cells) {
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
		kind, details, units := cellAt("transactiontype"), cellAt("details"), cellAt("units")
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
