package firm

import (
	"slices"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// tradeRow is one position. Prices are points of the symbol, amounts cents of
// the account's currency, volume hundredths of a lot; a stop or target of zero
// is none, and closed is zero while the position is open.
type tradeRow struct {
	opened, closed        int64
	account, number       uint32
	openPrice, closePrice int32
	stop, target          int32
	commission, swap      int32
	profit                int32
	volume                uint16
	symbol                uint8
	sell                  bool
}

// priceGain returns the price difference in the position's favor, in points.
func (t *tradeRow) priceGain(price int64) int64 {
	if t.sell {
		return int64(t.openPrice) - price
	}
	return price - int64(t.openPrice)
}

// burst is a run of trades that one account opens within seconds.
type burst struct {
	account uint32
	left    int
	symbol  uint8
	sell    bool
}

// scheduleTrade puts the next opening on the agenda. In a burst it comes
// seconds after the last one instead of at its own time.
func (w *World) scheduleTrade(last int64) {
	at, n := w.tradeStream.next(w.seed, forTradeStream)
	if w.burst.left > 0 {
		d := newDice(w.seed, forTradeStream, uint64(n)|1<<40)
		soon := last + w.scaledSpan(last, d.int64Between(1*second, 25*second))
		sameSide := (soon < w.start) == (at < w.start) // the history has its fixed number
		if soon < at && sameSide && w.trading.isOpen(soon) {
			at = soon
		} else {
			w.burst.left = 0
		}
	}
	w.agenda.push(event{at: at, ref: n, kind: tradeOpens})
}

// openTrade opens position number n of the world.
func (w *World) openTrade(n uint32, at int64) {
	d := newDice(w.seed, forTrade, uint64(n))
	account, symbol, sell := w.burst.account, w.burst.symbol, w.burst.sell
	if w.burst.left > 0 && w.accounts.rows[account].status == statusActive && w.accounts.isChangeable(account) {
		w.burst.left--
	} else {
		w.burst.left = 0
		var ok bool
		if account, ok = w.pickAccount(&d, at, nil, 8); !ok {
			return
		}
		row := &w.accounts.rows[account]
		symbol = row.symbols[d.pickWeighted([]int{6, 3, 1})]
		sell = !d.hitsPercent(int(row.buys))
		if row.bursts && d.hitsPercent(6) {
			w.burst = burst{account: account, left: int(d.int64Between(4, 9)), symbol: symbol, sell: sell}
		}
	}
	row := &w.accounts.rows[account]
	row.number++
	trade := w.newPosition(&d, row, symbol, sell, at)
	trade.account, trade.number = account, row.number
	ref := w.trades.add(trade, 0)
	w.trades.recordChange(ref, w.updateTime(at))
	row.open = append(row.open, ref)
	if w.tradesOf != nil {
		w.tradesOf[account] = append(w.tradesOf[account], ref)
	}
	w.refreshEquity(account, at)
	end := w.plannedClose(&d, row, n, at)
	w.agenda.push(event{at: end, ref: ref, kind: tradeCloses})
	if end >= w.start && d.hitsPercent(35) {
		if change := at + (end-at)/1000*d.int64Between(150, 850); change >= w.start && w.trading.isOpen(change) {
			w.agenda.push(event{at: change, ref: ref, kind: tradeChanges})
		}
	}
}

// newPosition fills in prices and size: the distance of the stop follows how long
// the account holds, the size what it risks.
func (w *World) newPosition(d *dice, row *accountRow, symbol uint8, sell bool, at int64) tradeRow {
	in := &w.instruments[symbol]
	price := w.quotePrice(int(symbol), at, !sell)
	distance := in.stop * d.int64Between(60, 180) / 100
	switch {
	case row.holding > 6*hour:
		distance *= 3
	case row.holding < 10*minute:
		distance = distance * 2 / 5
	}
	distance = max(distance, 2*in.spread)
	risk := row.initial * int64(row.risk) / 10_000 * d.int64Between(60, 140) / 100
	volume := min(max(risk*100*100/(distance*in.pointCents), 1), 5_000)
	t := tradeRow{
		opened: at, openPrice: int32(price), volume: uint16(volume), symbol: symbol, sell: sell,
		commission: int32(-in.commission * volume / 100 * currencies[row.currency].perUSD / 1000),
	}
	sign := int64(1)
	if sell {
		sign = -1
	}
	if d.hitsPercent(78) {
		t.stop = int32(price - sign*distance)
	}
	if d.hitsPercent(68) {
		t.target = int32(price + sign*distance*d.int64Between(100, 300)/100)
	}
	return t
}

// plannedClose is when a position is going to close: after a while, before the
// night or the weekend for some accounts (all at the same moment, as platforms
// do it), and never while the markets are closed.
func (w *World) plannedClose(d *dice, row *accountRow, n uint32, at int64) int64 {
	end := at + w.scaledSpan(at, 5*second+d.skewedAround(row.holding))
	beforeNight := at/day*day + 20*hour + 45*minute
	if row.flat && at < beforeNight && end > beforeNight {
		end = beforeNight
	}
	if !w.trading.isOpen(end) {
		friday := lastFriday(end) + 20*hour + 55*minute
		if row.phase != phaseFunded && at < friday {
			end = friday
		} else {
			end = w.trading.nextOpen(end) + d.int64Below(w.scaledSpan(at, 2*hour))
		}
	}
	if w.staysOpen(n) && end < w.start {
		end = w.trading.nextOpen(w.start+w.scaledSpan(w.start, minute+d.skewedAround(row.holding))) + d.int64Below(minute)
	}
	return end
}

// staysOpen reports whether a trade is one of the last of the history, which
// stay open beyond its end.
func (w *World) staysOpen(n uint32) bool {
	last := w.tradeStream.history
	return n < last && int(last-n) <= w.openAtEnd
}

// historyEnds reports whether the trades that stay open are being opened.
func (w *World) historyEnds() bool {
	return int(w.tradeStream.n)+w.openAtEnd > int(w.tradeStream.history)
}

// lastFriday is the beginning of the Friday at or before a moment.
func lastFriday(at int64) int64 {
	start := at / day * day
	return start - int64((weekdayOf(start)+2)%7)*day
}

// closeTrade closes a position unless that has happened already.
func (w *World) closeTrade(ref uint32, at int64) {
	t := &w.trades.rows[ref]
	if t.closed != 0 {
		return
	}
	w.closePosition(ref, at)
	w.updateBalance(t.account, at)
}

// closePosition sets the close time, the close price and the profit together.
// A position that ran through its stop or target is closed there.
func (w *World) closePosition(ref uint32, at int64) {
	t := &w.trades.rows[ref]
	account := &w.accounts.rows[t.account]
	if i := slices.Index(account.open, ref); i >= 0 {
		account.open = slices.Delete(account.open, i, i+1)
	}
	price := w.quotePrice(int(t.symbol), at, t.sell)
	if t.stop != 0 && t.priceGain(price) < t.priceGain(int64(t.stop)) {
		price = int64(t.stop)
	}
	if t.target != 0 && t.priceGain(price) > t.priceGain(int64(t.target)) {
		price = int64(t.target)
	}
	t.closed, t.closePrice = at, int32(price)
	in := &w.instruments[t.symbol]
	nights := (at+2*hour)/day - (t.opened+2*hour)/day
	swap := nights * in.swap * int64(t.volume) / 100 * currencies[account.currency].perUSD / 1000
	if t.sell {
		swap = -swap * 3 / 5
	}
	t.swap = int32(swap)
	net := w.grossCents(int(t.symbol), t.priceGain(price), int64(t.volume), account.currency) + int64(t.commission) + swap
	t.profit = int32(net)
	account.balance += net
	if w.trades.isChangeable(ref) {
		w.trades.recordChange(ref, w.updateTime(at))
	}
}

// changeTrade moves the stop of an open position to its entry if it is in profit,
// and otherwise moves the target nearer.
func (w *World) changeTrade(ref uint32, at int64) {
	t := &w.trades.rows[ref]
	if t.closed != 0 || !w.trades.isChangeable(ref) {
		return
	}
	price := w.quotePrice(int(t.symbol), at, t.sell)
	if gain := t.priceGain(price); gain > 0 && t.stop != t.openPrice {
		t.stop = t.openPrice
	} else {
		d := newDice(w.seed, forModify, uint64(ref))
		distance := w.instruments[t.symbol].stop * d.int64Between(80, 250) / 100
		if t.sell {
			distance = -distance
		}
		t.target = int32(price + distance)
	}
	w.trades.recordChange(ref, w.updateTime(at))
}

// Trade returns a generated trade as it is now, for callers of Read.
func (w *World) Trade(ref uint32) Trade {
	t := &w.trades.rows[ref]
	digits := w.instruments[t.symbol].digits
	record := Trade{
		Account: t.account, Number: t.number, Symbol: w.instruments[t.symbol].symbol, Side: "buy",
		OpenTime: wire.Moment(t.opened), UpdatedAt: wire.Moment(w.trades.updated[ref]), Volume: wire.NewDecimal(int64(t.volume), 2),
		OpenPrice: wire.NewDecimal(int64(t.openPrice), digits), Commission: wire.NewDecimal(int64(t.commission), 2), Swap: wire.NewDecimal(int64(t.swap), 2),
	}
	if t.sell {
		record.Side = "sell"
	}
	if t.stop != 0 {
		record.StopLoss = wire.NewDecimal(int64(t.stop), digits)
	}
	if t.target != 0 {
		record.TakeProfit = wire.NewDecimal(int64(t.target), digits)
	}
	if t.closed != 0 {
		record.CloseTime = wire.Moment(t.closed)
		record.ClosePrice = wire.NewDecimal(int64(t.closePrice), digits)
		record.Profit = wire.NewDecimal(int64(t.profit), 2)
	}
	return record
}
