package stat

import "math"

// FisherUpper tests whether the first of two groups shows something more often
// than the second: with a of a+b in the one and c of c+d in the other it
// returns P(X ≥ a) of the hypergeometric X with these margins, in [0, 1].
// Exact but for rounding, in logarithms, so counts may be millions. It is 1
// where a count is negative or a group empty. Rules ask for ≥ 10 per group.
// Source: R. A. Fisher, JRSS 98 (1935); R's fisher.test(alternative="greater").
func FisherUpper(a, b, c, d int) float64 {
	if min(a, b, c, d) < 0 || a+b == 0 || c+d == 0 {
		return 1
	}
	group, other, shown := a+b, c+d, a+c
	if a <= max(0, shown-other) {
		return 1
	}
	high := min(group, shown)
	// The largest term of the tail: the mode of the distribution, or a beyond it.
	mode := int((float64(shown) + 1) * (float64(group) + 1) / (float64(group+other) + 2))
	peak := min(max(a, mode), high)
	top := logChoose(group, peak) + logChoose(other, shown-peak) - logChoose(group+other, shown)
	return clampProbability(math.Exp(top) * tailAround(peak, a, high, group, other, shown))
}

// tailAround sums the hypergeometric weights of low…high relative to that of
// peak, from peak outwards until the terms no longer count.
func tailAround(peak, low, high, group, other, shown int) float64 {
	const negligible = 1e-18
	sum := 1.0
	for x, w := peak, 1.0; x < high && w > negligible*sum; x++ {
		w *= float64(group-x) * float64(shown-x) / (float64(x+1) * float64(other-shown+x+1))
		sum += w
	}
	for x, w := peak, 1.0; x > low && w > negligible*sum; x-- {
		w *= float64(x) * float64(other-shown+x) / (float64(group-x+1) * float64(shown-x+1))
		sum += w
	}
	return sum
}
