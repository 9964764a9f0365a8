package stat

import "math"

// runsMinimum is how many of either kind the normal approximation of the
// number of runs needs.
const runsMinimum = 10

// RunsZ returns the Wald–Wolfowitz z = (R−μ)/σ of the number R of runs in a
// series of two kinds, μ = 2n₁n₂/n + 1, σ² = (μ−1)(μ−2)/(n−1). Below 0: fewer
// changes than chance makes; above: more. Undefined with less than 10 of
// either kind. Source: A. Wald and J. Wolfowitz, Ann. Math. Stat. 11 (1940).
func RunsZ(series []bool) (float64, bool) {
	var yes, runs int
	for i, v := range series {
		if v {
			yes++
		}
		if i == 0 || v != series[i-1] {
			runs++
		}
	}
	n := len(series)
	if min(yes, n-yes) < runsMinimum {
		return 0, false
	}
	mu := 2*float64(yes)*float64(n-yes)/float64(n) + 1
	return (float64(runs) - mu) / math.Sqrt((mu-1)*(mu-2)/float64(n-1)), true
}

// Autocorrelation returns the lag-1 autocorrelation
// r₁ = Σ(x_t−mean)(x_{t+1}−mean) / Σ(x_t−mean)², in [−1, 1]. It is 0 for
// n < 2 and when all values are equal, where a series shows no dependence.
// Source: Box and Jenkins, Time Series Analysis (1976).
func Autocorrelation(x []float64) float64 {
	mean := MomentsOf(x).Mean()
	terms := make([]float64, len(x))
	for i, v := range x {
		terms[i] = (v - mean) * (v - mean)
	}
	total := Sum(terms)
	if len(x) < 2 || total == 0 {
		return 0
	}
	for i := range len(x) - 1 {
		terms[i] = (x[i] - mean) * (x[i+1] - mean)
	}
	return min(max(Sum(terms[:len(x)-1])/total, -1), 1)
}

// SideAutocorrelation is Autocorrelation of a series of two kinds taken as +1
// and −1; 0 when all are of one kind.
func SideAutocorrelation(series []bool) float64 {
	x := make([]float64, len(series))
	for i, v := range series {
		x[i] = -1
		if v {
			x[i] = 1
		}
	}
	return Autocorrelation(x)
}

// strongest is the largest dependence that EffectiveN takes into account.
const strongest = 0.9

// EffectiveN returns how many independent observations n dependent ones are
// worth, n(1−r)/(1+r), with the lag-1 autocorrelation r clamped to 0…0.9: in
// [n/19, n]. Source: G. V. Bayley and J. M. Hammersley, JRSS Suppl. 8 (1946).
func EffectiveN(n int, r float64) float64 {
	r = min(max(r, 0), strongest)
	return float64(n) * (1 - r) / (1 + r)
}
