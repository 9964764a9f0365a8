package claims

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// zones are what names a zone beside sessions; the last that is named counts.
var zones = []struct{ phrase, zone string }{
	{"utc", "UTC"},
	{"gmt", "UTC"},
	{"bst", "Europe/London"},
	{"est", "America/New_York"},
	{"edt", "America/New_York"},
	{"uk time", "Europe/London"},
	{"british time", "Europe/London"},
	{"english time", "Europe/London"},
	{"eastern", "America/New_York"},
	{"ny time", "America/New_York"},
	{"pst", "America/Los_Angeles"},
	{"pacific time", "America/Los_Angeles"},
	{"central time", UnknownZone}, // of America, Europe or Australia
	{"cet", "Europe/Berlin"},
	{"cest", "Europe/Berlin"},
	{"frankfurt", "Europe/Berlin"},
	{"berlin time", "Europe/Berlin"},
	{"german time", "Europe/Berlin"},
	{"paris time", "Europe/Paris"},
	{"eet", "Europe/Helsinki"},
	{"moscow time", "Europe/Moscow"},
	{"dubai time", "Asia/Dubai"},
	{"indian time", "Asia/Kolkata"},
	{"india time", "Asia/Kolkata"},
	{"ist", UnknownZone}, // of India, Israel or Ireland
	{"cst", UnknownZone}, // of America or China
	{"singapore time", "Asia/Singapore"},
	{"hong kong time", "Asia/Hong_Kong"},
	{"jst", "Asia/Tokyo"},
	{"sydney time", "Australia/Sydney"},
	{"server time", ServerZone},
	{"broker time", ServerZone},
	{"platform time", ServerZone},
	{"chart time", ServerZone},
	{"my time", OwnZone},
	{"local time", OwnZone},
	{"my timezone", OwnZone},
	{"my time zone", OwnZone},
}

// namedZone returns the zone that the clause names. It is explicit if the words name a time or a zone, and not only
// a session, which may be meant in the trader's own time: "my London session is in the afternoon".
func (st *statement) namedZone() (zone string, explicit bool) {
	for _, s := range sessions {
		if st.hasAny([]string{s.phrase + " time"}) {
			return s.zone, true // "Asia, from midnight to four London time"
		}
	}
	for _, s := range sessions {
		if findTokens(st.tokens, strings.Fields(s.phrase), 0) >= 0 {
			zone = s.zone
		}
	}
	for _, z := range zones {
		at := findTokens(st.tokens, strings.Fields(z.phrase), 0)
		if at < 0 {
			continue
		}
		zone, explicit = z.zone, z.zone != OwnZone
		if slices.Contains(universal, z.phrase) {
			zone = offsetZone(st.tokens[at+1:])
		}
	}
	if zone == "" && st.otherTime() {
		return UnknownZone, true
	}
	return zone, explicit
}

// universal are what offsets are counted from.
var universal = []string{"utc", "gmt"}

// ordinary stand before "time" without naming a zone.
var ordinary = []string{
	"the", "a", "this", "that", "same", "every", "any", "each", "all", "of", "my", "long", "short", "night", "day", "first", "last", "full", "part",
	"free", "some", "which", "what",
}

// otherTime reports whether hours are followed by the name of a time that is not
// known here: "9 to 11 Lagos time".
func (st *statement) otherTime() bool {
	return slices.ContainsFunc(st.clocks, func(c clockRange) bool {
		near := st.tokens[c.last+1 : min(c.last+4, len(st.tokens))]
		at := findTokens(near, []string{"time"}, 0)
		return at > 0 && !slices.Contains(ordinary, near[at-1].text)
	})
}

// offsetZone returns the zone that "UTC" and what follows it make: "plus 3".
func offsetZone(behind []token) string {
	sign := ""
	if len(behind) > 1 {
		switch behind[0].text {
		case "+", "plus":
			sign = "+"
		case "-", "–", "minus":
			sign = "-"
		}
	}
	if sign == "" {
		return "UTC"
	}
	hours, minutes, _ := strings.Cut(behind[1].text, ":")
	h, ok := parseDigits(hours)
	if n, isNumber := readNumber(behind, 1); !ok && isNumber {
		h, ok = n.low, true
	}
	m, _ := parseDigits(minutes)
	if !ok || h > 14 || m >= 60 {
		return UnknownZone
	}
	return fmt.Sprintf("UTC%s%02d:%02d", sign, int(h), int(m+60*(h-float64(int(h)))))
}

// loadZone returns the zone of a name, or of an offset such as UTC+02:00.
func loadZone(name string) (*time.Location, error) {
	if at, err := time.Parse("UTC-07:00", name); err == nil {
		_, seconds := at.Zone()
		return time.FixedZone(name, seconds), nil
	}
	return time.LoadLocation(name)
}
