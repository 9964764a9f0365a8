package analysis

import (
	"fmt"
	"io"
	"strconv"
)

// FormatText formats like fmt.Sprintf, and groups the digits of values of the type int: 12,345.
func FormatText(format string, args ...any) string {
	grouped := make([]any, len(args))
	for i, arg := range args {
		if n, ok := arg.(int); ok {
			arg = count(n)
		}
		grouped[i] = arg
	}
	return fmt.Sprintf(format, grouped...)
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
