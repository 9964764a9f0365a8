package analysis

import (
	"math"
	"strconv"
)

// sum adds numbers and keeps what rounding loses (Neumaier, ZAMM 54, 1974), so
// that amounts of 10^15 and cents can be added in any order. The zero value is
// empty.
type sum struct{ total, lost float64 }

func (s *sum) add(x float64) {
	t := s.total + x
	if math.Abs(s.total) >= math.Abs(x) {
		s.lost += (s.total - t) + x
	} else {
		s.lost += (x - t) + s.total
	}
	s.total = t
}

func (s *sum) merge(o sum) {
	s.add(o.total)
	s.add(o.lost)
}

func (s *sum) value() float64 { return s.total + s.lost }

// roundMoney rounds an amount to 1e-8, which takes away the binary rest that sums of
// numbers such as 11.3 leave: up to some ten millions the result is the exact sum
// of amounts that have as many decimals.
func roundMoney(x float64) float64 {
	const decimals = 8
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64)
	if err != nil {
		return x // no text of a float64 fails
	}
	return rounded + 0 // no negative zero
}

// dropBinaryRest rounds a sum of a few decimals to nine places, so that the lots of two
// tickets of 0.1 and 0.2 are those of one of 0.3, and -0.1, -0.2 and 0.3 are no loss. It
// leaves numbers above nine million alone, which have no room for nine places.
func dropBinaryRest(x float64) float64 {
	const places, most = 1e9, 9e6
	if math.Abs(x) > most {
		return x
	}
	return math.Round(x*places)/places + 0 // no negative zero
}

// isAbove reports whether x is above y by more than their rounding. Sizes, prices and
// their ratios are decimals that a float64 only approximates: 1.43/1.1 is below 1.3.
func isAbove(x, y float64) bool {
	const rounding = 1e-9 // of the larger one, far below a step of any size or price
	return x-y > rounding*max(math.Abs(x), math.Abs(y))
}

// isAtLeast reports whether x is y or above, but for their rounding.
func isAtLeast(x, y float64) bool { return !isAbove(y, x) }
