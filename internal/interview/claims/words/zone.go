package words

import (
	"fmt"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// zones are abbreviations of zones.
var zones = map[string]string{
	"utc": "UTC", "gmt": "UTC", "bst": "Europe/London", "est": "America/New_York", "edt": "America/New_York", "eastern": "America/New_York", "pst": "America/Los_Angeles",
	"cet": "Europe/Berlin", "cest": "Europe/Berlin", "eet": "Europe/Helsinki", "jst": "Asia/Tokyo",
	"ist": claims.UnknownZone, // of India, Israel or Ireland
	"cst": claims.UnknownZone, // of America or China
}

// times are the zones of a time that is named in another way than by a place.
var times = map[string]string{
	"server": claims.ServerZone, "broker": claims.ServerZone, "platform": claims.ServerZone, "chart": claims.ServerZone, "my": claims.OwnZone, "local": claims.OwnZone, "pacific": "America/Los_Angeles", "ny": "America/New_York",
	"british": "Europe/London", "english": "Europe/London", "german": "Europe/Berlin", "french": "Europe/Paris", "italian": "Europe/Rome",
	"spanish": "Europe/Madrid", "indian": "Asia/Kolkata", "european": "Europe/Berlin", "central": claims.UnknownZone, // of America or Australia
}

// ZoneAt returns the zone whose name ends at token i: "CET", "Berlin time", "my time zone". It is empty if there is none.
func (ts Tokens) ZoneAt(i int) string {
	if zone := zones[ts[i].Text]; zone != "" {
		return zone
	}
	if ts[i].Text != "time" && ts[i].Text != "timezone" {
		return ""
	}
	if zone := times[ts.TextAt(i-1)]; zone != "" {
		return zone
	}
	for _, at := range []int{i - 2, i - 1} {
		if zone, words := ts.PlaceZone(at); words > 0 && at+words == i {
			return zone
		}
	}
	return ""
}

// Universal are what offsets are counted from.
var Universal = []string{"utc", "gmt"}

// OffsetZone returns the zone that "UTC" makes with the tokens, which are what follows it: "plus 3".
func (ts Tokens) OffsetZone() string {
	sign := ""
	if len(ts) > 1 {
		switch ts[0].Text {
		case "+", "plus":
			sign = "+"
		case "-", "–", "minus":
			sign = "-"
		}
	}
	if sign == "" {
		return "UTC"
	}
	hours, minutes, _ := strings.Cut(ts[1].Text, ":")
	h, ok := parseDigits(hours)
	if n, isNumber := ts.readNumber(1); !ok && isNumber {
		h, ok = n.Low, true
	}
	m, _ := parseDigits(minutes)
	if !ok || h > 14 || m >= 60 {
		return claims.UnknownZone
	}
	return fmt.Sprintf("UTC%s%02d:%02d", sign, int(h), int(m+60*(h-float64(int(h)))))
}

// places are where traders say that they are, and whose time they name, beside the cities of sessions. All others are
// unknown zones.
var places = map[string]string{
	"dubai": "Asia/Dubai", "singapore": "Asia/Singapore", "hong kong": "Asia/Hong_Kong", "india": "Asia/Kolkata", "japan": "Asia/Tokyo",
	"berlin": "Europe/Berlin", "germany": "Europe/Berlin", "frankfurt": "Europe/Berlin", "paris": "Europe/Paris",
	"france": "Europe/Paris", "italy": "Europe/Rome", "spain": "Europe/Madrid", "warsaw": "Europe/Warsaw",
	"moscow": "Europe/Moscow", "uk": "Europe/London", "england": "Europe/London",
	"london": "Europe/London", "new york": "America/New_York", "tokyo": "Asia/Tokyo", "sydney": "Australia/Sydney",
}

// PlaceZone returns the zone of the place whose name begins at token i, and how many words it has: 0 if it is not known.
func (ts Tokens) PlaceZone(i int) (zone string, words int) {
	if zone = places[ts.TextAt(i)]; zone != "" {
		return zone, 1
	}
	if zone = places[ts.TextAt(i)+" "+ts.TextAt(i+1)]; zone != "" {
		return zone, 2
	}
	return "", 0
}
