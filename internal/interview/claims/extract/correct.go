package extract

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// reader collects what a transcript states.
type reader struct {
	segments    []claims.Segment
	homes       map[string]string // by answer
	claims      []claims.Claim
	question    string
	starts      []int          // how many claims there were before each clause of the answer
	topic       claims.Topic   // of the last clause that named one
	topicBefore claims.Topic   // of the clause before, if it named one and stated nothing
	unit        words.Number   // the last value that has a unit
	unitWord    string         // its last word
	unitEnds    bool           // whether the clause before ends with it
	pending     []claims.Claim // what the trader has just asked, as if it were so
	answers     []answered
	person      bool // whether the answer has named somebody whom the trader knows, and nobody else since
	namesTrades bool // whether the answer has spoken of trades
	spoken      antecedent
	part        string // of the day, for hours that are named later
	implied     bool   // whether the zone of the hours named last is that of a session
}

// answered is a yes or a no to a question.
type answered struct {
	question string
	claims   []claims.Claim
	at       int  // how many claims there were before it
	examples bool // whether the question only gave examples
}

// takenBack is how many clauses a correction reaches back.
const takenBack = 5

// readSegment reads a segment. The correction may be in the next one, because
// recognizers cut at pauses.
func (r *reader) readSegment(s claims.Segment, asked Asked) {
	if s.QuestionID != r.question {
		*r = reader{segments: r.segments, homes: r.homes, claims: r.claims, answers: r.answers, question: s.QuestionID, spoken: antecedent{rule: -1}}
		r.rememberAntecedent(clause.Clause{Tokens: words.Tokenize(claims.Segment{Text: asked.Prompt})})
		r.spoken.asked = true
	}
	clauses := clause.Cut(words.Tokenize(s))
	clause.ReadManners(clauses)
	wishes := words.Tokenize(claims.Segment{Text: asked.Prompt}).HasPhrase("would you") // "what would you do differently?"
	for i := range clauses {
		clauses[i].Home = r.homeIn(s)
		clauses[i].Unreal = clauses[i].Unreal || wishes && clauses[i].Tokens.HasPhrase("would")
		r.starts = append(r.starts, len(r.claims))
		r.readClause(s, clauses, i, asked)
	}
}

// dropOtherTrading drops what the clause before states if this one says that it is so elsewhere alone: "I have an EA,
// but it only runs on my personal account".
func (r *reader) dropOtherTrading(c clause.Clause) {
	if c.Link == clause.Against && c.Tokens.HasPhrase("only") && c.Tokens.HasPhrase(otherTrading...) {
		r.replacesEarlier(slices.Clone(r.claims[r.starts[max(0, len(r.starts)-2)]:]))
	}
}

// isAnswerAlone reports whether a clause is no more than a yes or a no to what was named before: "hedging, never".
func isAnswerAlone(tokens words.Tokens) bool {
	return len(tokens) == 1 && words.IsListed(tokens[0].Text, []string{"yes", "no", "never", "none", "always", "sometimes"})
}

// isByOthers reports whether a clause only says that other people do: "my brother does".
func isByOthers(c clause.Clause) bool {
	if !c.Foreign || c.Tokens.HasNegation() {
		return false
	}
	at := slices.IndexFunc(c.Tokens, func(t words.Token) bool { return words.IsListed(t.Text, []string{"does", "do", "is", "did", "has"}) })
	return at >= 0 && at < 5 && (at == len(c.Tokens)-1 || words.IsListed(c.Tokens[at+1].Text, []string{"once", "twice", "sometimes", "occasionally"}))
}

// isWithSomebody reports whether the words only name other people: "me and my
// partner".
func isWithSomebody(tokens words.Tokens) bool {
	if !tokens.HasPhrase("me and", "myself and", "and me", "and i") || len(tokens) > 6 || tokens.HasNegation() {
		return false
	}
	return slices.ContainsFunc(tokens, func(t words.Token) bool { return words.IsListed(t.Text, words.People) }) &&
		!slices.ContainsFunc(tokens, func(t words.Token) bool { return words.IsListed(t.Text, words.Auxiliaries, words.ThirdVerbs) })
}

// claimsOf returns what a clause states: by its own words, as a bare answer to a
// question, or as a value of something mentioned before.
func (r *reader) claimsOf(s claims.Segment, c clause.Clause, asked Asked) []claims.Claim {
	if asked.Topic == "" && r.topic == claims.Instruments && c.Tokens.HasPhrase("also", "too") {
		asked.Topic = claims.Instruments // "my main pair is euro dollar, and I also like gold"
	}
	found := inClause(s, c, asked.Topic)
	if len(found) > 0 || c.Foreign {
		return found
	}
	topics := []claims.Topic{asked.Topic, r.topic}
	if asked.Topic == claims.AccountSharing && words.Tokenize(claims.Segment{Text: asked.Prompt}).HasPhrase("which accounts", "what accounts", "how many accounts") {
		topics = []claims.Topic{claims.AccountCount, r.topic} // "which accounts do you trade, and does anybody else trade them?"
	}
	if n := len(r.starts); n > 1 && r.starts[n-1] == r.starts[n-2] && r.topicBefore != "" && r.topicBefore != asked.Topic && sharesUnit(r.topicBefore, asked.Topic) && c.Link != clause.Apart && c.Tokens.HasValue() {
		topics = []claims.Topic{r.topicBefore} // "I leave it open for however long it needs, which is three days"
	}
	for _, topic := range topics {
		if topic == "" || topic == r.topic && topic != asked.Topic && !isRemark(c.Tokens) {
			continue
		}
		for _, part := range splitValues(c.Tokens) {
			st := readPart(s, c, part)
			st.readBareValues(topic)
			loosenListed(found, st.claims)
			found = append(found, st.claims...)
		}
		if n := len(r.claims); n > 0 && len(r.starts) > 1 && n > r.starts[len(r.starts)-2] && c.Link != clause.Instead {
			loosenListed(r.claims, found)
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

// completeUnit gives a value at the end of a clause the unit of the one before it, if it bounds or corrects that: "two
// percent, never above three", "two days, never more than five".
func (r *reader) completeUnit(c clause.Clause, asked claims.Topic) clause.Clause {
	all := c.Tokens.FindNumbers()
	if len(all) == 0 || r.unitWord == "" || !takesUnit(r.topic) || asked != "" && !takesUnit(asked) || namesCount(c.Tokens) {
		return c
	}
	n, unit := all[len(all)-1], cmp.Or(words.Durations[r.unitWord], 1)
	alike := n.Low*unit >= r.unit.Low/10 && n.High*unit <= 10*r.unit.High
	if n.Unit != claims.NoUnit || n.Last != len(c.Tokens)-1 || !alike || c.Link != clause.Instead && !n.Ranged && !r.comparesWith(c.Tokens[:n.First]) {
		return c
	}
	word := c.Tokens[n.Last]
	word.Text = r.unitWord
	c.Tokens = append(slices.Clone(c.Tokens), word)
	return c
}

// closesList makes the instruments that were named last the only ones: "gold, silver. These two and no others."
func (r *reader) closesList(tokens words.Tokens) bool {
	last := len(r.claims) - 1
	if last < 0 || r.claims[last].Topic != claims.Instruments || len(tokens) > 3 || !tokens.EndsWith("no others", "nothing else", "no other", "none other") {
		return false
	}
	r.claims[last].Only = true
	r.claims[last].ID = hashClaim(r.claims[last])
	return true
}

// withPercent gives parts of one the unit percent, if the question is for a risk and nothing else is counted: "I do not take
// more than zero point five on any idea".
func withPercent(c clause.Clause, asked claims.Topic) clause.Clause {
	if asked != claims.RiskPerTrade && asked != claims.MaxLossDay || c.Tokens.HasPhrase("lot", "lots", "pip", "pips", "contract", "contracts", "size", "r") {
		return c
	}
	for _, n := range c.Tokens.FindNumbers() {
		next := c.Tokens.TextAt(n.Last + 1)
		if n.Unit == claims.NoUnit && !n.Ranged && n.Low > 0 && n.Low < 1 && words.Fractions[c.Tokens[n.Last].Text] == 0 && c.Tokens.TextAt(n.Last) != "a" && (next == "" || next != "to" && next != "of" && words.IsListed(next, words.Prepositions, words.Connectors, []string{"each"})) {
			word := c.Tokens[n.Last]
			word.Text = "percent"
			c.Tokens = slices.Insert(slices.Clone(c.Tokens), n.Last+1, word)
			break
		}
	}
	return c
}

// takesUnit reports whether values of a topic have a unit that is not named each time.
func takesUnit(topic claims.Topic) bool {
	return slices.Contains([]claims.Topic{claims.RiskPerTrade, claims.MaxLossDay, claims.HoldingTime}, topic)
}

// namesCount reports whether the words are about how many there are of something.
func namesCount(tokens words.Tokens) bool {
	return tokens.HasPhrase("how many", "how often", "number", "times", "accounts", "in a row")
}

// comparesWith reports whether the words before a value bound it, or set it against the value before: "never above", "but I
// risk". A guess must follow that directly.
func (r *reader) comparesWith(before words.Tokens) bool {
	near := before[max(0, len(before)-2):]
	if slices.ContainsFunc(near, func(t words.Token) bool {
		return words.IsListed(t.Text, []string{"above", "over", "beyond", "under", "below", "than", "most", "least", "max", "maximum", "minimum", "exceed", "between"})
	}) || before.EndsWith("up to", "sometimes", "could be", "i risk", "stop at", "it at", "it is", "drops to", "drop to", "goes to", "go to", "up to", "down to", "back to", "goes down to", "cut to") {
		return true
	}
	return r.unitEnds && len(before) == 1 && words.IsListed(before[0].Text, clause.UnsureWords, words.Hedges)
}

// sharesUnit reports whether values of two topics have the same unit.
func sharesUnit(a, b claims.Topic) bool {
	unitOf := func(topic claims.Topic) claims.Unit {
		i := slices.IndexFunc(rules.ValueRules, func(r rules.ValueRule) bool { return r.Topic == topic })
		if i < 0 {
			return ""
		}
		return rules.ValueRules[i].Units[0]
	}
	return unitOf(a) == unitOf(b)
}

// isRemark reports whether a clause is only a value, with "it is" at most.
func isRemark(tokens words.Tokens) bool {
	rest := tokens
	for len(rest) > 1 && (words.IsListed(rest[0].Text, words.Adverbs) || words.IsListed(rest[0].Text, words.Connectors)) {
		rest = rest[1:]
	}
	return words.IsListed(rest[0].Text, []string{"it", "that"}) || isDownTo(rest) || len(rest) > 2 && words.IsListed(rest[0].Text, words.SelfPronouns) && words.IsListed(rest[1].Text, []string{"do", "take"}) && rest.IsNumberAt(2) ||
		clause.SubjectOf(tokens) == clause.Nothing && !slices.ContainsFunc(tokens, func(t words.Token) bool { return words.IsListed(t.Text, words.TradeVerbs, words.PastVerbs) })
}

// isDownTo reports whether a clause gives the present value of something mentioned
// before: "I am down to two".
func isDownTo(tokens words.Tokens) bool {
	if len(tokens) < 3 || !tokens.StartsWith([]string{"i", "am"}) {
		return false
	}
	at := 2
	for at < len(tokens) && words.IsListed(tokens[at].Text, []string{"down", "up", "back", "now", "at", "to", "on", "with", "left"}, words.Adverbs) {
		at++
	}
	return at > 2 && tokens.IsNumberAt(at) && (len(tokens) <= at+2 || tokens.EndsWith("right now"))
}

// noteTopics remembers the topics of a clause, even if it states nothing.
func (r *reader) noteTopics(c clause.Clause) {
	r.rememberAntecedent(c)
	r.unitEnds = c.Tokens.HasUnit()
	for _, n := range c.Tokens.FindNumbers() {
		if text := c.Tokens[n.Last].Text; n.Unit != claims.NoUnit && words.IsUnit(text) {
			r.unit, r.unitWord = n, text
		}
	}
	if slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return words.IsListed(t.Text, relations, words.People) }) {
		r.person = slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return words.IsListed(t.Text, relations) })
	}
	r.topicBefore = ""
	if n := len(r.claims); n > 0 && n > r.starts[len(r.starts)-1] {
		r.topic = r.claims[n-1].Topic
		return
	}
	st := readPart(claims.Segment{}, c, c.Tokens)
	r.topicBefore = topicOf(st)
	r.topic = cmp.Or(r.topicBefore, r.topic)
}

// topicOf returns the topic of the words. It is empty if they have no topic with a
// value.
func topicOf(st *statement) (topic claims.Topic) {
	for _, rule := range rules.ValueRules {
		if !rule.Follows && st.hasAny(rule.Triggers) && !st.hasAny(rule.Unless) && (len(rule.Also) == 0 || st.hasAny(rule.Also)) {
			topic = cmp.Or(topic, rule.Topic)
		}
	}
	if topic == "" && st.findLasting() >= 0 {
		return claims.HoldingTime
	}
	return cmp.Or(topic, st.countedTopic())
}

// countedTopic returns the topic whose number the words give.
func (st *statement) countedTopic() (topic claims.Topic) {
	for _, rule := range rules.ValueRules {
		named := func(n words.Number) bool { return n.Unit == claims.NoUnit && st.findTrigger(rule, n) >= 0 }
		if rule.Follows && !st.hasAny(rule.Unless) && slices.ContainsFunc(st.numbers, named) {
			return rule.Topic
		}
	}
	return ""
}

// takeBack drops what a correction replaces, and returns what the correction states. A single value
// in it belongs to the topic that it corrects. A number that states nothing takes all values back,
// because one of them was wrong.
func (r *reader) takeBack(s claims.Segment, c clause.Clause, found []claims.Claim) []claims.Claim {
	from := r.starts[max(0, len(r.starts)-1-takenBack)]
	for i := len(r.claims) - 1; i >= from && len(found) == 0; i-- {
		st := readPart(s, c, c.Tokens)
		if r.claims[i].Topic == claims.Instruments {
			st.readInstruments(claims.Instruments)
		} else {
			st.readBareValues(r.claims[i].Topic)
		}
		found = st.claims
	}
	taken := slices.DeleteFunc(slices.Clone(r.claims[from:]), func(old claims.Claim) bool {
		return slices.ContainsFunc(found, func(f claims.Claim) bool { return f.Topic == old.Topic && (f.Op != claims.Is || f.About == old.About) }) ||
			len(found) == 0 && old.Unit != claims.NoUnit && len(c.Tokens.FindNumbers()) > 0 ||
			len(found) == 0 && old.Topic == claims.Instruments && c.Tokens.HasNegation() && len(c.Tokens.FindInstruments()) > 0
	})
	r.claims = append(r.claims[:from:from], taken...)
	for i := range r.starts {
		r.starts[i] = min(r.starts[i], len(r.claims))
	}
	return found
}

// stopForTheDay reads "if I lose two percent I stop for the day", which is a limit
// although it has the form of a condition.
func stopForTheDay(s claims.Segment, clauses []clause.Clause, i int, asked claims.Topic) (c claims.Claim, ok bool) {
	condition := clauses[i]
	if clause.ConditionOf(condition.Tokens) == "" || condition.Past && (asked != claims.MaxLossDay || !condition.Tokens.HasPhrase("have")) ||
		condition.Foreign || condition.Unreal ||
		!condition.Tokens.HasPhrase("lose", "lost", "losing", "down", "loss", "hit", "drawdown", "losses") ||
		condition.Tokens.HasPhrase("up", "trade", "position") || asked != claims.MaxLossDay && condition.Tokens.HasPhrase("it is down", "they are down") {
		return c, false
	}
	mains := clause.MainsOf(clauses, i)
	stops := slices.ContainsFunc(mains, stopsTrading) ||
		asked == claims.MaxLossDay && !slices.ContainsFunc(mains, goesOnTrading)
	st := readPart(s, condition, condition.Tokens)
	st.Conditional = false
	for k, n := range st.numbers {
		if asked == claims.MaxLossDay && n.Unit == claims.NoUnit && n.Low > mostRisk && st.tokens.TextAt(n.Last+1) == "" {
			n.Unit = claims.Money // "when I am down a thousand"
		}
		if stops && !st.used[k] && (n.Unit == claims.Percent || n.Unit == claims.Money) {
			st.addClaim(st.makeClaim(claims.MaxLossDay, n), max(0, n.First-st.boundWords(n)), n.Last)
			found := st.claims[0]
			for _, m := range mains {
				if found.Modality == claims.Plain {
					found.Modality = readPart(s, *m, m.Tokens).modalityOf(found) // "usually I stop if I lose two percent"
				}
			}
			return found, true
		}
	}
	return c, false
}

// stopsTrading reports whether a clause says that the trader stops.
func stopsTrading(c *clause.Clause) bool {
	return !c.Foreign && !c.Past &&
		(c.Tokens.HasPhrase("stop", "done", "quit", "shut", "finish", "walk", "log", "call", "close", "off", "out", "over") && !c.Tokens.HasPhrase("half") ||
			c.Tokens.HasNegation() && c.Tokens.HasPhrase("trade", "trading"))
}

// goesOnTrading reports whether a clause says what else the trader does: "I reduce my
// size".
func goesOnTrading(c *clause.Clause) bool {
	return !stopsTrading(c) && (clause.SubjectOf(c.Tokens) == clause.Trader || c.Tokens.HasPhrase("half"))
}

// isLevel reports whether a clause only names the value from which on the next one
// holds: "at two percent down".
func isLevel(c clause.Clause) bool {
	return words.IsListed(c.Tokens[0].Text, []string{"at", "after"}) && c.Tokens.IsNumberAt(1) && clause.SubjectOf(c.Tokens) == clause.Nothing
}

// mixStyles changes claims of several styles for one question to claims about what
// happens sometimes: "I swing, and I scalp".
func mixStyles(stated []claims.Claim, segments []claims.Segment) {
	question := map[string]string{}
	for _, s := range segments {
		question[s.ID] = s.QuestionID
	}
	named := map[string][]*claims.Claim{} // by question
	for i := range stated {
		if c := &stated[i]; isStyle(c) {
			named[question[c.SegmentID]] = append(named[question[c.SegmentID]], c)
		}
	}
	for _, all := range named {
		if !slices.ContainsFunc(all, func(c *claims.Claim) bool { return c.Op != all[0].Op || c.Value != all[0].Value }) {
			continue
		}
		for _, c := range all {
			c.Modality = claims.Sometimes
		}
	}
}

// loosenExceptions changes a claim to one about some cases if the same answer names an
// exception: "I don't hold overnight, sometimes I do".
func loosenExceptions(stated []claims.Claim, segments []claims.Segment) {
	question := map[string]string{}
	for _, s := range segments {
		question[s.ID] = cmp.Or(s.QuestionID, s.ID)
	}
	type subject struct{ question, topic, about, on string }
	except := map[subject][2]bool{} // whether it is sometimes so, and sometimes not
	of := func(c *claims.Claim) subject {
		return subject{question[c.SegmentID], string(c.Topic), c.About, strings.Join(c.On, ",")}
	}
	for i := range stated {
		if c := &stated[i]; c.Op == claims.Is && c.Modality == claims.Sometimes {
			e := except[of(c)]
			e[toInt(c.Bool)] = true
			except[of(c)] = e
		}
	}
	for i := range stated {
		if c := &stated[i]; c.Op == claims.Is && except[of(c)][1-toInt(c.Bool)] {
			c.Modality = claims.Sometimes
		}
	}
}

// withoutOtherCounts drops numbers of accounts from answers that give another number of those with the firm,
// or of all: "I have four, two of them are with you", "two funded and a challenge, so three altogether".
func withoutOtherCounts(stated []claims.Claim, segments []claims.Segment) []claims.Claim {
	counts := map[string]float64{} // by segment, NaN if it gives none
	return slices.DeleteFunc(stated, func(c claims.Claim) bool {
		if c.Topic != claims.AccountCount {
			return false
		}
		count, ok := counts[c.SegmentID]
		if !ok {
			count = wholeCount(words.Tokenize(segments[slices.IndexFunc(segments, func(s claims.Segment) bool { return s.ID == c.SegmentID })]))
			counts[c.SegmentID] = count
		}
		return !math.IsNaN(count) && count != c.Value
	})
}

// wholeCount returns the last number that is called one of the accounts with the firm, or of all. It is NaN if there is none.
func wholeCount(tokens words.Tokens) float64 {
	count := math.NaN()
	for _, n := range tokens.FindNumbers() {
		if n.Unit == claims.NoUnit && tokens[n.Last+1:min(n.Last+6, len(tokens))].HasPhrase("altogether", "in total", "of them", "of those", "with you", "here") {
			count = n.Low
		}
	}
	return count
}

// withoutPartCounts drops numbers of accounts that an answer gives for parts of them: "three, two funded and
// one challenge". If it gives no sum, as in "two funded accounts and one challenge account", it drops all of
// them, because there may be others.
func withoutPartCounts(stated []claims.Claim, segments []claims.Segment) []claims.Claim {
	type answer struct {
		counts  []claims.Claim
		numbers []float64
		joined  bool
	}
	answers := map[string]*answer{}
	inAnswer := map[string]*answer{} // by segment
	for _, s := range segments {
		id := cmp.Or(s.QuestionID, s.ID)
		if answers[id] == nil {
			answers[id] = new(answer)
		}
		inAnswer[s.ID] = answers[id]
		tokens := words.Tokenize(s)
		answers[id].joined = answers[id].joined || joinsAccounts(tokens)
		for _, n := range tokens.FindNumbers() {
			if n.Unit == claims.NoUnit {
				answers[id].numbers = append(answers[id].numbers, n.Low)
			}
		}
	}
	isCount := func(c claims.Claim) bool { return c.Topic == claims.AccountCount && c.Op == claims.Equal }
	for _, c := range stated {
		if isCount(c) {
			a := inAnswer[c.SegmentID]
			a.counts = append(a.counts, c)
		}
	}
	return slices.DeleteFunc(stated, func(c claims.Claim) bool {
		if !isCount(c) {
			return false
		}
		a := inAnswer[c.SegmentID]
		several := slices.ContainsFunc(a.counts, func(o claims.Claim) bool { return o.Value != a.counts[0].Value || o.Quote != a.counts[0].Quote })
		total, ok := findTotal(a.numbers)
		return !ok && a.joined || ok && several && c.Value != total
	})
}

// joinsAccounts reports whether accounts are named one after the other: "one account here and one account there".
func joinsAccounts(tokens words.Tokens) bool {
	end := -1 // of the account before
	for _, n := range tokens.FindNumbers() {
		if n.Unit != claims.NoUnit {
			continue
		}
		behind := tokens[n.Last+1 : min(n.Last+4, len(tokens))]
		at := slices.IndexFunc(behind, func(t words.Token) bool { return words.IsListed(t.Text, []string{"account", "accounts"}) })
		if at < 0 || slices.ContainsFunc(behind[:at], func(t words.Token) bool {
			return words.IsListed(t.Text, words.Connectors, words.Prepositions, []string{"demo"})
		}) {
			continue
		}
		if end >= 0 && n.First > end && n.First-end <= reach && tokens[end:n.First].HasPhrase("and", "plus") {
			return true
		}
		end = n.Last + 1 + at
	}
	return false
}

// findTotal returns the first number that is the sum of several next to it.
func findTotal(numbers []float64) (total float64, ok bool) {
	for i, n := range numbers {
		for _, step := range []int{1, -1} {
			sum := 0.0
			for at := i + step; at >= 0 && at < len(numbers) && sum < n; at += step {
				if sum += numbers[at]; sum == n && at != i+step {
					return n, true
				}
			}
		}
	}
	return 0, false
}

// isStyle reports whether the claim is made by a word such as "scalp".
func isStyle(c *claims.Claim) bool {
	return c.Topic == claims.HoldingTime && slices.ContainsFunc(styles, func(s style) bool { return slices.Contains(s.words, strings.ToLower(c.Quote)) })
}
