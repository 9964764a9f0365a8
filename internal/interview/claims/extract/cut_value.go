package extract

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
)

// startsOwnValue reports whether a value of some trades begins at token i: "for swings
// it can be three days".
func startsOwnValue(tokens []token, i int) bool {
	for at := i + 2; at <= i+3; at++ {
		if textAt(tokens, at-1) == "but" {
			return false // "not on purpose, but it has happened"
		}
		if textAt(tokens, at) == "it" && isListed(textAt(tokens, at+1), auxiliaries) {
			return true
		}
	}
	return false
}

// particles end verbs, so that a pronoun behind them begins a clause: "I stay out, I wait".
var particles = []string{"out", "off", "up", "over", "in", "on", "around", "through", "to", "by"}

// topicWords are topics with which a clause may begin, before its subject.
var topicWords = []string{"nfp", "cpi", "fomc", "news", "hedging", "martingale", "averaging", "bots", "robots", "copiers", "signals", "weekend", "days"}

// frontedAt reports whether a clause begins at token i with what it is about, before its subject: "I am done by five, for
// news I stay out", "Friday I don't trade, other days from ten".
func frontedAt(tokens []token, begin, i int) bool {
	denied := i == begin+2 && isNegation(tokens[begin].text) // "no grid, hedging I use"
	needsMore := isListed(textAt(tokens, i-1), prepositions, determiners, connectors, auxiliaries, []string{"but", "only"})
	if needsMore || !denied && !isComplete(tokens[begin:i]) {
		return false
	}
	at := i
	if isListed(tokens[i].text, []string{"for", "on", "during", "around", "at", "with", "over", "other"}) {
		for at++; at < i+4 && isListed(textAt(tokens, at), determiners, []string{"red", "folder", "big", "high", "impact", "major"}); at++ {
		}
	}
	topic := textAt(tokens, at)
	if isListed(textAt(tokens, at+1), []string{"day", "days", "events"}) {
		at++
	}
	next := textAt(tokens, at+1)
	if !isListed(next, selfPronouns) && (tokens[i].text != "other" || next != "from") { // "other days from ten"
		return false
	}
	return isWeekday(topic) || topic == "days" || (isListed(topic, topicWords) || classes[topic] != "") && !needsObject(tokens, i-1)
}

// rangeEnds returns after which tokens a range of hours ends, so that another one may begin: "from nine to five, seven to ten".
func rangeEnds(tokens []token) map[int]bool {
	ends := map[int]bool{}
	for i := 0; i < len(tokens); i++ {
		if c, ok := readClocks(tokens, i); ok {
			ends[c.last+1] = true
			i = c.last
		}
	}
	return ends
}

// endsUnknown reports whether the words say that the trader does not know. What
// follows is what the trader can say all the same.
func endsUnknown(tokens []token) bool {
	return endsWith(tokens, "not know", "not know exactly", "not sure", "not know for sure", "no idea")
}

// isSentence reports whether there is a subject or an auxiliary among the words.
func isSentence(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return isSubject(t.text) || isListed(t.text, auxiliaries) })
}

// beginsApart reports whether an independent clause begins at token i, as its first word or the words before it show.
func beginsApart(tokens []token, begin, i int) bool {
	text, before, next := tokens[i].text, tokens[i-1].text, textAt(tokens, i+1)
	head := tokens[begin:i]
	switch {
	case isListed(text, []string{"usually", "normally", "mostly", "typically"}) &&
		isListed(tokens[begin].text, []string{"until", "till"}) && isNumberAt(tokens, i+1):
		return true
	case tokens[i].concludes && isNumberAt(tokens, i) && isSentence(head) && !isListed(before, auxiliaries, prepositions):
		return true // "it was before the move, so four"
	case isListed(before, people, []string{"password", "login", "them"}) && isNumberAt(tokens, i) && (hasVerb(head) || deniedIn(head)) && isListed(textAt(tokens, i+1), []string{"account", "accounts", "trade", "trades"}):
		return true // "not even my husband, two accounts"
	case tokens[i].restarts && isNumberAt(tokens, i) && isNumberAt(tokens, i-1) && slices.ContainsFunc(findNumbers(head), func(n number) bool { return n.ranged && n.unit == claims.NoUnit }):
		return true // "four or five, I would say six"
	case text == "one" && next == "is" && isNumberAt(tokens, i-1):
		return true // "I have two, one is new"
	case isListed(text, []string{"for", "on", "with"}) && startsOwnValue(tokens, i),
		isListed(text, []string{"everything", "all"}) && i > begin+1 && i <= begin+4 && isListed(tokens[begin].text, []string{"no", "nothing", "never"}),
		text == "hopefully",
		text == "always" && i > begin+1 && i <= begin+3 && isNegation(tokens[begin].text) && !isListed(before, auxiliaries),
		text == "otherwise" && !isListed(before, auxiliaries),
		i > begin && i <= begin+3 && tokens[begin].text == "not" &&
			(i == begin+2 || isListed(tokens[begin+1].text, []string{"very", "too", "that", "really"})) &&
			isListed(before, []string{"long", "much", "many", "often"}):
		return true
	case isListed(before, []string{"long", "much", "many", "often"}) && i-begin > 2 && deniedIn(head) && isNumberAt(tokens, i) &&
		!isSubject(textAt(tokens, i+1)):
		return true
	case endsUnknown(head) && (isNumberAt(tokens, i) ||
		isListed(text, []string{"less", "more", "under"}) && isNumberAt(tokens, i+1+toInt(textAt(tokens, i+1) == "than"))):
		return true
	case isListed(text, []string{"could", "can", "might"}) && next == "be" && hasUnit(head):
		return true
	}
	if isListed(text, []string{"martingale", "hedging", "grid", "averaging", "bots", "copiers", "signals", "news"}) && isListed(next, []string{"yes", "no", "never"}) &&
		!needsObject(tokens, i-1) && !isListed(before, connectors, adverbs, tradeVerbs, []string{"no"}) && i-begin > 1 {
		return true // "hedging: yes, sometimes; martingale: no"
	}
	return text == "whether" || orderAt(tokens, i) || text == "elsewhere" && isListed(next, selfPronouns, []string{"nothing", "none", "no"})
}

// isFragment reports whether the words are few and without a verb.
func isFragment(tokens []token) bool {
	return len(tokens) <= 4 && !slices.ContainsFunc(tokens, func(t token) bool { return isVerb(t.text) || isSubject(t.text) })
}
