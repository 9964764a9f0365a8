package statement

import (
	"strings"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/pairing"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/table"
	"github.com/assayhq/assay/internal/statement/words"
)

// keepExecution keeps a deal until all are known: files run in either direction.
func (b *builder) keepExecution(t *table.Table, r *sheet.Row) error {
	x := pairing.Execution{Entry: format.EntryAuto, Line: int32(r.Line), Position: strings.Clone(words.Clean(t.CellOf(r, format.RolePosition).Text, maxIDBytes))}
	var err error
	if x.Account, err = b.accountOf(t, r); err != nil {
		return err
	}
	if x.Symbol = b.internSymbol(t.SymbolOf(r)); x.Symbol == "" {
		return t.RefuseCell(r, format.RoleSymbol, "the symbol is missing")
	}
	if err := t.RefuseUnclear(r); err != nil {
		return err
	}
	trade := &b.trade
	*trade = record.Trade{}
	if err := b.readLegs(t, r, trade); err != nil {
		return err
	}
	if trade.OpenPrice == "" {
		return t.RefuseCell(r, format.RoleOpenPrice, "the price is missing")
	}
	if last := lastPrice(t.CellOf(r, format.RoleMessage).Text); last != "" && isScaled(trade.OpenPrice, last) {
		return t.RefuseCell(r, format.RoleOpenPrice, "the price has lost its decimal point, as some exports of simulated fills write it")
	}
	x.Sells, x.At, x.Price = trade.Side == record.Sell, trade.OpenTime.UnixMicro(), trade.OpenPrice
	if x.Entry, x.Turns, err = t.ReadEffect(r, x.Sells); err != nil {
		return err
	}
	x.Stated = x.Entry != format.EntryAuto
	volume, err := b.readVolume(t, r, trade.Side)
	if err != nil {
		return err
	}
	n, ok := amount.ToUnits(volume)
	switch {
	case !ok:
		return t.RefuseCell(r, format.RoleVolume, "a volume to be paired can have at most 9 digits before and 8 after the decimal mark. Export the history of positions")
	case n <= 0:
		return t.RefuseCell(r, format.RoleVolume, "the volume is missing or not above zero")
	}
	x.Volume = n
	if err := b.executionMoney(t, r, &x); err != nil {
		return err
	}
	repeated := b.identifyExecution(t, r, &x)
	switch {
	case b.inFuture(trade.OpenTime):
		b.rejectRow(InFuture, r.Line)
		return nil
	case repeated:
		b.countSkipped(skipDuplicate, r.Line)
		return nil
	}
	return b.executions.AddExecution(t, x)
}

// lastPrice returns the market's last price that the message of a simulated fill names, or "".
func lastPrice(message string) record.Decimal {
	_, rest, found := strings.Cut(message, "Last: ")
	text, _, _ := strings.Cut(rest, " ")
	d, err := record.ParseDecimal(strings.TrimRight(text, "."))
	if !found || err != nil {
		return ""
	}
	return d
}

// isScaled reports whether a price is so far above another one of its moment that it has lost its
// decimal point.
func isScaled(price, last record.Decimal) bool {
	p, ok := amount.ToUnits(price)
	l, known := amount.ToUnits(last)
	const tenth = 9 // of the price, with what the market may have moved
	return ok && known && l > 0 && p/tenth >= l
}

// identifyExecution gives an execution the id that a position has if the execution opens it, and
// reports whether an earlier table has the execution.
func (b *builder) identifyExecution(t *table.Table, r *sheet.Row, x *pairing.Execution) (repeated bool) {
	id, o := b.identifyTrade(t, r)
	x.Hash, x.Named = [8]byte(o.hash[:]), o.named
	if order := words.Clean(t.CellOf(r, format.RoleOrder).Text, maxIDBytes); order != "" && order != "0" && x.Entry != format.EntryOut {
		id = order // MT5 names a position after the order that opened it
	}
	if x.Position != "" && !t.Format.Numbered {
		id = x.Position
	}
	x.ID = strings.Clone(id) // so that it does not keep its row in memory
	return b.repeats.countRow(t, o.hash)
}

func (b *builder) executionMoney(t *table.Table, r *sheet.Row, x *pairing.Execution) (err error) {
	if x.Commission, err = b.costsIn(t, r, format.RoleCommission, t.FlipsCommissions()); err != nil {
		return err
	}
	if t.HasRole(format.RoleCoin) && amount.IsNonzero(x.Commission) && !isQuotedIn(x.Symbol, t.CellOf(r, format.RoleCoin).Text) {
		x.Commission = "" // in a coin that the result is not in
		b.counts["fees_in_coins"]++
	}
	if x.Swap, err = b.costsIn(t, r, format.RoleSwap, false); err != nil {
		return err
	}
	if x.Profit, err = b.readNumber(t, r, format.RoleProfit); err != nil {
		return err
	}
	if t.Format.AfterFee && x.Profit != "" {
		x.Profit = amount.Add(x.Profit, amount.Negate(x.Commission))
	}
	if x.Stop, err = b.readStop(t, r, format.RoleStop); err != nil {
		return err
	}
	x.Target, err = b.readStop(t, r, format.RoleTarget)
	b.costs = b.costs || amount.IsNonzero(x.Commission) || amount.IsNonzero(x.Swap)
	return err
}

// isQuotedIn reports whether the prices of a pair such as BTCUSDT or BTC_USDT, or of a contract on it such as
// BTCUSDT_260327, are in a coin.
func isQuotedIn(symbol, coin string) bool {
	pair := symbol
	if i := strings.LastIndexByte(symbol, '_'); i > 0 && strings.Trim(symbol[i+1:], "0123456789") == "" {
		pair = symbol[:i]
	}
	return coin != "" && strings.HasSuffix(strings.ToUpper(pair), strings.ToUpper(coin))
}

// pairExecutions makes trades of the executions and counts them.
func (b *builder) pairExecutions() {
	l := b.executions
	l.PairAll()
	for _, line := range l.Unopened {
		b.rejectRow(CloseWithoutOpen, int(line))
	}
	b.counts["open_at_end"] += l.OpenAtEnd
	b.counts["shared_results"] += l.Shared
	for t, x := range l.EachTrade() {
		o := origin{line: x.Line, named: x.Named}
		copy(o.hash[:], x.Hash[:])
		b.countTrade(&t, o)
	}
}
