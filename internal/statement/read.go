package statement

import (
	"context"
	"errors"
	"io"

	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/table"
)

// Read reads the file of the given size. name is the sender's name for it and only
// distinguishes TradeLocker's files from others. The content decides everything
// else. Read returns a *refusal.Error for a file that cannot be used, an *OptionError for
// an option that cannot be used, and other errors if r fails or ctx ends. It is
// deterministic: equal bytes and options give equal files, and a trade that occurs
// in two uploads has the same id in both.
func Read(ctx context.Context, r io.ReaderAt, size int64, name string, o Options) (*File, error) {
	if faults := o.Check(); faults != nil {
		return nil, faults[0]
	}
	rows, err := sheet.Open(ctx, r, size, sheet.Hooks{CountNames: table.CountNames, CheckTitle: checkTitle, Recognize: recognizeSections})
	if err != nil {
		return nil, err
	}
	return convertFile(ctx, rows, name, o)
}

// recognizeSections returns the source that reads the exports that are several tables with an own
// way of writing them, or the given one for others.
func recognizeSections(ctx context.Context, rows sheet.Source) (sheet.Source, error) {
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
