package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// CountUpper returns how likely a count is to be m or more where counts of chance
// were seen: the upper tail of the predictive negative binomial with the mean
// (Σc+½)/n and the variance max(s², mean)·(1+1/n), in [0, 1]. With counts that
// vary as Poisson counts do it is the predictive distribution of a Poisson mean;
// the half is Jeffreys' prior, so that counts of zero leave some chance. 1 for no
// counts. Source: A. Gelman et al., Bayesian Data Analysis (2013), section 2.6.
func CountUpper(m int, chance []int) float64 {
	n := float64(len(chance))
	if n == 0 || m <= 0 {
		return 1
	}
	var s Moments
	for _, c := range chance {
		s.Add(float64(c))
	}
	mean := s.Mean() + 0.5/n
	spread, _ := s.Variance()
	variance := max(spread, mean) * (1 + 1/n)
	size := mean * mean / (variance - mean)
	return clampProbability(mathext.RegIncBeta(float64(m), size, mean/(size+mean)))
}

// CountP returns how likely a count of m is by what counts of chance show: (1 + how
// many of them are ≥ m)/(1 + how many there are), and where none is, CountUpper if
// that is less. 1 for no counts.
func CountP(m int, chance []int) float64 {
	above := 0
	for _, c := range chance {
		if c >= m {
			above++
		}
	}
	p := float64(1+above) / float64(1+len(chance))
	if above == 0 {
		p = min(p, CountUpper(m, chance))
	}
	return p
}

// PoissonInterval returns the approximate 95 % interval of the mean of a Poisson
// count of n, 0 ≤ low ≤ n < high; within 2 % of the exact one from n = 1 on.
// Source: E. B. Wilson and M. Hilferty, PNAS 17 (1931).
func PoissonInterval(n float64) (low, high float64) {
	cube := func(x float64) float64 { return x * x * x }
	if n > 0 {
		low = max(n*cube(max(1-1/(9*n)-Z95/(3*math.Sqrt(n)), 0)), 0)
	}
	return low, (n + 1) * cube(1-1/(9*(n+1))+Z95/(3*math.Sqrt(n+1)))
}

// Difference returns the 95 % interval of p1−p2, two proportions of n1 and n2,
// which may be effective sizes and thus fractions; in [−1, 1], and that where a
// size is below 1. Source: R. G. Newcombe, Statistics in Medicine 17 (1998),
// method 10.
func Difference(p1, n1, p2, n2 float64) (low, high float64) {
	if !(n1 >= 1 && n2 >= 1) {
		return -1, 1
	}
	l1, u1 := wilsonInterval(p1, n1)
	l2, u2 := wilsonInterval(p2, n2)
	d := p1 - p2
	return d - math.Hypot(p1-l1, u2-p2), d + math.Hypot(u1-p1, p2-l2)
}

// wilsonInterval returns Wilson's 95 % interval for a size that need not be
// whole.
func wilsonInterval(p, n float64) (low, high float64) {
	z2 := Z95 * Z95
	centre := (p + z2/(2*n)) / (1 + z2/n)
	half := Z95 * math.Sqrt(p*(1-p)/n+z2/(4*n*n)) / (1 + z2/n)
	return max(centre-half, 0), min(centre+half, 1)
}

// WilsonShare is Wilson for a proportion p of n observations, where n may be an effective number
// that is not whole.
func WilsonShare(p, n float64) (low, high float64) {
	if !(n > 0) {
		return 0, 1
	}
	low, high = wilsonInterval(p, n)
	return min(low, p), max(high, p)
}

// ExtremeUpper returns how likely a maximum is to be x or more where such maxima
// of chance were seen. While some of these are as large it is (1+how many)/(1+n);
// beyond all of them the tail of the Gumbel distribution with their mean and
// deviation, and no more than 1/(1+n). 1 for less than two.
// Source: E. J. Gumbel, Statistics of Extremes (1958); for tails of permutation
// tests by a fitted distribution, T. A. Knijnenburg et al., Bioinformatics 25 (2009).
func ExtremeUpper(x float64, chance []float64) float64 {
	const euler = 0.5772156649015329
	n := float64(len(chance))
	if n < 2 {
		return 1
	}
	above := 0
	for _, c := range chance {
		if c >= x {
			above++
		}
	}
	if above > 0 {
		return float64(1+above) / (1 + n)
	}
	m := MomentsOf(chance)
	sd, _ := m.SD()
	beta := max(sd, 1e-12) * math.Sqrt(6) / math.Pi
	return min(clampProbability(-math.Expm1(-math.Exp(-(x-m.Mean()+euler*beta)/beta))), 1/(1+n))
}

// Arrangements returns the number of ways to choose k of n, k ≥ 0, n ≥ k; +Inf
// where that is too large.
func Arrangements(n, k int) float64 { return math.Exp(logChoose(n, k)) }

// EvenSteps bounds how likely the distances between k+1 values that fall at random
// have a coefficient of variation of cv or less: four times the part of the simplex
// of k exponential spacings that lies in the ball of that radius around its centre.
// Four times, because prices of adds that nobody planned are spaced more evenly than
// points that fall at random. 1 for k < 2; in [0, 1].
func EvenSteps(k int, cv float64) float64 {
	if k < 2 {
		return 1
	}
	n := float64(k - 1) // dimensions
	ball, _ := math.Lgamma(n/2 + 1)
	simplex, _ := math.Lgamma(n + 1)
	radius := math.Sqrt(n) * cv / float64(k)
	return clampProbability(4 * math.Exp(n/2*math.Log(math.Pi)+n*math.Log(radius)-ball+simplex-math.Log(float64(k))/2))
}
