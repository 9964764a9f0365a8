package stat

import (
	"math"
	"slices"
	"sort"
)

// Quantile returns the p-quantile, 0 ≤ p ≤ 1, of values in ascending order,
// in their unit: with h = (n−1)p it interpolates between the values at ⌊h⌋ and
// ⌊h⌋+1, counted from 0. Undefined for n < 1.
//
// Source: type 7 of R. J. Hyndman and Y. Fan, The American Statistician 50
// (1996), the default of R and NumPy and Postgres's percentile_cont.
func Quantile(sorted []float64, p float64) (float64, bool) {
	if len(sorted) == 0 {
		return 0, false
	}
	h := float64(len(sorted)-1) * min(max(p, 0), 1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1], true
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i]), true
}

// Median returns the 0.5-quantile of values in any order, in their unit, and
// leaves them as they are. Undefined for n < 1.
func Median(x []float64) (float64, bool) {
	sorted := slices.Clone(x)
	Sort(sorted)
	return Quantile(sorted, 0.5)
}

// madScale makes the median absolute deviation of normal values their SD.
const madScale = 1.4826

// MAD returns the median of x and 1.4826 times the median distance from it,
// ≥ 0, both in the unit of x. Undefined for n < 1. A scale of 0 says that at
// least half of the values are equal.
// Source: F. R. Hampel, JASA 69 (1974); R's mad().
func MAD(x []float64) (median, scale float64, ok bool) {
	sorted := slices.Clone(x)
	Sort(sorted)
	median, ok = Quantile(sorted, 0.5)
	if !ok {
		return 0, 0, false
	}
	// Distances ascend from the median outwards, on both sides.
	up := sort.SearchFloat64s(sorted, median)
	down := up - 1
	away := make([]float64, len(sorted)/2+1)
	for i := range away {
		if down < 0 || up < len(sorted) && sorted[up]-median <= median-sorted[down] {
			away[i] = sorted[up] - median
			up++
			continue
		}
		away[i] = median - sorted[down]
		down--
	}
	scale = away[len(away)-1]
	if len(sorted)%2 == 0 {
		scale = (away[len(away)-2] + scale) / 2
	}
	return median, madScale * scale, true
}

// CountBelow returns how many of finite values in ascending order are less than x.
// It adds up signs of differences instead of branching: where many numbers are
// looked up in a short list, the processor guesses half of the branches wrongly.
func CountBelow(sorted []float64, x float64) int {
	low := 0
	for n := len(sorted); n > 0; {
		half := (n + 1) / 2
		below := int(math.Float64bits(sorted[low+half-1]-x) >> 63)
		low += half * below
		n -= half
	}
	return low
}
