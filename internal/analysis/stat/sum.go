package stat

import "math"

// RunningSum adds numbers one at a time and keeps what rounding loses, so that amounts
// of 10^15 and cents can be added in any order. The zero value is empty.
// Source: A. Neumaier, ZAMM 54 (1974).
type RunningSum struct{ total, lost float64 }

// Add adds a number.
func (s *RunningSum) Add(x float64) {
	t := s.total + x
	if math.Abs(s.total) >= math.Abs(x) {
		s.lost += (s.total - t) + x
	} else {
		s.lost += (x - t) + s.total
	}
	s.total = t
}

// Merge adds what another sum has.
func (s *RunningSum) Merge(o RunningSum) {
	s.Add(o.total)
	s.Add(o.lost)
}

// Value returns the sum, 0 of none.
func (s *RunningSum) Value() float64 { return s.total + s.lost }

// Fraction returns a/b, and 0 of nothing.
func Fraction(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
