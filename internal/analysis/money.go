package analysis

import "strconv"

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
