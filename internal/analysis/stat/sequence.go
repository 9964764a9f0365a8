package stat

import "math/rand/v2"

// Sequence returns numbers for putting things in other orders: the same ones for the
// same purpose and size, so that equal data give equal results. It is for one
// goroutine.
func Sequence(purpose, size uint64) *rand.Rand {
	return rand.New(rand.NewPCG(purpose, size)) //nolint:gosec // the same data must give the same result
}
