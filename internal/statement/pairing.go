package statement

import (
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
)

// entry says what an execution does to positions.
type entry uint8

const (
	auto    entry = iota // closes what is open on the other side, then opens
	in                   // opens
	out                  // closes
	reverse              // closes all and opens the rest: MT5's "in/out"
)

// execution is one deal or fill.
type execution struct {
	trade  record.Trade // account, symbol, side, time and price as OpenTime and OpenPrice, costs, profit
	entry  entry
	volume int64 // in 1e-8, what is left to be matched
	whole  int64 // what was executed
	closes int64 // the part that closes, which alone earns
	// position ties executions together where the file names it.
	position string
	origin   origin
}

// maxExecutions bounds the deals or fills of a file, which are in memory together.
const maxExecutions = 100_000

// keepExecution keeps a deal until all are known: files run in either direction.
func (b *builder) keepExecution(t *table, r *row) error {
	x := execution{entry: auto, position: strings.Clone(cleanText(t.cellOf(r, rolePosition).text, MaxIDBytes))}
	account, err := b.accountOf(t, r)
	if err != nil {
		return err
	}
	x.trade = record.Trade{AccountID: account, Symbol: b.internSymbol(t.cellOf(r, roleSymbol).text)}
	if x.trade.Symbol == "" {
		return t.refuseCell(r, roleSymbol, "the symbol is missing")
	}
	if err := b.readLegs(t, r, &x.trade); err != nil {
		return err
	}
	if word := t.cellOf(r, roleEntry).text; t.hasRole(roleEntry) {
		entry, known := entryOf(word)
		if !known {
			return t.refuseCell(r, roleEntry, "a deal neither opens nor closes")
		}
		if x.entry = entry; entry == in && t.format.netting {
			x.entry = auto
		}
	}
	volume, err := b.readVolume(t, r)
	if err != nil {
		return err
	}
	n, ok := toUnits(volume)
	if !ok || n <= 0 {
		return t.refuseCell(r, roleVolume, "the volume is missing or not above zero")
	}
	x.volume, x.whole = n, n
	if err := b.executionMoney(t, r, &x); err != nil {
		return err
	}
	x.trade.ID, x.origin = b.identifyTrade(t, r)
	x.trade.ID = strings.Clone(x.trade.ID) // so that it does not keep its row in memory
	if order := cleanText(t.cellOf(r, roleOrder).text, MaxIDBytes); order != "" && order != "0" && x.entry != out {
		x.trade.ID = strings.Clone(order) // MT5 names a position after the order that opened it
	}
	if x.position != "" {
		x.trade.ID = x.position
	}
	if b.inFuture(x.trade.OpenTime) {
		b.rejectRow(InFuture, r.line)
		return nil
	}
	if len(b.executions) == maxExecutions {
		return newRefusal(FileTooLarge, "Line %d: a list of deals or fills can have at most %d of them, because all are paired at once. Export a shorter period, or the history of positions.", r.line, maxExecutions)
	}
	b.executions = append(b.executions, x)
	return nil
}

func (b *builder) executionMoney(t *table, r *row, x *execution) (err error) {
	if x.trade.Commission, err = b.costsIn(t, r, roleCommission, t.flipsCommissions()); err != nil {
		return err
	}
	if x.trade.Swap, err = b.costsIn(t, r, roleSwap, false); err != nil {
		return err
	}
	if x.trade.Profit, err = b.readNumber(t, r, roleProfit); err != nil {
		return err
	}
	if x.trade.StopLoss, err = b.readStop(t, r, roleStop); err != nil {
		return err
	}
	x.trade.TakeProfit, err = b.readStop(t, r, roleTarget)
	b.costs = b.costs || isNonzero(x.trade.Commission) || isNonzero(x.trade.Swap)
	return err
}

// entryOf reads MT5's direction of a deal, or another platform's effect.
func entryOf(text string) (entry, bool) {
	switch foldText(text) {
	case "in", "open", "opening", "opened", "toopen", "entry":
		return in, true
	case "out", "outby", "close", "closing", "closed", "toclose", "exit":
		return out, true
	case "inout":
		return reverse, true
	case "":
		return auto, true
	}
	return auto, false
}

// book holds the open executions of one account and symbol, or one position.
type book struct {
	longs, shorts []*execution // the oldest first
}

func (k *book) openSide(s record.Side) *[]*execution {
	if s == record.Buy {
		return &k.longs
	}
	return &k.shorts
}

func oppositeSide(s record.Side) record.Side {
	if s == record.Buy {
		return record.Sell
	}
	return record.Buy
}

// pairExecutions makes trades of executions: a closing one takes the oldest
// open ones of its position, or of its symbol, first.
func (b *builder) pairExecutions() {
	inTimeOrder(b.executions)
	b.paired = make([]record.Trade, 0, len(b.executions)/2+1)
	books := map[[3]string]*book{}
	for i := range b.executions {
		x := &b.executions[i]
		key := [3]string{x.trade.AccountID, x.trade.Symbol, x.position}
		k := books[key]
		if k == nil {
			k = &book{}
			books[key] = k
		}
		b.applyExecution(k, x)
	}
	for i := range b.executions { // in their order, so that equal files give equal trades
		if x := &b.executions[i]; x.volume > 0 && x.entry != out {
			b.stillOpen(x)
		}
	}
	b.executions = nil
}

// inTimeOrder sorts by time. Executions of one moment keep the file's order,
// turned around when the file begins with the latest.
func inTimeOrder(all []execution) {
	if n := len(all); n > 1 && all[0].trade.OpenTime.After(all[n-1].trade.OpenTime) {
		slices.Reverse(all)
	}
	slices.SortStableFunc(all, func(a, b execution) int { return a.trade.OpenTime.Compare(b.trade.OpenTime) })
}

func (b *builder) applyExecution(k *book, x *execution) {
	if x.entry != in {
		queue := k.openSide(oppositeSide(x.trade.Side))
		x.closes = x.closingUnits(*queue)
		for x.volume > 0 && len(*queue) > 0 {
			opened := (*queue)[0]
			matched := min(x.volume, opened.volume)
			opened.volume -= matched
			x.volume -= matched
			b.addClosed(opened, x, matched)
			if opened.volume == 0 {
				*queue = (*queue)[1:]
			}
		}
	}
	switch {
	case x.volume == 0:
	case x.entry == out:
		b.rejectRow(CloseWithoutOpen, int(x.origin.line))
	default:
		queue := k.openSide(x.trade.Side)
		*queue = append(*queue, x)
	}
}

// closingUnits returns how much of an execution closes. That is all of it if the
// execution says that it closes, even without an opening in the file, and otherwise
// as much as is open.
func (x *execution) closingUnits(queue []*execution) int64 {
	if x.entry == out {
		return x.whole
	}
	open := int64(0)
	for _, opened := range queue {
		if open += opened.volume; open >= x.whole {
			return x.whole
		}
	}
	return open
}

// addClosed makes the trade of what one execution closed of another. Costs and
// profit are divided by volume; those of the opening are part of the net.
func (b *builder) addClosed(opened, by *execution, matched int64) {
	t := opened.trade
	t.Volume = fromUnits(matched)
	t.CloseTime, t.ClosePrice = by.trade.OpenTime, by.trade.OpenPrice
	t.Commission = addDecimals(shareOf(opened.trade.Commission, matched, opened.whole), shareOf(by.trade.Commission, matched, by.whole))
	t.Swap = addDecimals(shareOf(opened.trade.Swap, matched, opened.whole), shareOf(by.trade.Swap, matched, by.whole))
	if t.Profit = shareOf(by.trade.Profit, matched, by.closes); b.chosen.profit != net {
		t.Profit = withCosts(t.Profit, &t)
	}
	o := opened.origin
	if matched != opened.whole-opened.closes {
		t.ID += "-" + rowID(by.origin.hash)[len("row-"):][:8]
	}
	b.keepPaired(t, o)
}

// keepPaired keeps a trade that was made of executions.
func (b *builder) keepPaired(t record.Trade, o origin) {
	b.paired = append(b.paired, t)
	b.countTrade(&t, o)
}

// stillOpen makes the trade of what no execution has closed.
func (b *builder) stillOpen(x *execution) {
	t := x.trade
	t.Volume = fromUnits(x.volume)
	t.Profit, t.CloseTime, t.ClosePrice = "", time.Time{}, ""
	t.Commission = shareOf(x.trade.Commission, x.volume, x.whole)
	t.Swap = shareOf(x.trade.Swap, x.volume, x.whole)
	b.keepPaired(t, x.origin)
}
