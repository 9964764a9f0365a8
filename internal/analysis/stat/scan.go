package stat

import "math"

// ScanUpper returns how likely some window of length x holds m or more of n
// points that fall uniformly and independently on the unit interval, 0 < x < 1:
//
//	P ≈ (m/x − n − 1)·b(m; n, x) + 2·Σ_{i≥m} b(i; n, x)
//
// in [0, 1], with the binomial probabilities b. It is 1 when m ≤ x(n+1): at
// the mean and below, the approximation turns negative. It is within about a
// tenth for P from 0.005 to 0.1 and n from 12 to 200; rules ask for n ≥ 8.
// Source: S. Wallenstein and N. Neff, Statistics in Medicine 6 (1987).
func ScanUpper(m, n int, x float64) float64 {
	switch {
	case m <= 1 || x >= 1 || float64(m) <= x*float64(n+1):
		return 1
	case m > n || x <= 0:
		return 0
	}
	first := (float64(m)/x - float64(n) - 1) * binomialPMF(m, n, x)
	return clampProbability(first + 2*BinomialUpper(m, n, x))
}

// FamilyP returns 1−(1−p)^k: how likely the smallest of k independent p is p
// or less, in [0, 1]; 1 for k < 1. Source: Z. Šidák, JASA 62 (1967).
func FamilyP(p float64, k int) float64 {
	if k < 1 || p >= 1 {
		return 1
	}
	return clampProbability(-math.Expm1(float64(k) * math.Log1p(-p)))
}
