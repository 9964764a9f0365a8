// Package amount adds and divides amounts of money and volumes exactly, and fast where they are not
// large: a statement may have a million of them.
package amount

import (
	"math/big"
	"strings"

	"github.com/assayhq/assay/connectors/record"
)

// Amounts and volumes are added as whole numbers of 1e-8 where they fit.
const (
	UnitDigits = 8
	OneUnit    = 100_000_000
)

// ToUnits returns d in 1e-8. ok is false if it has more decimals or digits than
// such a number holds with room for a million of its kind.
func ToUnits(d record.Decimal) (n int64, ok bool) {
	text, negative := strings.CutPrefix(string(d), "-")
	whole, fraction, _ := strings.Cut(text, ".")
	if len(whole) > 9 || len(fraction) > UnitDigits {
		return 0, false
	}
	for i := range len(whole) {
		n = n*10 + int64(whole[i]-'0')
	}
	for i := range UnitDigits {
		n *= 10
		if i < len(fraction) {
			n += int64(fraction[i] - '0')
		}
	}
	if negative {
		n = -n
	}
	return n, true
}

// Sum adds decimals exactly.
type Sum struct {
	small int64   // in 1e-8
	large big.Rat // of what does not fit
	mixed bool
}

// Add adds a decimal; an empty one is nothing.
func (s *Sum) Add(d record.Decimal) {
	if d == "" {
		return
	}
	const most = 1 << 62
	if n, ok := ToUnits(d); ok && s.small < most-1e18 && s.small > 1e18-most {
		s.small += n
		return
	}
	if r, ok := new(big.Rat).SetString(string(d)); ok {
		s.mixed = true
		s.large.Add(&s.large, r)
	}
}

// ToRat returns the sum as a fraction.
func (s *Sum) ToRat() *big.Rat {
	return new(big.Rat).Add(&s.large, big.NewRat(s.small, OneUnit))
}

// Value returns the sum; exactly, because every addend is a decimal.
func (s *Sum) Value() record.Decimal {
	if !s.mixed {
		return FromUnits(s.small)
	}
	r := s.ToRat()
	digits, _ := r.FloatPrec()
	d, err := record.ParseDecimal(r.FloatString(digits))
	if err != nil {
		return ""
	}
	return d
}

// FromUnits returns the decimal of a number of 1e-8.
func FromUnits(n int64) record.Decimal {
	var buf [24]byte
	i := len(buf)
	value := uint64(max(n, -n))
	started := false
	for at := range 20 {
		digit := byte(value % 10)
		value /= 10
		if at == UnitDigits && started {
			i--
			buf[i] = '.'
		}
		if digit != 0 || at >= UnitDigits || started {
			i--
			buf[i] = '0' + digit
			started = true
		}
		if at >= UnitDigits && value == 0 {
			break
		}
	}
	if n < 0 {
		i--
		buf[i] = '-'
	}
	return record.Decimal(buf[i:])
}

// Add adds a few decimals. Empty ones count as zero, and the sum of none is
// empty.
func Add(values ...record.Decimal) record.Decimal {
	var s Sum
	some := false
	for _, d := range values {
		some = some || d != ""
		s.Add(d)
	}
	if !some {
		return ""
	}
	return s.Value()
}

// Share returns what belongs to a part of whole that begins at from, to 1e-8. The shares of parts that
// make up the whole add up to d.
func Share(d record.Decimal, from, part, whole int64) record.Decimal {
	if d == "" || part == whole || whole == 0 {
		return d
	}
	return Add(upTo(d, from+part, whole), Negate(upTo(d, from, whole)))
}

// upTo returns what belongs to the first n of whole, rounded to 1e-8.
func upTo(d record.Decimal, n, whole int64) record.Decimal {
	switch n {
	case 0:
		return "0"
	case whole:
		return d
	}
	r, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return ""
	}
	r.Mul(r, big.NewRat(n, whole))
	out, err := record.ParseDecimal(r.FloatString(UnitDigits))
	if err != nil {
		return ""
	}
	return out
}

// MultiplyBy1000 gives the number that "1.08 K" is.
func MultiplyBy1000(d record.Decimal) record.Decimal {
	product, err := record.ParseDecimal(new(big.Rat).Mul(ToRat(d), big.NewRat(1000, 1)).FloatString(UnitDigits))
	if err != nil {
		return ""
	}
	return product
}

// Negate changes the sign.
func Negate(d record.Decimal) record.Decimal {
	switch {
	case d == "" || d == "0":
		return d
	case d[0] == '-':
		return d[1:]
	}
	return "-" + d
}

// IsNear reports whether two sums differ by a cent at most, which rounding in
// the export explains.
func IsNear(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(big.NewRat(1, 100)) <= 0
}

// ToRat returns the value of a decimal, which is zero without one.
func ToRat(d record.Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return new(big.Rat)
	}
	return r
}

// IsNonzero reports whether there is a decimal and it is not zero.
func IsNonzero(d record.Decimal) bool { return d != "" && d != "0" }
