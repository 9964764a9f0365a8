package wire

import (
	"encoding/json"
	"time"
)

// AppendString appends a JSON string. Plain ASCII, which ids and enumerations
// are, is copied; the rest goes through encoding/json.
func AppendString(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // cannot fail for a string
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// AppendNullable is AppendString with null for the empty string.
func AppendNullable(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return AppendString(dst, s)
}

// AppendRaw appends JSON text, or null when there is none.
func AppendRaw(dst []byte, text string) []byte {
	if text == "" {
		return append(dst, "null"...)
	}
	return append(dst, text...)
}

// AppendTime appends an RFC 3339 time in UTC with all six digits of the
// Microseconds, or null for the zero time. A platform that keeps times in
// microseconds must send microseconds: a list that is ordered and filtered by the
// full time but shows seconds loses rows between one poll and the next.
func AppendTime(dst []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = appendMicros(dst, t.UnixMicro())
	return append(dst, '"')
}

// Spans of time in microseconds.
const (
	second = int64(time.Second / time.Microsecond)
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// appendMicros writes microseconds since the epoch as RFC 3339. It does what
// time.Time.AppendFormat does, several times faster, for the years 1970–9999.
func appendMicros(dst []byte, at int64) []byte {
	if at < 0 {
		return time.UnixMicro(at).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000000Z07:00")
	}
	days, rest := at/day, at%day
	// Days to civil date, counting years from March so that leap days come last.
	z := days + 719468
	era := z / 146097
	ofEra := z - era*146097
	yearOfEra := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*ofYear + 2) / 153
	dayOfMonth := ofYear - (153*shifted+2)/5 + 1
	month := shifted + 3
	year := yearOfEra + era*400
	if month > 12 {
		month -= 12
		year++
	}
	dst = AppendPadded(dst, year, 4)
	dst = AppendPadded(append(dst, '-'), month, 2)
	dst = AppendPadded(append(dst, '-'), dayOfMonth, 2)
	dst = AppendPadded(append(dst, 'T'), rest/hour, 2)
	dst = AppendPadded(append(dst, ':'), rest/minute%60, 2)
	dst = AppendPadded(append(dst, ':'), rest/second%60, 2)
	dst = AppendPadded(append(dst, '.'), rest%second, 6)
	return append(dst, 'Z')
}

// AppendPadded appends a number with leading zeros.
func AppendPadded(dst []byte, n int64, width int) []byte {
	var buf [20]byte
	for i := width - 1; i >= 0; i-- {
		buf[i] = byte('0' + n%10)
		n /= 10
	}
	return append(dst, buf[:width]...)
}

// Micros is the moment in microseconds; the zero time is 0.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Moment is the inverse of Micros.
func Moment(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.UnixMicro(at).UTC()
}
