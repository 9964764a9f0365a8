package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// session is a trading session, with its usual hours in the zone of its city.
type session struct {
	phrase   string
	zone     string
	from, to float64
}

var sessions = []session{
	{"london", "Europe/London", 8, 17},
	{"new york", "America/New_York", 8, 17},
	{"ny session", "America/New_York", 8, 17},
	{"us session", "America/New_York", 8, 17},
	{"asia", "Asia/Tokyo", 9, 18},
	{"asian", "Asia/Tokyo", 9, 18},
	{"tokyo", "Asia/Tokyo", 9, 18},
	{"sydney", "Australia/Sydney", 8, 17},
}

// hourContext lists words that make a clause one about the time of day.
var hourContext = []string{
	"session", "sessions", "hours", "morning", "afternoon", "evening", "am", "pm", "o'clock", "time zone", "timezone", "my time", "london time",
	"server time", "utc", "gmt", "est", "cet",
}

// tradesSession reports whether a session's name means an instrument: "I trade New
// York".
func (st *statement) tradesSession() bool {
	return slices.ContainsFunc(sessions, func(s session) bool {
		return st.hasAny([]string{"i trade " + s.phrase, "we trade " + s.phrase, "i trade the " + s.phrase})
	})
}

// readHours reads the hours of the day, or the sessions, in which the trader
// trades.
func (st *statement) readHours(asked claims.Topic) {
	hasHours := asked == claims.Hours || hasPhrase(withoutDurations(st.context), hourContext...) || st.tradesSession() ||
		slices.ContainsFunc(findClocks(st.context), func(c clockRange) bool { return c.marked }) || len(instrumentSpans(st.tokens)) > 0
	if asked != claims.Hours && !hasPhrase(withoutDurations(st.context), "trade", "trading", "session", "sessions", "active", "market", "hours", "charts") {
		return
	}
	zone, explicit := st.namedZone()
	hasHours = hasHours || zone != "" && st.hasAny([]string{"time"})
	found := st.clocks
	for i := 0; hasHours && len(found) == 0 && i < len(st.tokens); i++ {
		if c, ok := readClocks(st.tokens, i); ok &&
			(asked == claims.Hours ||
				!hasPhrase(st.tokens[c.last+1:], "session")) { // not "two or three in the London session"
			found = []clockRange{c}
			for k, n := range st.numbers {
				st.used[k] = st.used[k] || n.first <= c.last && c.first <= n.last
			}
		}
	}
	for _, c := range found {
		if st.isNegated(c.first) || st.isOutside(c.first) || st.isAway(c) {
			continue
		}
		in := zone
		if !explicit {
			in = st.zoneOf(c, zone)
		}
		st.addClaim(claims.Claim{Topic: claims.Hours, Op: claims.Range, Value: c.from, High: c.to, EitherHalf: c.eitherHalf, Zone: in, Unit: claims.Clock}, c.first, c.last)
	}
	aside := asked != "" && asked != claims.Hours && !hasPhrase(st.context, "trade", "trading", "scalp") && (!st.hasAny([]string{"session"}) || slices.ContainsFunc(st.context[:min(2, len(st.context))], func(t token) bool { return isListed(t.text, neutral, otherPronouns) }))
	if hasHours && len(found) == 0 && !aside { // not "gold moves in the New York session"
		st.readSessions()
	}
}

// withoutDurations leaves out durations: "a couple of hours".
func withoutDurations(tokens []token) (kept []token) {
	at := 0
	for _, n := range findNumbers(tokens) {
		if n.unit == claims.Seconds {
			kept = append(kept, tokens[at:n.first]...)
			at = n.last + 1
		}
	}
	return append(kept, tokens[at:]...)
}

// readSessions reads sessions that are named without hours.
func (st *statement) readSessions() {
	var claimed []string
	for _, s := range sessions {
		words := strings.Fields(s.phrase)
		at := findTokens(st.tokens, words, 0)
		if at < 0 || slices.Contains(claimed, s.zone) {
			continue
		}
		last := at + len(words) - 1
		if isListed(textAt(st.tokens, last+1), []string{"session", "sessions"}) {
			last++
		}
		if st.isSessionDenied(at, last) || st.isOutside(at) || st.isAway(clockRange{first: at, last: last}) {
			continue
		}
		if isListed(textAt(st.tokens, at-1), []string{"of", "before", "after"}) ||
			textAt(st.tokens, at-1) == "the" && isListed(textAt(st.tokens, at-2), []string{"of", "before", "after"}) {
			continue // "the first hours of London"
		}
		claimed = append(claimed, s.zone)
		if textAt(st.tokens, at-1) == "open" {
			continue // "the nine thirty open, New York"
		}
		if next := textAt(st.tokens, last+1); slices.ContainsFunc([]string{"time", "open", "clos", "lunch"}, func(begin string) bool { return strings.HasPrefix(next, begin) }) {
			continue // a time of the day, and a moment of a session, are not all of it
		}
		st.addClaim(claims.Claim{Topic: claims.Hours, Op: claims.Range, Value: s.from, High: s.to, Zone: s.zone, Unit: claims.Clock}, at, last)
	}
}

// readClosingHour reads that nothing is open behind an hour of the day, and so not overnight: "everything is closed by nine pm".
func (st *statement) readClosingHour() {
	at := findTokens(st.tokens, []string{"by"}, 0)
	for _, phrase := range []string{"by the evening", "in the evening", "by night", "by dinner", "before dinner"} {
		if evening := findPhrase(st.tokens, phrase); evening > 0 && st.hasAny([]string{"closed", "flat"}) && st.hasAny([]string{"everything", "is all", "are all", "all of them", "all my"}) && !deniedIn(st.tokens) {
			st.addClaim(claims.Claim{Topic: claims.HoldingTime, About: "overnight", Op: claims.Is}, evening, min(evening+2, len(st.tokens)-1))
			return
		}
	}
	if at < 0 || at+1 >= len(st.tokens) || !st.hasAny(closing) && !st.hasAny([]string{"off the table"}) || deniedIn(st.tokens) ||
		!st.hasAny([]string{"everything", "every position", "every trade", "all positions", "all my positions", "all trades", "all my trades", "all of them"}) {
		return
	}
	if m, ok := readMoment(st.tokens, at+1); ok && (m.half == "pm" || m.hour > 12) {
		st.addClaim(claims.Claim{Topic: claims.HoldingTime, About: "overnight", Op: claims.Is}, at, m.last)
	}
}

// isOutside reports whether the trader means the rest of the day: "outside of nine to
// five", "except the London session".
func (st *statement) isOutside(i int) bool {
	return st.isExcepted(i) || hasPhrase(st.tokens[max(0, i-3):i], "outside")
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
		zone, explicit = z, z != claims.OwnZone
		if slices.Contains(universal, st.tokens[i].text) {
			zone = offsetZone(st.tokens[i+1:])
		}
	}
	return zone, explicit
}
