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
