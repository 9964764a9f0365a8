package statement

import (
	"context"
	"io"

	"github.com/assayhq/assay/internal/statement/broker"
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
	rows, err := sheet.Open(ctx, r, size, sheet.Hooks{CountNames: table.CountNames, CheckTitle: checkTitle, Recognize: broker.Recognize})
	if err != nil {
		return nil, err
	}
	return convertFile(ctx, rows, name, o)
}
