package alias

import (
	"strings"
	"time"
)

// TimeForms is a set of forms of time beyond RFC 3339.
type TimeForms uint8

// The forms that a field may add.
const (
	// SpaceSeparated is "2006-01-02 15:04:05", with or without a fraction, taken as UTC.
	SpaceSeparated TimeForms = 1 << iota
	// Unix is a number, or a string of one, of seconds since 1970 below 1e11 or of
	// milliseconds from there to 1e14, with or without a fraction. Zero and
	// negative numbers mean "never" on trading platforms and are no time.
	Unix
)

// parseTime reads a time in RFC 3339, or in one of the forms, as UTC truncated to
// microseconds. Years run from 1 to 9999, which Postgres and RFC 3339 both hold.
// The first instant of year 1 is no time, because several languages write it for
// "no time". With other forms 1970-01-01T00:00:00Z is none either, because trading
// platforms write Unix time 0 for it, which is returned with ok false.
func parseTime(s string, forms TimeForms) (t time.Time, ok bool) {
	if len(s) > len("2006-01-02") {
		switch s[10] {
		case 'T', 't':
			t, ok = parseDateTime(s, true)
		case ' ':
			if forms&SpaceSeparated != 0 {
				t, ok = parseDateTime(s, false)
			}
		}
	}
	if !ok && forms&Unix != 0 {
		t, ok = parseUnix(s)
	}
	if !ok || t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, false
	}
	return t, forms == 0 || !t.Equal(time.Unix(0, 0))
}

// parseDateTime reads "2006-01-02T15:04:05.999", with any character for the T,
// followed by an offset if zoned.
func parseDateTime(s string, zoned bool) (time.Time, bool) {
	if len(s) < len("2006-01-02T15:04:05") || s[4] != '-' || s[7] != '-' || s[13] != ':' || s[16] != ':' {
		return time.Time{}, false
	}
	century, year := parseTwoDigits(s[0:]), parseTwoDigits(s[2:])
	month, day := parseTwoDigits(s[5:]), parseTwoDigits(s[8:])
	hour, minute, second := parseTwoDigits(s[11:]), parseTwoDigits(s[14:]), parseTwoDigits(s[17:])
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23 ||
		minute < 0 || minute > 59 || second < 0 || second > 60 || second == 60 && minute != 59 {
		return time.Time{}, false
	}
	year += century * 100
	if day > daysIn(month, year) {
		return time.Time{}, false
	}
	micros, rest, ok := parseFraction(s[19:])
	if !ok {
		return time.Time{}, false
	}
	offset := time.Duration(0)
	if zoned {
		if offset, ok = parseOffset(rest); !ok {
			return time.Time{}, false
		}
	} else if rest != "" {
		return time.Time{}, false
	}
	// A leap second (60) becomes the first second of the next minute.
	t := time.Date(year, time.Month(month), day, hour, minute, second, micros*1000, time.UTC)
	return t.Add(-offset), true
}

// parseTwoDigits reads two digits, and returns -1 if they are no digits.
func parseTwoDigits(s string) int {
	a, b := s[0]-'0', s[1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}

func daysIn(month, year int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// parseFraction reads an optional fraction of a second and cuts it off after
// the microseconds.
func parseFraction(s string) (micros int, rest string, ok bool) {
	if s == "" || s[0] != '.' {
		return 0, s, true
	}
	i, unit := 1, 100_000
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		micros += int(s[i]-'0') * unit
		unit /= 10
	}
	return micros, s[i:], i > 1
}

// parseOffset reads Z or an offset such as +05:30.
func parseOffset(s string) (time.Duration, bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+05:30") || s[3] != ':' || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hours, minutes := parseTwoDigits(s[1:]), parseTwoDigits(s[4:])
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 {
		return 0, false
	}
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if s[0] == '-' {
		return -offset, true
	}
	return offset, true
}

// parseUnix reads a number of seconds or milliseconds.
func parseUnix(s string) (time.Time, bool) {
	const maxSeconds, maxMillis = 1e11, 1e14
	whole, fraction, dotted := strings.Cut(s, ".")
	if whole == "" || len(whole) > len("99999999999999") || dotted && fraction == "" {
		return time.Time{}, false
	}
	var n int64
	for i := range len(whole) {
		digit := whole[i] - '0'
		if digit > 9 {
			return time.Time{}, false
		}
		n = n*10 + int64(digit)
	}
	// The first six digits of the fraction, as millionths of the unit.
	millionths, unit := int64(0), int64(100_000)
	for i := range len(fraction) {
		digit := fraction[i] - '0'
		if digit > 9 {
			return time.Time{}, false
		}
		millionths += int64(digit) * unit
		unit /= 10
	}
	switch {
	case n >= maxMillis:
		return time.Time{}, false
	case n < maxSeconds:
		return time.UnixMicro(n*1_000_000 + millionths).UTC(), true
	}
	return time.UnixMicro(n*1000 + millionths/1000).UTC(), true
}
