package record_test

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/assayhq/assay/connectors/record"
)

func TestParseDecimal(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("7", record.MaxDigits)
	tests := []struct {
		name string
		text string
		want record.Decimal
		err  error
	}{
		{"integer", "42", "42", nil},
		{"zero", "0", "0", nil},
		{"minus zero", "-0", "0", nil},
		{"minus zero with fraction", "-0.00", "0", nil},
		{"zero with exponent", "0e999999999999999999999", "0", nil},
		{"fraction", "1.25", "1.25", nil},
		{"trailing zeros", "1.10", "1.1", nil},
		{"fraction of zeros", "5.000", "5", nil},
		{"negative", "-3.5", "-3.5", nil},
		{"below one", "0.05", "0.05", nil},
		{"beyond 2^64", "18446744073709551617", "18446744073709551617", nil},
		{"more digits than a float", "0.1234567890123456789", "0.1234567890123456789", nil},
		{"exponent", "1.5e3", "1500", nil},
		{"capital exponent with plus", "1E+2", "100", nil},
		{"negative exponent", "12e-3", "0.012", nil},
		{"exponent inside the fraction", "1.2345e2", "123.45", nil},
		{"leading plus", "+7", "7", nil},
		{"leading zeros", "007", "7", nil},
		{"leading zeros and fraction", "00.50", "0.5", nil},
		{"bare leading point", ".5", "0.5", nil},
		{"bare trailing point", "5.", "5", nil},
		{"most digits", digits, record.Decimal(digits), nil},
		{"most decimals", "0." + digits, record.Decimal("0." + digits), nil},
		{"leading zeros beyond the bound", strings.Repeat("0", 2000) + "1", "1", nil},
		{"trailing zeros beyond the bound", "1." + strings.Repeat("0", 2000), "1", nil},
		{"largest power", "1e999", record.Decimal("1" + strings.Repeat("0", 999)), nil},
		{"too many digits", digits + "7", "", record.ErrNumberRange},
		{"too many decimals", "0." + digits + "7", "", record.ErrNumberRange},
		{"power too large", "1e1000", "", record.ErrNumberRange},
		{"power too small", "1e-1001", "", record.ErrNumberRange},
		{"absurd exponent", "1e99999999999999999999", "", record.ErrNumberRange},
		{"absurd negative exponent", "-1e-99999999999999999999", "", record.ErrNumberRange},
		{"empty", "", "", record.ErrNotNumber},
		{"sign only", "-", "", record.ErrNotNumber},
		{"point only", ".", "", record.ErrNotNumber},
		{"exponent only", "e5", "", record.ErrNotNumber},
		{"no exponent digits", "1e", "", record.ErrNotNumber},
		{"exponent sign only", "1e-", "", record.ErrNotNumber},
		{"two points", "1.2.3", "", record.ErrNotNumber},
		{"two points with zeros between", "1.5.00", "", record.ErrNotNumber},
		{"two points, the last at the end", "1.085.", "", record.ErrNotNumber},
		{"two signs", "--1", "", record.ErrNotNumber},
		{"space", " 1", "", record.ErrNotNumber},
		{"comma", "1,000", "", record.ErrNotNumber},
		{"underscore", "1_000", "", record.ErrNotNumber},
		{"hexadecimal", "0x10", "", record.ErrNotNumber},
		{"not a number", "NaN", "", record.ErrNotNumber},
		{"infinity", "-Infinity", "", record.ErrNotNumber},
		{"other digits", "١٢", "", record.ErrNotNumber},
		{"word", "ten", "", record.ErrNotNumber},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := record.ParseDecimal(test.text)
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("ParseDecimal(%.40q) = %.40q, %v; want %.40q, %v", test.text, got, err, test.want, test.err)
			}
		})
	}
}

// canonical is the form that Decimal promises.
var canonical = regexp.MustCompile(`^(0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]*[1-9])$`)

// grammar is what ParseDecimal accepts, apart from the bound on digits.
var grammar = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func FuzzParseDecimal(f *testing.F) {
	for _, seed := range []string{"0", "-0", "1.10", "-12.5e-3", "1e999", "1e-1000", "007", ".5", "5.", "1e1000", "NaN", "1_0", "0x1p4", "+3E+2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := record.ParseDecimal(text)
		if wellFormed := grammar.MatchString(text); wellFormed == errors.Is(err, record.ErrNotNumber) {
			t.Fatalf("ParseDecimal(%q): %v, although well formed is %t", text, err, wellFormed)
		}
		if err != nil {
			if got != "" {
				t.Fatalf("ParseDecimal(%q) = %q with error %v", text, got, err)
			}
			return
		}
		if !canonical.MatchString(string(got)) {
			t.Fatalf("ParseDecimal(%q) = %q, not canonical", text, got)
		}
		checkAgainstRat(t, text, got)
		if again, err := record.ParseDecimal(string(got)); again != got || err != nil {
			t.Fatalf("ParseDecimal(%q) = %q, then %q, %v", text, got, again, err)
		}
	})
}

// checkAgainstRat compares the value with what math/big makes of the same text.
func checkAgainstRat(t *testing.T, text string, got record.Decimal) {
	t.Helper()
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(strings.TrimLeft(text[i+1:], "+-0")) > 4 {
		return // such a power is zero times something; big.Rat would write it out
	}
	want, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("math/big does not read %q", text)
	}
	have, ok := new(big.Rat).SetString(string(got))
	if !ok || have.Cmp(want) != 0 {
		t.Fatalf("ParseDecimal(%q) = %q, want %v", text, got, want)
	}
}
