package statement

import (
	"context"
	"errors"
	"io"
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
// else. Read returns a *Refusal for a file that cannot be used, an *OptionError for
// an option that cannot be used, and other errors if r fails or ctx ends. It is
// deterministic: equal bytes and options give equal files, and a trade that occurs
// in two uploads has the same id in both.
func Read(ctx context.Context, r io.ReaderAt, size int64, name string, o Options) (*File, error) {
	if faults := o.Check(); faults != nil {
		return nil, faults[0]
	}
	rows, err := openSource(r, size)
	if err != nil {
		return nil, err
	}
	return convertFile(ctx, rows, name, o)
}

// openSource finds out what the file is, by its content.
func openSource(r io.ReaderAt, size int64) (source, error) {
	if size == 0 {
		return nil, newRefusal(NotUnderstood, "The file is empty.")
	}
	head := make([]byte, min(size, sniffBytes))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if isZip(head) {
		if size > maxPacked {
			return nil, newRefusal(FileTooLarge, "An XLSX or ZIP file can have at most %d MiB. Export a shorter period.", maxPacked>>20)
		}
		return openWorkbook(r, size)
	}
	return openPlain(r, size, head)
}

// openPlain opens text and HTML.
func openPlain(r io.ReaderAt, size int64, head []byte) (source, error) {
	if size == 0 {
		return nil, newRefusal(NotUnderstood, "The file is empty.")
	}
	flex := isFlexXML(head)
	if err := refuseKind(r, size, head); err != nil && !flex {
		return nil, err
	}
	if size > maxText {
		return nil, newRefusal(FileTooLarge, "A CSV or HTML file can have at most %d MiB. Export a shorter period.", maxText>>20)
	}
	if flex {
		return openFlexXML(r, size), nil
	}
	if isHTML(head) {
		return openHTML(r, size, head)
	}
	return openText(r, size, head)
}
