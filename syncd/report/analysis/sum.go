package analysis

import "math"

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
