package firm

// generateHistory makes the records that exist at the start: traders and accounts as
// they have become, trades and payouts by living through the History.
func (w *World) generateHistory(o *Options) {
	w.building = true
	window := w.start - History.Microseconds()
	accounts := o.Traders * o.AccountsPerTrader
	w.traders.reserveRows(o.Traders)
	w.accounts.reserveRows(accounts)
	w.trades.reserveRows(o.Trades)
	w.payouts.reserveRows(o.Payouts)
	for n := range o.Traders {
		w.oldTrader(uint32(n), window)
	}
	for n := range accounts {
		w.oldAccount(uint32(n), o.Traders, window)
	}
	w.fillSlots(o.Trades)
	if o.Trades > 0 {
		w.openAtEnd = max(o.Trades/250, 1)
		w.tradeStream = newStream(&w.trading, window, w.start, o.Trades, w.speed)
		w.scheduleTrade(window)
	}
	if o.Payouts > 0 {
		w.payoutStream = newStream(&w.office, window, w.start, o.Payouts, w.speed)
		w.schedulePayout()
	}
	w.runTo(w.start - 1)
	w.building = false
	for ref := range w.accounts.rows {
		if row := &w.accounts.rows[ref]; len(row.open) > 0 {
			row.equity = row.balance + w.floatingProfit(row, w.accounts.updated[ref])
		}
	}
	if o.Traders > 0 {
		// A twelfth more traders in half a year, but at least one a day.
		perMonth := max(o.Traders/72, 30)
		w.signUps = newStream(&w.office, w.start, w.start+30*day, perMonth, 1)
		w.signUps.step = max(int64(float64(w.signUps.step)/w.speed), 1)
		w.signUps.history = NoAccount
		w.scheduleSignUp()
	}
}

// fillSlots gives the accounts that trade their ranks, in random order.
func (w *World) fillSlots(trades int) {
	for ref := range w.accounts.rows {
		if w.accounts.rows[ref].status == statusActive {
			w.slots = append(w.slots, uint32(ref))
		}
	}
	d := newDice(w.seed, forSlots, 0)
	for i := len(w.slots) - 1; i > 0; i-- {
		j := d.below(i + 1)
		w.slots[i], w.slots[j] = w.slots[j], w.slots[i]
	}
	w.alive = len(w.slots)
	for rank, ref := range w.slots {
		w.accounts.rows[ref].slot = uint32(rank)
		w.accounts.rows[ref].setPace(rank, len(w.slots), trades)
	}
}
