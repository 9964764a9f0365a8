package statement

import (
	"errors"
	"strings"
	"time"
	_ "time/tzdata" // the same zones on every machine: a file must not change its meaning with the host
)

var errZone = errors.New("not a time zone")

// zone converts the clock of a file to UTC.
type zone struct {
	name  string
	loc   *time.Location
	ahead time.Duration // of the clock of loc
}

var utcZone = zone{name: "UTC", loc: time.UTC}

// parseZone reads an IANA name, an offset such as +02:00, NYClose or EET.
func parseZone(s string) (zone, error) {
	switch strings.ToLower(s) {
	case "", "local":
		return zone{}, errZone
	case NYClose:
		return loadZone(NYClose, "America/New_York", 7*time.Hour)
	case EET:
		return loadZone(EET, "Europe/Athens", 0)
	}
	if s[0] == '+' || s[0] == '-' {
		if offset, rest, ok := cutOffset(s); ok && rest == "" {
			return fixedZone(offset), nil
		}
		return zone{}, errZone
	}
	return loadZone(s, s, 0)
}

func loadZone(name, iana string, ahead time.Duration) (zone, error) {
	loc, err := time.LoadLocation(iana)
	if err != nil {
		return zone{}, errZone
	}
	return zone{name: name, loc: loc, ahead: ahead}, nil
}

func fixedZone(offset time.Duration) zone {
	return zone{name: time.Unix(0, 0).In(time.FixedZone("", int(offset/time.Second))).Format("-07:00"), loc: time.UTC, ahead: offset}
}

// toUTC returns the moment at which the zone's clock showed wall, whose own
// location is UTC.
func (z zone) toUTC(wall time.Time) time.Time {
	wall = wall.Add(-z.ahead)
	if z.loc == time.UTC {
		return wall
	}
	y, m, d := wall.Date()
	return time.Date(y, m, d, wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), z.loc).UTC()
}

// cutOffset reads an offset from UTC at the start of s: a sign, one or two
// digits of hours, and minutes with or without a colon.
func cutOffset(s string) (offset time.Duration, rest string, ok bool) {
	const farthest = 14 * time.Hour
	if len(s) < 2 || s[0] != '+' && s[0] != '-' {
		return 0, s, false
	}
	hours, n := leadingDigits(s[1:], 2)
	if n == 0 {
		return 0, s, false
	}
	rest = s[1+n:]
	offset = time.Duration(hours) * time.Hour
	if minutes, m := leadingDigits(strings.TrimPrefix(rest, ":"), 2); m == 2 && minutes < 60 {
		rest = strings.TrimPrefix(rest, ":")[2:]
		offset += time.Duration(minutes) * time.Minute
	}
	if offset > farthest || rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		return 0, s, false
	}
	if s[0] == '-' {
		offset = -offset
	}
	return offset, rest, true
}

// leadingDigits reads up to limit digits at the start of s, and returns their
// value and their number.
func leadingDigits(s string, limit int) (value, n int) {
	for n < len(s) && n < limit && s[n] >= '0' && s[n] <= '9' {
		value = value*10 + int(s[n]-'0')
		n++
	}
	return value, n
}
