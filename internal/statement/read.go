package statement

import (
	"context"
	"errors"
	"io"

	"github.com/assayhq/assay/internal/statement/refusal"
)

// Limits of a file.
const (
	maxText     = 64 << 20  // bytes of a CSV or HTML file
	maxPacked   = 32 << 20  // bytes of an XLSX or ZIP file
	maxUnpacked = 256 << 20 // bytes of its parts together
	maxSheets   = 64
	maxRows     = 1_000_000
	maxColumns  = 16_384 // Excel's own limit
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
	rows, err := openSource(ctx, r, size, hooks{countNames: countNames, checkTitle: checkTitle, recognize: recognizeSections})
	if err != nil {
		return nil, err
	}
	return convertFile(ctx, rows, name, o)
}

// hooks are what the reader of statements knows beyond the kinds of files.
type hooks struct {
	// countNames counts the cells that are names of columns, by which the delimiter is chosen.
	countNames func([]cell) int
	// checkTitle returns an error for the title of a document that is no statement.
	checkTitle func(title string) error
	// recognize returns the source of an export whose rows need a reader of their own, or the given one.
	recognize func(context.Context, source) (source, error)
}

// openSource finds out what the file is, by its content.
func openSource(ctx context.Context, r io.ReaderAt, size int64, h hooks) (source, error) {
	if size == 0 {
		return nil, refusal.New(refusal.NotUnderstood, "The file is empty.")
	}
	head := make([]byte, min(size, sniffBytes))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if isZip(head) {
		if size > maxPacked {
			return nil, refusal.New(refusal.FileTooLarge, "An XLSX or ZIP file can have at most %d MiB. Export a shorter period.", maxPacked>>20)
		}
		return openWorkbook(ctx, r, size, h)
	}
	return openPlain(ctx, r, size, head, h)
}

// openPlain opens text, HTML and XML.
func openPlain(ctx context.Context, r io.ReaderAt, size int64, head []byte, h hooks) (source, error) {
	if size == 0 {
		return nil, refusal.New(refusal.NotUnderstood, "The file is empty.")
	}
	flex := isFlexXML(head)
	if err := refuseKind(r, size, head); err != nil && !flex {
		return nil, err
	}
	if size > maxText {
		return nil, refusal.New(refusal.FileTooLarge, "A CSV or HTML file can have at most %d MiB. Export a shorter period.", maxText>>20)
	}
	var rows source
	var err error
	switch {
	case flex:
		rows, err = openFlexXML(r, size, head)
	case isHTML(head):
		rows, err = openHTML(r, size, head, h.checkTitle)
	default:
		rows, err = openText(r, size, head, h.countNames)
	}
	if err != nil {
		return nil, err
	}
	return h.recognize(ctx, rows)
}

// recognizeSections returns the source that reads the exports that are several tables with an own
// way of writing them, or the given one for others.
func recognizeSections(ctx context.Context, rows source) (source, error) {
	if rows.describe().kind == XML {
		return &ibkrReader{source: rows, executions: eachOfFlex}, nil
	}
	const most = 10 // rows among which such an export says what it is
	count, found := 0, rows
	enough := errors.New("the beginning has been read")
	err := rows.each(ctx, func(r *row) error {
		switch {
		case isActivityStatement(r.cells):
			found = &ibkrReader{source: rows, executions: eachOfStatement}
		case isFlexHeader(r.cells):
			found = &ibkrReader{source: rows, executions: eachOfFlex}
		case isTastytrade(r.cells):
			found = tastytradeReader{rows}
		case isThinkorswim(r.cells):
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
