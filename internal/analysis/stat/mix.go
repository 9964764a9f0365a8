package stat

// HHI returns the Herfindahl–Hirschman index Σ(w/Σw)² of weights ≥ 0: 1/k for
// k equal ones, 1 when one has all. Undefined when all are 0 or none is given.
// Source: A. O. Hirschman, National Power (1945); O. C. Herfindahl (1950).
func HHI(weights []float64) (float64, bool) {
	total := Sum(weights)
	if total <= 0 {
		return 0, false
	}
	squares := make([]float64, len(weights))
	for i, w := range weights {
		squares[i] = w / total * (w / total)
	}
	return Sum(squares), true
}
