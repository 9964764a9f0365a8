package stat

import (
	"math"
	"slices"
	"sync"
)

// radixFrom is the length from which sorting by digits is faster than by
// comparing.
const radixFrom = 1 << 11

// Sort puts finite values in ascending order, any n. Long slices are sorted by
// their digits, in linear time and with two more slices of their length.
func Sort(x []float64) {
	if len(x) < radixFrom || slices.IsSorted(x) {
		slices.Sort(x)
		return
	}
	keys, giveBack := borrowSlice(len(x))
	defer giveBack()
	for i, v := range x {
		keys[i] = orderedBits(v)
	}
	SortUints(keys)
	for i, k := range keys {
		x[i] = fromOrderedBits(k)
	}
}

// spare holds slices to sort with: an analysis sorts dozens of long samples, one
// after the other.
var spare = sync.Pool{New: func() any { return new([]uint64) }}

// borrowSlice returns a slice of n numbers, of any values.
func borrowSlice(n int) (x []uint64, giveBack func()) {
	held, _ := spare.Get().(*[]uint64)
	if cap(*held) < n {
		*held = make([]uint64, n)
	}
	return (*held)[:n], func() { spare.Put(held) }
}

// orderedBits returns bits that are in order when the values are: those of
// positive values above those of negative ones, which are turned round.
func orderedBits(v float64) uint64 {
	bits := math.Float64bits(v)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

func fromOrderedBits(k uint64) float64 {
	if k>>63 != 0 {
		return math.Float64frombits(k &^ (1 << 63))
	}
	return math.Float64frombits(^k)
}

// digitBits is the size of the digits that numbers are sorted by: six of them make
// a number, and the places of one digit's values fit into the fastest memory.
const digitBits = 11

// SortUints puts numbers in ascending order, any n. Long slices are sorted by
// their digits, in linear time and with one more slice of their length; digits
// that all numbers share cost nothing.
func SortUints(x []uint64) {
	if len(x) < radixFrom || slices.IsSorted(x) {
		slices.Sort(x)
		return
	}
	const mask = 1<<digitBits - 1
	var counts [6][1 << digitBits]uint32
	for _, v := range x { // written out: a loop over the digits takes longer
		counts[0][v&mask]++
		counts[1][v>>digitBits&mask]++
		counts[2][v>>(2*digitBits)&mask]++
		counts[3][v>>(3*digitBits)&mask]++
		counts[4][v>>(4*digitBits)&mask]++
		counts[5][v>>(5*digitBits)&mask]++
	}
	to, giveBack := borrowSlice(len(x))
	defer giveBack()
	from := x
	for b := range counts {
		places, shift := &counts[b], b*digitBits
		if places[x[0]>>shift&mask] == uint32(len(x)) {
			continue
		}
		next := uint32(0)
		for digit, n := range places {
			places[digit], next = next, next+n
		}
		for _, v := range from {
			place := &places[v>>shift&mask]
			to[*place] = v
			*place++
		}
		from, to = to, from
	}
	if &from[0] != &x[0] {
		copy(x, from)
	}
}
