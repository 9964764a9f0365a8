package wire

import (
	"strconv"
	"strings"
)

// Decimal is an exact decimal number: money, a price or a size. It never goes
// through a float, so that what is sent is 31.50 and not 31.499999999999996.
// The zero Decimal is null.
type Decimal struct {
	unscaled int64
	scale    uint8
	set      bool
}

// maxScale is the largest number of digits after a Decimal's point.
const maxScale = 18

// NewDecimal returns unscaled / 10^scale: NewDecimal(3150, 2) is 31.50. The
// scale must lie between 0 and maxScale.
func NewDecimal(unscaled int64, scale int) Decimal {
	if scale < 0 || scale > maxScale {
		panic("wire: scale of a Decimal out of range: " + strconv.Itoa(scale))
	}
	return Decimal{unscaled: unscaled, scale: uint8(scale), set: true}
}

// IsNull reports whether there is no number.
func (d Decimal) IsNull() bool { return !d.set }

// Equal reports whether two Decimals are the same number: 1.5 equals 1.50, and
// null equals only null.
func (d Decimal) Equal(other Decimal) bool {
	if d.set != other.set {
		return false
	}
	a, b := d.dropZeros(), other.dropZeros()
	return a.unscaled == b.unscaled && a.scale == b.scale
}

// dropZeros drops the zeros at the end of the fraction.
func (d Decimal) dropZeros() Decimal {
	for d.scale > 0 && d.unscaled%10 == 0 {
		d.unscaled /= 10
		d.scale--
	}
	return d
}

// String is the number in JSON's grammar with all its digits, or "null".
func (d Decimal) String() string { return string(d.Append(nil)) }

// MarshalJSON writes a JSON number or null.
func (d Decimal) MarshalJSON() ([]byte, error) { return d.Append(nil), nil }

// Append appends the number in JSON's grammar, or null.
func (d Decimal) Append(dst []byte) []byte {
	if !d.set {
		return append(dst, "null"...)
	}
	return appendScaled(dst, d.unscaled, int(d.scale))
}

// appendScaled appends unscaled / 10^scale with exactly scale digits after the point.
func appendScaled(dst []byte, unscaled int64, scale int) []byte {
	magnitude := uint64(unscaled)
	if unscaled < 0 {
		dst = append(dst, '-')
		magnitude = -magnitude
	}
	if scale == 0 {
		return strconv.AppendUint(dst, magnitude, 10)
	}
	var buf [24]byte
	i := len(buf)
	for n := 0; n <= scale || magnitude > 0; n++ {
		if n == scale {
			i--
			buf[i] = '.'
		}
		i--
		buf[i] = byte('0' + magnitude%10)
		magnitude /= 10
	}
	return append(dst, buf[i:]...)
}

// Grouped puts a comma behind each thousand of a plain number: 1,234,567.50.
func Grouped(number string) string {
	whole, fraction, hasPoint := strings.Cut(number, ".")
	digits := strings.TrimPrefix(whole, "-")
	grouped := whole[:len(whole)-len(digits)]
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			grouped += ","
		}
		grouped += digits[i : i+1]
	}
	if hasPoint {
		grouped += "." + fraction
	}
	return grouped
}
