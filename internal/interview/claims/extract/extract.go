package extract

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// reach is how far from what it is about a value may stand, in tokens.
const reach = 8

// negationReach is how far before what it denies a negation may stand, in tokens:
// a list may follow it.
const negationReach = 12

// invertedReach is the same for phrases that deny something by themselves, which
// stand behind other such phrases: "nobody else, only me".
const invertedReach = 3

// Asked is a question that was answered.
type Asked struct {
	Topic  claims.Topic // empty: none of the topics
	Prompt string       // empty: not known
}

// ReadsLanguage reports whether Claims reads a language, which is a BCP 47 tag or empty. It reads English alone:
// words of another language may look like English ones that mean something else.
func ReadsLanguage(tag string) bool {
	base, _, _ := strings.Cut(tag, "-")
	return base == "" || strings.EqualFold(base, "en")
}

// Claims finds what a transcript states, in the order of its segments. asked
// holds the questions by their ids: an answer that is a bare value, a yes or a no
// is about what was asked. What is said again is one statement with several quotes.
func Claims(segments []claims.Segment, asked map[string]Asked) []claims.Claim {
	r := reader{segments: segments, homes: map[string]string{}, spoken: antecedent{rule: -1}}
	for _, s := range segments {
		r.readSegment(s, asked[s.QuestionID])
	}
	mixStyles(r.claims, segments)
	loosenExceptions(r.claims, segments)
	r.claims = withoutPartCounts(withoutOtherCounts(r.claims, segments), segments)
	return mergeSame(withoutSubsets(r.statedClaims()))
}

// statement is a clause that is being read, or a part of one.
type statement struct {
	segment claims.Segment
	tokens  words.Tokens
	context words.Tokens // the whole clause
	clocks  []words.ClockRange
	numbers []words.Number
	used    []bool // numbers that belong to a claim already
	home    string // as of the clause
	// aboutTrades is as of the clause.
	aboutTrades bool
	clause.Manner
	asked    claims.Topic
	fragment bool // the words are no more than what is asked or answered
	claims   []claims.Claim
}

// readPart reads a part of a clause.
func readPart(s claims.Segment, c clause.Clause, tokens words.Tokens) *statement {
	st := &statement{segment: s, tokens: tokens, context: c.Tokens, Manner: c.Manner, home: c.Home, aboutTrades: c.AboutTrades, numbers: tokens.FindNumbers(), clocks: tokens.FindClocks()}
	st.used = make([]bool, len(st.numbers))
	named := tokens.FindInstruments()
	rest := c.Tokens.RestPlaces()
	for i, n := range st.numbers {
		st.used[i] = rest[tokens[n.First].Start] || isNamePart(tokens, n) || tokens.TextAt(n.First-1) == "not" && !slices.Contains([]string{"more", "less"}, tokens[n.First].Text) ||
			slices.ContainsFunc(st.clocks, func(c words.ClockRange) bool { return n.First <= c.Last && c.First <= n.Last }) ||
			slices.ContainsFunc(named, func(x words.Mention) bool { return n.First <= x.Last && x.First <= n.Last })
	}
	return st
}

// inClause finds what a clause states, part by part. What states nothing may be a
// bare value of the topic.
func inClause(s claims.Segment, c clause.Clause, asked claims.Topic) (found []claims.Claim) {
	whole := readPart(s, c, c.Tokens)
	if !whole.Foreign {
		whole.readInstruments(asked)
		found = whole.claims
	}
	var topic claims.Topic // of the part before
	denied := false        // what is said before "or"
	parts := splitValues(c.Tokens)
	for i, part := range parts {
		st := readPart(s, c, part)
		goesOn := part[0].Text == "or" || i > 0 && parts[i-1][len(parts[i-1])-1].Text == "or"
		if denied = denied && goesOn && !part.HasNegation(); denied { // "never less than a minute or more than an hour"
			st.Flipped = !st.Flipped
		}
		denied = denied || part.HasNegation()
		st.asked = asked
		st.applyRules(asked)
		if i > 0 && len(st.claims) == 0 && !st.Foreign {
			if part[0].Text == "which" { // "half a lot, which is about one percent"
				topic = asked
			}
			st.readBareValues(topic)
			loosenListed(found, st.claims)
		}
		found = append(found, st.claims...)
		if n := len(found); n > 0 && found[n-1].Topic != claims.Instruments {
			topic = found[n-1].Topic
		} else if named := topicOf(st); named != "" {
			topic = named
		}
	}
	return inAfternoon(found)
}

// loosenListed limits values to some cases if a value before them and those that go on
// from there differ: "five minutes, ten minutes, an hour".
func loosenListed(before, next []claims.Claim) {
	if len(before) == 0 || len(next) == 0 {
		return
	}
	a, b := &before[len(before)-1], &next[0]
	if a.Topic != b.Topic || !slices.Equal(a.On, b.On) || a.Op != claims.Equal || b.Op != claims.Equal || a.Unit != b.Unit || a.Unit == claims.Count || max(a.Value, b.Value) <= claims.SameSize*min(a.Value, b.Value) {
		return
	}
	for _, c := range []*claims.Claim{a, b} {
		if c.Modality == claims.Plain {
			c.Modality = claims.Sometimes
		}
	}
}

// inAfternoon puts hours that follow later ones into the afternoon, where nothing
// says in which half of the day they are: "eight to eleven, and then two to four". A zone behind the last of them is
// that of all: "eight to ten, and two to four, all UK".
func inAfternoon(found []claims.Claim) []claims.Claim {
	end, before := -1.0, -1
	for i := range found {
		c := &found[i]
		if c.Topic != claims.Hours {
			continue
		}
		if c.EitherHalf && c.Value < end && c.High <= 12 {
			c.Value, c.High, c.EitherHalf = c.Value+12, c.High+12, false
			c.ID = hashClaim(*c)
		}
		if before >= 0 && found[before].Zone == "" {
			found[before].Zone = c.Zone
			found[before].ID = hashClaim(found[before])
		}
		end, before = c.High, i
	}
	return found
}

// applyRules applies all rules.
func (st *statement) applyRules(asked claims.Topic) {
	if !st.Foreign {
		for _, rule := range rules.ValueRules {
			st.applyValueRule(rule)
		}
		st.readStyles()
		st.onlyAccount()
		st.readClosingHour()
		st.readHours(asked)
	}
	for _, rule := range rules.BoolRules {
		if !st.Foreign || rule.Topic == claims.OtherPeople || rule.Topic == claims.AccountSharing {
			st.yesOrNo(rule)
		}
	}
}

// splitValues cuts a clause between two values, so that each belongs only to the words on its side.
func splitValues(tokens words.Tokens) (list []words.Tokens) {
	kept := tokens.ValueRests()
	all := tokens.FindNumbers()
	begin := 0
	for k := 1; k < len(all); k++ {
		at := -1
		for i := all[k-1].Last + 1; i < all[k].First; i++ {
			if !kept[i] && slices.Contains(words.Connectors, tokens[i].Text) &&
				!words.IsListed(tokens[i+1].Text, []string{"less", "fewer", "more", "under"}) &&
				(tokens[i].Text != "plus" || !slices.Contains(words.Universal, tokens[i-1].Text)) {
				at = i
			}
		}
		if at < 0 && (all[k].Unit == all[k-1].Unit && all[k].Unit != claims.NoUnit || tokens.TextAt(all[k].Last+1) == "each") {
			for at = all[k].First; at-1 > all[k-1].Last && words.IsListed(tokens[at-1].Text, words.Hedges, bounds, someTrades, []string{"my", "are", "for", "few", "others", "rest"}); at-- {
			}
		}
		if at < 0 && all[k].Unit == claims.NoUnit && all[k].Low > 0 && all[k].First == all[k-1].Last+2 && words.IsListed(tokens[all[k-1].Last+1].Text, []string{"sometimes", "occasionally", "rarely"}) {
			at = all[k].First - 1 // "ten, sometimes fifteen"
		}
		if at < 0 && all[k].First == all[k-1].Last+3 && words.IsListed(tokens[all[k-1].Last+1].Text, []string{"per", "a", "each"}) && words.IsListed(tokens[all[k-1].Last+2].Text, []string{"trade", "position"}) {
			at = all[k].First // "half a percent per trade, two trades per day"
		}
		if which := tokens.FindWords([]string{"which", "is"}, all[k-1].Last); at < 0 && which > all[k-1].Last && which < all[k].First && all[k-1].Unit == claims.NoUnit {
			at = which
		}
		if at < 0 && tokens.TextAt(all[k].First-1) == "with" && all[k].Unit == claims.Percent && all[k-1].Unit == claims.NoUnit {
			at = all[k].First - 1 // "two trades a day with half a percent on each"
		}
		if at > begin {
			list = append(list, tokens[begin:at:at])
			begin = at
		}
	}
	return append(list, tokens[begin:])
}

// bounds stand before a value that they bound.
var bounds = []string{
	"at", "most", "more", "less", "than", "not", "never", "under", "over", "up", "to", "max", "maximum", "least", "usually", "sometimes", "the",
	"shortest", "longest", "those", "these",
}

// isNamePart reports whether a number is part of a name or of a time before or after
// something: "the 15 minute chart", "on the 15m", "5 minutes before news".
func isNamePart(tokens words.Tokens, n words.Number) bool {
	if words.IsListed(tokens[n.Last].Text, []string{"minute", "hour", "min", "m", "h"}) && n.Last > n.First && tokens.TextAt(n.First-1) == "the" && !n.Ranged &&
		!words.IsListed(tokens.TextAt(n.Last+1), []string{"trade", "trades", "hold", "holding", "scalp", "scalps", "mark", "position", "positions", "limit", "maximum"}) {
		return true // "I use the fifteen minute for entries"
	}
	return slices.Contains([]string{
		"chart", "charts", "timeframe", "timeframes", "time", "candle", "candles", "bar", "bars", "ema", "sma", "moving", "before", "ago", "rule",
		"breakout", "old", "range", "high", "low", "trader", "traders", "trading", "job",
	}, tokens.TextAt(n.Last+1))
}

// addClaim adds a claim that the tokens from first to last make.
func (st *statement) addClaim(c claims.Claim, first, last int) {
	from, to := st.tokens[first], st.tokens[last]
	c.Quote = st.segment.Text[from.Start:to.End]
	c.SegmentID, c.QuestionID = st.segment.ID, st.segment.QuestionID
	c.StartMS, c.EndMS, c.Typed, c.Corrected = from.StartMS, to.EndMS, st.segment.Typed, st.segment.Corrected
	c.Confidence = st.wordConfidence(first, last)
	c.Modality = cmp.Or(c.Modality, st.modalityOf(c))
	if c.Topic != claims.Instruments && c.Topic != claims.AccountCount && c.Topic != claims.StrategyLength {
		// What is denied of an instrument is not denied of all: "I never hold gold overnight".
		c.On = st.namedInstruments(c.Op == claims.Is && !c.Bool || c.Op == claims.AtMost || c.Op == claims.AtLeast)
	}
	c.ID = hashClaim(c)
	st.claims = append(st.claims, c)
}

// hashClaim returns a hash of what makes a claim: repeated analyses give the
// same.
func hashClaim(c claims.Claim) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%s|%s|%g|%g|%t|%s|%t|%s|%s|%s", c.SegmentID, c.Topic, c.About, c.Op, c.Value, c.High, c.Bool, strings.Join(c.Set, ","), c.Only, c.Zone,
		c.Unit, c.Quote))
	return "clm_" + hex.EncodeToString(sum[:10])
}

var modalities = []struct {
	modality claims.Modality
	words    []string
}{
	{claims.Always, []string{"always", "every", "all", "each"}},
	{claims.Never, []string{"never"}},
	{claims.Usually, []string{"usually", "normally", "mostly", "typically", "generally", "often", "mainly"}},
	{claims.Sometimes, []string{"sometimes", "occasionally", "rarely", "seldom", "hardly", "depends"}},
}

// isNegated reports whether the word at token i is denied.
func (st *statement) isNegated(i int) bool { return st.isDenied(i, negationReach) }

// isDenied reports whether the word at token i is denied, by at most so many words before it or by
// the end of the clause. Two negations cancel out.
func (st *statement) isDenied(i, within int) bool {
	denied := st.Flipped
	for j := max(0, i-within); j < i; j++ {
		if words.IsNegation(st.tokens[j].Text) && !words.IsListed(st.tokens.TextAt(j+1), []string{"and", "mind"}) && !st.notAll(j, i) && !st.hasOnlyBetween(j, i) &&
			(st.tokens[j].Text != "nothing" || !words.IsListed(st.tokens.TextAt(j+1), []string{"but", "else"})) {
			denied = !denied
		}
	}
	if st.deniedBehind(i) || !denied && st.tokens[i+1:].HasPhrase("from nobody", "with nobody", "to nobody", "for nobody") {
		denied = !denied
	}
	return denied
}

// hasOnlyBetween reports whether "only" ends what the negation at token j denies before token i: "no crypto, only forex".
func (st *statement) hasOnlyBetween(j, i int) bool {
	named := false
	for k := j + 1; k < i; k++ {
		text := st.tokens[k].Text
		if text == "only" && named {
			return true
		}
		named = named || !words.IsVerb(text) && !words.IsSubject(text) && !words.IsListed(text, words.Adverbs, words.Determiners, words.Prepositions)
	}
	return false
}

// deniedBehind reports whether the words at token i, at the front of a clause, are denied after it:
// "news I don't trade", "martingale never", "bots are not for me".
func (st *statement) deniedBehind(i int) bool {
	rest := st.tokens[i+1:]
	if n := len(rest); i <= 2 && n > 0 && (words.IsListed(rest[n-1].Text, []string{"never", "none", "no"}) || i == 0 && rest[0].Text == "never") {
		return true
	}
	if i <= 2 &&
		rest.HasPhrase("never in my", "never again", "never ever", "not in my life", "not for me", "not my thing", "not something", "not my style", "out of the question") || i <= 2 && rest.EndsWith("not at all", "no way") {
		return true
	}
	at := slices.IndexFunc(rest, func(t words.Token) bool { return words.IsListed(t.Text, words.SelfPronouns) })
	if at < 0 || at > 3 {
		return false
	}
	return slices.ContainsFunc(rest[at:], func(t words.Token) bool { return words.IsNegation(t.Text) }) && len(rest.FindNumbers()) == 0
}

// readComparison reads how the value n is bounded by the words before or behind it.
// A denied bound is the opposite one: "never less than" is at least. If it is not
// the verb that is denied ("without a stop under an hour"), what is meant is unclear.
func (st *statement) readComparison(n words.Number) claims.Op {
	before := st.wordsBetween(n.First-5, n.First)
	behind := st.wordsBetween(n.Last+1, st.boundEnd(n))
	has := func(near []string, phrases ...string) bool {
		joined := " " + strings.Join(near, " ") + " "
		return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(joined, " "+p+" ") })
	}
	around := st.wordsBetween(n.First-reach, n.First)
	seldom := has(around, "rarely", "seldom", "hardly")
	denied := seldom || st.negatedBefore(n.First)
	more := has(before, "more than", "over", "above", "exceed", "exceeds", "exceeding", "goes over", "go over", "bigger than", "higher than", "longer than", "greater than", "past", "beyond")
	less := has(before, "less than", "fewer than", "under", "below", "within", "inside", "shorter than", "smaller than")
	switch {
	case more && denied:
		return claims.AtMost
	case has(before, "up to", "as many as", "as much as", "as long as", "at most", "max", "maximum", "no longer than", "not exceeding", "limit", "cap myself at", "cap it at", "capped at", "at the most", "longest", "biggest", "no later than") ||
		has(behind, "max", "maximum", "is the most", "at most", "or less", "tops", "or fewer", "at the most", "at the very most", "at the max", "or under") || st.isCapped(n):
		return claims.AtMost
	case less && !denied:
		return claims.AtMost
	case less && (seldom || st.Flipped || has(around, "never", "not", "no", "nobody", "nothing")):
		return claims.AtLeast
	case more, has(before, "at least", "minimum", "min", "shortest", "smallest"), has(behind, "or more", "at least", "minimum"), len(behind) > 0 && behind[0] == "plus":
		return claims.AtLeast
	case n.Ranged:
		return claims.Range
	}
	return claims.Equal
}

// isCapped reports whether the words behind a value say that there is never more: "two percent, no more". Before another
// word than "than", "more" is about something else, and in the past it means "no longer".
func (st *statement) isCapped(n words.Number) bool {
	end := st.boundEnd(n)
	for at := n.Last + 1; at+1 < end && !st.Past; at++ {
		denied := words.IsListed(st.tokens.TextAt(at), []string{"not", "no", "never"})
		if denied && words.IsListed(st.tokens.TextAt(at+1), []string{"a", "one"}) && words.IsListed(st.tokens.TextAt(at+3), []string{"more", "longer"}) && st.tokens.TextAt(at+4) == "" {
			return true // "not a cent more"
		}
		if next := st.tokens.TextAt(at + 2); denied && words.IsListed(st.tokens.TextAt(at+1), []string{"more", "longer"}) && (next == "" || next == "than" || words.IsSubject(next)) {
			return true
		}
	}
	return false
}

// boundEnd is where the words end that may bound n from behind, as in "a day at the
// very most": not those that bound the next number.
func (st *statement) boundEnd(n words.Number) int {
	end := st.nextNumber(n, n.Last+8)
	if end < n.Last+8 {
		for end > n.Last+1 && words.IsListed(st.tokens.TextAt(end-1), words.Hedges, bounds) {
			end--
		}
	}
	return end
}

// nextNumber is where the next number behind n begins, or most when that is less.
func (st *statement) nextNumber(n words.Number, most int) int {
	for _, other := range st.numbers {
		if other.First > n.Last {
			return min(most, other.First)
		}
	}
	return most
}

// negatedBefore reports whether there is an odd number of negations before token i.
func (st *statement) negatedBefore(i int) bool {
	denied := st.Flipped
	for j := max(0, i-negationReach); j < i; j++ {
		if words.IsNegation(st.tokens[j].Text) {
			denied = !denied
		}
	}
	return denied
}

// wordsBetween returns the texts of the tokens from first to before last, inside
// the sentence.
func (st *statement) wordsBetween(first, last int) []string {
	var texts []string
	for i := max(0, first); i < min(last, len(st.tokens)); i++ {
		texts = append(texts, st.tokens[i].Text)
	}
	return texts
}

func toInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
