package statement

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/table"
	"github.com/assayhq/assay/internal/statement/words"
)

// execution is one deal or fill. Up to maxExecutions are in memory together, so it holds
// no more of a trade than it needs.
type execution struct {
	id, account, symbol                           string
	price, stop, target, commission, swap, profit record.Decimal
	at                                            int64 // microseconds
	volume                                        int64 // in 1e-8, what is left to be matched
	whole                                         int64 // what was executed
	closes                                        int64 // the part that closes, which alone earns
	// position ties executions together where the file names it.
	position string
	hash     [8]byte // the beginning of the row's
	line     int32
	named    bool
	sells    bool
	entry    format.Entry
	stated   bool // the file says what it does
	turns    bool // a position on its side is held after it
	flat     bool // it closed all that was open
}

// pairing is how a trade is made of executions.
type pairing struct {
	opened int32 // index of the execution that opened it
	closed int32 // and of the one that closed it; -1 for none
	volume int64 // in 1e-8
	// openedFrom and closedFrom are how much of the executions other trades took before.
	openedFrom, closedFrom int64
	profit                 record.Decimal // its part of the result of the one that closed it
}

// maxExecutions bounds the deals or fills of a file, which are in memory together.
const maxExecutions = 100_000

// keepExecution keeps a deal until all are known: files run in either direction.
func (b *builder) keepExecution(t *table.Table, r *sheet.Row) error {
	x := execution{entry: format.EntryAuto, line: int32(r.Line), position: strings.Clone(words.Clean(t.CellOf(r, format.RolePosition).Text, maxIDBytes))}
	var err error
	if x.account, err = b.accountOf(t, r); err != nil {
		return err
	}
	if x.symbol = b.internSymbol(t.SymbolOf(r)); x.symbol == "" {
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
	x.sells, x.at, x.price = trade.Side == record.Sell, trade.OpenTime.UnixMicro(), trade.OpenPrice
	if x.entry, x.turns, err = t.ReadEffect(r, x.sells); err != nil {
		return err
	}
	x.stated = x.entry != format.EntryAuto
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
	x.volume, x.whole = n, n
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
	if len(b.executions) == maxExecutions {
		return refusal.New(refusal.FileTooLarge, "Line %d: a list of deals or fills can have at most %d of them, because all are paired at once. Export a shorter period, or the history of positions.", r.Line, maxExecutions)
	}
	if t != b.lastTable {
		b.turnAround()
		b.lastTable = t
	}
	b.executions = append(b.executions, x)
	return nil
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
func (b *builder) identifyExecution(t *table.Table, r *sheet.Row, x *execution) (repeated bool) {
	id, o := b.identifyTrade(t, r)
	x.hash, x.named = [8]byte(o.hash[:]), o.named
	if order := words.Clean(t.CellOf(r, format.RoleOrder).Text, maxIDBytes); order != "" && order != "0" && x.entry != format.EntryOut {
		id = order // MT5 names a position after the order that opened it
	}
	if x.position != "" && !t.Format.Numbered {
		id = x.position
	}
	x.id = strings.Clone(id) // so that it does not keep its row in memory
	return b.repeats.countRow(t, o.hash)
}

func (b *builder) executionMoney(t *table.Table, r *sheet.Row, x *execution) (err error) {
	if x.commission, err = b.costsIn(t, r, format.RoleCommission, t.FlipsCommissions()); err != nil {
		return err
	}
	if t.HasRole(format.RoleCoin) && amount.IsNonzero(x.commission) && !isQuotedIn(x.symbol, t.CellOf(r, format.RoleCoin).Text) {
		x.commission = "" // in a coin that the result is not in
		b.counts["fees_in_coins"]++
	}
	if x.swap, err = b.costsIn(t, r, format.RoleSwap, false); err != nil {
		return err
	}
	if x.profit, err = b.readNumber(t, r, format.RoleProfit); err != nil {
		return err
	}
	if t.Format.AfterFee && x.profit != "" {
		x.profit = amount.Add(x.profit, amount.Negate(x.commission))
	}
	if x.stop, err = b.readStop(t, r, format.RoleStop); err != nil {
		return err
	}
	x.target, err = b.readStop(t, r, format.RoleTarget)
	b.costs = b.costs || amount.IsNonzero(x.commission) || amount.IsNonzero(x.swap)
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

// book holds the open executions of one account and symbol, or one position, by their
// index.
type book struct {
	longs, shorts []int32 // the oldest first
}

func (k *book) openSide(sells bool) *[]int32 {
	if sells {
		return &k.shorts
	}
	return &k.longs
}

// pairExecutions makes trades of executions: a closing one takes the oldest
// open ones of its position, or of its symbol, first.
func (b *builder) pairExecutions() {
	b.turnAround()
	b.settleFees()
	slices.SortStableFunc(b.executions, func(x, y execution) int {
		if x.at == y.at && b.chosen.Format.Numbered { // times are to the minute, and the closing stands first
			return cmp.Compare(x.entry, y.entry)
		}
		return cmp.Compare(x.at, y.at)
	})
	b.pairings = make([]pairing, 0, len(b.executions)/2+1)
	books := map[[3]string]*book{}
	for i := range b.executions {
		x := &b.executions[i]
		key := [3]string{x.account, x.symbol, x.position}
		k := books[key]
		if k == nil {
			k = &book{}
			books[key] = k
		}
		b.applyExecution(k, int32(i))
	}
	for i := range b.executions { // in their order, so that equal files give equal trades
		if x := &b.executions[i]; x.volume > 0 && x.entry != format.EntryOut {
			b.pairings = append(b.pairings, pairing{opened: int32(i), closed: -1, volume: x.volume, openedFrom: x.whole - x.volume})
			if x.entry == format.EntryAuto && x.position == "" && !b.chosen.HasRole(format.RoleEntry) && !b.chosen.HasRole(format.RoleProfit) {
				b.counts["open_at_end"]++
			}
		}
	}
	b.decideResults()
	b.divideResults()
	for _, p := range b.pairings {
		b.countPairing(p)
	}
}

// turnAround reverses the executions of the table that was read last if it begins with the latest,
// because executions of one moment keep their order.
func (b *builder) turnAround() {
	if of := b.executions[b.tableStart:]; len(of) > 1 && of[0].at > of[len(of)-1].at {
		slices.Reverse(of)
	}
	b.tableStart = len(b.executions)
}

func (b *builder) applyExecution(k *book, n int32) {
	x := &b.executions[n]
	if x.entry == format.EntryAuto && amount.IsNonzero(x.profit) && len(*k.openSide(!x.sells)) == 0 { // only what closes has a result
		x.entry = format.EntryOut
	}
	if b.chosen.Format.Hedging && x.entry == format.EntryAuto && !amount.IsNonzero(x.profit) && !b.isEven(x, *k.openSide(!x.sells)) {
		x.entry = format.EntryIn
	}
	if x.entry == format.EntryGone {
		x.entry, x.sells = format.EntryOut, len(k.longs) > 0
	}
	if x.entry == format.EntryOut && x.turns {
		x.entry = format.EntryAuto // one order closes a position and opens the next
	}
	if x.entry != format.EntryIn {
		queue := k.openSide(!x.sells)
		x.closes = b.closingUnits(x, *queue)
		for x.volume > 0 && len(*queue) > 0 {
			first := (*queue)[0]
			opened := &b.executions[first]
			p := pairing{opened: first, closed: n, volume: min(x.volume, opened.volume), openedFrom: opened.whole - opened.volume, closedFrom: x.whole - x.volume}
			opened.volume -= p.volume
			x.volume -= p.volume
			b.pairings = append(b.pairings, p)
			if opened.volume == 0 {
				*queue = (*queue)[1:]
			}
		}
		x.flat = len(*queue) == 0
	}
	switch {
	case x.volume == 0:
	case x.entry == format.EntryOut:
		b.rejectRow(CloseWithoutOpen, int(x.line))
	default:
		queue := k.openSide(x.sells)
		*queue = append(*queue, n)
	}
}

// isEven reports whether an execution without a result may close the oldest of the openings, because its price is the same.
func (b *builder) isEven(x *execution, queue []int32) bool {
	return len(queue) > 0 && b.executions[queue[0]].price == x.price
}

// closingUnits returns how much of an execution closes. That is all of it if the
// execution says that it closes, even without an opening in the file, and otherwise
// as much as is open.
func (b *builder) closingUnits(x *execution, queue []int32) int64 {
	if x.entry == format.EntryOut {
		return x.whole
	}
	open := int64(0)
	for _, n := range queue {
		if open += b.executions[n].volume; open >= x.whole {
			return x.whole
		}
	}
	return open
}

// countPairing counts a trade.
func (b *builder) countPairing(p pairing) {
	t := b.makeTrade(p)
	x := &b.executions[p.opened]
	o := origin{line: x.line, named: x.named}
	copy(o.hash[:], x.hash[:])
	b.countTrade(&t, o)
}

// makeTrade makes the trade of what one execution closed of another, or of what none has
// closed. Costs and profit are divided by volume; those of the opening are part of the net. Profit and
// swap of a deal that turns a position around belong to what it closes.
func (b *builder) makeTrade(p pairing) record.Trade {
	x := &b.executions[p.opened]
	t := record.Trade{
		ID: x.id, AccountID: x.account, Symbol: x.symbol, Side: record.Buy, Volume: amount.FromUnits(p.volume),
		OpenTime: time.UnixMicro(x.at).UTC(), OpenPrice: x.price, StopLoss: x.stop, TakeProfit: x.target,
		Commission: amount.Share(x.commission, p.openedFrom, p.volume, x.whole),
	}
	if x.closes == 0 {
		t.Swap = amount.Share(x.swap, p.openedFrom, p.volume, x.whole)
	} else if x.swap != "" {
		t.Swap = "0"
	}
	if x.sells {
		t.Side = record.Sell
	}
	if p.closed < 0 {
		return t
	}
	by := &b.executions[p.closed]
	t.CloseTime, t.ClosePrice = time.UnixMicro(by.at).UTC(), by.price
	t.Commission = amount.Add(t.Commission, amount.Share(by.commission, p.closedFrom, p.volume, by.whole))
	t.Swap = amount.Add(t.Swap, amount.Share(by.swap, p.closedFrom, p.volume, by.closes))
	if t.Profit = p.profit; b.chosen.Profit != format.Net {
		t.Profit = withCosts(t.Profit, &t)
	}
	if p.volume != x.whole-x.closes {
		t.ID = partID(t.ID, by.hash)
	}
	return t
}
