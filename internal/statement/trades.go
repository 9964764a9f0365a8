package statement

import (
	"context"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/table"
)

// Trades are the trades of a file. Positions are not held in memory, because a
// file may have a million of them: each reading of them reads the file again.
type Trades struct {
	count int
	each  func(context.Context, func(*record.Trade) error) error
}

// Len returns how many trades there are.
func (t *Trades) Len() int { return t.count }

// Each calls f with every trade, in the order of File.Trades, until f fails. The
// trade is only valid until the next one. The file that was read must still be open.
func (t *Trades) Each(ctx context.Context, f func(*record.Trade) error) error { return t.each(ctx, f) }

// eachAgain reads the rows of positions once more and passes on the trades.
func (b *builder) eachAgain(ctx context.Context, f func(*record.Trade) error) error {
	again := newBuilder(b.survey, b.chosen, b.options, b.from1904)
	again.mark, again.order, again.zone = b.mark, b.order, b.zone
	again.file.TimezoneBasis = b.file.TimezoneBasis
	n := 0
	again.pass = func(t *record.Trade) error {
		n++
		return b.passTrade(t, n-1, f)
	}
	return again.readRows(ctx, b.rows, b.byName)
}

// eachPaired passes on the trades that are made of deals or fills.
func (b *builder) eachPaired(_ context.Context, f func(*record.Trade) error) error {
	n := 0
	for t := range b.executions.EachTrade() {
		if err := b.passTrade(&t, n, f); err != nil {
			return err
		}
		n++
	}
	return nil
}

// passTrade passes on the n-th trade under its final id, unless it is the copy of
// another.
func (b *builder) passTrade(t *record.Trade, n int, f func(*record.Trade) error) error {
	id, kept := b.ids.nameOf(n, t.ID)
	if !kept {
		return nil
	}
	t.ID = id
	if b.dropsVolume(t.Volume) {
		t.Volume = ""
	}
	return f(t)
}

// readRows reads the rows below the headers that the survey found.
func (b *builder) readRows(ctx context.Context, rows sheet.Source, byName *format.Format) error {
	next := 0
	return table.WalkRows(ctx, rows, byName, table.Visitor{
		Table: func(*table.Table) error { next++; return nil },
		Row:   func(_ *table.Table, r *sheet.Row) error { return b.readRow(b.survey.tables[next-1], r) },
		Pair:  func(*sheet.Row, string, sheet.Cell) {},
		Other: func(*sheet.Row, bool) {},
	})
}

// volumes counts the volumes of trades, those that are no lots, and those that are so large that the column has none.
type volumes struct{ some, large, huge int }

func (v *volumes) add(d record.Decimal) {
	if d == "" {
		return
	}
	v.some++
	if !isLots(d) {
		v.large++
	}
	if n, ok := amount.ToUnits(d); ok && n >= leastUnits {
		v.huge++
	}
}

// leastUnits is the least volume that nobody trades in lots, so that the other volumes beside it are units as well.
const leastUnits = 1000 * amount.OneUnit

// maxLots is the largest volume that is taken for lots; the contract's rule
// for partners.
const maxLots = 100 * amount.OneUnit

func isLots(d record.Decimal) bool {
	n, ok := amount.ToUnits(d)
	return ok && n > 0 && n <= maxLots
}

// dropsVolume reports whether a volume is no lots. Where most are too large, or many by far, all are
// units of the instrument.
func (b *builder) dropsVolume(d record.Decimal) bool {
	return d != "" && (b.volumes.areUnits(b.chosen.Format) || b.volumes.large > 0 && !isLots(d))
}

// areUnits reports whether all volumes of a format are units: most are above 100, or one in four is 1,000 or more. A single row may be damaged, and exports of MetaTrader and of
// platforms like it have lots, however many these are.
func (v volumes) areUnits(f *format.Format) bool {
	return f.Units || v.mostLarge() || v.manyHuge(f)
}

func (v volumes) mostLarge() bool { return 2*v.large > v.some }

// manyHuge reports whether one volume in four is beyond all lots.
func (v volumes) manyHuge(f *format.Format) bool {
	return 4*v.huge >= v.some && v.huge > 0 && f.Platform == "other"
}

// describe says why volumes were dropped.
func (v volumes) describe(f *format.Format) string {
	switch {
	case f.Units:
		return "The platform's volumes are not in standard lots, so they were ignored."
	case v.mostLarge():
		return "Most volumes are above 100, so all volumes were taken for units and ignored."
	case v.manyHuge(f):
		return "At least one volume in four is 1,000 or more, so all volumes were taken for units and ignored."
	}
	return "Volumes above 100 or in units other than lots were ignored."
}

// dropped counts the volumes that dropsVolume drops.
func (v volumes) dropped(f *format.Format) int {
	if v.areUnits(f) {
		return v.some
	}
	return v.large
}
