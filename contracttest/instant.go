package contracttest

import (
	"regexp"
	"strings"
	"time"
)

// instantForm is RFC 3339 with an offset of less than a day. Letters may be lower case, and the
// second may be 60.
var instantForm = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// parseInstant parses an RFC 3339 time. utc reports whether it was sent in UTC.
func parseInstant(s string) (t time.Time, utc, ok bool) {
	if !instantForm.MatchString(s) {
		return t, false, false
	}
	text, leap := strings.ToUpper(s), time.Duration(0)
	if text[17:19] == "60" && text[14:16] == "59" {
		text, leap = text[:17]+"59"+text[19:], time.Second
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if t = t.Add(leap).UTC().Truncate(time.Microsecond); err != nil || t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, false, false
	}
	return t, text[len(text)-1] == 'Z' || strings.HasSuffix(text, "00:00"), true
}

// formatInstant formats a time as a query parameter.
func formatInstant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
