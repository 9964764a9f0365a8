package refplatform

import (
	"sync"
	"time"
)

// world is the trading platform behind the routes: its records and what
// happens to them. It is a pure function of seed, start and time: events are
// worked off in the order of their time whenever somebody looks, and nothing
// depends on how often that is.
//
// Every change of a record stamps it with the time of the change, and readers
// see changes in the order of their stamps. That is the property that polling
// with updated_since stands on: once a reader has seen the records up to a
// moment, no record can appear before it.
type world struct {
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

	traders  table[traderRow, Trader]
	accounts table[accountRow, Account]
	trades   table[tradeRow, Trade]
	payouts  table[payoutRow, Payout]

	agenda       agenda
	tradeStream  stream
	payoutStream stream
	signUps      stream

	slots     []uint32 // accounts that trade, busiest first; noAccount when finished
	alive     int      // slots with an account
	burst     burst
	building  bool // history is being generated
	perAcct   bool // trade ids count per account
	openAtEnd int  // how many of the last trades of the history stay open
	// tradesOf lists each account's trades; built by the first request that
	// filters by account.
	tradesOf map[uint32][]uint32
}

// noAccount stands where there is no account.
const noAccount = ^uint32(0)

// newWorld generates the history of a world. The options are valid.
func newWorld(o *Options) *world {
	clock := o.Clock
	if clock == nil {
		clock = time.Now
	}
	start := o.Start
	if start.IsZero() {
		start = clock()
	}
	w := &world{
		seed: o.Seed, start: start.UnixMicro(), speed: o.Speed, clock: clock, frozen: o.Speed == 0,
		instruments: instruments(), priceSeed: mix(o.Seed + uint64(forPrice)),
		trading: tradingHours(o.Weekends), office: officeHours(), perAcct: o.TradeIDsPerAccount,
	}
	if w.frozen {
		w.speed = 1
	}
	w.traders = table[traderRow, Trader]{prefix: "tr_", width: 8, build: w.trader, encode: func(dst []byte, t *Trader) []byte { return t.AppendJSON(dst) }}
	w.accounts = table[accountRow, Account]{prefix: "ac_", width: 8, build: w.account, encode: func(dst []byte, a *Account) []byte { return a.AppendJSON(dst) }}
	w.trades = table[tradeRow, Trade]{prefix: "t_", width: 10, build: w.trade, encode: func(dst []byte, t *Trade) []byte { return t.AppendJSON(dst) }}
	w.payouts = table[payoutRow, Payout]{prefix: "po_", width: 8, build: w.payout, encode: func(dst []byte, p *Payout) []byte { return p.AppendJSON(dst) }}
	if w.perAcct {
		w.trades.number = func(ref uint32) uint32 { return w.trades.rows[ref].number }
	}
	w.generate(o)
	return w
}

// now is the world's time in microseconds.
func (w *world) now() int64 {
	if w.frozen {
		return w.start + w.advanced
	}
	return w.clock().UnixMicro() + w.advanced
}

// read calls f with the world brought up to date and held still.
func (w *world) read(f func()) {
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

// write is read for changes.
func (w *world) write(f func(at int64)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.now()
	w.runTo(at)
	f(at)
}

// advance moves the world's time forward.
func (w *world) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advanced += max(d.Microseconds(), 0)
	w.runTo(w.now())
}

// runTo works off what happens up to a moment.
func (w *world) runTo(at int64) {
	for len(w.agenda) > 0 && w.agenda[0].at <= at {
		w.happen(w.agenda.pop())
	}
}

// happen dispatches one event.
func (w *world) happen(e event) {
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

// stamp is the updated_at of an event: its moment, except right after a test's
// changes, which may have been stamped some microseconds ahead of the clock.
func (w *world) stamp(at int64) int64 {
	if !w.building {
		at = max(at, w.newest)
		w.newest = at
	}
	return at
}

// stampNext is the updated_at of a test's change: now, but after every stamp
// that a reader may have seen.
func (w *world) stampNext(now int64) int64 {
	w.newest = max(now, w.newest+1)
	return w.newest
}

// span is how long something that takes d at speed 1 takes from a moment on.
func (w *world) span(at, d int64) int64 {
	if at >= w.start {
		d = int64(float64(d) / w.speed)
	}
	return max(d, 1000*microsecond)
}

// marketTime maps a moment to the time on the price path, which runs at the
// world's speed, so that fast worlds have price moves too.
func (w *world) marketTime(at int64) int64 {
	if at <= w.start {
		return at
	}
	return w.start + int64(float64(at-w.start)*w.speed)
}
