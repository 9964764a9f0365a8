package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Sum returns Σx with compensation for lost low-order bits, any n; 0 of none.
// The error does not grow with the number of terms.
// Source: A. Neumaier, ZAMM 54 (1974).
func Sum(x []float64) float64 { return floats.SumCompensated(x) }

// Moments is the running mean and variance of what was added; the zero value
// is empty. It never subtracts two large sums, so that a small spread around
// a large mean survives. Source: B. P. Welford, Technometrics 4 (1962).
type Moments struct {
	n    int
	mean float64
	m2   float64
}

// MomentsOf returns the moments of x.
func MomentsOf(x []float64) Moments {
	var m Moments
	for _, v := range x {
		m.Add(v)
	}
	return m
}

// Add takes in one value.
func (m *Moments) Add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.m2 += d * (x - m.mean)
}

// N returns how many values were added.
func (m Moments) N() int { return m.n }

// Mean returns Σx/n in the unit of x; 0 of none.
func (m Moments) Mean() float64 { return m.mean }

// Variance returns s² = Σ(x−mean)²/(n−1), ≥ 0, in the unit of x squared. It
// is undefined for n < 2.
func (m Moments) Variance() (float64, bool) {
	if m.n < 2 {
		return 0, false
	}
	return max(m.m2, 0) / float64(m.n-1), true
}

// SD returns the square root of Variance, ≥ 0, in the unit of x; undefined
// for n < 2.
func (m Moments) SD() (float64, bool) {
	v, ok := m.Variance()
	return math.Sqrt(v), ok
}

// CV returns the coefficient of variation SD/|mean|, ≥ 0, without unit;
// undefined for n < 2 and for a mean of 0.
func (m Moments) CV() (float64, bool) {
	sd, ok := m.SD()
	if !ok || m.mean == 0 {
		return 0, false
	}
	return sd / math.Abs(m.mean), true
}
