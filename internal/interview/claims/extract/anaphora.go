package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// antecedent is what a pronoun may refer to: a phrase that makes a yes-or-no
// statement, and how many clauses ago it was said.
type antecedent struct {
	rule  int // of rules.BoolRules; -1 when there is none
	words []string
	ago   int
	asked bool // the question said it, and the trader has named nothing since
}

// antecedentReach is how many clauses later a pronoun may still refer to a phrase.
const antecedentReach = 3

// rememberAntecedent keeps the last phrase of a clause that a pronoun may refer to.
// In a clause that also names an instrument, it is unclear which of the two is
// meant.
func (r *reader) rememberAntecedent(c clause.Clause) {
	r.spoken.ago++
	named := len(c.Tokens.FindInstruments()) > 0
	if named || r.spoken.asked && !isAboutAsked(c.Tokens) {
		r.spoken = antecedent{rule: -1}
	}
	if named {
		return
	}
	last := -1
	for index, rule := range rules.BoolRules {
		if rule.Others || !words.IsListed(string(rule.Topic), []string{string(claims.StopLossUse), string(claims.EAUse), string(claims.News), string(claims.Averaging)}) {
			continue
		}
		for _, phrase := range rule.Triggers {
			phraseWords := strings.Fields(phrase)
			if at := c.Tokens.FindWords(phraseWords, 0); at > last {
				last = at
				if c.Tokens[max(0, at-2):at].HasPhrase("without") {
					phraseWords = append([]string{"without"}, phraseWords...)
				}
				r.spoken = antecedent{rule: index, words: phraseWords}
			}
		}
	}
}

// isAboutAsked reports whether a clause may go on about what the question named: "I tried them", "yes". What
// "it" refers to after "a volume profile" is that.
func isAboutAsked(tokens words.Tokens) bool {
	_, answers := readPolarity(tokens)
	return answers || slices.ContainsFunc(tokens, func(t words.Token) bool { return words.IsListed(t.Text, words.Neutral, []string{"them", "any", "one"}) })
}

// pronounVerbs are the verbs with which a trader uses what "it" refers to.
var pronounVerbs = []string{"use", "using", "trade", "do", "avoid", "touch", "follow", "need", "run", "hold", "straddle", "place", "set", "keep", "stay"}

// readPronoun reads a clause whose pronoun refers to something mentioned before: "I
// hate news, I don't trade it".
func (r *reader) readPronoun(s claims.Segment, c clause.Clause) []claims.Claim {
	if r.spoken.rule < 0 || r.spoken.ago > antecedentReach || len(r.spoken.words) == 0 || c.Unreal || !isShort(c.Tokens) && c.Tokens[0].Text != "there" {
		return nil
	}
	at := pronounAt(c.Tokens)
	if r.spoken.asked && words.IsListed(c.Tokens[0].Text, words.Determiners) { // "a journal I use"
		return nil
	}
	if at < 0 || rules.BoolRules[r.spoken.rule].Topic == claims.StopLossUse && c.Tokens[at-1].Text == "touch" { // who does not touch a stop has one
		return nil
	}
	tokens := slices.Clone(c.Tokens[:at])
	for _, word := range r.spoken.words {
		stand := c.Tokens[at]
		stand.Text = word
		tokens = append(tokens, stand)
	}
	tokens = append(tokens, c.Tokens[at+1:]...)
	st := readPart(s, clause.Clause{Tokens: tokens, Manner: c.Manner}, tokens)
	st.yesOrNo(rules.BoolRules[r.spoken.rule])
	return st.claims
}

// replacesEarlier drops what the previous clause stated about the same thing if
// this one takes it back: "I have a bot, but I don't use it".
func (r *reader) replacesEarlier(found []claims.Claim) {
	from := r.starts[max(0, len(r.starts)-2)]
	kept := slices.DeleteFunc(slices.Clone(r.claims[from:]), func(old claims.Claim) bool {
		return slices.ContainsFunc(found, func(f claims.Claim) bool { return f.Op == claims.Is && old.Topic == f.Topic && old.About == f.About })
	})
	r.claims = append(r.claims[:from:from], kept...)
	r.starts[len(r.starts)-1] = len(r.claims)
}

// pronounAt returns the index of the pronoun after its verb, or -1 if there is
// none.
func pronounAt(tokens words.Tokens) int {
	for i := 1; i < len(tokens); i++ {
		verb, next := tokens[i-1].Text, tokens.TextAt(i+1)
		for back := i - 1; back > 0 && (words.IsListed(verb, []string{"through", "during", "around", "over", "right", "of", "away", "from", "out", "my", "the"}) || back > 1 && words.IsListed(verb, []string{"trades", "positions", "trade", "position"}) && words.IsListed(tokens[back-1].Text, []string{"my", "the"})); back-- {
			verb = tokens[back-1].Text
		}
		switch tokens[i].Text {
		case "their":
			if words.IsListed(verb, []string{"take", "follow", "use", "copy"}) && words.IsListed(next, []string{"trades", "signals", "calls"}) {
				return i
			}
		case "it", "that", "them", "those", "this":
			if words.IsListed(verb, pronounVerbs) && (next == "" || words.IsListed(next, words.Adverbs, words.Prepositions, words.Determiners) || next == "anymore") {
				return i
			}
		case "one", "any":
			if (words.IsListed(verb, []string{"use", "have", "need", "set", "put"}) || verb == "is" && tokens.TextAt(i-2) == "there") && (next == "" || words.IsListed(next, words.Prepositions, words.Adverbs, words.Determiners)) {
				return i
			}
		}
	}
	return -1
}

// isValueAlone reports whether a clause is a value without a word about what it
// measures.
func isValueAlone(tokens words.Tokens) bool {
	n := tokens.FindNumbers()
	return len(n) == 1 && n[0].Unit != claims.NoUnit && !slices.ContainsFunc(tokens, func(t words.Token) bool { return words.IsSubject(t.Text) || words.IsListed(t.Text, words.Auxiliaries) })
}

// isAfterthought reports whether the words weaken what was said before them: "I
// believe", "not all of them".
func isAfterthought(tokens words.Tokens) bool {
	switch {
	case len(tokens) <= 3 && words.IsListed(tokens[0].Text, words.SelfPronouns) && words.IsListed(tokens[len(tokens)-1].Text, words.BeliefVerbs) && !words.IsListed(tokens[len(tokens)-1].Text, words.CertainVerbs):
		return true
	case len(tokens) > 6 || len(tokens.FindNumbers()) > 0:
		return false
	}
	return tokens.StartsWith([]string{"not", "all"}) || tokens.StartsWith([]string{"not", "always"}) ||
		tokens.HasPhrase("but not always", "but not all", "but not every")
}

// readExplanation reads the previous clause as a value of what this clause says it
// is: "one percent of the account, that is my risk".
func (r *reader) readExplanation(s claims.Segment, clauses []clause.Clause, i int) []claims.Claim {
	c := clauses[i]
	if i == 0 || len(c.Tokens) < 3 || !words.IsListed(c.Tokens[0].Text, []string{"that", "this", "it"}) || c.Tokens[1].Text != "is" ||
		c.Tokens.HasNegation() || len(c.Tokens.FindNumbers()) > 0 {
		return nil
	}
	before := clauses[i-1]
	topic := topicOf(readPart(s, c, c.Tokens))
	if topic == "" || before.IsVoid() || before.Foreign || len(r.claims) > r.starts[len(r.starts)-2] || !isValueAlone(before.Tokens) {
		return nil
	}
	st := readPart(s, before, before.Tokens)
	st.readBareValues(topic)
	return st.claims
}

// placeInZone gives the hours that were stated last the zone that a remark names:
// "that is London time". It reports whether the clause was such a remark.
func (r *reader) placeInZone(s claims.Segment, c clause.Clause) bool {
	ends := len(c.Tokens) <= 8 && c.Tokens.ZoneAt(len(c.Tokens)-1) != ""
	remark := len(c.Tokens) <= 6 && words.IsListed(c.Tokens[0].Text, []string{"that", "it", "this", "all"}) && c.Tokens.HasPhrase("time", "utc", "gmt", "est", "cet")
	if !ends && !remark || len(r.claims) == 0 || len(c.Tokens.FindNumbers()) > 0 || c.Tokens.HasPhrase("news", "trade", "session") {
		return false
	}
	last := &r.claims[len(r.claims)-1]
	zone, explicit := readPart(s, c, c.Tokens).namedZone()
	if last.Topic != claims.Hours || last.Zone != "" && last.Zone != c.Home && (!r.implied || !explicit) || zone == "" {
		return false
	}
	last.Zone = zone
	last.ID = hashClaim(*last)
	return true
}

// startedAgo reads how long a trader has traded from the start: "I started trading
// two years ago". It is a statement about the present in the past tense.
func startedAgo(s claims.Segment, c clause.Clause, asked claims.Topic) (found claims.Claim, ok bool) {
	old := c.Tokens.HasPhrase("strategy is", "system is") && !c.Foreign && !c.IsVoid()
	if old {
		st := readPart(s, c, c.Tokens)
		for _, n := range st.numbers {
			if n.Unit == claims.Seconds && c.Tokens.TextAt(n.Last+1) == "old" {
				st.addClaim(st.makeClaim(claims.StrategyLength, n), n.First, n.Last)
				return st.claims[0], true
			}
		}
	}
	if c.Foreign || c.Unreal || c.Tokens.HasNegation() || !isShort(c.Tokens) || !c.Tokens.HasPhrase("started", "began") ||
		asked != claims.StrategyLength && !c.Tokens.HasPhrase("trading", "strategy", "scalping", "this", "trade") || clause.ConditionOf(c.Tokens) != "" {
		return found, false
	}
	if !startsTrading(c.Tokens) {
		return found, false
	}
	st := readPart(s, c, c.Tokens)
	for _, n := range st.numbers {
		if n.Unit == claims.Seconds && c.Tokens.TextAt(n.Last+1) == "ago" {
			st.addClaim(st.makeClaim(claims.StrategyLength, n), n.First, n.Last)
			return st.claims[0], true
		}
	}
	return found, false
}

// startsTrading reports whether what somebody started is trading, or is left out: not "I started my job".
func startsTrading(tokens words.Tokens) bool {
	at := slices.IndexFunc(tokens, func(t words.Token) bool { return t.Text == "started" || t.Text == "began" })
	for at++; at < len(tokens) && !tokens.IsNumberAt(at); at++ {
		text := tokens[at].Text
		if words.IsListed(text, words.OwnThings, tradingWords, []string{"using", "scalping", "swinging", "doing", "day", "this", "it"}) || tokens.InstrumentWords(at) > 0 || words.Classes[text] != "" {
			return true
		}
		if !words.IsListed(text, words.Hedges, words.Adverbs, words.Prepositions, words.Determiners) {
			return false
		}
	}
	return true
}

// aroundNews reads what the trader does when there is news, if the condition names
// the news: "when there is news I am flat".
func aroundNews(s claims.Segment, clauses []clause.Clause, i int) []claims.Claim {
	c := clauses[i]
	if c.IsVoid() || c.Foreign {
		return nil
	}
	st := readPart(s, c, c.Tokens)
	st.Conditional = false
	denied := c.Tokens.HasNegation()
	only := i+1 < len(clauses) && clause.IsNewsCondition(clauses[i+1].Tokens) && !denied && st.hasAny([]string{"only trade", "trade only"}) // "I only trade when there is news"
	after := i+1 < len(clauses) && clause.IsNewsCondition(clauses[i+1].Tokens) && st.hasAny(rules.NewsRule().Off) && !st.hasAny([]string{"close the", "close my"})
	rests := after || followsNews(clauses, i) &&
		(denied && st.hasAny([]string{"trade", "open", "opening", "enter", "touch", "trades", "position", "positions"}) ||
			st.hasAny([]string{"flat", "out of the market", "out of everything", "on the sidelines", "i wait"}) || st.hasAny(rules.NewsRule().Off))
	only = only || i+1 < len(clauses) && clauses[i+1].Tokens[0].Text == "whether" && clauses[i+1].Tokens.HasPhrase(rules.NewsRule().Triggers...) && !denied && c.Tokens.HasPhrase("i take", "i trade", "i do", "i hold", "i keep") // "whether there is news or not"
	if only || rests {
		st.addClaim(claims.Claim{Topic: claims.News, Op: claims.Is, Bool: only}, 0, len(c.Tokens)-1)
	}
	return st.claims
}

// followsNews reports whether clause i is about what the trader does at news, as a clause before it says: "when there is
// news", "for the news I have an app", "before CPI".
func followsNews(clauses []clause.Clause, i int) bool {
	for j := i - 1; j >= max(0, i-3); j-- {
		tokens := clauses[j].Tokens
		if clauses[j].Unreal {
			return false
		}
		if j == i-1 && clause.IsNewsCondition(tokens) {
			return true
		}
		from := toInt(words.IsListed(tokens[0].Text, words.Connectors))
		if words.IsListed(tokens.TextAt(from), []string{"for", "at", "on", "around", "before", "during"}) && isNewsAt(tokens, from+1) >= 0 || j == i-1 && endsWithNews(tokens) {
			return clause.SubjectOf(clauses[i].Tokens) == clause.Trader
		}
	}
	return false
}

// isNewsAt returns where words for news end that begin at token i, or -1 if there are none.
func isNewsAt(tokens words.Tokens, i int) int {
	end := clause.TopicEnd(tokens, i)
	if end == i || !tokens[i:end].HasPhrase(rules.NewsRule().Triggers...) {
		return -1
	}
	return end
}

// endsWithNews reports whether a clause ends with the time of what comes behind it: "before CPI".
func endsWithNews(tokens words.Tokens) bool {
	for i := max(0, len(tokens)-5); i < len(tokens); i++ {
		if words.IsListed(tokens[i].Text, []string{"before", "around", "during"}) && isNewsAt(tokens, i+1) == len(tokens) {
			return true
		}
	}
	return false
}

// lossAtStop reads what a trade loses at its stop as the risk: "if the stop gets hit I lose one percent".
func lossAtStop(s claims.Segment, clauses []clause.Clause, i int) []claims.Claim {
	c := clauses[i]
	if i == 0 || c.IsVoid() || c.Foreign || c.Tokens.HasNegation() || !c.Tokens.HasPhrase("lose", "down", "cost me", "costs me") || clause.ConditionOf(clauses[i-1].Tokens) == "" ||
		clauses[i-1].Foreign || clauses[i-1].Unreal ||
		!clauses[i-1].Tokens.HasPhrase("stop gets hit", "stop is hit", "stop loss gets hit", "stop loss is hit", "get stopped out", "am stopped out", "stopped out", "hits my stop", "hits the stop") {
		return nil
	}
	st := readPart(s, c, c.Tokens)
	st.Conditional = false
	for _, n := range st.numbers {
		if n.Unit == claims.Percent && n.High < mostRisk || n.Unit == claims.Money {
			st.addClaim(st.makeClaim(claims.RiskPerTrade, n), max(0, n.First-st.boundWords(n)), n.Last)
			break
		}
	}
	return st.claims
}
