package tradertest

import "github.com/assayhq/assay/internal/analysis/trades"

// tradeMartingale trades one position after the other and doubles after a loss, up
// to five times.
func (h *hand) tradeMartingale() {
	for _, morning := range h.drawWorkdays(0.8) {
		at, lots := morning+9*hour+h.drawBetween(0, hour), 0.1
		for at < morning+16*hour {
			hold := h.drawLognormal(20*minute, 0.4)
			net := h.placeOrder(order{instrument: 0, side: h.drawSide(), at: at, hold: hold, lots: lots})
			at += hold + h.drawLognormal(15*minute, 0.5)
			if lots *= 2; net > 0 || lots > 3.2 {
				lots = 0.1
			}
		}
	}
}

// tradeGrid opens a position each morning and one more at each step of the price
// against it, and closes all of them together.
func (h *hand) tradeGrid() {
	const instrument = 0
	step := h.minuteMove(instrument) * 8
	for _, morning := range h.drawWorkdays(0.9) {
		side := h.drawSide()
		direction := 1.0
		if side == trades.Sell {
			direction = -1
		}
		from := morning + 8*hour + h.drawBetween(0, hour)
		until := from + 8*hour
		level := h.market.priceAt(instrument, from)
		h.placeOrder(order{instrument: instrument, side: side, at: from, hold: until - from, lots: 0.2})
		for at := from; at < until; at += minute / 4 {
			if direction*(level-h.market.priceAt(instrument, at)) >= step {
				level -= direction * step
				h.placeOrder(order{instrument: instrument, side: side, at: at + h.drawBetween(0, second), hold: until - at, lots: 0.2})
			}
		}
	}
}

// tradeCopied lets another account follow within two seconds, with double the size.
func (h *hand) tradeCopied() {
	h.tradeScalping(0, 0)
	other := h.addAccount(true)
	for _, t := range h.in.Trades {
		if h.rng.Float64() < 0.9 {
			h.placeOrder(order{
				account: other, instrument: int(t.Symbol), side: t.Side, at: t.Open + h.drawBetween(second/2, 2*second),
				hold: t.Close - t.Open, lots: 2 * t.Volume,
			})
		}
	}
}

// tradeHedged lets another account take the other side within half a minute on some
// days, while both have trades of their own.
func (h *hand) tradeHedged() {
	h.tradeScalping(0, 0)
	own := len(h.in.Trades)
	other := h.addAccount(true)
	h.tradeScalping(other, 0)
	for _, t := range h.in.Trades[:own] {
		if h.rng.Float64() < 0.3 {
			h.placeOrder(order{
				account: other, instrument: int(t.Symbol), side: t.Side.Opposite(), at: t.Open + h.drawBetween(second, 20*second),
				hold: t.Close - t.Open, lots: t.Volume,
			})
		}
	}
}

// newsTrade opens within a minute of two thirds of the dollar's news, and a few
// positions at other times of the same hours.
func (h *hand) newsTrade() {
	for _, e := range h.market.Calendar.Events {
		if e.Currency != "USD" {
			continue
		}
		at := e.Time + h.drawBetween(5*second, 55*second)
		if h.rng.Float64() > 0.66 {
			at = e.Time + h.drawBetween(10*minute, 25*minute)
		}
		h.placeOrder(order{instrument: h.rng.IntN(3), side: h.drawSide(), at: at, hold: h.drawLognormal(15*minute, 0.5), lots: 1})
	}
}

// tradeSchedule opens in the first seconds of random minutes around the clock, with
// one stop and one target.
func (h *hand) tradeSchedule() {
	const instrument = 0
	unit := h.minuteMove(instrument) * 10
	for _, morning := range h.drawWorkdays(1) {
		for at := morning + h.drawBetween(0, 2*hour); at < morning+day; at += h.drawBetween(30*minute, 150*minute) {
			h.placeOrder(order{
				instrument: instrument, side: h.drawSide(), at: at - at%minute + h.drawBetween(0, 2*second),
				hold: h.drawLognormal(40*minute, 0.5), lots: 0.5, stop: unit, target: 2 * unit,
			})
		}
	}
}

// tradeRevenge comes back within three minutes after a loss, with half as much again,
// and takes his time after a win.
func (h *hand) tradeRevenge() {
	for _, morning := range h.drawWorkdays(0.9) {
		lots := 1.0
		for at := morning + 9*hour + h.drawBetween(0, hour); at < morning+16*hour; {
			hold := h.drawLognormal(12*minute, 0.5)
			net := h.placeOrder(order{instrument: h.rng.IntN(2), side: h.drawSide(), at: at, hold: hold, lots: lots})
			if net < 0 {
				at, lots = at+hold+h.drawBetween(20*second, 3*minute), 1.5
				continue
			}
			at, lots = at+hold+h.drawLognormal(50*minute, 0.5), 1
		}
	}
}

// tradeBursts opens salvos of seven positions within a minute or so, two each day, and
// little else.
func (h *hand) tradeBursts() {
	for _, morning := range h.drawWorkdays(0.9) {
		for range 5 {
			h.placeOrder(order{instrument: h.rng.IntN(4), side: h.drawSide(), at: morning + h.drawBetween(8*hour, 16*hour), hold: h.drawLognormal(30*minute, 0.5), lots: 1})
		}
		for range 2 {
			at := morning + h.drawBetween(8*hour, 16*hour)
			for range 7 {
				h.placeOrder(order{instrument: h.rng.IntN(4), side: h.drawSide(), at: at, hold: h.drawLognormal(30*minute, 0.5), lots: 1})
				at += h.drawBetween(5*second, 12*second)
			}
		}
	}
}

// oneWay buys, and sells one time in fifty.
func (h *hand) oneWay() {
	for _, morning := range h.drawWorkdays(0.9) {
		for range 4 {
			side := trades.Buy
			if h.rng.IntN(50) == 0 {
				side = trades.Sell
			}
			h.placeOrder(order{instrument: h.rng.IntN(3), side: side, at: morning + h.drawBetween(8*hour, 16*hour), hold: h.drawLognormal(45*minute, 0.4), lots: 1})
		}
	}
}

// tradeJumps trades as a scalper and takes ten times the size one time in seven.
func (h *hand) tradeJumps() {
	h.tradeScalping(0, 0)
	trades := h.in.Trades
	h.in.Trades = nil
	for _, t := range trades {
		lots := 0.2
		if h.rng.IntN(7) == 0 {
			lots = 2
		}
		h.placeOrder(order{instrument: int(t.Symbol), side: t.Side, at: t.Open, hold: t.Close - t.Open, lots: lots})
	}
}
