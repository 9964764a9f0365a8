package record

import (
	"errors"
	"strings"
)

// Decimal is an exact decimal number in canonical text: an optional minus
// sign, digits without leading zeros, and, only when needed, a point followed
// by digits without trailing zeros. It has no exponent and is never "-0".
// Empty means absent. Two Decimals are equal exactly when the numbers are.
type Decimal string

// MaxDigits bounds the digits before and, separately, after the decimal point.
// It is far beyond any amount of money, well inside what Postgres' numeric
// holds (131,072 and 16,383), and keeps a short text such as 1e100000 from
// growing into a large one.
const MaxDigits = 1000

// Errors of ParseDecimal.
var (
	ErrNotNumber   = errors.New("not a decimal number")
	ErrNumberRange = errors.New("number has too many digits")
)

// ParseDecimal reads a number in JSON's grammar, and beyond it a leading plus
// sign, leading zeros and a bare leading or trailing point, which occur in
// numeric strings. NaN, infinities, hexadecimal, underscores and surrounding
// space are refused with ErrNotNumber; more than MaxDigits digits on either
// side of the point with ErrNumberRange.
func ParseDecimal(text string) (Decimal, error) {
	if short := trimFraction(text); isCanonical(short) {
		return Decimal(short), nil
	}
	negative, whole, fraction, exponent, err := splitNumber(text)
	if err != nil {
		return "", err
	}
	digits := whole + fraction
	point := len(whole) + exponent // index of the decimal point within digits

	significant := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(significant)
	significant = strings.TrimRight(significant, "0")
	if significant == "" {
		return "0", nil
	}
	if point > MaxDigits || len(significant)-point > MaxDigits {
		return "", ErrNumberRange
	}
	return layOut(negative, significant, point), nil
}

// trimFraction leaves out the zeros at the end of a fraction, and the point if none
// of its digits are left.
func trimFraction(text string) string {
	whole, fraction, _ := strings.Cut(text, ".")
	if fraction = strings.TrimRight(fraction, "0"); fraction == "" {
		return whole
	}
	return text[:len(whole)+len(".")+len(fraction)]
}

// isCanonical reports whether text already is in canonical form, which nearly
// every number of a platform is.
func isCanonical(text string) bool {
	s := strings.TrimPrefix(text, "-")
	whole, fraction, hasPoint := strings.Cut(s, ".")
	if !allDigits(whole) || len(whole) > MaxDigits || (len(whole) > 1 && whole[0] == '0') {
		return false
	}
	if !hasPoint {
		return text != "-0"
	}
	return allDigits(fraction) && len(fraction) <= MaxDigits && fraction[len(fraction)-1] != '0'
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// splitNumber takes a number apart. The exponent is clamped so that callers
// can add to it without overflow.
func splitNumber(text string) (negative bool, whole, fraction string, exponent int, err error) {
	s := text
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if exponent, err = parseExponent(s[i+1:]); err != nil {
			return false, "", "", 0, err
		}
		s = s[:i]
	}
	whole, fraction, _ = strings.Cut(s, ".")
	if whole == "" && fraction == "" || whole != "" && !allDigits(whole) || fraction != "" && !allDigits(fraction) {
		return false, "", "", 0, ErrNotNumber
	}
	return negative, whole, fraction, exponent, nil
}

func parseExponent(s string) (int, error) {
	const limit = 1 << 30
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if !allDigits(s) {
		return 0, ErrNotNumber
	}
	n := 0
	for i := 0; i < len(s) && n < limit; i++ {
		n = n*10 + int(s[i]-'0')
	}
	n = min(n, limit)
	if negative {
		n = -n
	}
	return n, nil
}

// layOut writes significant digits (no zeros at either end) with the decimal
// point before index point, which may lie outside of them.
func layOut(negative bool, significant string, point int) Decimal {
	var b strings.Builder
	b.Grow(len(significant) + max(point, -point) + 3)
	if negative {
		b.WriteByte('-')
	}
	switch {
	case point <= 0:
		b.WriteString("0.")
		b.WriteString(strings.Repeat("0", -point))
		b.WriteString(significant)
	case point >= len(significant):
		b.WriteString(significant)
		b.WriteString(strings.Repeat("0", point-len(significant)))
	default:
		b.WriteString(significant[:point])
		b.WriteByte('.')
		b.WriteString(significant[point:])
	}
	return Decimal(b.String())
}
