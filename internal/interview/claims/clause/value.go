package clause

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// startsOwnValue reports whether a value of some trades begins at token i: "for swings
// it can be three days".
func startsOwnValue(tokens words.Tokens, i int) bool {
	for at := i + 2; at <= i+3; at++ {
		if tokens.TextAt(at-1) == "but" {
			return false // "not on purpose, but it has happened"
		}
		if tokens.TextAt(at) == "it" && words.IsListed(tokens.TextAt(at+1), words.Auxiliaries) {
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
func frontedAt(tokens words.Tokens, begin, i int) bool {
	denied := i == begin+2 && words.IsNegation(tokens[begin].Text) // "no grid, hedging I use"
	needsMore := words.IsListed(tokens.TextAt(i-1), words.Prepositions, words.Determiners, words.Connectors, words.Auxiliaries, []string{"but", "only"})
	if needsMore || !denied && !isComplete(tokens[begin:i]) {
		return false
	}
	at := i
	if words.IsListed(tokens[i].Text, []string{"for", "on", "during", "around", "at", "with", "over", "other"}) {
		for at++; at < i+4 && words.IsListed(tokens.TextAt(at), words.Determiners, []string{"red", "folder", "big", "high", "impact", "major"}); at++ {
		}
	}
	topic := tokens.TextAt(at)
	if words.IsListed(tokens.TextAt(at+1), []string{"day", "days", "events"}) {
		at++
	}
	next := tokens.TextAt(at + 1)
	if !words.IsListed(next, words.SelfPronouns) && (tokens[i].Text != "other" || next != "from") { // "other days from ten"
		return false
	}
	return words.IsWeekday(topic) || topic == "days" || (words.IsListed(topic, topicWords) || words.Classes[topic] != "") && !needsObject(tokens, i-1)
}

// rangeEnds returns after which tokens a range of hours ends, so that another one may begin: "from nine to five, seven to ten".
func rangeEnds(tokens words.Tokens) map[int]bool {
	ends := map[int]bool{}
	for i := 0; i < len(tokens); i++ {
		if c, ok := tokens.ReadClocks(i); ok {
			ends[c.Last+1] = true
			i = c.Last
		}
	}
	return ends
}

// endsUnknown reports whether the words say that the trader does not know. What
// follows is what the trader can say all the same.
func endsUnknown(tokens words.Tokens) bool {
	return tokens.EndsWith("not know", "not know exactly", "not sure", "not know for sure", "no idea")
}

// isSentence reports whether there is a subject or an auxiliary among the words.
func isSentence(tokens words.Tokens) bool {
	return slices.ContainsFunc(tokens, func(t words.Token) bool { return words.IsSubject(t.Text) || words.IsListed(t.Text, words.Auxiliaries) })
}

// beginsApart reports whether an independent clause begins at token i, as its first word or the words before it show.
func beginsApart(tokens words.Tokens, begin, i int) bool {
	text, before, next := tokens[i].Text, tokens[i-1].Text, tokens.TextAt(i+1)
	head := tokens[begin:i]
	switch {
	case words.IsListed(text, []string{"usually", "normally", "mostly", "typically"}) &&
		words.IsListed(tokens[begin].Text, []string{"until", "till"}) && tokens.IsNumberAt(i+1):
		return true
	case tokens[i].Concludes && tokens.IsNumberAt(i) && isSentence(head) && !words.IsListed(before, words.Auxiliaries, words.Prepositions):
		return true // "it was before the move, so four"
	case words.IsListed(before, words.People, []string{"password", "login", "them"}) && tokens.IsNumberAt(i) && (head.HasVerb() || head.HasNegation()) && words.IsListed(tokens.TextAt(i+1), []string{"account", "accounts", "trade", "trades"}):
		return true // "not even my husband, two accounts"
	case tokens[i].Restarts && tokens.IsNumberAt(i) && tokens.IsNumberAt(i-1) && slices.ContainsFunc(head.FindNumbers(), func(n words.Number) bool { return n.Ranged && n.Unit == claims.NoUnit }):
		return true // "four or five, I would say six"
	case text == "one" && next == "is" && tokens.IsNumberAt(i-1):
		return true // "I have two, one is new"
	case words.IsListed(text, []string{"for", "on", "with"}) && startsOwnValue(tokens, i),
		words.IsListed(text, []string{"everything", "all"}) && i > begin+1 && i <= begin+4 && words.IsListed(tokens[begin].Text, []string{"no", "nothing", "never"}),
		text == "hopefully",
		text == "always" && i > begin+1 && i <= begin+3 && words.IsNegation(tokens[begin].Text) && !words.IsListed(before, words.Auxiliaries),
		text == "otherwise" && !words.IsListed(before, words.Auxiliaries),
		i > begin && i <= begin+3 && tokens[begin].Text == "not" &&
			(i == begin+2 || words.IsListed(tokens[begin+1].Text, []string{"very", "too", "that", "really"})) &&
			words.IsListed(before, []string{"long", "much", "many", "often"}):
		return true
	case words.IsListed(before, []string{"long", "much", "many", "often"}) && i-begin > 2 && head.HasNegation() && tokens.IsNumberAt(i) &&
		!words.IsSubject(tokens.TextAt(i+1)):
		return true
	case endsUnknown(head) && (tokens.IsNumberAt(i) ||
		words.IsListed(text, []string{"less", "more", "under"}) && tokens.IsNumberAt(i+1+toInt(tokens.TextAt(i+1) == "than"))):
		return true
	case words.IsListed(text, []string{"could", "can", "might"}) && next == "be" && head.HasUnit():
		return true
	}
	if words.IsListed(text, []string{"martingale", "hedging", "grid", "averaging", "bots", "copiers", "signals", "news"}) && words.IsListed(next, []string{"yes", "no", "never"}) &&
		!needsObject(tokens, i-1) && !words.IsListed(before, words.Connectors, words.Adverbs, words.TradeVerbs, []string{"no"}) && i-begin > 1 {
		return true // "hedging: yes, sometimes; martingale: no"
	}
	return text == "whether" || orderAt(tokens, i) || text == "elsewhere" && words.IsListed(next, words.SelfPronouns, []string{"nothing", "none", "no"})
}

// IsFragment reports whether the words are few and without a verb.
func IsFragment(tokens words.Tokens) bool {
	return len(tokens) <= 4 && !slices.ContainsFunc(tokens, func(t words.Token) bool { return words.IsVerb(t.Text) || words.IsSubject(t.Text) })
}
