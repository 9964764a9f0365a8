package contracttest

import (
	"encoding/json"
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

// judgeTime judges a time and records what the head keeps of it.
func (r *reading) judgeTime(f *field, v json.RawMessage, h *head) {
	text := string(v)
	if v[0] == '"' {
		_ = json.Unmarshal(v, &text)
	}
	text = strings.TrimSpace(text)
	t, utc, ok := parseInstant(text)
	switch {
	case !ok && isNoTime(text):
		r.rejectField(f, "stands for no time: "+truncateLine(text, 40))
		return
	case !ok && f.decisive:
		r.rejectRecord(f.name + " is no RFC 3339 time with an offset: " + truncateLine(text, 40))
		return
	case !ok:
		r.rejectField(f, "is no RFC 3339 time with an offset: "+truncateLine(text, 40))
		return
	}
	if !utc {
		r.found.add(ruleUTC, r.id, f.name+" is not in UTC: "+truncateLine(text, 40))
	}
	switch f.name {
	case "updated_at":
		h.updated, h.sentAt = t, text
	case "close_time":
		h.closed = t
	}
}

// isNoTime reports whether a time is the zero value of a common language or database, or the last day
// that a database can store. assay treats it as absent.
func isNoTime(text string) bool {
	return equalNumbers(text, "0") || strings.HasPrefix(text, "0000-00-00") || strings.HasPrefix(text, "0001-01-01T00:00:00") || strings.HasPrefix(text, "9999-12-31")
}
