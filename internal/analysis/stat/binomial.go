package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Z95 is the normal deviate of a two-sided 95 % interval.
const Z95 = 1.959963984540054

// Wilson returns the score interval of a proportion from k of n at the normal
// deviate z, 0 ≤ low ≤ k/n ≤ high ≤ 1:
// (k/n + z²/2n ± z√(k/n·(1−k/n)/n + z²/4n²)) / (1 + z²/n).
// For n < 1 and k outside 0…n it is [0, 1]; good from n = 1 on.
// Source: E. B. Wilson, JASA 22 (1927).
func Wilson(k, n int, z float64) (low, high float64) {
	if n < 1 || k < 0 || k > n {
		return 0, 1
	}
	f, p := float64(n), float64(k)/float64(n)
	centre := p + z*z/(2*f)
	half := z * math.Sqrt(p*(1-p)/f+z*z/(4*f*f))
	scale := 1 + z*z/f
	// Rounding must not put the proportion itself outside.
	return min(max((centre-half)/scale, 0), p), max(min((centre+half)/scale, 1), p)
}

// BinomialUpper returns P(X ≥ k) of X ~ Bin(n, p) = I_p(k, n−k+1), exact but
// for rounding, any n.
func BinomialUpper(k, n int, p float64) float64 {
	switch {
	case k <= 0 || p >= 1 && k <= n:
		return 1
	case k > n || p <= 0:
		return 0
	}
	return clampProbability(mathext.RegIncBeta(float64(k), float64(n-k+1), p))
}

// BinomialTwoSided returns min(1, 2·P(Bin(n, ½) ≥ max(k, n−k))): how likely n
// tosses of a fair coin are at least as one-sided as k of n. It is 1 for n < 1.
func BinomialTwoSided(k, n int) float64 {
	if n < 1 {
		return 1
	}
	return clampProbability(2 * BinomialUpper(max(k, n-k), n, 0.5))
}

// binomialPMF returns P(X = k) of X ~ Bin(n, p) for 0 ≤ k ≤ n, 0 < p < 1, by
// logarithms, so that no factor leaves the range of a float.
func binomialPMF(k, n int, p float64) float64 {
	return math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// logChoose returns ln C(n, k), 0 ≤ k ≤ n.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n) + 1)
	b, _ := math.Lgamma(float64(k) + 1)
	c, _ := math.Lgamma(float64(n-k) + 1)
	return a - b - c
}

// clampProbability clamps what rounding has moved out of [0, 1]; what is no number
// supports nothing and becomes 1.
func clampProbability(p float64) float64 {
	if math.IsNaN(p) {
		return 1
	}
	return min(max(p, 0), 1)
}
