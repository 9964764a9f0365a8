package broker

import (
	"context"
	"errors"

	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
)

// Recognize returns the source that reads the exports that are several tables with an own
// way of writing them, or the given one for others.
func Recognize(ctx context.Context, rows sheet.Source) (sheet.Source, error) {
	if rows.Describe().Kind == sheet.XML {
		return &ibkrReader{Source: rows, executions: eachOfFlex}, nil
	}
	const most = 10 // rows among which such an export says what it is
	count, found := 0, rows
	enough := errors.New("the beginning has been read")
	err := rows.Each(ctx, func(r *sheet.Row) error {
		switch {
		case isActivityStatement(r.Cells):
			found = &ibkrReader{Source: rows, executions: eachOfStatement}
		case isFlexHeader(r.Cells):
			found = &ibkrReader{Source: rows, executions: eachOfFlex}
		case isTastytrade(r.Cells):
			found = tastytradeReader{rows}
		case isTastyworks(r.Cells):
			found = tastyworksReader{rows}
		case isOanda(r.Cells):
			found = oandaReader{rows}
		case isMoomoo(r.Cells):
			found = moomooReader{rows}
		case isThinkorswim(r.Cells):
			found = thinkorswimReader{rows}
		}
		if count++; count == most || found != rows {
			return enough
		}
		return nil
	})
	var refused *refusal.Error
	if errors.Is(err, enough) || errors.As(err, &refused) { // the reading of the rows says what is wrong
		err = nil
	}
	return found, err
}
