package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// ChiSquareUpper returns P(X ≥ x) of X ~ χ² with df > 0 degrees of freedom,
// the regularized upper incomplete gamma function Q(df/2, x/2), in [0, 1]; 1
// for x ≤ 0 and for df ≤ 0.
func ChiSquareUpper(x, df float64) float64 {
	switch {
	case x <= 0 || df <= 0:
		return 1
	case math.IsInf(x, 1):
		return 0
	}
	return clampProbability(mathext.GammaIncRegComp(df/2, x/2))
}

// Uniform tests whether counts fall into their bins with equal chance:
// χ² = Σ(c−e)²/e with e = n/bins, p from bins−1 degrees of freedom. Undefined
// for less than two bins and where e < 5, below which the tail is not χ².
// Source: K. Pearson, Phil. Mag. 50 (1900); the 5 is W. G. Cochran's (1954).
func Uniform(counts []int) (chi2, p float64, ok bool) {
	var n int
	for _, c := range counts {
		n += c
	}
	expected := float64(n) / float64(max(len(counts), 1))
	if len(counts) < 2 || expected < 5 {
		return 0, 1, false
	}
	for _, c := range counts {
		d := float64(c) - expected
		chi2 += d * d / expected
	}
	return chi2, ChiSquareUpper(chi2, float64(len(counts)-1)), true
}

// dispersionMinimum is the number of days below which Dispersion says nothing.
const dispersionMinimum = 10

// Dispersion returns the index I = s²/mean of counts (1 for Poisson counts,
// above 1 for bunched ones) and p = P(χ²_{D−1} ≥ (D−1)·I). Undefined for less
// than D = 10 counts and for a mean of 0.
// Source: R. A. Fisher, Statistical Methods for Research Workers (1925).
func Dispersion(counts []int) (index, p float64, ok bool) {
	var m Moments
	for _, c := range counts {
		m.Add(float64(c))
	}
	if m.N() < dispersionMinimum || m.Mean() <= 0 {
		return 0, 1, false
	}
	variance, _ := m.Variance()
	index = variance / m.Mean()
	df := float64(m.N() - 1)
	return index, ChiSquareUpper(df*index, df), true
}
