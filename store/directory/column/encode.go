package column

import (
	"time"
)

// AppendTime appends t in UTC, with microseconds, in a form that Postgres reads as timestamptz
// regardless of its settings. The zero time is null. It does not use Time.AppendFormat, which
// parses its layout each time, because a page has four times per record.
func AppendTime(dst []byte, t time.Time) ([]byte, bool) {
	if t.IsZero() {
		return dst, false
	}
	t = t.UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	dst = appendPadded(dst, year, 4)
	dst = appendPadded(append(dst, '-'), int(month), 2)
	dst = appendPadded(append(dst, '-'), day, 2)
	dst = appendPadded(append(dst, ' '), hour, 2)
	dst = appendPadded(append(dst, ':'), minute, 2)
	dst = appendPadded(append(dst, ':'), second, 2)
	if micro := t.Nanosecond() / 1000; micro != 0 {
		dst = appendPadded(append(dst, '.'), micro, 6)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return append(dst, "+00"...), true
}

// appendPadded appends a number with leading zeros, at most width digits.
func appendPadded(dst []byte, n, width int) []byte {
	from := len(dst)
	for range width {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; i >= from; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
	return dst
}

// appendText appends s. An empty text is null.
func appendText[S ~string](dst []byte, s S) ([]byte, bool) {
	return append(dst, s...), s != ""
}

// AppendTextArray appends an array literal. An empty list is an empty array.
func AppendTextArray(dst []byte, list []string) ([]byte, bool) {
	dst = append(dst, '{')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendQuoted(dst, s)
	}
	return append(dst, '}'), true
}

// AppendQuoted appends s as a quoted element of an array literal.
func AppendQuoted[S ~string | ~[]byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

// EscapeCopy rewrites dst[from:] in COPY's text format. It works in place if nothing needs
// escaping, which is nearly always the case.
func EscapeCopy(dst []byte, from int) []byte {
	for i := from; i < len(dst); i++ {
		switch dst[i] {
		case '\\', '\n', '\r', '\t':
			return escapeCopySlow(dst, i)
		}
	}
	return dst
}

func escapeCopySlow(dst []byte, from int) []byte {
	rest := append([]byte(nil), dst[from:]...)
	dst = dst[:from]
	for _, c := range rest {
		switch c {
		case '\\':
			dst = append(dst, '\\', '\\')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// AppendCopyValue appends one column of a row in COPY's text format.
func AppendCopyValue[R any](dst []byte, c Column[R], r *R) []byte {
	from := len(dst)
	dst, ok := c.Text(dst, r)
	if !ok {
		return append(dst[:from], '\\', 'N')
	}
	return EscapeCopy(dst, from)
}
