package claims

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// reach is how far from what it is about a value may stand, in tokens.
const reach = 8

// negationReach is how far before what it denies a negation may stand, in tokens.
const negationReach = 6

// invertedReach is the same for phrases that deny something by themselves, which
// stand behind other such phrases: "nobody else, only me".
const invertedReach = 3

// Extract finds the claims of a transcript, in the order of its segments.
// topics says what a question asks about, by the question's id: an answer that
// is a bare value is about that.
func Extract(segments []Segment, topics map[string]Topic) []Claim {
	var r reader
	for _, s := range segments {
		r.segment(s, topics[s.QuestionID])
	}
	mixed(r.claims, segments)
	// An engine that repeats itself says it once.
	return slices.CompactFunc(r.claims, func(a, b Claim) bool { return a.ID == b.ID })
}

// past begins what was so and is no more; now ends it.
var (
	past = [][]string{
		{"used", "to"},
		{"in", "the", "past"},
		{"previously"},
		{"ago"},
		{"before", "that"},
		{"at", "first"},
		{"when", "i", "started"},
		{"back", "then"},
		{"i", "had"},
		{"i", "was"},
		{"i", "held"},
		{"i", "risked"},
		{"i", "traded"},
		{"i", "blew"},
		{"i", "lost"},
		{"last", "year"},
		{"last", "month"},
		{"last", "week"},
		{"yesterday"},
		{"i", "took"},
		{"i", "used", "an"},
		{"i", "used", "a"},
		{"i", "tried"},
		{"at", "the", "beginning"},
		{"in", "the", "beginning"},
		{"when", "i", "began"},
		{"initially"},
	}
	now = [][]string{{"but", "now"}, {"now"}, {"nowadays"}, {"these", "days"}, {"today"}, {"currently"}}
)

// presentParts drops what is said of the past, and cuts where a sentence turns
// to something else, so that a value belongs to what stands on its side.
func presentParts(sentence []token) [][]token {
	var parts [][]token
	begin := 0
	add := func(end int) {
		if part := sentence[begin:end]; len(part) > 0 && !isPast(part) {
			parts = append(parts, part)
		}
		begin = end
	}
	for i := range sentence {
		if i > begin && (sentence[i].text == "but" && !isException(sentence[i-1].text) || sentence[i].text == "however" || sentence[i].text == "although" || turnsToNow(sentence[begin:], i-begin)) {
			add(i)
		}
	}
	add(len(sentence))
	return parts
}

// isException reports whether "but" behind the word leaves something out.
func isException(word string) bool {
	return slices.Contains([]string{"everything", "anything", "all", "nothing", "nobody", "one", "everybody"}, word)
}

func isPast(part []token) bool {
	return slices.ContainsFunc(past, func(p []string) bool { return find(part, p, 0) >= 0 }) &&
		!slices.ContainsFunc(now, func(p []string) bool { return find(part, p, 0) >= 0 })
}

// turnsToNow reports whether the tokens before i are of the past and a word of
// the present begins there.
func turnsToNow(part []token, i int) bool {
	return slices.ContainsFunc(now, func(p []string) bool { return startsWith(part[i:], p) }) && isPast(part[:i])
}

func startsWith(tokens []token, words []string) bool {
	if len(tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if tokens[i].text != w {
			return false
		}
	}
	return true
}

// find returns where the words stand in the tokens from i on; -1: nowhere.
func find(tokens []token, words []string, from int) int {
	for i := from; i+len(words) <= len(tokens); i++ {
		if startsWith(tokens[i:], words) {
			return i
		}
	}
	return -1
}

// statement is a clause that is being read.
type statement struct {
	segment Segment
	tokens  []token
	clocks  []clockRange
	numbers []number
	used    []bool // numbers that belong to a claim already
	foreign bool   // it is about somebody else, or about what should be
	unsure  bool   // who says it is not sure
	claims  []Claim
}

// inPart finds the claims of a part of a sentence, clause by clause. What has no
// claim in it may be a bare answer to what was asked.
func inPart(s Segment, part []token, asked Topic) (found []Claim) {
	if isQuestion(part) {
		return nil
	}
	for _, c := range clauses(part) {
		st := read(s, part, c)
		st.all(asked)
		found = append(found, st.claims...)
	}
	if len(found) == 0 {
		st := read(s, part, part)
		if !st.foreign {
			st.bare(asked)
		}
		found = st.claims
	}
	return found
}

// read reads a clause of a part of a sentence.
func read(s Segment, part, tokens []token) *statement {
	st := &statement{segment: s, tokens: tokens, numbers: numbers(tokens), clocks: clocks(tokens)}
	st.used = make([]bool, len(st.numbers))
	for i, n := range st.numbers {
		st.used[i] = names(tokens, n) || slices.ContainsFunc(st.clocks, func(c clockRange) bool { return n.first <= c.last && c.first <= n.last })
	}
	st.foreign = isForeign(tokens)
	st.unsure = (&statement{tokens: part}).hasAny(unsure)
	return st
}

// all applies all rules.
func (st *statement) all(asked Topic) {
	if !st.foreign {
		for _, rule := range valueRules {
			st.values(rule)
		}
		st.styles()
		st.instruments(asked)
		st.hours(asked)
	}
	for _, rule := range boolRules {
		if !st.foreign || rule.topic == OtherPeople || rule.topic == AccountSharing {
			st.yesOrNo(rule)
		}
	}
}

// connectors may join clauses.
var connectors = []string{"and", ",", "then", "so", "while", "because", "plus", "or"}

// clauses cuts a part of a sentence where a value belongs to what stands on its
// side alone: between two values, and before "I" and "my".
func clauses(part []token) [][]token {
	held := make([]bool, len(part)) // by a value: it has to stay together
	ends := []int{}
	for _, n := range numbers(part) {
		hold(held, n.first, n.last)
		ends = append(ends, n.first)
	}
	for _, c := range clocks(part) {
		hold(held, c.first, c.last)
	}
	cut := make([]bool, len(part)+1)
	last := -1 // the last connector since a value
	next := 0
	for i := range part {
		if next < len(ends) && i == ends[next] {
			if last >= 0 && next > 0 {
				cut[last] = true
			}
			last = -1
			next++
		}
		if held[i] || !slices.Contains(connectors, part[i].text) || part[i].text == "plus" && i > 0 && slices.Contains(universal, part[i-1].text) {
			continue
		}
		last = i
		if i+1 < len(part) && slices.Contains([]string{"i", "i'm", "i've", "my", "we"}, part[i+1].text) {
			cut[i] = true
		}
	}
	var list [][]token
	begin := 0
	for i := 1; i <= len(part); i++ {
		if i == len(part) || cut[i] {
			list = append(list, part[begin:i])
			begin = i
		}
	}
	return list
}

func hold(held []bool, first, last int) {
	for i := first; i <= last; i++ {
		held[i] = true
	}
}

// others are of whom a clause may speak in the place of the trader, and wishes
// what makes one about what is not so.
var (
	others = [][]string{
		{"he"},
		{"she"},
		{"people"},
		{"you"},
		{"everybody"},
		{"everyone"},
		{"your"},
		{"the", "rule"},
		{"the", "rules"},
		{"the", "firm"},
		{"most", "traders"},
		{"other", "traders"},
		{"many", "traders"},
		{"some", "traders"},
		{"a", "trader"},
		{"my", "friend"},
		{"my", "friends"},
		{"my", "brother"},
		{"my", "sister"},
		{"my", "wife"},
		{"my", "husband"},
		{"my", "father"},
		{"my", "mentor"},
		{"my", "coach"},
		{"a", "friend"},
	}
	wishes = [][]string{
		{"should"},
		{"shouldn't"},
		{"want", "to"},
		{"wanted", "to"},
		{"plan", "to"},
		{"planning", "to"},
		{"hope", "to"},
		{"going", "to"},
		{"wish"},
		{"supposed", "to"},
		{"would", "like"},
		{"would", "love"},
		{"in", "the", "future"},
		{"have", "to", "hold"},
		{"have", "to", "keep"},
		{"must"},
		{"allowed"},
	}
)

// isForeign tells clauses that say nothing of the trader's own trading.
func isForeign(tokens []token) bool {
	if slices.ContainsFunc(wishes, func(w []string) bool { return find(tokens, w, 0) >= 0 }) {
		return true
	}
	own := slices.IndexFunc(tokens, func(t token) bool { return slices.Contains([]string{"i", "i'm", "i've", "we"}, t.text) })
	return slices.ContainsFunc(others, func(w []string) bool {
		at := find(tokens, w, 0)
		return at >= 0 && (own < 0 || at < own)
	})
}

// names reports whether a number is part of a name or of a time before or after
// something: "the 15 minute chart", "5 minutes before news".
func names(tokens []token, n number) bool {
	if n.last+1 >= len(tokens) {
		return false
	}
	return slices.Contains([]string{
		"chart", "charts", "timeframe", "timeframes", "time", "candle", "candles", "bar", "bars", "ema", "sma", "moving", "before", "ago", "rule", "breakout", "old", "range", "high", "low",
	}, tokens[n.last+1].text)
}

// isQuestion tells sentences in which the trader asks back: these claim nothing.
func isQuestion(tokens []token) bool {
	return len(tokens) > 1 && slices.Contains([]string{"do", "does", "what", "how", "why", "can", "could", "should", "is", "are"}, tokens[0].text) &&
		slices.Contains([]string{"you", "i", "we", "it", "that", "this"}, tokens[1].text)
}

// claim adds a claim that the tokens from first to last make.
func (st *statement) claim(c Claim, first, last int) {
	from, to := st.tokens[first], st.tokens[last]
	c.Quote = st.segment.Text[from.start:to.end]
	c.SegmentID, c.StartMS, c.EndMS, c.Typed = st.segment.ID, from.startMS, to.endMS, st.segment.Typed
	for _, t := range st.tokens[first : last+1] {
		if t.confidence != nil && (c.Confidence == nil || *t.confidence < *c.Confidence) {
			c.Confidence = t.confidence
		}
	}
	c.Modality = cmp.Or(c.Modality, st.modalityOf(c))
	if c.Topic != Instruments {
		c.On = st.about()
	}
	c.ID = identify(c)
	st.claims = append(st.claims, c)
}

// identify is a hash of what makes a claim: repeated analyses give the same.
func identify(c Claim) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%s|%s|%g|%g|%t|%s|%t|%s|%s|%s", c.SegmentID, c.Topic, c.About, c.Op, c.Value, c.High, c.Bool, strings.Join(c.Set, ","), c.Only, c.Zone,
		c.Unit, c.Quote))
	return "clm_" + hex.EncodeToString(sum[:10])
}

var modalities = []struct {
	modality Modality
	words    []string
}{
	{Always, []string{"always", "every", "all", "each"}},
	{Never, []string{"never"}},
	{Usually, []string{"usually", "normally", "mostly", "typically", "generally", "often", "mainly"}},
	{Sometimes, []string{"sometimes", "occasionally", "rarely", "depends"}},
}

var negations = []string{"no", "not", "never", "without", "none", "nobody", "neither", "nor", "cannot", "avoid", "avoids", "refuse", "hate"}

func negates(text string) bool {
	return slices.Contains(negations, text) || strings.HasSuffix(text, "n't") || text == "dont" || text == "doesnt"
}

// negated reports whether what stands at token i is denied.
func (st *statement) negated(i int) bool { return st.denied(i, negationReach) }

// denied reports whether what stands at token i is denied by the tokens before
// it, so many at most. Two negations cancel out; "no" for an answer is none.
func (st *statement) denied(i, within int) bool {
	denied := false
	for j := max(0, i-within); j < i; j++ {
		answer := st.tokens[j].text == "no" && slices.Contains([]string{"i", "we", ",", "i'm", "i've"}, st.tokens[j+1].text)
		if negates(st.tokens[j].text) && !answer && !st.notAll(j, i) {
			denied = !denied
		}
	}
	return denied
}

// comparison reads how the value n is bounded by the words before or behind it.
func (st *statement) comparison(n number) Op {
	before := st.words(n.first-5, n.first)
	behind := st.words(n.last+1, n.last+4)
	denied := false
	for _, w := range before {
		denied = denied || negates(w)
	}
	has := func(words []string, phrases ...string) bool {
		joined := " " + strings.Join(words, " ") + " "
		return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(joined, " "+p+" ") })
	}
	more := has(before, "more than", "over", "above", "exceed", "exceeding", "bigger than", "higher than", "longer than", "greater than", "past", "beyond")
	switch {
	case more && denied:
		return AtMost
	case has(before, "less than", "fewer than", "under", "below", "up to", "at most", "max", "maximum", "no longer than", "not exceeding", "within", "limit") ||
		has(behind, "max", "maximum", "at most", "or less", "tops", "or fewer"):
		return AtMost
	case more, has(before, "at least", "minimum", "min"), has(behind, "or more", "at least", "minimum", "plus"):
		return AtLeast
	case n.ranged:
		return Range
	}
	return Equal
}

// words is the texts of the tokens from first to before last, inside the sentence.
func (st *statement) words(first, last int) []string {
	var texts []string
	for i := max(0, first); i < min(last, len(st.tokens)); i++ {
		texts = append(texts, st.tokens[i].text)
	}
	return texts
}
