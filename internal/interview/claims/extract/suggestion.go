package extract

import (
	"math"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// Suggestion is a claim that something other than this package has found.
type Suggestion struct {
	Topic claims.Topic
	Value float64 // in Unit
	High  float64 // of a range, otherwise Value
	Unit  string  // s, min, h, day, week, month, year, %, money or count
	Quote string  // words of one segment
}

// factors convert the units of suggestions to those of claims.
var factors = map[string]struct {
	unit   claims.Unit
	factor float64
}{
	"s": {claims.Seconds, 1}, "min": {claims.Seconds, 60}, "h": {claims.Seconds, 3600}, "day": {claims.Seconds, 86400}, "week": {claims.Seconds, 604800}, "month": {claims.Seconds, 2629800}, "year": {claims.Seconds, 31557600},
	"%": {claims.Percent, 1}, "money": {claims.Money, 1}, "count": {claims.NoUnit, 1},
}

// maxQuote bounds the words of a suggestion, in bytes.
const maxQuote = 500

// Suggested makes a claim of a suggestion. It refuses the suggestion unless its
// words are in exactly one segment, and this package reads the same number of the
// same kind there, said by the trader about the present. It reads the bound of the
// number and how firmly it was said itself, and does not take them from the
// suggestion.
func Suggested(segments []claims.Segment, s Suggestion) (c claims.Claim, ok bool) {
	unit, known := factors[s.Unit]
	rule := slices.IndexFunc(rules.ValueRules, func(r rules.ValueRule) bool { return r.Topic == s.Topic && slices.Contains(r.Units, unit.unit) })
	if !known || rule < 0 || s.Quote == "" || len(s.Quote) > maxQuote {
		return c, false
	}
	segment, from, to, ok := locateQuote(segments, s.Quote)
	if !ok {
		return c, false
	}
	same := func(n words.Number) bool {
		return n.Unit == unit.unit && isNear(n.Low, s.Value*unit.factor) && isNear(n.High, s.High*unit.factor) && n.Low >= 0 &&
			(rules.ValueRules[rule].Most == 0 || n.High <= rules.ValueRules[rule].Most)
	}
	clauses := clause.Cut(words.Tokenize(segment))
	clause.ReadManners(clauses)
	for _, said := range clauses {
		if said.IsVoid() || said.Foreign {
			continue
		}
		for _, part := range splitValues(said.Tokens) {
			if st := readPart(segment, said, part); st.claimSuggested(s.Topic, from, to, same) {
				return st.claims[0], true
			}
		}
	}
	return c, false
}

// claimSuggested makes a claim of the suggested number, if it is in the clause
// between two places of the text.
func (st *statement) claimSuggested(topic claims.Topic, from, to int, same func(n words.Number) bool) bool {
	for i, n := range st.numbers {
		if st.used[i] || st.tokens[n.First].Start < from || st.tokens[n.Last].End > to || !same(n) {
			continue
		}
		first, last := n.First, n.Last
		for first > 0 && st.tokens[first-1].Start >= from {
			first--
		}
		for last+1 < len(st.tokens) && st.tokens[last+1].End <= to {
			last++
		}
		st.addClaim(st.makeClaim(topic, n), first, last)
		return true
	}
	return false
}

// locateQuote finds the only segment that contains the words, whatever white space
// is between them, and their place in it.
func locateQuote(segments []claims.Segment, quote string) (found claims.Segment, from, to int, ok bool) {
	words := strings.Fields(quote)
	for _, s := range segments {
		at, end := findWords(s.Text, words)
		if at < 0 {
			continue
		}
		if ok {
			return found, 0, 0, false // several segments contain them
		}
		found, from, to, ok = s, at, end, true
	}
	return found, from, to, ok
}

// findWords finds words in a text with white space between them, and returns -1 if
// they are not there.
func findWords(text string, words []string) (from, to int) {
	if len(words) == 0 {
		return -1, -1
	}
	for begin := 0; ; {
		at := strings.Index(text[begin:], words[0])
		if at < 0 {
			return -1, -1
		}
		from = begin + at
		if to = matchWords(text, from, words); to >= 0 {
			return from, to
		}
		begin = from + len(words[0])
	}
}

// matchWords returns where the words end that begin at an index, or -1 if there are
// other words.
func matchWords(text string, at int, words []string) int {
	for i, w := range words {
		if i > 0 {
			rest := strings.TrimLeft(text[at:], " \t\r\n\u00a0\u202f")
			if len(rest) == len(text)-at {
				return -1
			}
			at = len(text) - len(rest)
		}
		if !strings.HasPrefix(text[at:], w) {
			return -1
		}
		at += len(w)
	}
	return at
}

func isNear(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b), 1e-9) }

// Numbers returns the values that a text names, each as it was said and, where it
// has a unit of time, in seconds.
func Numbers(text string) (values []float64) {
	tokens := words.Tokenize(claims.Segment{Text: text})
	for i := range tokens {
		if n, ok := tokens.ReadNumberAt(i); ok {
			values = append(values, n.Low)
		}
	}
	for _, n := range tokens.FindNumbers() {
		values = append(values, n.Low, n.High)
	}
	return values
}
