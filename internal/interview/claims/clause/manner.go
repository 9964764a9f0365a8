package clause

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// UnsureWords are words with which the speaker is not sure.
var UnsureWords = []string{
	"maybe", "perhaps", "possibly", "probably", "i guess", "i think", "i suppose", "i believe", "not sure", "not know", "no idea", "not remember",
	"hard to say", "i would guess", "might", "may", "try to", "trying to", "try not", "rather not", "depends",
}

// Manner is how a clause is meant.
type Manner struct {
	Foreign     bool // it is about somebody else
	elliptic    bool // its subject stands before it
	Past        bool // it was true, but is not any longer
	Unreal      bool // a wish, a joke, a question, or what somebody else says
	Flipped     bool // the words around it deny it: "it is not true that"
	Unsure      bool // the speaker is not sure
	Conditional bool // it is said about some cases only
}

// IsVoid reports whether a clause says nothing about how the trader trades now.
func (m Manner) IsVoid() bool { return m.Past || m.Unreal }

// ReadManners finds out how each clause is meant, from left to right.
func ReadManners(clauses []Clause) {
	for i := range clauses {
		c := &clauses[i]
		c.Manner = mannerOf(c.Tokens)
		if i == 0 {
			continue
		}
		before := clauses[i-1]
		switch {
		case c.Link == Inside:
			c.readWithin(before)
		case c.elliptic && !c.paused && c.Link != Instead:
			c.continueFrom(before)
		case c.Link == Together && before.Link == Inside && before.Unreal && !c.Foreign:
			c.Unreal = true // "he says that I … and I …"
		case c.refersBack() && !IsQuestion(before.Tokens):
			c.Unreal, c.Foreign = c.Unreal || before.Unreal, c.Foreign || before.Foreign
			c.Conditional = c.Conditional || before.Tokens.HasPhrase("sometimes", "occasionally", "rarely")
		}
	}
	readSelves(clauses)
	readCorrections(clauses)
	readConditions(clauses)
	readDependence(clauses)
	readJokes(clauses)
}

// readSelves reads what the trader is, or is not, as what the trader does: "I am not somebody who holds overnight".
func readSelves(clauses []Clause) {
	for i := 1; i < len(clauses); i++ {
		c, before := &clauses[i], clauses[i-1]
		if c.Tokens[0].Text != "who" || before.IsVoid() || !before.Tokens.StartsWith([]string{"i", "am"}) ||
			!words.IsListed(before.Tokens[len(before.Tokens)-1].Text, []string{"somebody", "guy", "person", "one", "type", "man", "woman", "trader"}) {
			continue
		}
		c.Tokens = slices.Clone(c.Tokens)
		c.Tokens[0].Text = "i"
		c.Foreign, c.Flipped = false, c.Flipped != before.Tokens.HasNegation()
	}
}

// readCorrections makes a correction of the clause that has the value, if the first clause of the correction has none: "no
// wait, it was before the move, so four".
func readCorrections(clauses []Clause) {
	for i := range clauses {
		for j := i; clauses[i].renews && j < min(i+correctionReach, len(clauses)); j++ {
			if clauses[j].Tokens.HasValue() {
				clauses[j].Link, clauses[j].Past = Instead, false
				break
			}
		}
	}
}

// correctionReach is how many clauses a correction may have up to its value.
const correctionReach = 3

// dependenceReach is how many clauses what depends on something may be listed in.
const dependenceReach = 4

// readDependence limits what is listed behind "it depends" to some cases, up to what is usual: "it depends on the setup, the
// best are one percent, all others half of that".
func readDependence(clauses []Clause) {
	left := 0
	for i := range clauses {
		c := &clauses[i]
		switch {
		case c.Tokens[0].Text == "depends" || c.Tokens[:min(3, len(c.Tokens))].HasPhrase("it depends", "that depends"):
			left = dependenceReach
			if len(c.Tokens.FindNumbers()) == 0 {
				continue
			}
		case c.Link == Against, c.Tokens.HasPhrase("usually", "normally", "mostly", "average", "generally", "typically", "i would say", "most", "all", "always", "never"):
			left = 0
		}
		if left > 0 {
			left--
			c.Conditional = c.Conditional || len(c.Tokens.FindNumbers()) > 0 && !c.Tokens.HasPhrase("usually", "normally", "around", "about", "but")
		}
	}
}

// mannerOf reads a clause by itself.
func mannerOf(tokens words.Tokens) (m Manner) {
	subject := SubjectOf(tokens)
	m.Foreign, m.elliptic = subject == somebodyElse, subject == Nothing
	m.Past = isPast(tokens)
	m.Unreal = IsQuestion(tokens) || isWish(tokens) || deniesToHaveSaid(tokens) || isLeftOpen(tokens) || isOrder(tokens)
	m.Unsure = withoutRangeHedges(tokens).HasPhrase(UnsureWords...)
	m.Flipped = tokens.HasPhrase("not true that", "wrong that", "false that", "a lie that", "untrue that")
	return m
}

// withoutRangeHedges leaves out what makes the end of a range approximate, and not the statement unsure: "from eight to maybe
// eleven".
func withoutRangeHedges(tokens words.Tokens) words.Tokens {
	var kept words.Tokens
	for i, t := range tokens {
		if !words.IsListed(t.Text, []string{"maybe", "perhaps", "probably"}) || !words.IsListed(tokens.TextAt(i-1), []string{"to", "until", "till"}) || !tokens.IsNumberAt(i+1) {
			kept = append(kept, t)
		}
	}
	return kept
}

// isLeftOpen reports whether a clause leaves open whether something is so: "whether it is five minutes or five days".
func isLeftOpen(tokens words.Tokens) bool {
	return tokens[0].Text == "whether" || tokens.HasPhrase("not know if", "not sure if", "no idea if", "wonder if")
}

// orders begin what a trader asks of the one who listens: "ask my wife", "define bot".
var orders = []string{"ask", "define", "show", "tell", "trust", "believe"}

// isOrder reports whether a clause is addressed to the one who listens.
func isOrder(tokens words.Tokens) bool {
	return len(tokens) > 1 && words.IsListed(tokens[0].Text, orders)
}

// orderAt reports whether such a clause begins at token i.
func orderAt(tokens words.Tokens, i int) bool {
	before := tokens.TextAt(i - 1)
	return words.IsListed(tokens[i].Text, orders) && words.IsListed(tokens.TextAt(i+1), []string{"me", "my", "us", "him", "her", "them"}) && !words.IsSubject(before) &&
		!words.IsListed(before, words.Auxiliaries, words.Adverbs, words.Prepositions, words.Determiners, words.People, words.Connectors, []string{"not", "never"})
}

// deniesToHaveSaid reports whether a clause says that something was not said: "I
// never claimed to hold overnight".
func deniesToHaveSaid(tokens words.Tokens) bool {
	for i, t := range tokens {
		if words.IsListed(t.Text, words.ReportVerbs) && tokens.TextAt(i+1) == "to" && tokens[:i].HasNegation() {
			return true
		}
	}
	return false
}

// continueFrom takes from the previous clause what a clause without a subject
// leaves out.
func (c *Clause) continueFrom(before Clause) {
	if len(before.Tokens) == 1 && words.IsListed(before.Tokens[0].Text, []string{"yes", "no"}) {
		return
	}
	m := before.Manner
	c.Foreign = c.Foreign || m.Foreign && (c.Link != Apart || before.Tokens.HasVerb()) // not behind "not even my husband"
	c.Past = c.Past || m.Past && !isNow(c.Tokens)
	c.Unreal = c.Unreal || m.Unreal && !isNow(c.Tokens) && c.Link != Apart && ConditionOf(c.Tokens) == ""
	c.Unsure = c.Unsure || m.Unsure && c.Link == Together
	if c.Link == Together && m.hasNegation(before.Tokens) && !c.Tokens.HasNegation() && c.Tokens[0].Text == "and" {
		c.Unsure = true // "I don't hedge and average": both, or the first alone?
	}
}

func (m Manner) hasNegation(tokens words.Tokens) bool {
	for i, t := range tokens {
		if (t.Text == "not" || t.Text == "never") && !words.IsListed(tokens.TextAt(i+1), []string{"more", "less", "longer"}) {
			return true
		}
	}
	return false
}

// refersBack reports whether the value of a clause is that of what the clause before says: "sometimes I let one run, that
// would be three hours".
func (c *Clause) refersBack() bool {
	at := toInt(words.IsListed(c.Tokens[0].Text, []string{"and", "then", "but"}))
	return c.Tokens.TextAt(at) == "that" && words.IsListed(c.Tokens.TextAt(at+1), words.Auxiliaries) && c.Tokens.HasValue()
}

// readWithin reads a clause that the previous one says, thinks or denies.
func (c *Clause) readWithin(before Clause) {
	denied := before.Tokens.HasNegation()
	verb := before.Tokens.FindLast(words.ReportVerbs, words.BeliefVerbs, words.VainVerbs)
	switch {
	case before.Tokens.HasPhrase("contrary to", "unlike", "despite what"):
	case words.IsListed(before.Tokens[0].Text, []string{"assume", "suppose", "imagine", "say", "pretend"}), before.Unreal || before.Foreign,
		ConditionOf(before.Tokens) != "", before.Tokens.HasPhrase("been told", "am told", "was told", "get told", "been accused"),
		before.Tokens.HasPhrase("let say", "let us say", "for example say", "what if"):
		c.Unreal = true
	case before.Tokens.HasPhrase("wrong that", "false that", "a lie that", "untrue that", "not true that", "a myth that", "nonsense that", "not correct that"):
		c.Flipped, c.Unreal = true, c.Unreal || before.Tokens.HasPhrase("not wrong", "not false", "not a lie", "not untrue")
	case before.Tokens.EndsWith("true that", "fact that", "correct that", "case that"):
		c.Unreal = c.Unreal || denied
	case words.IsListed(verb, words.VainVerbs), words.IsListed(verb, words.ReportVerbs) && denied,
		before.Tokens.EndsWith("not that", "not like", "like that", "not like that", "not as", "possible that"):
		c.Unreal = true
	case words.IsListed(verb, words.ReportVerbs) && SubjectOf(before.Tokens) == things && !isByOwnPlan(before.Tokens):
		c.Unreal = true // "it says that I can't lose more than five percent"
	case words.IsListed(verb, words.CertainVerbs):
		c.Unsure = c.Unsure || denied
	case words.IsListed(verb, words.BeliefVerbs):
		c.Unsure, c.Flipped = true, denied
	}
	if before.Flipped && !c.Flipped && before.Link == Inside {
		c.Flipped = true
	}
}

// isByOwnPlan reports whether the words say what the trader's own plan says: "my plan says that".
func isByOwnPlan(tokens words.Tokens) bool {
	return slices.ContainsFunc([]string{"my", "our"}, func(owner string) bool {
		at := tokens.FindPhrase(owner)
		return at >= 0 && slices.ContainsFunc(tokens[at+1:min(at+4, len(tokens))], func(t words.Token) bool {
			return words.IsListed(t.Text, []string{"plan", "rule", "rules", "strategy", "system", "approach", "routine", "checklist"})
		})
	})
}

// Subject is what a clause is about.
type Subject int

// The subjects of clauses.
const (
	Nothing Subject = iota // it leaves the subject out
	Trader
	somebodyElse
	things // trades, or what stands for them
)

// SubjectOf finds what a clause is about: the first word before its verb that can
// be its subject.
func SubjectOf(tokens words.Tokens) Subject {
	if len(tokens) > 3 && tokens[1].Text == "is" && tokens[2].Text == "why" {
		tokens = tokens[3:] // "that is why I"
	}
	if isLeftAt(tokens, 0) {
		return things
	}
	for i := 0; i < len(tokens); i++ {
		text := tokens[i].Text
		switch {
		case words.IsListed(text, words.SelfPronouns), text == "me" && i > 0 && tokens[i-1].Text == "only":
			return Trader
		case text == "there" && slices.ContainsFunc(tokens[i:min(i+5, len(tokens))], func(t words.Token) bool { return words.IsListed(t.Text, words.People, []string{"rule", "rules"}) }):
			return somebodyElse
		case words.IsListed(text, words.OtherPronouns, words.Quantified) && i > 0 && words.IsListed(tokens[i-1].Text, []string{"as", "like", "than", "to", "for", "with", "from"}):
		case text == "you" && tokens[i:min(i+5, len(tokens))].HasPhrase("not find me", "not see me", "not catch me"):
			return Trader
		case text == "you" || text == "yours" || text == "theirs" || text == "he" || text == "she" || text == "who" || text == "somebody" || text == "everybody" || text == "anybody":
			return somebodyElse
		case text == "they":
			if words.IsListed(tokens.TextAt(i+1), []string{"last", "run", "stay", "are"}) && !tokens.HasPhrase("they are trading") {
				return things
			}
			return somebodyElse
		case text == "nobody":
			if tokens.HasPhrase("my", "me", "else", "but i") {
				return things
			}
			return somebodyElse
		case i+1 < len(tokens) && isSubjectOf(tokens, i+1):
			return things
		case words.IsListed(text, words.Determiners) || words.IsListed(text, words.People) || words.IsListed(text, words.Firms):
			if s, ok := nounOf(tokens[i:]); ok {
				return s
			}
		case words.IsListed(text, words.ThirdVerbs):
			if i > 0 && !words.IsListed(tokens[i-1].Text, words.OwnThings, words.Neutral, []string{"nobody", "overnight", "weekend"}) &&
				!words.IsListed(tokens[i-1].Text, words.Adverbs, []string{"and", "but", "then", "or"}) {
				return somebodyElse
			}
			return Nothing
		case words.IsListed(text, words.Neutral) && (words.IsVerb(tokens.TextAt(i+1)) || words.IsListed(tokens.TextAt(i+1), words.Adverbs)):
			return things
		case words.IsListed(text, words.OwnThings) && i+1 < len(tokens) && words.IsListed(tokens[i+1].Text, []string{"is", "are", "last", "lasts", "has"}):
			return things
		case words.IsListed(text, words.Prepositions) && text != "in" && i == 0, words.IsListed(text, words.TradeVerbs) && !words.IsListed(text, words.OwnThings), words.IsListed(text, words.Auxiliaries):
			return Nothing
		}
	}
	return Nothing
}

// nounOf returns whom the noun refers to with which the tokens begin.
func nounOf(tokens words.Tokens) (Subject, bool) {
	if tokens.InstrumentWords(1) > 0 {
		return things, true
	}
	for i := 0; i < len(tokens) && i < 5; i++ {
		text := tokens[i].Text
		switch {
		case words.IsListed(text, words.People):
			return somebodyElse, true
		case words.IsListed(text, words.Firms), words.IsListed(text, []string{"rules", "rule", "limit"}) && words.IsListed(tokens[0].Text, []string{"your", "the", "their"}),
			words.IsListed(tokens[0].Text, []string{"your", "his", "her", "their"}) && i > 0:
			return somebodyElse, true
		case i == 1 && words.IsListed(tokens.TextAt(2), words.ReportVerbs) && !words.IsListed(tokens[0].Text, []string{"my", "our"}):
			return somebodyElse, true // "the books say"
		case words.IsListed(text, words.OwnThings) && !words.IsListed(tokens.TextAt(i+1), words.People, words.OwnThings):
			return things, true
		case words.IsListed(text, words.Prepositions), i > 0 && words.IsSubject(text), words.IsListed(text, words.Auxiliaries):
			return Nothing, false
		}
	}
	return Nothing, false
}

// PastTimes begin what was true and is not any longer; nowTimes end it.
var (
	PastTimes = []string{
		"used to", "in the past", "previously", "ago", "before that", "at first", "when i started", "back then", "back in", "last year", "last month",
		"last week", "yesterday", "at the beginning", "in the beginning", "when i began", "initially", "once upon", "in those days", "formerly",
		"when i was", "i used an", "i used a",
		"early on", "years back", "old days",
	}
	nowTimes = []string{"since last", "now", "nowadays", "these days", "today", "currently", "anymore", "nolonger", "since then", "reduced to", "lowered to"}
)

func isNow(tokens words.Tokens) bool { return tokens.HasPhrase(nowTimes...) }

// isPast reports whether a clause is about what was true and no longer is.
func isPast(tokens words.Tokens) bool {
	return (tokens.HasPhrase(PastTimes...) && !tokens.HasPhrase("have used since", "used since") || hasPastVerb(tokens)) &&
		!isNow(tokens) && !hasGivenUp(tokens)
}

// hasGivenUp reports whether a clause says that the trader has given something up,
// which is a statement about the present.
func hasGivenUp(tokens words.Tokens) bool {
	return slices.ContainsFunc(tokens, func(t words.Token) bool { return t.Text == "stopped" || t.Text == "quit" }) &&
		slices.ContainsFunc(tokens, func(t words.Token) bool { return strings.HasSuffix(t.Text, "ing") }) && !tokens.HasPhrase("when", "almost")
}

// hasPastVerb reports whether the verb of a clause is in the past. "I have never
// used" is of the present, and so is "positions that are held".
func hasPastVerb(tokens words.Tokens) bool {
	for i, t := range tokens {
		if i > 0 && words.IsListed(tokens[i-1].Text, words.SelfPronouns) && strings.HasSuffix(t.Text, "ed") &&
			!words.IsListed(t.Text, []string{"need", "used", "stopped", "coded", "created", "designed", "programmed", "developed", "switched", "moved", "changed"}) {
			return true
		}
		if !words.IsListed(t.Text, words.PastVerbs) || i == 0 {
			continue
		}
		around := tokens[max(0, i-4):i]
		perfect := around.HasPhrase("have") || around.HasPhrase("has") || around.HasPhrase("had")
		switch {
		case t.Text == "got" && around.HasPhrase("have"), t.Text == "went" && words.IsListed(tokens.TextAt(i+1), []string{"back", "over"}): // as "switched"
		case t.Text == "used" && tokens.TextAt(i+1) == "to" && words.IsListed(tokens.TextAt(i-1), []string{"am", "get", "are"}):
		case perfect &&
			(tokens.HasPhrase("never") || around.HasPhrase("always") || around.HasPhrase("only") || around.HasPhrase("ever") ||
				tokens.HasPhrase("nobody") || tokens.HasPhrase("for") || tokens.HasPhrase("been") || tokens.HasPhrase("since") ||
				around.HasPhrase("not")):
		case words.IsListed(tokens[i-1].Text, []string{"is", "are", "be", "get", "gets", "being", "am"}):
		case perfect, t.Text == "was" && tokens.HasPhrase("was my", "was the"),
			slices.ContainsFunc(around, func(t words.Token) bool {
				return words.IsListed(t.Text, words.SelfPronouns, words.Neutral, words.OwnThings, words.People)
			}):
			return true
		}
	}
	return false
}

// wishes make a clause one about what is not true, or should be.
var wishes = []string{
	"should", "want to", "wanted to", "plan to", "plan on", "planning", "hope to", "hoping", "going to", "wish", "supposed to", "in the future",
	"have to hold", "have to keep", "must", "allowed", "could", "would", "imagine", "thinking about", "thinking of", "considering", "next year",
	"next month", "someday", "one day i will",
	"dream", "hopefully", "thought about", "thought of", "looked into", "looking into", "tempted", "suppose i", "pretend", "ought",
}

// isWish reports whether a clause is about what is not true. "I would never" is a
// firm way to say "I never".
func isWish(tokens words.Tokens) bool {
	if tokens.HasPhrase("would rather not", "would never", "will never", "would not ever") {
		return false
	}
	if tokens.HasPhrase("i would not") && !tokens.HasPhrase("not have", "not mind", "not say", "not call", "not want", "not be", "if", "not know") {
		return false
	}
	if n := tokens.FindNumbers(); len(n) > 0 && n[len(n)-1].Unit == claims.Seconds && tokens[n[len(n)-1].Last+1:].EndsWith("next month", "next year") && tokens.HasPhrase("been", "be") {
		return false // "three years next month"
	}
	return withoutPoliteness(tokens).HasPhrase(wishes...)
}

// withoutPoliteness leaves out "would" and "could" where they make no wish: of "it would be two hours", "I would call it
// intraday", "usually I would take gold", "it could be an hour".
func withoutPoliteness(tokens words.Tokens) words.Tokens {
	at := slices.IndexFunc(tokens, func(t words.Token) bool { return t.Text == "would" || t.Text == "could" })
	if at < 0 || tokens.HasPhrase("if") {
		return tokens
	}
	tokens = slices.Concat(tokens[:at+1], withoutPoliteness(tokens[at+1:]))
	next, habit := tokens.TextAt(at+1), tokens[:at].HasPhrase("usually", "normally", "typically", "sometimes", "mostly", "on and off")
	switch {
	case next == "be" && (tokens.IsNumberAt(at+2) || words.IsListed(tokens.TextAt(at+2), words.Hedges)):
		return slices.Concat(tokens[:at], tokens[at+2:])
	case tokens[at].Text == "would" && (habit || words.IsListed(next, []string{"say", "call", "describe", "guess", "estimate", "think", "put"})):
		return slices.Concat(tokens[:at], tokens[at+1:])
	}
	return tokens
}

// IsQuestion recognizes clauses in which the trader asks. These state nothing.
func IsQuestion(tokens words.Tokens) bool {
	i := 0
	for i < len(tokens) && words.IsListed(tokens[i].Text, []string{"and", "but", "or", "yes", "no", "because", "then"}) {
		i++
	}
	first, second := tokens.TextAt(i), tokens.TextAt(i+1)
	if words.IsListed(first, words.Auxiliaries) {
		return words.IsListed(second, words.SelfPronouns, words.OtherPronouns, words.Neutral, []string{"anybody", "somebody", "everybody"})
	}
	if first == "what" && words.IsListed(second, []string{"kind", "sort"}) {
		return true
	}
	return words.IsListed(first, []string{"what", "how", "why", "who", "where", "when", "which"}) && words.IsListed(second, words.Auxiliaries) &&
		words.IsListed(tokens.TextAt(i+2), words.SelfPronouns, words.OtherPronouns, words.Neutral, []string{"not"})
}

// Words with which a speaker takes something back as a joke, or announces a joke.
var (
	jokeEnds = []string{
		"yes right", "as if", "just kidding", "am kidding", "am joking", "just joking", "was joking", "only joking", "only kidding", "lol", "lmao",
		"haha", "hahaha", "in my dreams", "what do you think", "what a genius", "not really serious", "sarcasm", "joking aside", "jokes aside",
		"for real", "are you serious", "very funny", "who would do that",
	}
	jokeBegins = []string{
		"haha sure", "lol sure", "haha yes", "hahaha sure", "oh sure", "oh yes", "oh right", "oh absolutely", "oh definitely", "right because",
		"sure because", "yes because", "i totally", "yes totally", "obviously because",
	}
	jokeResets = []string{"seriously", "joking", "kidding", "aside", "real", "reality", "truth", "actually", "really", "serious"}
)

// jokeReach is how many clauses a joke may have that the speaker calls one
// afterwards.
const jokeReach = 3

// readJokes voids what the speaker calls a joke.
func readJokes(clauses []Clause) {
	joking := false
	for i := range clauses {
		c := &clauses[i]
		head := c.Tokens
		if i > 0 { // a marker may cross a boundary: "yes", "right"
			head = append(slices.Clone(clauses[i-1].Tokens[len(clauses[i-1].Tokens)-1:]), head...)
		}
		begins, ends := head.HasPhrase(jokeBegins...), head.HasPhrase(jokeEnds...) || c.Tokens.StartsWith([]string{"seriously"})
		switch {
		case begins:
			joking = true
		case ends:
			for j := max(0, i-jokeReach); j <= i; j++ {
				clauses[j].Unreal = clauses[j].Unreal || j != i || !startsJoke(head)
			}
			joking = false
		case joking && (c.paused || c.Tokens[0].Text == "no" || c.Link == Against || words.IsListed(c.Tokens[0].Text, jokeResets)):
			joking = false
		}
		c.Unreal = c.Unreal || joking
	}
}

// startsJoke reports whether the clause begins with the words that end a joke, so
// that what follows them is meant.
func startsJoke(tokens words.Tokens) bool {
	return slices.ContainsFunc(jokeEnds, func(p string) bool {
		return tokens.StartsWith(strings.Fields(p)) || len(tokens) > 1 && tokens[1:].StartsWith(strings.Fields(p))
	}) && len(tokens) > 4 || tokens.StartsWith([]string{"seriously"}) || len(tokens) > 1 && tokens[1].Text == "seriously"
}
