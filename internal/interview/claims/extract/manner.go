package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// unsure are words with which the speaker is not sure.
var unsure = []string{
	"maybe", "perhaps", "possibly", "probably", "i guess", "i think", "i suppose", "i believe", "not sure", "not know", "no idea", "not remember",
	"hard to say", "i would guess", "might", "may", "try to", "trying to", "try not", "rather not", "depends",
}

// manner is how a clause is meant.
type manner struct {
	foreign     bool // it is about somebody else
	elliptic    bool // its subject stands before it
	past        bool // it was true, but is not any longer
	unreal      bool // a wish, a joke, a question, or what somebody else says
	flipped     bool // the words around it deny it: "it is not true that"
	unsure      bool // the speaker is not sure
	conditional bool // it is said about some cases only
}

// isVoid reports whether a clause says nothing about how the trader trades now.
func (m manner) isVoid() bool { return m.past || m.unreal }

// readManners finds out how each clause is meant, from left to right.
func readManners(clauses []clause) {
	for i := range clauses {
		c := &clauses[i]
		c.manner = mannerOf(c.tokens)
		if i == 0 {
			continue
		}
		before := clauses[i-1]
		switch {
		case c.link == inside:
			c.readWithin(before)
		case c.elliptic && !c.paused && c.link != instead:
			c.continueFrom(before)
		case c.link == together && before.link == inside && before.unreal && !c.foreign:
			c.unreal = true // "he says that I … and I …"
		case c.refersBack() && !isQuestion(before.tokens):
			c.unreal, c.foreign = c.unreal || before.unreal, c.foreign || before.foreign
			c.conditional = c.conditional || hasPhrase(before.tokens, "sometimes", "occasionally", "rarely")
		}
	}
	readSelves(clauses)
	readCorrections(clauses)
	readConditions(clauses)
	readDependence(clauses)
	readJokes(clauses)
}

// readSelves reads what the trader is, or is not, as what the trader does: "I am not somebody who holds overnight".
func readSelves(clauses []clause) {
	for i := 1; i < len(clauses); i++ {
		c, before := &clauses[i], clauses[i-1]
		if c.tokens[0].text != "who" || before.isVoid() || !startsWith(before.tokens, []string{"i", "am"}) ||
			!isListed(before.tokens[len(before.tokens)-1].text, []string{"somebody", "guy", "person", "one", "type", "man", "woman", "trader"}) {
			continue
		}
		c.tokens = slices.Clone(c.tokens)
		c.tokens[0].text = "i"
		c.foreign, c.flipped = false, c.flipped != deniedIn(before.tokens)
	}
}

// readCorrections makes a correction of the clause that has the value, if the first clause of the correction has none: "no
// wait, it was before the move, so four".
func readCorrections(clauses []clause) {
	for i := range clauses {
		for j := i; clauses[i].renews && j < min(i+correctionReach, len(clauses)); j++ {
			if hasValue(clauses[j].tokens) {
				clauses[j].link, clauses[j].past = instead, false
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
func readDependence(clauses []clause) {
	left := 0
	for i := range clauses {
		c := &clauses[i]
		switch {
		case c.tokens[0].text == "depends" || hasPhrase(c.tokens[:min(3, len(c.tokens))], "it depends", "that depends"):
			left = dependenceReach
			if len(findNumbers(c.tokens)) == 0 {
				continue
			}
		case c.link == against, hasPhrase(c.tokens, "usually", "normally", "mostly", "average", "generally", "typically", "i would say", "most", "all", "always", "never"):
			left = 0
		}
		if left > 0 {
			left--
			c.conditional = c.conditional || len(findNumbers(c.tokens)) > 0 && !hasPhrase(c.tokens, "usually", "normally", "around", "about", "but")
		}
	}
}

// mannerOf reads a clause by itself.
func mannerOf(tokens []token) (m manner) {
	subject := subjectOf(tokens)
	m.foreign, m.elliptic = subject == somebodyElse, subject == nothing
	m.past = isPast(tokens)
	m.unreal = isQuestion(tokens) || isWish(tokens) || deniesToHaveSaid(tokens) || isLeftOpen(tokens) || isOrder(tokens)
	m.unsure = hasPhrase(withoutRangeHedges(tokens), unsure...)
	m.flipped = hasPhrase(tokens, "not true that", "wrong that", "false that", "a lie that", "untrue that")
	return m
}

// withoutRangeHedges leaves out what makes the end of a range approximate, and not the statement unsure: "from eight to maybe
// eleven".
func withoutRangeHedges(tokens []token) []token {
	var kept []token
	for i, t := range tokens {
		if !isListed(t.text, []string{"maybe", "perhaps", "probably"}) || !isListed(textAt(tokens, i-1), []string{"to", "until", "till"}) || !isNumberAt(tokens, i+1) {
			kept = append(kept, t)
		}
	}
	return kept
}

// isLeftOpen reports whether a clause leaves open whether something is so: "whether it is five minutes or five days".
func isLeftOpen(tokens []token) bool {
	return tokens[0].text == "whether" || hasPhrase(tokens, "not know if", "not sure if", "no idea if", "wonder if")
}

// orders begin what a trader asks of the one who listens: "ask my wife", "define bot".
var orders = []string{"ask", "define", "show", "tell", "trust", "believe"}

// isOrder reports whether a clause is addressed to the one who listens.
func isOrder(tokens []token) bool { return len(tokens) > 1 && isListed(tokens[0].text, orders) }

// orderAt reports whether such a clause begins at token i.
func orderAt(tokens []token, i int) bool {
	before := textAt(tokens, i-1)
	return isListed(tokens[i].text, orders) && isListed(textAt(tokens, i+1), []string{"me", "my", "us", "him", "her", "them"}) && !isSubject(before) &&
		!isListed(before, auxiliaries, adverbs, prepositions, determiners, people, connectors, []string{"not", "never"})
}

// deniesToHaveSaid reports whether a clause says that something was not said: "I
// never claimed to hold overnight".
func deniesToHaveSaid(tokens []token) bool {
	for i, t := range tokens {
		if isListed(t.text, reportVerbs) && textAt(tokens, i+1) == "to" && deniedIn(tokens[:i]) {
			return true
		}
	}
	return false
}

// continueFrom takes from the previous clause what a clause without a subject
// leaves out.
func (c *clause) continueFrom(before clause) {
	if len(before.tokens) == 1 && isListed(before.tokens[0].text, []string{"yes", "no"}) {
		return
	}
	m := before.manner
	c.foreign = c.foreign || m.foreign && (c.link != apart || hasVerb(before.tokens)) // not behind "not even my husband"
	c.past = c.past || m.past && !isNow(c.tokens)
	c.unreal = c.unreal || m.unreal && !isNow(c.tokens) && c.link != apart && conditionOf(c.tokens) == ""
	c.unsure = c.unsure || m.unsure && c.link == together
	if c.link == together && m.hasNegation(before.tokens) && !deniedIn(c.tokens) && c.tokens[0].text == "and" {
		c.unsure = true // "I don't hedge and average": both, or the first alone?
	}
}

func (m manner) hasNegation(tokens []token) bool {
	for i, t := range tokens {
		if (t.text == "not" || t.text == "never") && !isListed(textAt(tokens, i+1), []string{"more", "less", "longer"}) {
			return true
		}
	}
	return false
}

// refersBack reports whether the value of a clause is that of what the clause before says: "sometimes I let one run, that
// would be three hours".
func (c *clause) refersBack() bool {
	at := toInt(isListed(c.tokens[0].text, []string{"and", "then", "but"}))
	return textAt(c.tokens, at) == "that" && isListed(textAt(c.tokens, at+1), auxiliaries) && hasValue(c.tokens)
}

// readWithin reads a clause that the previous one says, thinks or denies.
func (c *clause) readWithin(before clause) {
	denied := deniedIn(before.tokens)
	verb := lastOf(before.tokens, reportVerbs, beliefVerbs, vainVerbs)
	switch {
	case hasPhrase(before.tokens, "contrary to", "unlike", "despite what"):
	case isListed(before.tokens[0].text, []string{"assume", "suppose", "imagine", "say", "pretend"}), before.unreal || before.foreign,
		conditionOf(before.tokens) != "", hasPhrase(before.tokens, "been told", "am told", "was told", "get told", "been accused"),
		hasPhrase(before.tokens, "let say", "let us say", "for example say", "what if"):
		c.unreal = true
	case hasPhrase(before.tokens, "wrong that", "false that", "a lie that", "untrue that", "not true that", "a myth that", "nonsense that", "not correct that"):
		c.flipped, c.unreal = true, c.unreal || hasPhrase(before.tokens, "not wrong", "not false", "not a lie", "not untrue")
	case endsWith(before.tokens, "true that", "fact that", "correct that", "case that"):
		c.unreal = c.unreal || denied
	case isListed(verb, vainVerbs), isListed(verb, reportVerbs) && denied,
		endsWith(before.tokens, "not that", "not like", "like that", "not like that", "not as", "possible that"):
		c.unreal = true
	case isListed(verb, reportVerbs) && subjectOf(before.tokens) == things && !isByOwnPlan(before.tokens):
		c.unreal = true // "it says that I can't lose more than five percent"
	case isListed(verb, certainVerbs):
		c.unsure = c.unsure || denied
	case isListed(verb, beliefVerbs):
		c.unsure, c.flipped = true, denied
	}
	if before.flipped && !c.flipped && before.link == inside {
		c.flipped = true
	}
}

// isByOwnPlan reports whether the words say what the trader's own plan says: "my plan says that".
func isByOwnPlan(tokens []token) bool {
	return slices.ContainsFunc([]string{"my", "our"}, func(owner string) bool {
		at := findPhrase(tokens, owner)
		return at >= 0 && slices.ContainsFunc(tokens[at+1:min(at+4, len(tokens))], func(t token) bool {
			return isListed(t.text, []string{"plan", "rule", "rules", "strategy", "system", "approach", "routine", "checklist"})
		})
	})
}

// subject is what a clause is about.
type subject int

const (
	nothing subject = iota // it leaves the subject out
	trader
	somebodyElse
	things // trades, or what stands for them
)

// subjectOf finds what a clause is about: the first word before its verb that can
// be its subject.
func subjectOf(tokens []token) subject {
	if len(tokens) > 3 && tokens[1].text == "is" && tokens[2].text == "why" {
		tokens = tokens[3:] // "that is why I"
	}
	if isLeftAt(tokens, 0) {
		return things
	}
	for i := 0; i < len(tokens); i++ {
		text := tokens[i].text
		switch {
		case isListed(text, selfPronouns), text == "me" && i > 0 && tokens[i-1].text == "only":
			return trader
		case text == "there" && slices.ContainsFunc(tokens[i:min(i+5, len(tokens))], func(t token) bool { return isListed(t.text, people, []string{"rule", "rules"}) }):
			return somebodyElse
		case isListed(text, otherPronouns, quantified) && i > 0 && isListed(tokens[i-1].text, []string{"as", "like", "than", "to", "for", "with", "from"}):
		case text == "you" && hasPhrase(tokens[i:min(i+5, len(tokens))], "not find me", "not see me", "not catch me"):
			return trader
		case text == "you" || text == "yours" || text == "theirs" || text == "he" || text == "she" || text == "who" || text == "somebody" || text == "everybody" || text == "anybody":
			return somebodyElse
		case text == "they":
			if isListed(textAt(tokens, i+1), []string{"last", "run", "stay", "are"}) && !hasPhrase(tokens, "they are trading") {
				return things
			}
			return somebodyElse
		case text == "nobody":
			if hasPhrase(tokens, "my", "me", "else", "but i") {
				return things
			}
			return somebodyElse
		case i+1 < len(tokens) && isSubjectOf(tokens, i+1):
			return things
		case isListed(text, determiners) || isListed(text, people) || isListed(text, firms):
			if s, ok := nounOf(tokens[i:]); ok {
				return s
			}
		case isListed(text, thirdVerbs):
			if i > 0 && !isListed(tokens[i-1].text, ownThings, neutral, []string{"nobody", "overnight", "weekend"}) &&
				!isListed(tokens[i-1].text, adverbs, []string{"and", "but", "then", "or"}) {
				return somebodyElse
			}
			return nothing
		case isListed(text, neutral) && (isVerb(textAt(tokens, i+1)) || isListed(textAt(tokens, i+1), adverbs)):
			return things
		case isListed(text, ownThings) && i+1 < len(tokens) && isListed(tokens[i+1].text, []string{"is", "are", "last", "lasts", "has"}):
			return things
		case isListed(text, prepositions) && text != "in" && i == 0, isListed(text, tradeVerbs) && !isListed(text, ownThings), isListed(text, auxiliaries):
			return nothing
		}
	}
	return nothing
}

// nounOf returns whom the noun refers to with which the tokens begin.
func nounOf(tokens []token) (subject, bool) {
	if instrumentWords(tokens, 1) > 0 {
		return things, true
	}
	for i := 0; i < len(tokens) && i < 5; i++ {
		text := tokens[i].text
		switch {
		case isListed(text, people):
			return somebodyElse, true
		case isListed(text, firms), isListed(text, []string{"rules", "rule", "limit"}) && isListed(tokens[0].text, []string{"your", "the", "their"}),
			isListed(tokens[0].text, []string{"your", "his", "her", "their"}) && i > 0:
			return somebodyElse, true
		case i == 1 && isListed(textAt(tokens, 2), reportVerbs) && !isListed(tokens[0].text, []string{"my", "our"}):
			return somebodyElse, true // "the books say"
		case isListed(text, ownThings) && !isListed(textAt(tokens, i+1), people, ownThings):
			return things, true
		case isListed(text, prepositions), i > 0 && isSubject(text), isListed(text, auxiliaries):
			return nothing, false
		}
	}
	return nothing, false
}

// pastTimes begin what was true and is not any longer; nowTimes end it.
var (
	pastTimes = []string{
		"used to", "in the past", "previously", "ago", "before that", "at first", "when i started", "back then", "back in", "last year", "last month",
		"last week", "yesterday", "at the beginning", "in the beginning", "when i began", "initially", "once upon", "in those days", "formerly",
		"when i was", "i used an", "i used a",
		"early on", "years back", "old days",
	}
	nowTimes = []string{"since last", "now", "nowadays", "these days", "today", "currently", "anymore", "nolonger", "since then", "reduced to", "lowered to"}
)

func isNow(tokens []token) bool { return hasPhrase(tokens, nowTimes...) }

// isPast reports whether a clause is about what was true and no longer is.
func isPast(tokens []token) bool {
	return (hasPhrase(tokens, pastTimes...) && !hasPhrase(tokens, "have used since", "used since") || hasPastVerb(tokens)) &&
		!isNow(tokens) && !hasGivenUp(tokens)
}

// hasGivenUp reports whether a clause says that the trader has given something up,
// which is a statement about the present.
func hasGivenUp(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.text == "stopped" || t.text == "quit" }) &&
		slices.ContainsFunc(tokens, func(t token) bool { return strings.HasSuffix(t.text, "ing") }) && !hasPhrase(tokens, "when", "almost")
}

// hasPastVerb reports whether the verb of a clause is in the past. "I have never
// used" is of the present, and so is "positions that are held".
func hasPastVerb(tokens []token) bool {
	for i, t := range tokens {
		if i > 0 && isListed(tokens[i-1].text, selfPronouns) && strings.HasSuffix(t.text, "ed") &&
			!isListed(t.text, []string{"need", "used", "stopped", "coded", "created", "designed", "programmed", "developed", "switched", "moved", "changed"}) {
			return true
		}
		if !isListed(t.text, pastVerbs) || i == 0 {
			continue
		}
		around := tokens[max(0, i-4):i]
		perfect := hasPhrase(around, "have") || hasPhrase(around, "has") || hasPhrase(around, "had")
		switch {
		case t.text == "got" && hasPhrase(around, "have"), t.text == "went" && isListed(textAt(tokens, i+1), []string{"back", "over"}): // as "switched"
		case t.text == "used" && textAt(tokens, i+1) == "to" && isListed(textAt(tokens, i-1), []string{"am", "get", "are"}):
		case perfect &&
			(hasPhrase(tokens, "never") || hasPhrase(around, "always") || hasPhrase(around, "only") || hasPhrase(around, "ever") ||
				hasPhrase(tokens, "nobody") || hasPhrase(tokens, "for") || hasPhrase(tokens, "been") || hasPhrase(tokens, "since") ||
				hasPhrase(around, "not")):
		case isListed(tokens[i-1].text, []string{"is", "are", "be", "get", "gets", "being", "am"}):
		case perfect, t.text == "was" && hasPhrase(tokens, "was my", "was the"),
			slices.ContainsFunc(around, func(t token) bool { return isListed(t.text, selfPronouns, neutral, ownThings, people) }):
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
func isWish(tokens []token) bool {
	if hasPhrase(tokens, "would rather not", "would never", "will never", "would not ever") {
		return false
	}
	if hasPhrase(tokens, "i would not") && !hasPhrase(tokens, "not have", "not mind", "not say", "not call", "not want", "not be", "if", "not know") {
		return false
	}
	if n := findNumbers(tokens); len(n) > 0 && n[len(n)-1].unit == claims.Seconds && endsWith(tokens[n[len(n)-1].last+1:], "next month", "next year") && hasPhrase(tokens, "been", "be") {
		return false // "three years next month"
	}
	return hasPhrase(withoutPoliteness(tokens), wishes...)
}

// withoutPoliteness leaves out "would" and "could" where they make no wish: of "it would be two hours", "I would call it
// intraday", "usually I would take gold", "it could be an hour".
func withoutPoliteness(tokens []token) []token {
	at := slices.IndexFunc(tokens, func(t token) bool { return t.text == "would" || t.text == "could" })
	if at < 0 || hasPhrase(tokens, "if") {
		return tokens
	}
	tokens = slices.Concat(tokens[:at+1], withoutPoliteness(tokens[at+1:]))
	next, habit := textAt(tokens, at+1), hasPhrase(tokens[:at], "usually", "normally", "typically", "sometimes", "mostly", "on and off")
	switch {
	case next == "be" && (isNumberAt(tokens, at+2) || isListed(textAt(tokens, at+2), hedges)):
		return slices.Concat(tokens[:at], tokens[at+2:])
	case tokens[at].text == "would" && (habit || isListed(next, []string{"say", "call", "describe", "guess", "estimate", "think", "put"})):
		return slices.Concat(tokens[:at], tokens[at+1:])
	}
	return tokens
}

// isQuestion recognizes clauses in which the trader asks. These state nothing.
func isQuestion(tokens []token) bool {
	i := 0
	for i < len(tokens) && isListed(tokens[i].text, []string{"and", "but", "or", "yes", "no", "because", "then"}) {
		i++
	}
	first, second := textAt(tokens, i), textAt(tokens, i+1)
	if isListed(first, auxiliaries) {
		return isListed(second, selfPronouns, otherPronouns, neutral, []string{"anybody", "somebody", "everybody"})
	}
	if first == "what" && isListed(second, []string{"kind", "sort"}) {
		return true
	}
	return isListed(first, []string{"what", "how", "why", "who", "where", "when", "which"}) && isListed(second, auxiliaries) &&
		isListed(textAt(tokens, i+2), selfPronouns, otherPronouns, neutral, []string{"not"})
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
func readJokes(clauses []clause) {
	joking := false
	for i := range clauses {
		c := &clauses[i]
		head := c.tokens
		if i > 0 { // a marker may cross a boundary: "yes", "right"
			head = append(slices.Clone(clauses[i-1].tokens[len(clauses[i-1].tokens)-1:]), head...)
		}
		begins, ends := hasPhrase(head, jokeBegins...), hasPhrase(head, jokeEnds...) || startsWith(c.tokens, []string{"seriously"})
		switch {
		case begins:
			joking = true
		case ends:
			for j := max(0, i-jokeReach); j <= i; j++ {
				clauses[j].unreal = clauses[j].unreal || j != i || !startsJoke(head)
			}
			joking = false
		case joking && (c.paused || c.tokens[0].text == "no" || c.link == against || isListed(c.tokens[0].text, jokeResets)):
			joking = false
		}
		c.unreal = c.unreal || joking
	}
}

// startsJoke reports whether the clause begins with the words that end a joke, so
// that what follows them is meant.
func startsJoke(tokens []token) bool {
	return slices.ContainsFunc(jokeEnds, func(p string) bool {
		return startsWith(tokens, strings.Fields(p)) || len(tokens) > 1 && startsWith(tokens[1:], strings.Fields(p))
	}) && len(tokens) > 4 || startsWith(tokens, []string{"seriously"}) || len(tokens) > 1 && tokens[1].text == "seriously"
}
