package analysis_test

import (
	"testing"

	"github.com/assayhq/assay/internal/analysis"
)

// TestFormatText checks that people can read large numbers.
func TestFormatText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%d trades", []any{0}, "0 trades"},
		{"%d trades", []any{999}, "999 trades"},
		{"%d trades", []any{1000}, "1,000 trades"},
		{"%d of %d (%.1f%%), %s", []any{12345, 1234567, 1.0, "1000"}, "12,345 of 1,234,567 (1.0%), 1000"},
		{"%d", []any{-123456}, "-123,456"},
		{"%d", []any{-1234}, "-1,234"},
	} {
		if got := analysis.FormatText(c.format, c.args...); got != c.want {
			t.Errorf("%q with %v is %q, want %q", c.format, c.args, got, c.want)
		}
	}
}
