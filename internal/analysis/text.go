package analysis

import (
	"fmt"
	"io"
	"math"
	"strconv"
)

// FormatText formats like fmt.Sprintf, and groups the digits of values of the type int: 12,345.
// It changes args itself, so that go vet takes it for a wrapper of fmt.Sprintf and checks the formats.
func FormatText(format string, args ...any) string {
	for i, arg := range args {
		if n, ok := arg.(int); ok {
			args[i] = count(n)
		}
	}
	return fmt.Sprintf(format, args...)
}

// formatNumber writes a number with three digits, and one of a hundred or more as a whole
// number, grouped: 0.25, 42.5, 10,700.
func formatNumber(x float64) string {
	if math.Abs(x) < 99.95 {
		return fmt.Sprintf("%.3g", x)
	}
	return FormatText("%d", int(math.Round(x)))
}

// count is a number of things that is written with grouped digits.
type count int

// Format implements fmt.Formatter for any verb.
func (c count) Format(f fmt.State, _ rune) {
	digits := strconv.Itoa(int(c))
	for i, digit := range digits {
		if left := len(digits) - i; left%3 == 0 && i > 0 && digits[i-1] != '-' {
			_, _ = io.WriteString(f, ",")
		}
		_, _ = io.WriteString(f, string(digit))
	}
}
