package sheet

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

// Hooks are what the reader of statements knows beyond the kinds of files.
type Hooks struct {
	// CountNames counts the cells that are names of columns, by which the delimiter is chosen.
	CountNames func([]Cell) int
	// CheckTitle returns an error for the title of a document that is no statement.
	CheckTitle func(title string) error
	// Recognize returns the source of an export whose rows need a reader of their own, or the given one.
	Recognize func(context.Context, Source) (Source, error)
}

// Open opens a file of the given size by its content. It returns a *refusal.Error for a file that cannot
// be read, and other errors if r fails or ctx ends.
func Open(ctx context.Context, r io.ReaderAt, size int64, h Hooks) (Source, error) {
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
func openPlain(ctx context.Context, r io.ReaderAt, size int64, head []byte, h Hooks) (Source, error) {
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
	var rows Source
	var err error
	switch {
	case flex:
		rows, err = openFlexXML(r, size, head)
	case isHTML(head):
		rows, err = openHTML(r, size, head, h.CheckTitle)
	default:
		rows, err = openText(r, size, head, h.CountNames)
	}
	if err != nil {
		return nil, err
	}
	return h.Recognize(ctx, rows)
}
