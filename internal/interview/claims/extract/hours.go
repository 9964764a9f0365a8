package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
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
	hasHours := asked == claims.Hours || withoutDurations(st.context).HasPhrase(hourContext...) || st.tradesSession() ||
		slices.ContainsFunc(st.context.FindClocks(), func(c words.ClockRange) bool { return c.Marked }) || len(st.tokens.FindInstruments()) > 0
	if asked != claims.Hours && !withoutDurations(st.context).HasPhrase("trade", "trading", "session", "sessions", "active", "market", "hours", "charts") {
		return
	}
	zone, explicit := st.namedZone()
	hasHours = hasHours || zone != "" && st.hasAny([]string{"time"})
	found := st.clocks
	for i := 0; hasHours && len(found) == 0 && i < len(st.tokens); i++ {
		if c, ok := st.tokens.ReadClocks(i); ok &&
			(asked == claims.Hours ||
				!st.tokens[c.Last+1:].HasPhrase("session")) { // not "two or three in the London session"
			found = []words.ClockRange{c}
			for k, n := range st.numbers {
				st.used[k] = st.used[k] || n.First <= c.Last && c.First <= n.Last
			}
		}
	}
	for _, c := range found {
		if st.isNegated(c.First) || st.isOutside(c.First) || st.isAway(c) {
			continue
		}
		in := zone
		if !explicit {
			in = st.zoneOf(c, zone)
		}
		st.addClaim(claims.Claim{Topic: claims.Hours, Op: claims.Range, Value: c.From, High: c.To, EitherHalf: c.EitherHalf, Zone: in, Unit: claims.Clock}, c.First, c.Last)
	}
	aside := asked != "" && asked != claims.Hours && !st.context.HasPhrase("trade", "trading", "scalp") && (!st.hasAny([]string{"session"}) || slices.ContainsFunc(st.context[:min(2, len(st.context))], func(t words.Token) bool { return words.IsListed(t.Text, words.Neutral, words.OtherPronouns) }))
	if hasHours && len(found) == 0 && !aside { // not "gold moves in the New York session"
		st.readSessions()
	}
}

// withoutDurations leaves out durations: "a couple of hours".
func withoutDurations(tokens words.Tokens) (kept words.Tokens) {
	at := 0
	for _, n := range tokens.FindNumbers() {
		if n.Unit == claims.Seconds {
			kept = append(kept, tokens[at:n.First]...)
			at = n.Last + 1
		}
	}
	return append(kept, tokens[at:]...)
}

// readSessions reads sessions that are named without hours.
func (st *statement) readSessions() {
	var claimed []string
	for _, s := range sessions {
		phraseWords := strings.Fields(s.phrase)
		at := st.tokens.FindWords(phraseWords, 0)
		if at < 0 || slices.Contains(claimed, s.zone) {
			continue
		}
		last := at + len(phraseWords) - 1
		if words.IsListed(st.tokens.TextAt(last+1), []string{"session", "sessions"}) {
			last++
		}
		if st.isSessionDenied(at, last) || st.isOutside(at) || st.isAway(words.ClockRange{First: at, Last: last}) {
			continue
		}
		if words.IsListed(st.tokens.TextAt(at-1), []string{"of", "before", "after"}) ||
			st.tokens.TextAt(at-1) == "the" && words.IsListed(st.tokens.TextAt(at-2), []string{"of", "before", "after"}) {
			continue // "the first hours of London"
		}
		claimed = append(claimed, s.zone)
		if st.tokens.TextAt(at-1) == "open" {
			continue // "the nine thirty open, New York"
		}
		if next := st.tokens.TextAt(last + 1); slices.ContainsFunc([]string{"time", "open", "clos", "lunch"}, func(begin string) bool { return strings.HasPrefix(next, begin) }) {
			continue // a time of the day, and a moment of a session, are not all of it
		}
		st.addClaim(claims.Claim{Topic: claims.Hours, Op: claims.Range, Value: s.from, High: s.to, Zone: s.zone, Unit: claims.Clock}, at, last)
	}
}

// readClosingHour reads that nothing is open behind an hour of the day, and so not overnight: "everything is closed by nine pm".
func (st *statement) readClosingHour() {
	at := st.tokens.FindWords([]string{"by"}, 0)
	for _, phrase := range []string{"by the evening", "in the evening", "by night", "by dinner", "before dinner"} {
		if evening := st.tokens.FindPhrase(phrase); evening > 0 && st.hasAny([]string{"closed", "flat"}) && st.hasAny([]string{"everything", "is all", "are all", "all of them", "all my"}) && !st.tokens.HasNegation() {
			st.addClaim(claims.Claim{Topic: claims.HoldingTime, About: "overnight", Op: claims.Is}, evening, min(evening+2, len(st.tokens)-1))
			return
		}
	}
	if at < 0 || at+1 >= len(st.tokens) || !st.hasAny(rules.Closing) && !st.hasAny([]string{"off the table"}) || st.tokens.HasNegation() ||
		!st.hasAny([]string{"everything", "every position", "every trade", "all positions", "all my positions", "all trades", "all my trades", "all of them"}) {
		return
	}
	if m, ok := st.tokens.ReadMoment(at + 1); ok && (m.Half == "pm" || m.Hour > 12) {
		st.addClaim(claims.Claim{Topic: claims.HoldingTime, About: "overnight", Op: claims.Is}, at, m.Last)
	}
}

// isOutside reports whether the trader means the rest of the day: "outside of nine to
// five", "except the London session".
func (st *statement) isOutside(i int) bool {
	return st.isExcepted(i) || st.tokens[max(0, i-3):i].HasPhrase("outside")
}

// namedZone returns the zone that the clause names. It is explicit if the words name a time or a zone, and not only
// a session, which may be meant in the trader's own time: "my London session is in the afternoon".
func (st *statement) namedZone() (zone string, explicit bool) {
	for _, s := range sessions {
		if st.tokens.FindWords(strings.Fields(s.phrase), 0) >= 0 {
			zone = s.zone
		}
	}
	for i := range st.tokens {
		z := st.tokens.ZoneAt(i)
		if z == "" {
			continue
		}
		zone, explicit = z, z != claims.OwnZone
		if slices.Contains(words.Universal, st.tokens[i].Text) {
			zone = st.tokens[i+1:].OffsetZone()
		}
	}
	return zone, explicit
}
