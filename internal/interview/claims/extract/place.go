package extract

import (
	"cmp"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// residing are phrases before the place at which somebody is. What follows the first of them can be nothing but a
// place.
var residing = []string{"live in", "lives in", "living in", "based in", "based out of", "located in", "reside in", "moved to", "am from", "am in", "here in", "over in"}

// homeOf returns the zone of the place where the trader says to be, UnknownZone if the place is not known, or
// nothing if no place is named.
func homeOf(tokens words.Tokens) string {
	for _, name := range words.Universal { // "that is GMT plus one"
		if at := tokens.FindWords([]string{name}, 0); at >= 0 && tokens[max(0, at-3):at].HasPhrase("that is", "it is", "am on", "am in") && words.IsListed(tokens.TextAt(at+1), []string{"plus", "minus"}) {
			return tokens[at+1:].OffsetZone()
		}
	}
	if at := tokens.FindWords([]string{"open"}, 0); at > 0 && findNumbersEnd(tokens, at) { // "the nine thirty open, New York"
		if zone, n := tokens.PlaceZone(at + 1); n > 0 {
			return zone
		}
	}
	for _, phrase := range residing {
		phraseWords := strings.Fields(phrase)
		for at := tokens.FindWords(phraseWords, 0); at >= 0; at = tokens.FindWords(phraseWords, at+1) {
			i := at + len(phraseWords)
			if tokens.TextAt(i) == "the" {
				i++
			}
			if zone, n := tokens.PlaceZone(i); n > 0 {
				return zone
			}
			surely := !words.IsListed(phrase, []string{"moved to", "am in", "here in", "over in"}) && i < len(tokens) && !words.IsListed(tokens[i].Text, words.Determiners)
			if surely || mayBeName(tokens, i) {
				return claims.UnknownZone
			}
		}
	}
	return ""
}

// homeIn returns the home that an answer names, in any of its segments.
func (r *reader) homeIn(s claims.Segment) string {
	answer := cmp.Or(s.QuestionID, s.ID)
	home, ok := r.homes[answer]
	if ok {
		return home
	}
	for _, other := range r.segments {
		if cmp.Or(other.QuestionID, other.ID) == answer && home == "" {
			home = homeOf(words.Tokenize(other))
		}
	}
	r.homes[answer] = home
	return home
}

// zoneOf returns the zone of hours for which the clause names none, or a session alone. A place directly behind the
// hours counts, and then where the trader says to be. A session may be meant in either zone.
func (st *statement) zoneOf(c words.ClockRange, zone string) string {
	if behind := st.placeBehind(c); behind != "" {
		return behind
	}
	switch {
	case st.home == "":
		return zone
	case zone == "" || zone == claims.OwnZone:
		return st.home
	case zone != st.home:
		return claims.UnknownZone
	}
	return zone
}

// placeBehind returns the zone of the place that is named directly behind hours: "four to six pm Dubai", "4 to 6 am in
// Toronto". A word that can be nothing else is the name of a place that is not known.
func (st *statement) placeBehind(c words.ClockRange) string {
	i := c.Last + 1
	for words.IsListed(st.tokens.TextAt(i), []string{"here", "over", "local", "all"}) {
		i++
	}
	if words.IsListed(st.tokens.TextAt(i), []string{"in", "at"}) {
		if i++; st.tokens.TextAt(i) == "the" {
			i++
		}
	}
	if zone, n := st.tokens.PlaceZone(i); n > 0 {
		if words.IsListed(st.tokens.TextAt(i+n), []string{"session", "sessions", "open", "close", "hours", "market"}) {
			return "" // which may be meant in the trader's own time
		}
		return zone
	}
	if mayBeName(st.tokens, i) {
		return claims.UnknownZone
	}
	return ""
}

// behindHours are words that stand behind hours and "in" without being places.
var behindHours = []string{
	"time", "daily", "weekdays", "workdays", "sharp", "o'clock", "approximately", "max", "plus", "minus", "hopefully", "depending", "because", "while",
	"when", "if", "since", "as", "but", "and", "or", "so", "then", "with", "which", "where", "except", "including", "mostly", "morning", "mornings",
	"afternoon", "afternoons", "evening", "evenings", "night", "nights", "noon", "midnight", "early", "late", "summer", "winter", "spring", "autumn",
	"general", "total", "between", "fact", "profit", "front", "cash", "school", "class", "university", "college", "office", "meetings", "bed", "charge",
	"hours", "hour", "minutes", "minute", "weeks", "week", "yes", "no", "monday", "tuesday", "wednesday", "thursday", "friday", "mondays", "tuesdays",
	"wednesdays", "thursdays", "fridays", "saturday", "sunday", "saturdays", "sundays", "weekend", "weekends", "holidays", "usual", "charts", "chart",
	"screen", "computer", "desk", "home", "me", "us", "due", "whenever", "once", "plan", "routine", "weekday", "open", "close", "opening", "closing",
	"overlap", "news", "price", "peak", "active", "busy", "quiet", "long", "shorter", "longer", "later", "earlier", "straight", "nonstop",
}

// mayBeName reports whether the word at token i can only be the name of something that is not known here.
func mayBeName(tokens words.Tokens, i int) bool {
	text := tokens.TextAt(i)
	known := text == "" || tokens.IsNumberAt(i) || words.IsKnown(text) || words.IsListed(text, behindHours, phases, rules.Closing, clause.UnsureWords, tradingWords, awayWords) ||
		strings.HasSuffix(text, "ing") || strings.HasSuffix(text, "ly")
	return !known
}

// findNumbersEnd reports whether a time of the day ends before token i.
func findNumbersEnd(tokens words.Tokens, i int) bool {
	for at := max(0, i-3); at < i; at++ {
		if m, ok := tokens.ReadMoment(at); ok && m.Last == i-1 {
			return true
		}
	}
	return false
}
