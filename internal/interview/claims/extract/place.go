package extract

import (
	"cmp"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// residing are phrases before the place at which somebody is. What follows the first of them can be nothing but a
// place.
var residing = []string{"live in", "lives in", "living in", "based in", "based out of", "located in", "reside in", "moved to", "am from", "am in", "here in", "over in"}

// homeOf returns the zone of the place where the trader says to be, UnknownZone if the place is not known, or
// nothing if no place is named.
func homeOf(tokens []token) string {
	for _, name := range universal { // "that is GMT plus one"
		if at := findTokens(tokens, []string{name}, 0); at >= 0 && hasPhrase(tokens[max(0, at-3):at], "that is", "it is", "am on", "am in") && isListed(textAt(tokens, at+1), []string{"plus", "minus"}) {
			return offsetZone(tokens[at+1:])
		}
	}
	if at := findTokens(tokens, []string{"open"}, 0); at > 0 && findNumbersEnd(tokens, at) { // "the nine thirty open, New York"
		if zone, words := placeZone(tokens, at+1); words > 0 {
			return zone
		}
	}
	for _, phrase := range residing {
		words := strings.Fields(phrase)
		for at := findTokens(tokens, words, 0); at >= 0; at = findTokens(tokens, words, at+1) {
			i := at + len(words)
			if textAt(tokens, i) == "the" {
				i++
			}
			if zone, words := placeZone(tokens, i); words > 0 {
				return zone
			}
			surely := !isListed(phrase, []string{"moved to", "am in", "here in", "over in"}) && i < len(tokens) && !isListed(tokens[i].text, determiners)
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
			home = homeOf(tokenize(other))
		}
	}
	r.homes[answer] = home
	return home
}

// zoneOf returns the zone of hours for which the clause names none, or a session alone. A place directly behind the
// hours counts, and then where the trader says to be. A session may be meant in either zone.
func (st *statement) zoneOf(c clockRange, zone string) string {
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
func (st *statement) placeBehind(c clockRange) string {
	i := c.last + 1
	for isListed(textAt(st.tokens, i), []string{"here", "over", "local", "all"}) {
		i++
	}
	if isListed(textAt(st.tokens, i), []string{"in", "at"}) {
		if i++; textAt(st.tokens, i) == "the" {
			i++
		}
	}
	if zone, words := placeZone(st.tokens, i); words > 0 {
		if isListed(textAt(st.tokens, i+words), []string{"session", "sessions", "open", "close", "hours", "market"}) {
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
func mayBeName(tokens []token, i int) bool {
	text := textAt(tokens, i)
	known := text == "" || isNumberAt(tokens, i) || isKnown(text) || isListed(text, behindHours, phases, closing, unsure, tradingWords, awayWords) ||
		strings.HasSuffix(text, "ing") || strings.HasSuffix(text, "ly")
	return !known
}

// findNumbersEnd reports whether a time of the day ends before token i.
func findNumbersEnd(tokens []token, i int) bool {
	for at := max(0, i-3); at < i; at++ {
		if m, ok := readMoment(tokens, at); ok && m.last == i-1 {
			return true
		}
	}
	return false
}
