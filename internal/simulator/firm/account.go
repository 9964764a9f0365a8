package firm

import (
	"math"
	"slices"
	"strconv"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// The enumerations of an account, in the order of their names.
const (
	phaseEvaluation uint8 = iota
	phaseVerification
	phaseFunded
	phaseOther
)

const (
	statusActive uint8 = iota
	statusPassed
	statusBreached
	statusClosed
	statusSuspended
)

var (
	phaseNames    = [...]string{"evaluation", "verification", "funded", "other"}
	statusNames   = [...]string{"active", "passed", "breached", "closed", "suspended"}
	platformNames = [...]string{"mt5", "mt4", "ctrader", "matchtrader", "tradelocker", "dxtrade", "other"}
	programNames  = [...]string{"Two-Step", "One-Step", "Rapid", "Instant"}
	sizes         = [...]int64{5_000, 10_000, 25_000, 50_000, 100_000, 200_000}
	leverages     = [...]string{"1:30", "1:50", "1:100"}
)

// Rules of the programs: an account is breached when a tenth of its size is
// lost, and passed when it has earned its phase's target, in percent.
const maxLoss = 10

var profitTargets = [...]int64{phaseEvaluation: 10, phaseVerification: 5, phaseFunded: 0, phaseOther: 0}

// accountRow is one account. Amounts are cents.
type accountRow struct {
	started  int64
	initial  int64
	balance  int64
	equity   int64
	open     []uint32 // open trades
	trader   uint32
	slot     uint32
	number   uint32 // trades so far, when ids count per account
	platform uint8
	phase    uint8
	status   uint8
	currency uint8
	program  uint8
	risk     uint8    // hundredths of a percent of the size that a trade risks
	symbols  [3]uint8 // favourites
	buys     uint8    // percent of trades that are buys
	flat     bool     // closes everything before the night
	bursts   bool     // tends to open several trades within seconds
	holding  int64    // mean time between open and close
}

// newAccount rolls an account.
func (w *World) newAccount(ref, trader uint32, phase uint8, started int64) accountRow {
	d := newDice(w.seed, forAccount, uint64(ref))
	row := accountRow{
		started: started, trader: trader, slot: NoAccount, phase: phase,
		initial:  sizes[d.pickWeighted([]int{10, 18, 22, 20, 22, 8})] * 100,
		platform: uint8(d.pickWeighted([]int{50, 15, 12, 8, 8, 6, 1})),
		currency: uint8(d.pickWeighted([]int{86, 9, 5})),
		program:  uint8(d.pickWeighted([]int{60, 25, 10, 5})),
		flat:     d.hitsPercent(25), bursts: d.hitsPercent(12),
		buys: uint8(d.int64Between(42, 58)),
	}
	if d.hitsPercent(6) { // trades one way only, nearly
		row.buys = uint8(d.pickWeighted([]int{1, 1})) * 92
		row.buys += 4
	}
	for i := range row.symbols {
		row.symbols[i] = uint8(d.pickWeighted([]int{22, 12, 10, 20, 8, 10, 4, 3, 3, 4, 2, 2}))
	}
	row.balance, row.equity = row.initial, row.initial
	return row
}

// oldAccount adds an account that was opened before the start.
func (w *World) oldAccount(n uint32, traders int, window int64) {
	d := newDice(w.seed, forOpening, uint64(n)|1<<40)
	trader := uint32(0)
	if n > 0 {
		trader = uint32(d.below(traders))
	}
	registered := w.traders.rows[trader].registered
	started := registered + minute + d.skewedAround(3*day)
	if n > 0 && d.hitsPercent(40) { // not the first one
		started = d.int64Between(registered+minute, w.start-minute)
	}
	started = min(started, w.start-minute)
	if n == 0 {
		started = min(started, window-day) // one account has been there all the time
	}
	row := w.newAccount(n, trader, uint8(d.pickWeighted([]int{55, 15, 27, 3})), started)
	updated := started
	if n > 0 && d.hitsPercent(4) {
		row.status = statusClosed + uint8(d.below(2))
		updated = d.int64Between(started, w.start-1)
	}
	if started < window {
		row.balance = row.initial / 1000 * d.int64Between(970, 1045)
		row.equity = row.balance
	}
	w.accounts.add(row, updated)
}

// openFirstAccount gives a trader who signed up lately an account to trade.
func (w *World) openFirstAccount(trader uint32, at int64) {
	if w.traders.isChangeable(trader) {
		w.slots = append(w.slots, NoAccount)
		w.openAccount(trader, phaseEvaluation, uint32(len(w.slots)-1), at)
	}
}

// openAccount adds an account and gives it a slot.
func (w *World) openAccount(trader uint32, phase uint8, slot uint32, at int64) {
	ref := uint32(len(w.accounts.rows))
	row := w.newAccount(ref, trader, phase, at)
	row.slot = slot
	row.setPace(int(slot), len(w.slots), int(w.tradeStream.history))
	w.accounts.add(row, 0)
	w.accounts.recordChange(ref, w.updateTime(at))
	w.slots[slot] = ref
	w.alive++
	if owner := &w.traders.rows[trader]; phase == phaseFunded && !owner.funded && w.traders.isChangeable(trader) {
		owner.funded = true
		w.traders.recordChange(trader, w.updateTime(at))
	}
}

// setPace sets how an account trades from how often it does: who trades all day
// holds for minutes and risks little at a time, so that results stay within
// what an account can bear.
func (a *accountRow) setPace(rank, slots, trades int) {
	share := math.Pow(float64(rank+1)/float64(slots), 0.4) - math.Pow(float64(rank)/float64(slots), 0.4)
	expected := share * float64(trades)
	switch perDay := expected / 60; {
	case perDay > 20:
		a.holding = 4 * minute
	case perDay > 3:
		a.holding = 80 * minute
	default:
		a.holding = 14 * hour
	}
	a.risk = uint8(min(max(900/math.Sqrt(max(expected, 1)), 2), 150))
}

// pickAccount chooses the account of a new trade or payout.
func (w *World) pickAccount(d *dice, at int64, fits func(*accountRow) bool, tries int) (uint32, bool) {
	if len(w.slots) == 0 {
		return NoAccount, false
	}
	usable := func(slot int) bool {
		ref := w.slots[slot]
		if ref == NoAccount || !w.accounts.isChangeable(ref) {
			return false
		}
		row := &w.accounts.rows[ref]
		return row.started <= at && (fits == nil || fits(row))
	}
	slot := 0
	for range tries {
		if slot = d.zipfRank(len(w.slots)); usable(slot) {
			return w.slots[slot], true
		}
	}
	if fits != nil {
		return NoAccount, false
	}
	for range w.slots {
		if slot++; slot >= len(w.slots) {
			slot = 0
		}
		if usable(slot) {
			return w.slots[slot], true
		}
	}
	return NoAccount, false
}

// updateBalance shows an account's new balance and equity, and ends the account
// when it has reached its target or its limit.
func (w *World) updateBalance(ref uint32, at int64) {
	row := &w.accounts.rows[ref]
	target := profitTargets[row.phase]
	switch gained := row.balance - row.initial; {
	case row.status != statusActive:
	case gained < -row.initial*maxLoss/100:
		w.endAccount(ref, statusBreached, at)
	case target > 0 && gained >= row.initial*target/100:
		w.endAccount(ref, statusPassed, at)
	}
	w.refreshEquity(ref, at)
}

// refreshEquity recomputes the equity and marks the account as changed.
func (w *World) refreshEquity(ref uint32, at int64) {
	row := &w.accounts.rows[ref]
	row.equity = row.balance
	if !w.building {
		row.equity += w.floatingProfit(row, at)
	}
	if w.accounts.isChangeable(ref) {
		w.accounts.recordChange(ref, w.updateTime(at))
	}
}

// endAccount ends an account: its open trades are closed at once, and, in a live world, the trader
// continues with the next phase or a new attempt.
func (w *World) endAccount(ref uint32, status uint8, at int64) {
	if w.building && (ref == 0 || w.alive <= len(w.slots)/2 || w.historyEnds()) {
		// The history has a fixed number of accounts: keep enough of them
		// trading, and the last trades open.
		return
	}
	row := &w.accounts.rows[ref]
	row.status = status
	slot, phase, trader := row.slot, row.phase, row.trader
	for _, trade := range slices.Clone(row.open) {
		w.closePosition(trade, at)
	}
	if slot == NoAccount {
		return
	}
	w.slots[slot] = NoAccount
	w.alive--
	if w.building {
		return
	}
	next := phaseEvaluation
	if status == statusPassed {
		next = phase + 1
	}
	w.openAccount(trader, next, slot, at)
}

// floatingProfit returns the profit of an account's open trades at a moment, in
// cents.
func (w *World) floatingProfit(row *accountRow, at int64) int64 {
	var sum int64
	for _, ref := range row.open {
		t := &w.trades.rows[ref]
		if t.opened <= at {
			sum += w.grossCents(int(t.symbol), t.priceGain(w.quotePrice(int(t.symbol), at, t.sell)), int64(t.volume), row.currency)
		}
	}
	return sum
}

// Account returns a generated account as it is now, for callers of Read.
func (w *World) Account(ref uint32) Account {
	row := &w.accounts.rows[ref]
	d := newDice(w.seed, forAccount, uint64(ref)|1<<40)
	size := strconv.FormatInt(row.initial/100_000, 10)
	a := Account{
		Trader: row.trader, UpdatedAt: wire.Moment(w.accounts.updated[ref]),
		Platform: platformNames[row.platform], Login: strconv.Itoa(50_000_000 + int(ref)*3 + d.below(3)),
		Program: programNames[row.program], Size: size + "K", Phase: phaseNames[row.phase], Status: statusNames[row.status],
		Currency:       currencies[row.currency].code,
		InitialBalance: wire.NewDecimal(row.initial, 2), Balance: wire.NewDecimal(row.balance, 2), Equity: wire.NewDecimal(row.equity, 2),
		StartedAt: wire.Moment(row.started),
	}
	if d.hitsPercent(80) {
		a.Server, a.Leverage = "Live-0"+strconv.Itoa(1+d.below(4)), leverages[d.below(len(leverages))]
	}
	return a
}
