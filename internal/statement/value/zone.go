package value

import (
	"errors"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the same zones on every machine: a file must not change its meaning with the host
)

var errZone = errors.New("not a time zone")

// Zones of trading servers that have no IANA name of their own.
const (
	// NYClose is New York's clock plus seven hours: the day of most MT4 and
	// MT5 servers ends when New York closes, on the daylight saving time of
	// the United States.
	NYClose = "ny_close"
	// EET is eastern European time with the European Union's daylight saving time.
	EET = "eet"
)

// Zone converts the clock of a file to UTC.
type Zone struct {
	Name     string
	Location *time.Location
}

// UTC is the zone of times that name none.
var UTC = Zone{Name: "UTC", Location: time.UTC}

// LoadZone returns the timezone of a name that files know: an IANA name, an offset such
// as +02:00, NYClose or EET. Nil means that it is none.
func LoadZone(name string) *time.Location {
	z, err := ParseZone(name)
	if err != nil {
		return nil
	}
	return z.Location
}

// ParseZone reads an IANA name, an offset such as +02:00, NYClose or EET.
func ParseZone(s string) (Zone, error) {
	switch strings.ToLower(s) {
	case "", "local":
		return Zone{}, errZone
	case NYClose:
		return Zone{Name: NYClose, Location: nyClose()}, nil
	case EET:
		return loadZone(EET, "Europe/Athens") // whose rules eet has
	}
	if s[0] == '+' || s[0] == '-' {
		if offset, rest, ok := cutOffset(s); ok && rest == "" {
			return FixedZone(offset), nil
		}
		return Zone{}, errZone
	}
	return loadZone(s, s)
}

func loadZone(name, iana string) (Zone, error) {
	loc, err := time.LoadLocation(iana)
	if err != nil {
		return Zone{}, errZone
	}
	return Zone{Name: name, Location: loc}, nil
}

// FixedZone returns the zone of an offset from UTC.
func FixedZone(offset time.Duration) Zone {
	seconds := int(offset / time.Second)
	name := time.Unix(0, 0).In(time.FixedZone("", seconds)).Format("-07:00")
	return Zone{Name: name, Location: time.FixedZone(name, seconds)}
}

// nyClose returns the timezone of NYClose: UTC+2, and UTC+3 while New York has summer time, by the
// rules that New York has had since 2007. No IANA zone has them, so it is written as the data of one:
// two headers, each with one kind of time (its offset in seconds, no summer time, its name), and the
// rule in the format of POSIX, in which New York's 2:00 is 9:00.
var nyClose = sync.OnceValue(func() *time.Location {
	const (
		header = "TZif2" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
			"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x04"
		kind = "\x00\x00\x1c\x20\x00\x00" + "+02\x00"
		rule = "\n<+02>-2<+03>,M3.2.0/9,M11.1.0/9\n"
	)
	loc, err := time.LoadLocationFromTZData(NYClose, []byte(header+kind+header+kind+rule))
	if err != nil {
		panic(err) // the data is constant
	}
	return loc
})

// ToUTC returns the moment at which the zone's clock showed wall, whose own
// location is UTC.
func (z Zone) ToUTC(wall time.Time) time.Time {
	y, m, d := wall.Date()
	return time.Date(y, m, d, wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), z.Location).UTC()
}

// cutOffset reads an offset from UTC at the start of s: a sign, one or two
// digits of hours, and minutes with or without a colon.
func cutOffset(s string) (offset time.Duration, rest string, ok bool) {
	const farthest = 14 * time.Hour
	if len(s) < 2 || s[0] != '+' && s[0] != '-' {
		return 0, s, false
	}
	hours, n := LeadingDigits(s[1:], 2)
	if n == 0 {
		return 0, s, false
	}
	rest = s[1+n:]
	offset = time.Duration(hours) * time.Hour
	if minutes, m := LeadingDigits(strings.TrimPrefix(rest, ":"), 2); m == 2 && minutes < 60 {
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

// LeadingDigits reads up to limit digits at the start of s, and returns their
// value and their number.
func LeadingDigits(s string, limit int) (value, n int) {
	for n < len(s) && n < limit && s[n] >= '0' && s[n] <= '9' {
		value = value*10 + int(s[n]-'0')
		n++
	}
	return value, n
}
