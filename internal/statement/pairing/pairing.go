package pairing

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

// Execution is one deal or fill. Up to maxExecutions are in memory together, so it holds
// no more of a trade than it needs.
type Execution struct {
	ID, Account, Symbol                           string
	Price, Stop, Target, Commission, Swap, Profit record.Decimal
	At                                            int64 // microseconds
	Volume                                        int64 // in 1e-8, what is left to be matched
	whole                                         int64 // what was executed
	closes                                        int64 // the part that closes, which alone earns
	// Position ties executions together where the file names it.
	Position string
	Hash     [8]byte // the beginning of the row's
	Line     int32
	Named    bool
	Sells    bool
	Entry    format.Entry
	Stated   bool // the file says what it does
	Turns    bool // a position on its side is held after it
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

// List holds the executions of a file until all are known, because files run in either direction.
type List struct {
	table      *table.Table // the first of those with executions, which says what is known of them
	executions []Execution
	lastTable  *table.Table // whose executions begin at tableStart
	tableStart int
	pairings   []pairing // how trades are made of executions
	OpenAtEnd  int       // positions that may be open because the list begins within one
	Shared     int       // executions whose result was divided by volume, because nothing shows what each opening earned
	Unopened   []int32   // lines of those that close what was opened before the file begins
	// AssumesFlat means that nothing shows that the list begins without positions.
	AssumesFlat bool
}

// NewList returns a list with room for the executions of so many rows.
func NewList(chosen *table.Table, rows int) *List {
	return &List{table: chosen, executions: make([]Execution, 0, min(rows, maxExecutions))}
}

// AddExecution adds the next execution of a table.
func (l *List) AddExecution(t *table.Table, x Execution) error {
	if len(l.executions) == maxExecutions {
		return refusal.New(refusal.FileTooLarge, "Line %d: a list of deals or fills can have at most %d of them, because all are paired at once. Export a shorter period, or the history of positions.", x.Line, maxExecutions)
	}
	if t != l.lastTable {
		l.turnAround()
		l.lastTable = t
	}
	x.whole = x.Volume
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

// PairAll makes trades of the executions: a closing one takes the oldest
// open ones of its position, or of its symbol, first.
func (l *List) PairAll() {
	l.turnAround()
	l.settleFees()
	slices.SortStableFunc(l.executions, func(x, y Execution) int {
		if x.At == y.At && l.table.Format.Numbered { // times are to the minute, and the closing stands first
			return cmp.Compare(x.Entry, y.Entry)
		}
		return cmp.Compare(x.At, y.At)
	})
	l.pairings = make([]pairing, 0, len(l.executions)/2+1)
	books := map[[3]string]*book{}
	for i := range l.executions {
		x := &l.executions[i]
		key := [3]string{x.Account, x.Symbol, x.Position}
		k := books[key]
		if k == nil {
			k = &book{}
			books[key] = k
		}
		l.applyExecution(k, int32(i))
	}
	for i := range l.executions { // in their order, so that equal files give equal trades
		if x := &l.executions[i]; x.Volume > 0 && x.Entry != format.EntryOut {
			l.pairings = append(l.pairings, pairing{opened: int32(i), closed: -1, volume: x.Volume, openedFrom: x.whole - x.Volume})
			if x.Entry == format.EntryAuto && x.Position == "" && !l.table.HasRole(format.RoleEntry) && !l.table.HasRole(format.RoleProfit) {
				l.OpenAtEnd++
			}
		}
	}
	l.decideResults()
	l.divideResults()
}

// EachTrade gives the trades in the order in which they were closed, then those that are open, each with the execution that
// opened it.
func (l *List) EachTrade() iter.Seq2[record.Trade, *Execution] {
	return func(yield func(record.Trade, *Execution) bool) {
		for _, p := range l.pairings {
			if !yield(l.makeTrade(p), &l.executions[p.opened]) {
				return
			}
		}
	}
}

// turnAround reverses the executions of the table that was read last if it begins with the latest,
// because executions of one moment keep their order.
func (l *List) turnAround() {
	if of := l.executions[l.tableStart:]; len(of) > 1 && of[0].At > of[len(of)-1].At {
		slices.Reverse(of)
	}
	l.tableStart = len(l.executions)
}

func (l *List) applyExecution(k *book, n int32) {
	x := &l.executions[n]
	if x.Entry == format.EntryAuto && amount.IsNonzero(x.Profit) && len(*k.openSide(!x.Sells)) == 0 { // only what closes has a result
		x.Entry = format.EntryOut
	}
	if l.table.Format.Hedging && x.Entry == format.EntryAuto && !amount.IsNonzero(x.Profit) && !l.isEven(x, *k.openSide(!x.Sells)) {
		x.Entry = format.EntryIn
	}
	if x.Entry == format.EntryGone {
		x.Entry, x.Sells = format.EntryOut, len(k.longs) > 0
	}
	if x.Entry == format.EntryOut && x.Turns {
		x.Entry = format.EntryAuto // one order closes a position and opens the next
	}
	if x.Entry != format.EntryIn {
		queue := k.openSide(!x.Sells)
		x.closes = l.closingUnits(x, *queue)
		for x.Volume > 0 && len(*queue) > 0 {
			first := (*queue)[0]
			opened := &l.executions[first]
			p := pairing{opened: first, closed: n, volume: min(x.Volume, opened.Volume), openedFrom: opened.whole - opened.Volume, closedFrom: x.whole - x.Volume}
			opened.Volume -= p.volume
			x.Volume -= p.volume
			l.pairings = append(l.pairings, p)
			if opened.Volume == 0 {
				*queue = (*queue)[1:]
			}
		}
		x.flat = len(*queue) == 0
	}
	switch {
	case x.Volume == 0:
	case x.Entry == format.EntryOut:
		l.Unopened = append(l.Unopened, x.Line)
	default:
		queue := k.openSide(x.Sells)
		*queue = append(*queue, n)
	}
}

// isEven reports whether an execution without a result may close the oldest of the openings, because its price is the same.
func (l *List) isEven(x *Execution, queue []int32) bool {
	return len(queue) > 0 && l.executions[queue[0]].Price == x.Price
}

// closingUnits returns how much of an execution closes. That is all of it if the
// execution says that it closes, even without an opening in the file, and otherwise
// as much as is open.
func (l *List) closingUnits(x *Execution, queue []int32) int64 {
	if x.Entry == format.EntryOut {
		return x.whole
	}
	open := int64(0)
	for _, n := range queue {
		if open += l.executions[n].Volume; open >= x.whole {
			return x.whole
		}
	}
	return open
}

// makeTrade makes the trade of what one execution closed of another, or of what none has
// closed. Costs and profit are divided by volume; those of the opening are part of the net. Profit and
// swap of a deal that turns a position around belong to what it closes.
func (l *List) makeTrade(p pairing) record.Trade {
	x := &l.executions[p.opened]
	t := record.Trade{
		ID: x.ID, AccountID: x.Account, Symbol: x.Symbol, Side: record.Buy, Volume: amount.FromUnits(p.volume),
		OpenTime: time.UnixMicro(x.At).UTC(), OpenPrice: x.Price, StopLoss: x.Stop, TakeProfit: x.Target,
		Commission: amount.Share(x.Commission, p.openedFrom, p.volume, x.whole),
	}
	if x.closes == 0 {
		t.Swap = amount.Share(x.Swap, p.openedFrom, p.volume, x.whole)
	} else if x.Swap != "" {
		t.Swap = "0"
	}
	if x.Sells {
		t.Side = record.Sell
	}
	if p.closed < 0 {
		return t
	}
	by := &l.executions[p.closed]
	t.CloseTime, t.ClosePrice = time.UnixMicro(by.At).UTC(), by.Price
	t.Commission = amount.Add(t.Commission, amount.Share(by.Commission, p.closedFrom, p.volume, by.whole))
	t.Swap = amount.Add(t.Swap, amount.Share(by.Swap, p.closedFrom, p.volume, by.closes))
	if t.Profit = p.profit; t.Profit != "" && l.table.Profit != format.Net {
		t.Profit = amount.Add(t.Profit, t.Commission, t.Swap)
	}
	if p.volume != x.whole-x.closes {
		t.ID = PartID(t.ID, by.Hash)
	}
	return t
}

// PartID returns the id of a part of a position, by the hash of the row that closed it.
func PartID(id string, hash [8]byte) string { return id + "-" + hex.EncodeToString(hash[:4]) }
