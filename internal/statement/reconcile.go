package statement

import (
	"math/big"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/table"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// tableTotals adds up a table's columns of money as they are written.
type tableTotals struct {
	columns []columnTotal
	net     amount.Sum // of the closed trades' results
}

type columnTotal struct {
	column int
	all    amount.Sum // since the header
	since  amount.Sum // since the last row of totals
}

func (b *builder) totalsOf(t *table.Table) *tableTotals {
	totals, ok := b.totals[t]
	if !ok {
		totals = &tableTotals{}
		b.totals[t] = totals
	}
	return totals
}

func (t *tableTotals) totalOf(column int) *columnTotal {
	for i := range t.columns {
		if t.columns[i].column == column {
			return &t.columns[i]
		}
	}
	t.columns = append(t.columns, columnTotal{column: column})
	return &t.columns[len(t.columns)-1]
}

func (t *tableTotals) addAmount(column int, d record.Decimal) {
	c := t.totalOf(column)
	c.all.Add(d)
	c.since.Add(d)
}

// totalRow compares a row of totals, or of subtotals, with what was read. Rows
// that sum anything but positions are left alone: those of deals contain
// deposits.
func (b *builder) totalRow(t *table.Table, r *sheet.Row) {
	if t.Kind != format.Positions {
		return
	}
	totals := b.totalsOf(t)
	if first, _ := sheet.FirstFilled(r.Cells); words.Fold(r.Cells[first].Text) == "closedpl" {
		b.netTotal(totals, r.Cells[first+1:])
		return
	}
	compared, agrees := false, true
	for what := format.RoleCommission; what <= format.RoleNet; what++ {
		for _, i := range t.Columns[what] {
			d, _, err := b.readDecimal(t, r, what, i)
			if err != nil || d == "" {
				continue
			}
			c := totals.totalOf(i)
			stated, _ := new(big.Rat).SetString(string(d))
			compared = true
			agrees = agrees && (amount.IsNear(stated, c.all.ToRat()) || amount.IsNear(stated, c.since.ToRat()))
		}
	}
	for i := range totals.columns {
		totals.columns[i].since = amount.Sum{}
	}
	if compared {
		b.noteComparison(agrees, TotalRow)
	}
}

// netTotal compares MT4's "Closed P/L", which is a net amount in every place.
func (b *builder) netTotal(totals *tableTotals, cells []sheet.Cell) {
	for _, c := range cells {
		stated, ok := b.parseFigure(c.Text, c.Number)
		if !ok {
			continue
		}
		want, _ := new(big.Rat).SetString(string(stated))
		b.netVerified = amount.IsNear(want, totals.net.ToRat())
		b.noteComparison(b.netVerified, TotalRow)
		return
	}
}

// noteComparison records one comparison with the file's own figures. One mismatch
// is enough.
func (b *builder) noteComparison(ok bool, with Reconciled) {
	switch {
	case !ok:
		b.file.Reconciled = Mismatch
	case b.file.Reconciled != Mismatch:
		b.file.Reconciled = with
	}
}

// reconcileResults compares the blocks of results with the positions of their sheets. Deals of one
// sheet may close what another one opened, so that only the block of all of them can be compared.
func (b *builder) reconcileResults() {
	var stated []*table.SheetFacts
	for _, f := range b.survey.sheets {
		if f.Results != (table.Results{}) {
			stated = append(stated, f)
		}
	}
	for _, f := range stated {
		switch {
		case len(b.survey.sheets) > 1 && f.Traded.Closed > 0:
			b.reconcileBlock(f.Results, &f.Traded)
		case len(stated) == 1 && len(b.file.Net) < 2:
			b.reconcileBlock(f.Results, &b.traded)
		}
	}
	if b.netVerified && b.file.NetBasis == Computed && b.file.Reconciled != Mismatch {
		b.file.NetBasis = VerifiedByTotal
	}
}

// reconcileBlock compares a block of results: net profit, number of trades, and how many were long
// and short.
func (b *builder) reconcileBlock(res table.Results, got *table.Tally) {
	if stated, ok := b.parseFigure(res.Net, res.Exact); ok && got.Stated > 0 {
		want, _ := new(big.Rat).SetString(string(stated))
		b.netVerified = amount.IsNear(want, got.Net.ToRat())
		b.noteComparison(b.netVerified, ResultsBlock)
	}
	b.reconcileCounts([3]string{res.Trades, res.Long, res.Short}, [3]int{got.Closed, got.Long, got.Closed - got.Long})
}

// reconcileCounts compares the numbers of all, long and short trades. MT5 counts
// closing deals, and a position may have several of them: more of them than
// positions agree if the net agrees and they add up.
func (b *builder) reconcileCounts(texts [3]string, got [3]int) {
	var stated [3]int
	var isStated [3]bool
	for i, text := range texts {
		value, n := value.LeadingDigits(text, 9)
		stated[i], isStated[i] = value, n > 0
	}
	inParts := b.netVerified && isStated == [3]bool{true, true, true} && stated[0] == stated[1]+stated[2]
	for i, want := range stated {
		if isStated[i] {
			b.noteComparison(want == got[i] || inParts && want > got[i], ResultsBlock)
		}
	}
}

func (b *builder) parseFigure(text string, exact bool) (record.Decimal, bool) {
	n, ok := value.ScanNumber(text)
	if !ok {
		return "", false
	}
	n.Exact = exact
	return n.ToDecimal(b.mark)
}
