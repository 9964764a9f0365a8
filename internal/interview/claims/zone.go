package claims

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// zones are abbreviations of zones.
var zones = map[string]string{
	"utc": "UTC", "gmt": "UTC", "bst": "Europe/London", "est": "America/New_York", "edt": "America/New_York", "eastern": "America/New_York", "pst": "America/Los_Angeles",
	"cet": "Europe/Berlin", "cest": "Europe/Berlin", "eet": "Europe/Helsinki", "jst": "Asia/Tokyo",
	"ist": UnknownZone, // of India, Israel or Ireland
	"cst": UnknownZone, // of America or China
}

// times are the zones of a time that is named in another way than by a place.
var times = map[string]string{
	"server": ServerZone, "broker": ServerZone, "platform": ServerZone, "chart": ServerZone, "my": OwnZone, "local": OwnZone, "pacific": "America/Los_Angeles", "ny": "America/New_York",
	"british": "Europe/London", "english": "Europe/London", "german": "Europe/Berlin", "french": "Europe/Paris", "italian": "Europe/Rome",
	"spanish": "Europe/Madrid", "indian": "Asia/Kolkata", "european": "Europe/Berlin", "central": UnknownZone, // of America or Australia
}

// zoneAt returns the zone whose name ends at token i: "CET", "Berlin time", "my time zone". It is empty if there is none.
func zoneAt(tokens []token, i int) string {
	if zone := zones[tokens[i].text]; zone != "" {
		return zone
	}
	if tokens[i].text != "time" && tokens[i].text != "timezone" {
		return ""
	}
	if zone := times[textAt(tokens, i-1)]; zone != "" {
		return zone
	}
	for _, at := range []int{i - 2, i - 1} {
		if zone, words := placeZone(tokens, at); words > 0 && at+words == i {
			return zone
		}
	}
	return ""
}

// namedZone returns the zone that the clause names. It is explicit if the words name a time or a zone, and not only
// a session, which may be meant in the trader's own time: "my London session is in the afternoon".
func (st *statement) namedZone() (zone string, explicit bool) {
	for _, s := range sessions {
		if findTokens(st.tokens, strings.Fields(s.phrase), 0) >= 0 {
			zone = s.zone
		}
	}
	for i := range st.tokens {
		z := zoneAt(st.tokens, i)
		if z == "" {
			continue
		}
		zone, explicit = z, z != OwnZone
		if slices.Contains(universal, st.tokens[i].text) {
			zone = offsetZone(st.tokens[i+1:])
		}
	}
	return zone, explicit
}

// universal are what offsets are counted from.
var universal = []string{"utc", "gmt"}

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

// LoadZone returns the zone of a name, or of an offset such as UTC+02:00.
func LoadZone(name string) (*time.Location, error) {
	if at, err := time.Parse("UTC-07:00", name); err == nil {
		_, seconds := at.Zone()
		return time.FixedZone(name, seconds), nil
	}
	return time.LoadLocation(name)
}
