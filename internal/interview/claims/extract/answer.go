package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// readAnswer reads a clause that is only a yes or a no, or "I do" and "I don't": to
// a question of ours, to one that the trader has just asked, or to what somebody
// else does. It reports whether the clause was one.
func (r *reader) readAnswer(s claims.Segment, clauses []clause.Clause, i int, asked Asked) bool {
	c := clauses[i]
	yes, ok := readPolarity(c.Tokens)
	if !ok && i+1 < len(clauses) {
		yes = isOnlyIf(c.Tokens, clauses[i+1].Tokens)
		ok = yes
	}
	if !ok {
		return false
	}
	if c.Unreal || isYesAndNo(clauses, i) || isOfOtherTrading(clauses, i) {
		return true
	}
	inCases := i+1 < len(clauses) && isOnlyIf(c.Tokens, clauses[i+1].Tokens)
	about, examples := r.pending, false
	switch {
	case len(about) > 0:
	case i > 0 && !clauses[i-1].Unreal && (clause.IsFragment(clauses[i-1].Tokens) || isTopicAlone(clauses[i-1].Tokens)) && len(readSupposed(s, clauses[i-1].Tokens)) > 0:
		about = readSupposed(s, clauses[i-1].Tokens) // "overnight yes, over the weekend no"
	case isShort(c.Tokens) && i > 0 &&
		(clauses[i-1].Foreign || clauses[i-1].Past || clauses[i-1].Tokens[0].Text == "whether" || clauses[i-1].Link == clause.Under || clauses[i-1].Link == clause.Inside && clauses[i-1].Unreal):
		about = readSupposed(s, withoutDenials(clauses[i-1].Tokens)) // "my brother uses a bot, but I don't"
	}
	if len(about) == 0 && (i < 2 || clauses[i-1].Foreign || i == 2 && len(clauses[1].Tokens) == 1 || !slices.ContainsFunc(clauses[:i], func(b clause.Clause) bool { return !clause.IsQuestion(b.Tokens) })) {
		if about = asked.statedByYes(); yes && asked.asksTwoThings() {
			return true
		}
		if !yes {
			if named := asked.readExamples(); len(named) > len(about) {
				about, examples = named, true
			}
		}
	}
	if tokens := words.Tokenize(claims.Segment{Text: asked.Prompt}); len(about) == 0 && i < 2 && tokens.HasPhrase("how do you use") && c.Tokens.HasPhrase("always", "never", "every") {
		for _, q := range readSupposed(s, tokens) { // "how do you use stops?" "Always."
			if q.Topic == asked.Topic {
				about = append(about, q)
			}
		}
	}
	if len(about) == 0 && pronounAt(c.Tokens) >= 0 {
		return false // "I never do that"
	}
	st := readPart(s, c, c.Tokens)
	loose := inCases || isHedgedAnswer(clauses, i)
	var found []claims.Claim
	for _, q := range about {
		st.Unsure = c.Unsure || loose
		st.claims = nil
		st.addClaim(claims.Claim{Topic: q.Topic, About: q.About, Op: claims.Is, Bool: q.Bool == yes}, 0, len(c.Tokens)-1)
		found = append(found, st.claims...)
	}
	if len(found) > 1 && yes && len(r.pending) == 0 {
		return true // "martingale, grid or hedging?" "Yes": which of them?
	}
	if len(found) > 0 {
		r.answers = append(r.answers, answered{s.QuestionID, found, len(r.claims), examples})
	}
	return true
}

// rough are words with which an answer holds for most or some cases only.
var rough = []string{"sometimes", "often", "mostly", "usually", "most"}

// isHedgedAnswer reports whether a yes or a no is not meant of all cases, by its own words or those beside it.
func isHedgedAnswer(clauses []clause.Clause, i int) bool {
	tokens := clauses[i].Tokens
	if isFrequency(tokens) && !tokens.HasPhrase("hundred", "100") || tokens.HasPhrase(rough...) || tokens.HasPhrase("as a rule") ||
		tokens.HasPhrase("seldom", "i know of", "aware of", "try", "really", "always yes", "rarely", "occasionally") ||
		tokens.HasPhrase("happened", "happens") && !tokens.HasNegation() {
		return true
	}
	if i+1 < len(clauses) {
		if next := clauses[i+1].Tokens; len(next) <= 5 && len(next.FindNumbers()) == 0 && next.HasPhrase("sometimes", "occasionally", "rarely", "often", "mostly", "usually", "not always", "not every", "not all", "can happen") {
			return true
		}
	}
	return i > 0 && len(clauses[i-1].Tokens) < 6 && clauses[i-1].Tokens.HasPhrase(rough...)
}

// Words of which a yes or a no may consist.
var (
	yesWords = []string{"yes", "absolutely", "definitely", "correct", "exactly", "always", "sure", "indeed", "sometimes", "certainly", "affirmative"}
	noWords  = []string{"no", "negative", "not", "never", "nobody", "none", "nolonger", "neither"}
	// oftenWords say yes by saying how often.
	oftenWords = []string{"every", "each", "exception", "fail", "most", "rarely", "seldom", "occasionally"}
	// answerFill may stand beside them.
	answerFill = []string{
		"i", "we", "do", "am", "have", "it", "is", "that", "at", "all", "really", "of", "course", "right", "ever", "anymore", "often", "me", "them",
		"to", "usually", "mostly", "and", "but", "then", "will", "would", "can", "only", "use", "need", "try", "one", "the", "other", "nor", "two",
		"know", "those", "these", "times", "single", "time", "trade", "position", "without", "on", "with", "cases", "aware", "this", "account", "exceptions", "now",
		"very", "just", "way", "for", "as", "a", "rule", "happens", "happened", "has", "once", "twice",
	}
)

// readPolarity reads "yes", "no, never" and "I don't". ok is false if the clause
// says more.
func readPolarity(tokens words.Tokens) (yes, ok bool) {
	if isFrequency(tokens) {
		return true, true
	}
	if tokens.StartsWith([]string{"not", "to", "my", "knowledge"}) {
		return false, true
	}
	if tokens.HasPhrase("not only") || tokens.EndsWith("not know", "not sure", "not certain") ||
		tokens.HasPhrase("use", "need") && !tokens.HasPhrase("none", "not", "never") {
		return false, false
	}
	yes, said := true, false
	if at := tokens.FindWords([]string{"no", "exceptions"}, 0); at > 0 {
		tokens = tokens[:at] // "every time, no exceptions"
	}
	for i, t := range tokens {
		switch {
		case words.IsListed(t.Text, noWords):
			yes, said = false, true
		case t.Text == "without" && !words.IsListed(tokens.TextAt(i+1), []string{"exception", "exceptions", "fail"}) && tokens[:i].HasPhrase("never", "not"):
			yes, said = true, true
		case words.IsListed(t.Text, yesWords, oftenWords, []string{"happens", "happened"}):
			said = true
		case words.IsListed(t.Text, []string{"do", "am", "have"}) && i > 0 && (i == len(tokens)-1 || i == len(tokens)-2 && tokens[i+1].Text == "now"):
			said = true
		case t.Text == "of" && tokens.TextAt(i+1) == "course":
			said = true
		case t.Text == "me" && i == 1 && words.IsListed(tokens[0].Text, []string{"only", "just"}):
			yes, said = false, true
		}
		if !words.IsListed(t.Text, yesWords, noWords, oftenWords, answerFill) && (t.Text != "or" || tokens.TextAt(i+1) != "twice") {
			return false, false
		}
	}
	return yes, said
}

// otherTrading are phrases for trading of which the firm has no data.
var otherTrading = []string{"own account", "private account", "personal account", "demo", "demos", "backtesting", "backtest", "backtests", "paper trading"}

// isOfOtherTrading reports whether the clause before an answer ends with, or that after it begins with,
// trading of which the firm has no data: "on my own account yes", "yes, for backtesting".
func isOfOtherTrading(clauses []clause.Clause, i int) bool {
	if i > 0 && clauses[i-1].Tokens.EndsWith(otherTrading...) {
		return true
	}
	return i+1 < len(clauses) && words.IsListed(clauses[i+1].Tokens[0].Text, []string{"on", "for", "in", "only"}) && clauses[i+1].Tokens.HasPhrase(otherTrading...)
}

// isYesAndNo reports whether clause i is half of an answer that says both: "yes and no".
func isYesAndNo(clauses []clause.Clause, i int) bool {
	for first := max(0, i-2); first <= i; first += 2 {
		if first+2 >= len(clauses) || len(clauses[first+1].Tokens) > 1 || !words.IsListed(clauses[first+1].Tokens[0].Text, []string{"and", "but"}) {
			continue
		}
		said := [2]string{clauses[first].Tokens[0].Text, clauses[first+2].Tokens[0].Text}
		if len(clauses[first].Tokens) == 1 && len(clauses[first+2].Tokens) == 1 && (said == [2]string{"yes", "no"} || said == [2]string{"no", "yes"}) {
			return true
		}
	}
	return false
}

// isOnlyIf reports whether two clauses are an answer for some cases: "only if it is
// in profit".
func isOnlyIf(tokens, next words.Tokens) bool {
	return len(tokens) <= 2 && tokens[len(tokens)-1].Text == "only" && words.IsListed(clause.ConditionOf(next), []string{"if", "when", "unless"})
}

// isTopicAlone reports whether the words name a yes-or-no topic and say nothing
// about it: "martingale", "stop losses".
func isTopicAlone(tokens words.Tokens) bool {
	var named []string
	for _, t := range tokens {
		if !words.IsListed(t.Text, words.Determiners) {
			named = append(named, t.Text)
		}
	}
	name := strings.Join(named, " ")
	return slices.ContainsFunc(rules.BoolRules, func(r rules.BoolRule) bool {
		return words.IsListed(string(r.Topic), []string{string(claims.StopLossUse), string(claims.EAUse), string(claims.News), string(claims.Averaging)}) && slices.Contains(r.Triggers, name)
	})
}

// isFrequency reports whether the words only say in how many of all cases: "nine
// times out of ten", "ninety percent of the time".
func isFrequency(tokens words.Tokens) bool {
	if most := tokens[toInt(words.IsListed(tokens[0].Text, words.Prepositions)):]; len(most) > 0 && most[0].Text == "most" && len(tokens) < 10 {
		return most.StartsWith([]string{"most", "of", "them"}) || most.StartsWith([]string{"most", "of", "the", "time"}) || len(most) == 2
	}
	n := tokens.FindNumbers()
	if len(n) == 0 || n[0].First > 1 || len(tokens) > 8 {
		return false
	}
	rest := tokens[n[0].Last+1:]
	return len(n) == 2 && rest.StartsWith([]string{"times", "out", "of"}) && 2*n[0].Low > n[1].Low ||
		n[0].Unit == claims.Percent && n[0].Low > 50 && rest.HasPhrase("of the time", "of them", "of my trades", "of trades", "of cases", "of the cases")
}

// isShort reports whether the clause is "I do" or "I don't".
func isShort(tokens words.Tokens) bool {
	return slices.ContainsFunc(tokens, func(t words.Token) bool { return words.IsListed(t.Text, words.SelfPronouns) })
}

// withoutDenials returns what "I do" and "I don't" take over from a clause.
func withoutDenials(tokens words.Tokens) words.Tokens {
	return slices.DeleteFunc(slices.Clone(tokens), func(t words.Token) bool { return t.Text == "not" || t.Text == "never" })
}

// readSupposed returns what the words would state if the trader said them about the
// present.
func readSupposed(s claims.Segment, tokens words.Tokens) (found []claims.Claim) {
	st := readPart(s, clause.Clause{Tokens: tokens}, tokens)
	st.fragment = clause.IsFragment(tokens) || isTopicAlone(tokens)
	for _, rule := range rules.BoolRules {
		st.yesOrNo(rule)
	}
	return st.claims
}

// asksForKnowledge are words of questions about what the trader knows of the firm's rules.
var asksForKnowledge = []string{
	"aware", "rule", "rules", "policy", "allowed", "permitted", "forbidden", "prohibited", "understand", "understood", "familiar", "agree",
	"have you read", "do you know that", "do you know what", "do you know how",
}

// askedWith are words with which people ask about a topic, and which say too little in an answer.
var askedWith = map[claims.Topic][]string{
	claims.News:           {"economic releases", "data releases", "economic events", "high impact", "announcements"},
	claims.AccountSharing: {"besides you", "other than you", "apart from you", "who else", "anybody else", "somebody else", "anybody log", "anybody help", "let anybody"},
	claims.OtherPeople:    {"anybody", "somebody", "a group", "a team", "other traders", "other people"},
}

// statedByYes returns what a yes to the question states, or nothing if the question
// cannot be answered with a yes.
func (a Asked) statedByYes() []claims.Claim {
	if a.Prompt == "" {
		return a.topicAlone()
	}
	q := claims.Segment{Text: a.Prompt}
	tokens := words.Tokenize(q)
	if tokens.HasPhrase(asksForKnowledge...) {
		return nil
	}
	var found []claims.Claim
	polar := false
	for _, c := range clause.Cut(tokens) {
		if c.Link != clause.Together && !slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return words.IsListed(t.Text, words.Auxiliaries) }) ||
			words.IsListed(c.Tokens[0].Text, []string{"what", "how", "why", "who", "where", "when", "which", "tell", "describe", "explain"}) &&
				!c.Tokens[:min(4, len(c.Tokens))].HasPhrase("who else", "who besides you", "who apart from you", "who other than you") {
			continue
		}
		polar = true
		for _, f := range readSupposed(q, c.Tokens) {
			if f.Topic == a.Topic || a.Topic == "" {
				found = append(found, f)
			}
		}
	}
	if polar && a.Topic == claims.Averaging { // "do you average, double or hedge?"
		for _, way := range [][2]string{{"average", "averaging"}, {"double", "martingale"}} {
			if tokens.HasPhrase(way[0]) && !slices.ContainsFunc(found, func(f claims.Claim) bool { return f.About == way[1] }) {
				found = append(found, claims.Claim{Topic: claims.Averaging, About: way[1], Op: claims.Is, Bool: true})
			}
		}
	}
	switch {
	case !polar, tokens.HasPhrase("or") && offersBoth(tokens):
		return nil
	case len(found) == 0 && tokens.HasPhrase(askedWith[a.Topic]...) && !tokens.HasNegation() && !tokens.HasPhrase("close", "flat", "stay", "only", "alone"):
		return a.topicAlone()
	}
	return found
}

// readExamples returns what the question names behind "such as", which a no denies: "which tools do you use, such as copiers
// or signals?"
func (a Asked) readExamples() (found []claims.Claim) {
	q := claims.Segment{Text: a.Prompt}
	tokens := words.Tokenize(q)
	at := tokens.FindWords([]string{"such", "as"}, 0)
	if at < 0 || at+2 >= len(tokens) {
		return nil
	}
	st := readPart(q, clause.Clause{Tokens: tokens[at+2:]}, tokens[at+2:])
	st.fragment = true
	for _, rule := range rules.BoolRules {
		if rule.Topic == a.Topic {
			st.yesOrNo(rule)
		}
	}
	return st.claims
}

// asksTwoThings reports whether a question asks for either of two things, so that a yes leaves open which it
// is: "does anybody else trade them, or trade the same way?"
func (a Asked) asksTwoThings() bool {
	return words.Tokenize(claims.Segment{Text: a.Prompt}).HasPhrase("or trade", "or do", "or have", "or use")
}

// offersBoth reports whether a question names two ways that exclude each other: "by
// hand or with a bot?".
func offersBoth(tokens words.Tokens) bool {
	st := &statement{tokens: tokens}
	return slices.ContainsFunc(rules.BoolRules, func(r rules.BoolRule) bool { return st.hasAny(r.Inverted) && st.hasAny(r.Triggers) })
}

// topicAlone returns what a yes states about a yes-or-no topic.
func (a Asked) topicAlone() []claims.Claim {
	if a.Topic == claims.HoldingTime || !slices.ContainsFunc(rules.BoolRules, func(r rules.BoolRule) bool { return r.Topic == a.Topic }) {
		return nil
	}
	return []claims.Claim{{Topic: a.Topic, Op: claims.Is, Bool: true}}
}

// statedClaims returns the stated claims, with the answers that nothing else in the
// same answer states better.
func (r *reader) statedClaims() []claims.Claim {
	question := map[string]string{}
	for _, s := range r.segments {
		question[s.ID] = s.QuestionID
	}
	all := slices.Clone(r.claims)
	inserted := 0
	for _, a := range r.answers {
		var kept []claims.Claim
		for _, c := range a.claims {
			contradicted := slices.ContainsFunc(all, func(o claims.Claim) bool {
				if a.examples && o.Topic == c.Topic && question[o.SegmentID] == a.question {
					return true // "no, nothing automatic" denies only this
				}
				return o.Topic == c.Topic && o.Op == claims.Is && (o.About == c.About || c.About == "") && question[o.SegmentID] == a.question
			})
			if !contradicted {
				kept = append(kept, c)
			}
		}
		at := min(a.at+inserted, len(all))
		all = slices.Insert(all, at, kept...)
		inserted += len(kept)
	}
	return all
}
