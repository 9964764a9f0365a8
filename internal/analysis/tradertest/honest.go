package tradertest

import "math"

// scalp trades from a week on with 10 to 25 positions a day, one after the other,
// for 3 to 20 minutes each, on two symbols.
func (h *hand) scalp(account uint16, from int64) {
	start := h.between(7*hour, 14*hour)
	for _, morning := range h.workdays(0.9) {
		if week := (morning - begin) / (7 * day); week < from {
			continue
		}
		at := morning + start + h.between(0, 30*minute)
		for at < morning+start+5*hour {
			hold := h.lognormal(8*minute, 0.5)
			h.place(order{account: account, instrument: h.rng.IntN(2), side: h.coin(), at: at, hold: hold, lots: 1, stop: h.stop(0, 15)})
			at += hold + h.lognormal(6*minute, 0.8)
		}
	}
}

// stop is where a person would put it: some minutes' moves away, never the same.
func (h *hand) stop(instrument int, minutes float64) float64 {
	return h.minuteMove(instrument) * math.Sqrt(minutes) * (1 + h.rng.Float64())
}

// swing trades up to a week with one or two positions a day over one to four days.
func (h *hand) swing(to int64) {
	for _, morning := range h.workdays(0.8) {
		if week := (morning - begin) / (7 * day); week >= to {
			continue
		}
		for range 1 + h.rng.IntN(2) {
			instrument := h.rng.IntN(4)
			h.place(order{
				instrument: instrument, side: h.coin(), at: morning + h.between(7*hour, 17*hour),
				hold: h.lognormal(30*hour, 0.5), lots: 0.3 + 0.4*h.rng.Float64(), stop: h.stop(instrument, 600), target: h.stop(instrument, 1200),
			})
		}
	}
}

// walk draws a trader without any habit that the analysis looks for: hours,
// pace, holding times, sizes and symbols differ between traders, and no
// decision depends on another one. Half of them are busier in the middle of
// their hours; half hold several positions at once; some have an account in
// evaluation and then a funded one.
func (h *hand) walk() {
	start, length := h.between(0, 16*hour), h.between(3*hour, 9*hour)
	pace := 1.5 + 14*math.Pow(h.rng.Float64(), 2)
	median, spread := h.lognormal(25*minute, 1), 0.4+h.rng.Float64()
	size, sizeSpread := 0.2+2*h.rng.Float64(), 0.3*float64(h.rng.IntN(2))
	symbols := 1 + h.rng.IntN(4)
	busy, overlapping := h.rng.IntN(2) == 0, h.rng.IntN(2) == 0
	funded, change := uint16(0), int64(0)
	if h.rng.IntN(4) == 0 {
		h.in.Accounts[0].Phase = "evaluation"
		funded = h.account(false)
		change = begin + h.between(3, Weeks-3)*7*day
	}
	var free int64
	for _, morning := range h.workdays(0.5 + h.rng.Float64()/2) {
		account := uint16(0)
		if funded > 0 && morning >= change {
			account = funded
		}
		for _, at := range h.opens(morning+start, length, pace, busy) {
			hold := h.lognormal(median, spread)
			if !overlapping && at < free {
				continue
			}
			free = at + hold
			instrument := h.rng.IntN(symbols)
			h.place(order{
				account: account, instrument: instrument, side: h.coin(), at: at, hold: hold,
				lots: size * math.Exp(sizeSpread*h.rng.NormFloat64()), stop: h.stop(instrument, 60), target: h.stop(instrument, 90),
			})
		}
	}
}

// opens draws the moments of a Poisson process over a stretch, with as many as
// pace on average: even, or twice as dense in the middle half.
func (h *hand) opens(from, length int64, pace float64, busy bool) []int64 {
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

// streak draws an honest trader whose decisions are not independent: he keeps to
// a side for a while, his size drifts, and one idea in four is traded on two or
// three symbols within a minute or so.
func (h *hand) streak() {
	start, length := h.between(0, 16*hour), h.between(4*hour, 9*hour)
	pace := 2 + 8*h.rng.Float64()
	median := h.lognormal(40*minute, 0.7)
	side, size := h.coin(), 0.0
	for _, morning := range h.workdays(0.8) {
		for _, at := range h.opens(morning+start, length, pace, false) {
			if h.rng.IntN(4) == 0 {
				side = side.Opposite()
			}
			size = 0.9*size + 0.15*h.rng.NormFloat64()
			symbols := 1
			if h.rng.IntN(4) == 0 {
				symbols = 2 + h.rng.IntN(2)
			}
			for _, instrument := range h.rng.Perm(4)[:symbols] {
				h.place(order{
					instrument: instrument, side: side, at: at, hold: h.lognormal(median, 0.7),
					lots: math.Exp(size), stop: h.stop(instrument, 60),
				})
				at += h.between(4*second, 40*second)
			}
		}
	}
}
