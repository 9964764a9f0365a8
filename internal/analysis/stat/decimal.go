package stat

import "math"

// DropBinaryRest rounds a sum of a few decimals to nine places, so that the lots of two
// tickets of 0.1 and 0.2 are those of one of 0.3, and -0.1, -0.2 and 0.3 are no loss. It
// leaves numbers above nine million alone, which have no room for nine places.
func DropBinaryRest(x float64) float64 {
	const places, most = 1e9, 9e6
	if math.Abs(x) > most {
		return x
	}
	return math.Round(x*places)/places + 0 // no negative zero
}

// IsAbove reports whether x is above y by more than their rounding. Sizes, prices and
// their ratios are decimals that a float64 only approximates: 1.43/1.1 is below 1.3.
func IsAbove(x, y float64) bool {
	const rounding = 1e-9 // of the larger one, far below a step of any size or price
	return x-y > rounding*max(math.Abs(x), math.Abs(y))
}

// IsAtLeast reports whether x is y or above, but for their rounding.
func IsAtLeast(x, y float64) bool { return !IsAbove(y, x) }
