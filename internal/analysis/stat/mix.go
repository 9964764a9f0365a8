package stat

import (
	"cmp"
	"maps"
	"slices"
)

// HHI returns the Herfindahl–Hirschman index Σ(w/Σw)² of weights ≥ 0: 1/k for
// k equal ones, 1 when one has all. Undefined when all are 0 or none is given.
// Source: A. O. Hirschman, National Power (1945); O. C. Herfindahl (1950).
func HHI(weights []float64) (float64, bool) {
	total := Sum(weights)
	if total <= 0 {
		return 0, false
	}
	squares := make([]float64, len(weights))
	for i, w := range weights {
		squares[i] = w / total * (w / total)
	}
	return Sum(squares), true
}

// TotalVariation returns how far two mixes are apart, ½·Σ|a/Σa − b/Σb| over
// the kinds of either, in [0, 1]: 0 for equal shares, 1 for nothing in common.
// Undefined when one is empty; by chance it is about √(kinds/n) even without
// any change, so rules ask for 20 on either side.
func TotalVariation[K cmp.Ordered](a, b map[K]int) (float64, bool) {
	var na, nb int
	for _, c := range a {
		na += c
	}
	for _, c := range b {
		nb += c
	}
	if na <= 0 || nb <= 0 {
		return 0, false
	}
	// In order of the kinds, so that rounding is the same every time.
	kinds := slices.Compact(slices.Sorted(func(yield func(K) bool) {
		for k := range maps.Keys(a) {
			if !yield(k) {
				return
			}
		}
		maps.Keys(b)(yield)
	}))
	var sum float64
	for _, k := range kinds {
		d := float64(a[k])/float64(na) - float64(b[k])/float64(nb)
		sum += max(d, -d)
	}
	return min(sum/2, 1), true
}
