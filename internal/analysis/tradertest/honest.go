package tradertest

import "math"

// tradeScalping trades from a week on with 10 to 25 positions a day, one after the other,
// for 3 to 20 minutes each, on two symbols.
func (h *hand) tradeScalping(account uint16, from int64) {
	start := h.drawBetween(7*hour, 14*hour)
	for _, morning := range h.drawWorkdays(0.9) {
		if week := (morning - begin) / (7 * day); week < from {
			continue
		}
		at := morning + start + h.drawBetween(0, 30*minute)
		for at < morning+start+5*hour {
			hold := h.drawLognormal(8*minute, 0.5)
			h.placeOrder(order{account: account, instrument: h.rng.IntN(2), side: h.drawSide(), at: at, hold: hold, lots: 1, stop: h.drawStop(0, 15)})
			at += hold + h.drawLognormal(6*minute, 0.8)
		}
	}
}

// drawStop returns a stop where a person would put it: some minutes' moves away,
// never the same.
func (h *hand) drawStop(instrument int, minutes float64) float64 {
	return h.minuteMove(instrument) * math.Sqrt(minutes) * (1 + h.rng.Float64())
}

// tradeSwing trades up to a week with one or two positions a day over one to four days.
func (h *hand) tradeSwing(to int64) {
	for _, morning := range h.drawWorkdays(0.8) {
		if week := (morning - begin) / (7 * day); week >= to {
			continue
		}
		for range 1 + h.rng.IntN(2) {
			instrument := h.rng.IntN(4)
			h.placeOrder(order{
				instrument: instrument, side: h.drawSide(), at: morning + h.drawBetween(7*hour, 17*hour),
				hold: h.drawLognormal(30*hour, 0.5), lots: 0.3 + 0.4*h.rng.Float64(), stop: h.drawStop(instrument, 600), target: h.drawStop(instrument, 1200),
			})
		}
	}
}

// tradeRandomly draws a trader without any habit that the analysis looks for: hours,
// pace, holding times, sizes and symbols differ between traders, and no
// decision depends on another one. Half of them are busier in the middle of
// their hours; half hold several positions at once; some have an account in
// evaluation and then a funded one.
func (h *hand) tradeRandomly() {
	start, length := h.drawBetween(0, 16*hour), h.drawBetween(3*hour, 9*hour)
	pace := 1.5 + 14*math.Pow(h.rng.Float64(), 2)
	median, spread := h.drawLognormal(25*minute, 1), 0.4+h.rng.Float64()
	size, sizeSpread := 0.2+2*h.rng.Float64(), 0.3*float64(h.rng.IntN(2))
	symbols := 1 + h.rng.IntN(4)
	busy, overlapping := h.rng.IntN(2) == 0, h.rng.IntN(2) == 0
	funded, change := uint16(0), int64(0)
	if h.rng.IntN(4) == 0 {
		h.in.Accounts[0].Phase = "evaluation"
		funded = h.addAccount(false)
		change = begin + h.drawBetween(3, weeks-3)*7*day
	}
	var free int64
	for _, morning := range h.drawWorkdays(0.5 + h.rng.Float64()/2) {
		account := uint16(0)
		if funded > 0 && morning >= change {
			account = funded
		}
		for _, at := range h.drawOpens(morning+start, length, pace, busy) {
			hold := h.drawLognormal(median, spread)
			if !overlapping && at < free {
				continue
			}
			free = at + hold
			instrument := h.rng.IntN(symbols)
			h.placeOrder(order{
				account: account, instrument: instrument, side: h.drawSide(), at: at, hold: hold,
				lots: size * math.Exp(sizeSpread*h.rng.NormFloat64()), stop: h.drawStop(instrument, 60), target: h.drawStop(instrument, 90),
			})
		}
	}
}

// drawOpens draws the moments of a Poisson process over a stretch, with as many as
// pace on average: even, or twice as dense in the middle half.
func (h *hand) drawOpens(from, length int64, pace float64, busy bool) []int64 {
	var out []int64
	peak := 1.0
	if busy {
		peak = 4.0 / 3
	}
	for at := float64(from); ; {
		at += h.rng.ExpFloat64() * float64(length) / (pace * peak)
		place := (at - float64(from)) / float64(length)
		if place >= 1 {
			return out
		}
		if middle := place > 0.25 && place < 0.75; middle || !busy || h.rng.Float64() < 0.5 {
			out = append(out, int64(at))
		}
	}
}

// tradeStreaks draws an honest trader whose decisions are not independent: he keeps to
// a side for a while, his size drifts, and one idea in four is traded on two or
// three symbols within a minute or so.
func (h *hand) tradeStreaks() {
	start, length := h.drawBetween(0, 16*hour), h.drawBetween(4*hour, 9*hour)
	pace := 2 + 8*h.rng.Float64()
	median := h.drawLognormal(40*minute, 0.7)
	side, size := h.drawSide(), 0.0
	for _, morning := range h.drawWorkdays(0.8) {
		for _, at := range h.drawOpens(morning+start, length, pace, false) {
			if h.rng.IntN(4) == 0 {
				side = side.Opposite()
			}
			size = 0.9*size + 0.15*h.rng.NormFloat64()
			symbols := 1
			if h.rng.IntN(4) == 0 {
				symbols = 2 + h.rng.IntN(2)
			}
			for _, instrument := range h.rng.Perm(4)[:symbols] {
				h.placeOrder(order{
					instrument: instrument, side: side, at: at, hold: h.drawLognormal(median, 0.7),
					lots: math.Exp(size), stop: h.drawStop(instrument, 60),
				})
				at += h.drawBetween(4*second, 40*second)
			}
		}
	}
}
