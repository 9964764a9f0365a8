package firm

import "math"

// dice is a small deterministic random generator (splitmix64). Everything
// random in the world is thrown with dice seeded by what it is for, so that no
// choice depends on how often or in which steps the world was looked at.
// Results use integer arithmetic and single float operations only and are the
// same on every architecture.
type dice struct{ state uint64 }

// purpose keeps dice for different matters apart.
type purpose uint64

const (
	forTrader purpose = iota + 1
	forAccount
	forTrade
	forTradeStream
	forModify
	forPayout
	forPayoutStream
	forSignUp
	forOpening
	forSlots
	forPrice
	forNextPhase
	forFault
)

func newDice(seed uint64, p purpose, n uint64) dice {
	return dice{state: mixBits(mixBits(seed+uint64(p)*0x9e3779b97f4a7c15) + n*0xd1342543de82ef95)}
}

// Hash turns numbers into one that looks random, for what a platform decides
// about a record. It is the same on every architecture.
func Hash(parts ...uint64) uint64 {
	var h uint64
	for _, part := range parts {
		h = mixBits(h + 0x9e3779b97f4a7c15 + mixBits(part))
	}
	return h
}

// mixBits is splitmix64's finalizer.
func mixBits(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	return mixBits(d.state)
}

// below returns a number in [0, n); n must be positive.
func (d *dice) below(n int) int { return int(d.next() >> 1 % uint64(n)) }

// int64Below is below for large ranges such as microseconds.
func (d *dice) int64Below(n int64) int64 { return int64(d.next() >> 1 % uint64(n)) }

// int64Between returns a number in [lo, hi].
func (d *dice) int64Between(lo, hi int64) int64 { return lo + d.int64Below(hi-lo+1) }

// hitsPercent reports true in p of 100 throws.
func (d *dice) hitsPercent(p int) bool { return d.below(100) < p }

// unitFloat returns a number in [0, 1).
func (d *dice) unitFloat() float64 { return float64(d.next()>>11) / (1 << 53) }

// skewedAround returns mean times a heavy-tailed factor of expectation one, as
// holding times and delays are spread: many short ones, few long ones.
func (d *dice) skewedAround(mean int64) int64 {
	const one = 1 << 16
	u := d.int64Below(one)
	return mean / one * 3 * u / one * u
}

// pickWeighted returns one of the weights' indices in proportion to its weight.
func (d *dice) pickWeighted(weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	throw := d.below(total)
	for i, w := range weights {
		if throw -= w; throw < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// zipfRank returns an index in [0, n) with Zipf-like spread: a few low ranks take
// a large share (density proportional to rank^-0.6).
func (d *dice) zipfRank(n int) int {
	u := d.unitFloat()
	return min(int(u*u*math.Sqrt(u)*float64(n)), n-1)
}
