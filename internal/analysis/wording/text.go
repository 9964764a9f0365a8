// Package wording writes numbers, times and accounts as people read them in findings.
package wording

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/analysis/trades"
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

// FormatNumber writes a number with three digits, and one of a hundred or more as a whole
// number, grouped: 0.25, 42.5, 10,700.
func FormatNumber(x float64) string {
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

// FormatDuration writes a duration for people: 45 s, 12 min, 3.5 h, 2.1 days.
func FormatDuration(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.3g min", seconds/60)
	case seconds < 48*3600:
		return fmt.Sprintf("%.3g h", seconds/3600)
	}
	return FormatNumber(seconds/86400) + " days"
}

// WriteDay writes a day, counted from 1970-01-01, in a text, as in 5 January 2026.
func WriteDay(day int32) string {
	return time.Unix(int64(day)*86400, 0).UTC().Format("2 January 2006")
}

// NameAccount returns the name of an account in texts. Texts are shown to more
// people than metrics are, so another trader's account has no name in them.
func NameAccount(a *trades.AccountView) string {
	if a.Peer {
		return "another trader's account"
	}
	name := a.ID
	for _, known := range []string{a.Login, a.ExternalID, a.File} {
		if known != "" {
			name = known
			break
		}
	}
	return fmt.Sprintf("account %q", name)
}

// CapitalizeFirst begins a sentence with a text.
func CapitalizeFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
