package amount_test

import (
	"math/big"
	"testing"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
)

// FuzzAdd compares sums with those of exact fractions.
func FuzzAdd(f *testing.F) {
	f.Add("1.5", "-0.00000001", "1000000000000000.75", int64(1), int64(3))
	f.Add("999999999.99999999", "0.1", "-1e-20", int64(2), int64(2))
	f.Fuzz(func(t *testing.T, a, b, c string, part, whole int64) {
		want, values := new(big.Rat), []record.Decimal{}
		for _, text := range []string{a, b, c} {
			d, err := record.ParseDecimal(text)
			if err != nil || len(d) > 100 {
				return
			}
			r, _ := new(big.Rat).SetString(string(d))
			want.Add(want, r)
			values = append(values, d)
		}
		got := amount.Add(values...)
		if r, ok := new(big.Rat).SetString(string(got)); !ok || r.Cmp(want) != 0 {
			t.Fatalf("%v add up to %s, want %s", values, got, want)
		}
		if again, err := record.ParseDecimal(string(got)); err != nil || again != got {
			t.Fatalf("%v add up to %q", values, got)
		}
		if part <= 0 || whole < part {
			return
		}
		rest := amount.Add(amount.Share(values[0], 0, part, whole), amount.Share(values[0], part, whole-part, whole))
		if rest != values[0] {
			t.Fatalf("shares of %s add up to %s", values[0], rest)
		}
	})
}
