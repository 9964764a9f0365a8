package stat

import (
	"math"
	"slices"
)

// Ranks is the result of a rank test of two samples.
type Ranks struct {
	// U is the number of pairs in which the first sample's value is the larger
	// one, ties counted half: 0…n₁n₂.
	U float64
	// Z is the normal deviate of U, corrected for ties and for continuity;
	// negative when the first sample is the smaller one.
	Z float64
	// P is the one-sided chance of a Z as low or lower.
	P float64
}

// A Stratum is two samples that were taken under like conditions.
type Stratum struct{ X, Y []float64 }

// MannWhitneyLessWithin tests whether values of X tend to be smaller than values
// of Y: Z = (U + ½ − n₁n₂/2)/σ with
// σ² = n₁n₂/12·((n+1) − Σ(t³−t)/(n(n−1))) over the groups of t tied values.
// Values are compared within a stratum only: U, its mean and its variance are
// summed over the strata, so that a difference between strata proves nothing.
// Strata with an empty sample add nothing. Undefined if all are empty, and when
// all values are equal. The normal approximation is fair from 8 per sample on;
// rules ask for 15.
// Sources: H. B. Mann and D. R. Whitney, Ann. Math. Stat. 18 (1947); R's
// wilcox.test(alternative="less", exact=FALSE); E. L. Lehmann, Nonparametrics
// (1975), blocked comparisons.
func MannWhitneyLessWithin(strata []Stratum) (Ranks, bool) {
	var u, mean, variance float64
	for _, s := range strata {
		if len(s.X) == 0 || len(s.Y) == 0 {
			continue
		}
		rankSum, ties := sumRanks(s.X, s.Y)
		n1, n2 := float64(len(s.X)), float64(len(s.Y))
		n := n1 + n2
		u += rankSum - n1*(n1+1)/2
		mean += n1 * n2 / 2
		variance += n1 * n2 / 12 * ((n + 1) - ties/(n*(n-1)))
	}
	if variance <= 0 {
		return Ranks{U: u, P: 1}, false
	}
	z := (u - mean + 0.5) / math.Sqrt(variance)
	return Ranks{U: u, Z: z, P: NormalLower(z)}, true
}

// sumRanks returns the sum of the mid-ranks of x among x and y, and Σ(t³−t).
func sumRanks(x, y []float64) (sum, ties float64) {
	x, y = slices.Clone(x), slices.Clone(y)
	Sort(x)
	Sort(y)
	for i, j := 0, 0; i < len(x) || j < len(y); {
		var v float64
		switch {
		case j == len(y):
			v = x[i]
		case i == len(x):
			v = y[j]
		default:
			v = min(x[i], y[j])
		}
		before := i + j
		mine := i
		for i < len(x) && x[i] == v {
			i++
		}
		for j < len(y) && y[j] == v {
			j++
		}
		t := float64(i + j - before)
		sum += float64(i-mine) * (float64(before) + (t+1)/2)
		ties += t*t*t - t
	}
	return sum, ties
}

// NormalLower returns P(Z ≤ z) of the standard normal, in [0, 1].
func NormalLower(z float64) float64 { return clampProbability(math.Erfc(-z/math.Sqrt2) / 2) }
