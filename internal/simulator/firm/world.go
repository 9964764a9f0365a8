package firm

import (
	"sync"
	"time"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// World is the trading platform behind the routes: its records and what
// happens to them. It is a pure function of seed, start and time: events are
// processed in the order of their time whenever records are read, and nothing
// depends on how often that is.
//
// Every change of a record stamps it with the time of the change, and readers
// see changes in the order of their stamps. Polling with updated_since depends on
// that property: once a reader has seen the records up to a
// moment, no record can appear before it.
type World struct {
	mu    sync.RWMutex
	seed  uint64
	start int64
	speed float64 // of the world after start; 1 when frozen
	clock func() time.Time
	// frozen worlds have no clock; time is start + advanced.
	frozen   bool
	advanced int64
	newest   int64 // newest stamp given since the start

	instruments []instrument
	priceSeed   uint64
	trading     calendar
	office      calendar

	traders  book[traderRow]
	accounts book[accountRow]
	trades   book[tradeRow]
	payouts  book[payoutRow]

	agenda       agenda
	tradeStream  stream
	payoutStream stream
	signUps      stream

	slots     []uint32 // accounts that trade, busiest first; NoAccount when finished
	alive     int      // slots with an account
	burst     burst
	building  bool // history is being generated
	openAtEnd int  // how many of the last trades of the history stay open
	// tradesOf lists each account's trades; built by IndexAccounts.
	tradesOf map[uint32][]uint32
}

// New generates the history of a world. It takes about a second and 60 MB for
// each million trades.
func New(o Options) (*World, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	clock := o.Clock
	if clock == nil {
		clock = time.Now
	}
	start := o.Start
	if start.IsZero() {
		start = clock()
	}
	w := &World{
		seed: o.Seed, start: start.UnixMicro(), speed: o.Speed, clock: clock, frozen: o.Speed == 0,
		instruments: listInstruments(), priceSeed: mixBits(o.Seed + uint64(forPrice)),
		trading: tradingHours(o.Weekends), office: officeHours(),
	}
	if w.frozen {
		w.speed = 1
	}
	w.generateHistory(&o)
	return w, nil
}

// Traders are the world's traders, for Table.Attach.
func (w *World) Traders() *List { return &w.traders.List }

// Accounts are the accounts, see Traders.
func (w *World) Accounts() *List { return &w.accounts.List }

// Trades are the trades, see Traders.
func (w *World) Trades() *List { return &w.trades.List }

// Payouts are the payouts, see Traders.
func (w *World) Payouts() *List { return &w.payouts.List }

// Now is the world's time: the clock's, or that of a frozen world.
func (w *World) Now() time.Time { return wire.Moment(w.now()) }

// now is the world's time in microseconds.
func (w *World) now() int64 {
	if w.frozen {
		return w.start + w.advanced
	}
	return w.clock().UnixMicro() + w.advanced
}

// Read calls f with the world brought up to date and held still.
func (w *World) Read(f func()) {
	w.mu.RLock()
	if at := w.now(); len(w.agenda) > 0 && w.agenda[0].at <= at {
		w.mu.RUnlock()
		w.mu.Lock()
		w.runTo(at)
		w.mu.Unlock()
		w.mu.RLock()
	}
	defer w.mu.RUnlock()
	f()
}

// Write is Read for changes.
func (w *World) Write(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runTo(w.now())
	f()
}

// Advance moves the world's time forward by d and lets happen what happens
// until then. It is meant for frozen worlds; a live one runs ahead of its clock
// from then on.
func (w *World) Advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advanced += max(d.Microseconds(), 0)
	w.runTo(w.now())
}

// runTo works off what happens up to a moment.
func (w *World) runTo(at int64) {
	for len(w.agenda) > 0 && w.agenda[0].at <= at {
		w.dispatchEvent(w.agenda.pop())
	}
}

// dispatchEvent dispatches one event.
func (w *World) dispatchEvent(e event) {
	switch e.kind {
	case tradeCloses:
		w.closeTrade(e.ref, e.at)
	case tradeChanges:
		w.changeTrade(e.ref, e.at)
	case tradeOpens:
		w.openTrade(e.ref, e.at)
		w.scheduleTrade(e.at)
	case payoutMoves:
		w.movePayout(e.ref, e.at)
	case payoutRequested:
		w.requestPayout(e.ref, e.at)
		w.schedulePayout()
	case kycMoves:
		w.moveKYC(e.ref, e.at)
	case accountOpens:
		w.openFirstAccount(e.ref, e.at)
	case traderSignsUp:
		w.signUp(e.at)
		w.scheduleSignUp()
	}
}

// updateTime returns the updated_at of an event: its moment, except right after a
// test's changes, which may have been stamped some microseconds ahead of the
// clock.
func (w *World) updateTime(at int64) int64 {
	if !w.building {
		at = max(at, w.newest)
		w.newest = at
	}
	return at
}

// Stamp sets the time of a test's change, for callers of Write. A zero one is
// replaced by the present moment, but after every stamp that a reader may have
// seen; any other is only cut to microseconds.
func (w *World) Stamp(updatedAt *time.Time) {
	if updatedAt.IsZero() {
		w.newest = max(w.now(), w.newest+1)
		*updatedAt = wire.Moment(w.newest)
	} else {
		*updatedAt = updatedAt.UTC().Truncate(time.Microsecond)
	}
}

// TradeNumber is the number of a generated trade within its account, for
// callers of Read; 0 when the trade is a test's.
func (w *World) TradeNumber(ref uint32) uint32 { return w.trades.rows[ref].number }

// IndexAccounts lists the trades of each account, once; TradesOf needs it.
func (w *World) IndexAccounts() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tradesOf != nil {
		return
	}
	w.tradesOf = make(map[uint32][]uint32)
	for ref := range w.trades.rows {
		account := w.trades.rows[ref].account
		w.tradesOf[account] = append(w.tradesOf[account], uint32(ref))
	}
}

// TradesOf returns the generated trades of an account in the order in which
// they were opened, for callers of Read, after IndexAccounts.
func (w *World) TradesOf(account uint32) []uint32 { return w.tradesOf[account] }

// scaledSpan returns how long something that takes d at speed 1 takes from a
// moment on.
func (w *World) scaledSpan(at, d int64) int64 {
	if at >= w.start {
		d = int64(float64(d) / w.speed)
	}
	return max(d, 1000*microsecond)
}

// marketTime maps a moment to the time on the price path, which runs at the
// world's speed, so that fast worlds have price moves too.
func (w *World) marketTime(at int64) int64 {
	if at <= w.start {
		return at
	}
	return w.start + int64(float64(at-w.start)*w.speed)
}
