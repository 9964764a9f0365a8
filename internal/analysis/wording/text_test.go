package wording_test

import (
	"testing"

	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
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
		if got := wording.FormatText(c.format, c.args...); got != c.want {
			t.Errorf("%q with %v is %q, want %q", c.format, c.args, got, c.want)
		}
	}
}

// TestFormatNumbers checks that numbers and durations have as many digits as people read.
func TestFormatNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{wording.FormatNumber(0.2512), "0.251"},
		{wording.FormatNumber(99.94), "99.9"},
		{wording.FormatNumber(99.96), "100"},
		{wording.FormatNumber(10_700.4), "10,700"},
		{wording.FormatDuration(45), "45 s"},
		{wording.FormatDuration(720), "12 min"},
		{wording.FormatDuration(12_600), "3.5 h"},
		{wording.FormatDuration(181_440), "2.1 days"},
		{wording.FormatDuration(86_400 * 1234), "1,234 days"},
		{wording.WriteDay(20_458), "5 January 2026"},
		{wording.CapitalizeFirst("the first"), "The first"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestNameAccount checks that an account has the name that people know it by, and another trader's none.
func TestNameAccount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		account trades.Account
		want    string
	}{
		{trades.Account{ID: "1", ExternalID: "2", Login: "3", File: "4"}, `account "3"`},
		{trades.Account{ID: "1", ExternalID: "2", File: "4"}, `account "2"`},
		{trades.Account{ID: "1", File: "june.csv"}, `account "june.csv"`},
		{trades.Account{ID: "1"}, `account "1"`},
		{trades.Account{ID: "1", Login: "3", Peer: true}, "another trader's account"},
	} {
		if got := wording.NameAccount(&trades.AccountView{Account: c.account}); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
