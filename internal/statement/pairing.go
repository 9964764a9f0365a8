package statement

import (
	"cmp"
	"encoding/hex"
	"iter"
	"slices"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/table"
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

// list holds the executions of a file until all are known, because files run in either direction.
type list struct {
	table      *table.Table // the first of those with executions, which says what is known of them
	executions []execution
	lastTable  *table.Table // whose executions begin at tableStart
	tableStart int
	pairings   []pairing // how trades are made of executions
	openAtEnd  int       // positions that may be open because the list begins within one
	shared     int       // executions whose result was divided by volume, because nothing shows what each opening earned
	unopened   []int32   // lines of those that close what was opened before the file begins
	// assumesFlat means that nothing shows that the list begins without positions.
	assumesFlat bool
}

// newList returns a list with room for the executions of so many rows.
func newList(chosen *table.Table, rows int) *list {
	return &list{table: chosen, executions: make([]execution, 0, min(rows, maxExecutions))}
}

// addExecution adds the next execution of a table.
func (l *list) addExecution(t *table.Table, x execution) error {
	if len(l.executions) == maxExecutions {
		return refusal.New(refusal.FileTooLarge, "Line %d: a list of deals or fills can have at most %d of them, because all are paired at once. Export a shorter period, or the history of positions.", x.line, maxExecutions)
	}
	if t != l.lastTable {
		l.turnAround()
		l.lastTable = t
	}
	x.whole = x.volume
	l.executions = append(l.executions, x)
	return nil
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

// pairAll makes trades of the executions: a closing one takes the oldest
// open ones of its position, or of its symbol, first.
func (l *list) pairAll() {
	l.turnAround()
	l.settleFees()
	slices.SortStableFunc(l.executions, func(x, y execution) int {
		if x.at == y.at && l.table.Format.Numbered { // times are to the minute, and the closing stands first
			return cmp.Compare(x.entry, y.entry)
		}
		return cmp.Compare(x.at, y.at)
	})
	l.pairings = make([]pairing, 0, len(l.executions)/2+1)
	books := map[[3]string]*book{}
	for i := range l.executions {
		x := &l.executions[i]
		key := [3]string{x.account, x.symbol, x.position}
		k := books[key]
		if k == nil {
			k = &book{}
			books[key] = k
		}
		l.applyExecution(k, int32(i))
	}
	for i := range l.executions { // in their order, so that equal files give equal trades
		if x := &l.executions[i]; x.volume > 0 && x.entry != format.EntryOut {
			l.pairings = append(l.pairings, pairing{opened: int32(i), closed: -1, volume: x.volume, openedFrom: x.whole - x.volume})
			if x.entry == format.EntryAuto && x.position == "" && !l.table.HasRole(format.RoleEntry) && !l.table.HasRole(format.RoleProfit) {
				l.openAtEnd++
			}
		}
	}
	l.decideResults()
	l.divideResults()
}

// eachTrade gives the trades in the order in which they were closed, then those that are open, each with the execution that
// opened it.
func (l *list) eachTrade() iter.Seq2[record.Trade, *execution] {
	return func(yield func(record.Trade, *execution) bool) {
		for _, p := range l.pairings {
			if !yield(l.makeTrade(p), &l.executions[p.opened]) {
				return
			}
		}
	}
}

// turnAround reverses the executions of the table that was read last if it begins with the latest,
// because executions of one moment keep their order.
func (l *list) turnAround() {
	if of := l.executions[l.tableStart:]; len(of) > 1 && of[0].at > of[len(of)-1].at {
		slices.Reverse(of)
	}
	l.tableStart = len(l.executions)
}

func (l *list) applyExecution(k *book, n int32) {
	x := &l.executions[n]
	if x.entry == format.EntryAuto && amount.IsNonzero(x.profit) && len(*k.openSide(!x.sells)) == 0 { // only what closes has a result
		x.entry = format.EntryOut
	}
	if l.table.Format.Hedging && x.entry == format.EntryAuto && !amount.IsNonzero(x.profit) && !l.isEven(x, *k.openSide(!x.sells)) {
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
		x.closes = l.closingUnits(x, *queue)
		for x.volume > 0 && len(*queue) > 0 {
			first := (*queue)[0]
			opened := &l.executions[first]
			p := pairing{opened: first, closed: n, volume: min(x.volume, opened.volume), openedFrom: opened.whole - opened.volume, closedFrom: x.whole - x.volume}
			opened.volume -= p.volume
			x.volume -= p.volume
			l.pairings = append(l.pairings, p)
			if opened.volume == 0 {
				*queue = (*queue)[1:]
			}
		}
		x.flat = len(*queue) == 0
	}
	switch {
	case x.volume == 0:
	case x.entry == format.EntryOut:
		l.unopened = append(l.unopened, x.line)
	default:
		queue := k.openSide(x.sells)
		*queue = append(*queue, n)
	}
}

// isEven reports whether an execution without a result may close the oldest of the openings, because its price is the same.
func (l *list) isEven(x *execution, queue []int32) bool {
	return len(queue) > 0 && l.executions[queue[0]].price == x.price
}

// closingUnits returns how much of an execution closes. That is all of it if the
// execution says that it closes, even without an opening in the file, and otherwise
// as much as is open.
func (l *list) closingUnits(x *execution, queue []int32) int64 {
	if x.entry == format.EntryOut {
		return x.whole
	}
	open := int64(0)
	for _, n := range queue {
		if open += l.executions[n].volume; open >= x.whole {
			return x.whole
		}
	}
	return open
}

// makeTrade makes the trade of what one execution closed of another, or of what none has
// closed. Costs and profit are divided by volume; those of the opening are part of the net. Profit and
// swap of a deal that turns a position around belong to what it closes.
func (l *list) makeTrade(p pairing) record.Trade {
	x := &l.executions[p.opened]
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
	by := &l.executions[p.closed]
	t.CloseTime, t.ClosePrice = time.UnixMicro(by.at).UTC(), by.price
	t.Commission = amount.Add(t.Commission, amount.Share(by.commission, p.closedFrom, p.volume, by.whole))
	t.Swap = amount.Add(t.Swap, amount.Share(by.swap, p.closedFrom, p.volume, by.closes))
	if t.Profit = p.profit; t.Profit != "" && l.table.Profit != format.Net {
		t.Profit = amount.Add(t.Profit, t.Commission, t.Swap)
	}
	if p.volume != x.whole-x.closes {
		t.ID = partID(t.ID, by.hash)
	}
	return t
}

// partID returns the id of a part of a position, by the hash of the row that closed it.
func partID(id string, hash [8]byte) string { return id + "-" + hex.EncodeToString(hash[:4]) }
