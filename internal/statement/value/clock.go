package value

import (
	"strings"
	"time"
)

func (t *Stamp) scanClock(s string) (rest string, ok bool) {
	before, s := cutFirstHalf(s)
	hour, n := LeadingDigits(s, 2)
	if n == 0 || len(s) < n+3 || s[n] != ':' {
		return s, false
	}
	s = s[n+1:]
	minute, n := LeadingDigits(s, 2)
	s = s[n:]
	if n != 2 {
		return s, false
	}
	second, fraction := 0, time.Duration(0)
	if strings.HasPrefix(s, ":") {
		if second, n = LeadingDigits(s[1:], 2); n != 2 {
			return s, false
		}
		s = s[3:]
		if s != "" && strings.IndexByte(".,:", s[0]) >= 0 {
			fraction, n = fractionOf(s[1:])
			if n == 0 {
				return s, false
			}
			s = s[1+n:]
		}
	}
	after, s := cutLastHalf(s)
	t.half = after.capital
	if hour, ok = inHalf(hour, before, after); !ok || hour > 23 || minute > 59 || second > 59 {
		return s, false
	}
	t.clock = true
	t.day = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second + fraction
	return s, true
}

// IsClock reports whether a text is a time without a date.
func IsClock(text string) bool {
	if len(text) < len("9:30") || text[0] < '0' || text[0] > '9' || !strings.Contains(text[:3], ":") {
		return false
	}
	t := Stamp{}
	rest, ok := t.scanClock(text)
	return ok && rest == ""
}

// fractionOf reads up to nine digits of a second and cuts it after the microseconds.
func fractionOf(s string) (d time.Duration, n int) {
	value, n := LeadingDigits(s, 9)
	for range 9 - n {
		value *= 10
	}
	return time.Duration(value).Truncate(time.Microsecond), n
}

// half is a word for a half of the day next to a time.
type half struct {
	written, later bool
	// capital means AM or PM without points, as computers in the United States write it. Those in
	// Australia and Mexico, which put the day first, write "am" and "a. m.".
	capital bool
	// zero means that its hours may begin with 0 instead of 12.
	zero bool
}

// inHalf returns the hour of the day of one in a half of it.
func inHalf(hour int, before, after half) (h int, ok bool) {
	of := after
	if before.written {
		of = before
	}
	switch {
	case !of.written:
		return hour, true
	case before.written && after.written, hour > 12, hour == 0 && !of.zero:
		return 0, false
	}
	hour %= 12
	if of.later {
		hour += 12
	}
	return hour, true
}

// firstHalves stand before the time, in Chinese, Japanese and Korean.
var firstHalves = []struct {
	word  string
	later bool
}{
	{"上午", false}, {"下午", true}, {"午前", false}, {"午後", true}, {"오전", false}, {"오후", true},
}

// lastHalves stand behind it, in Arabic, Persian, Greek, Vietnamese and Malay. Those that begin others come after them.
var lastHalves = []struct {
	word  string
	later bool
}{
	{"ص", false},
	{"م", true},
	{"ق.ظ", false},
	{"ب.ظ", true},
	{"π.μ.", false},
	{"μ.μ.", true},
	{"π.μ", false},
	{"μ.μ", true},
	{"πμ", false},
	{"μμ", true},
	{"SA", false},
	{"CH", true},
	{"PTG", true},
	{"PG", false},
}

// spaces may stand between a time and what belongs to it.
const spaces = " \u00a0\u202f"

// cutFirstHalf cuts a word for a half of the day from the beginning of a time.
func cutFirstHalf(s string) (h half, rest string) {
	if s == "" || s[0] < 0x80 {
		return half{}, s
	}
	for _, f := range firstHalves {
		if rest, found := strings.CutPrefix(s, f.word); found {
			return half{written: true, later: f.later, zero: true}, strings.TrimLeft(rest, spaces)
		}
	}
	return half{}, s
}

// cutLastHalf cuts a word for a half of the day that follows a time: AM and PM, also "a.m." and "a. m.", as in Spanish.
func cutLastHalf(s string) (h half, rest string) {
	word := strings.TrimLeft(s, spaces)
	if word == "" {
		return half{}, s
	}
	for _, l := range lastHalves {
		if rest, found := strings.CutPrefix(word, l.word); found && rest == "" {
			return half{written: true, later: l.later}, ""
		}
	}
	first, rest := word[0]|0x20, word[1:]
	dotted := strings.HasPrefix(rest, ".")
	if dotted {
		rest = strings.TrimLeft(rest[1:], spaces)
	}
	if first != 'a' && first != 'p' || rest == "" || rest[0]|0x20 != 'm' {
		return half{}, s
	}
	h = half{written: true, later: first == 'p', capital: !dotted && word[0] < 'a'}
	if rest = rest[1:]; dotted {
		rest = strings.TrimPrefix(rest, ".")
	}
	return h, rest
}
