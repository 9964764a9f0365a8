package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// link says how a clause is connected with the previous one.
type link int

// The links of clauses.
const (
	apart    link = iota // it is independent
	together             // and, or: what it leaves out is in the clause before it
	against              // but, however
	inside               // it is what the clause before says, thinks or denies
	under                // if, when, because: it is a condition or a reason of another
	instead              // it replaces what was said before
)

// clause is a sequence of words with at most one verb, as far as the words show.
type clause struct {
	tokens []token
	link   link
	renews bool   // it corrects, and what it corrects may get its value in the clauses behind it
	paused bool   // there is a pause before it
	home   string // the zone of the place where the answer says that the trader is, or empty
	// aboutTrades is whether the question or what was said before is about how many trades there are.
	aboutTrades bool
	manner
}

// cutClauses cuts the words of a segment into clauses: at pauses, at discourse
// markers and where a clause can begin, whatever the punctuation. Every token is in
// exactly one clause, except the words of corrections, which are in none.
func cutClauses(tokens []token) (clauses []clause) {
	kept, named, hours := valueRests(tokens), instrumentSpans(tokens), rangeEnds(tokens)
	begin, how, renews := 0, apart, false
	add := func(end int) {
		if end > begin {
			clauses = append(clauses, clause{tokens: tokens[begin:end:end], link: how, renews: how == instead && renews, paused: tokens[begin].paused})
		}
	}
	for i := 0; i < len(tokens); i++ {
		if next := correctionAt(tokens, begin, i); next > i {
			add(i)
			begin, how, renews = next, instead, tokens[i].text != "i"
			i = next - 1
			continue
		}
		if !kept[i] && isAnswerAt(tokens, begin, i) {
			add(i)
			begin, how = i, apart
			add(i + 1)
			begin = i + 1
			continue
		}
		if i <= begin || kept[i] {
			continue
		}
		l, ok := beginsClause(tokens, begin, i)
		if ok && correctsName(tokens, named, begin, i) {
			continue
		}
		if !ok && hours[i] {
			_, ok = readClocks(tokens, i)
		}
		if !ok && tokens[i].text == "i" && namesOther(tokens, named, begin, i) {
			ok = true
		}
		if !ok && (onlyAt(tokens, named, i) && deniedIn(tokens[begin:i]) || i-begin >= longest) {
			l, ok = apart, true
		}
		if ok {
			add(i)
			begin, how = i, l
		}
	}
	add(len(tokens))
	return clauses
}

// longest is how many words a clause has at most. No real clause is longer, and it
// bounds the time that cutting takes.
const longest = 200

// beginsClause reports whether a clause begins at token i of one that began before,
// and how the two are connected.
func beginsClause(tokens []token, begin, i int) (link, bool) {
	text, before, next := tokens[i].text, tokens[i-1].text, textAt(tokens, i+1)
	switch {
	case text == "but" && !isExceptionAt(tokens, i), text == "however", text == "although", text == "though", text == "whereas", text == "yet" && isSubject(next):
		return against, true
	case text == "only" && isListed(next, []string{"when", "if"}) && endsWithInstrument(tokens[begin:i]):
		return under, true
	case frontedAt(tokens, begin, i), isListed(text, []string{"yours", "theirs"}) && isListed(next, []string{"is", "are"}):
		return against, true
	case beginsApart(tokens, begin, i):
		return apart, true
	case text == "who" && isListed(before, people):
		return apart, true // what follows is about them
	case text == "that" && isListed(next, selfPronouns) && textAt(tokens, i+2) == "can" && unitWord(before):
		return under, true // "two hundred dollars, so that I can lose ten times"
	case text == "seriously", isListed(before, []string{"joking", "kidding"}),
		isListed(text, unsure) && deniedIn(tokens[begin:i]) && (isNumberAt(tokens, i+1) || isListed(next, hedges)):
		return apart, isComplete(tokens[begin:i])
	case (isListed(text, []string{"now", "nowadays", "today", "currently"}) || text == "these" && next == "days") && isPast(tokens[begin:i]):
		return apart, true
	case isListed(text, []string{"maybe", "perhaps", "possibly"}) && isNumberAt(tokens, i+1) && hasUnit(tokens[begin:i]):
		return apart, true
	case isListed(text, []string{"maybe", "perhaps", "probably", "possibly", "sometimes", "occasionally"}) && isSubject(next):
		return apart, isComplete(tokens[begin:i])
	case subordinatesAt(tokens, i), timesAt(tokens, i):
		return under, true
	case text == "then" && before == "and" && textAt(tokens, i-2) == "now" && textAt(tokens, i-3) == "every":
		return 0, false
	case text == "and" && before != "and" && (frontsTopic(tokens, i+1) || isListed(before, []string{"only", "too", "again"}) && isListed(next, selfPronouns) && isVerb(textAt(tokens, i+2))):
		return together, true
	case isListed(text, []string{"and", "or", "then", "also", "plus", "nor"}) && isListed(before, auxiliaries, adverbs) && before != "do":
		return 0, false
	case isListed(text, []string{"and", "or", "then", "nor", "also"}):
		return together, goesOn(tokens, begin, i+1)
	case isListed(before, []string{"and", "or", "then", "but", "because", "if", "when", "while", "unless", "until", "nor", "also"}) &&
		(before != "if" || !isListed(textAt(tokens, i-2), []string{"me", "us"})):
		return 0, false
	case text == "news" && (isListed(next, thirdVerbs) || next == "does" || next == "is"):
		return apart, isComplete(tokens[begin:i])
	case topicAt(tokens, begin, i), comparesAt(tokens, begin, i):
		return apart, true
	case explainsAt(tokens, i):
		return apart, isComplete(tokens[begin:i])
	case asksAt(tokens, i):
		return apart, isComplete(tokens[begin:i]) || isFragment(tokens[begin:i]) && !isListed(before, relativeHeads)
	case subjectAt(tokens, i), lastingAt(tokens, i), pairAt(tokens, i):
		return subjectLink(tokens, begin, i)
	case deniesAt(tokens, begin, i), verbAt(tokens, begin, i):
		if isListed(before, reportVerbs) {
			return inside, true // "my coach says never hold a loser"
		}
		return together, true
	case tokens[i].paused:
		return apart, endsAt(tokens, begin, i)
	}
	return 0, false
}

// endsWithInstrument reports whether the last words name an instrument.
func endsWithInstrument(tokens []token) bool {
	return slices.ContainsFunc(instrumentSpans(tokens), func(x mention) bool { return x.last == len(tokens)-1 })
}

// subordinatesAt reports whether a condition or a reason begins at token i. "If" behind "ask me" or "as" begins none.
func subordinatesAt(tokens []token, i int) bool {
	before := tokens[i-1].text
	switch tokens[i].text {
	case "because":
		return textAt(tokens, i+1) != "of"
	case "while", "when", "whenever", "unless":
		return true
	case "in":
		return textAt(tokens, i+1) == "case" && isSubject(textAt(tokens, i+2))
	case "if":
		asked := isListed(before, []string{"me", "us"}) && isListed(textAt(tokens, i-2), reportVerbs)
		return !asked && before != "as" && !isListed(before, beliefVerbs, reportVerbs)
	}
	return false
}

// timesAt reports whether a clause begins at token i that says when, with its subject: "until I", "after my trade closes".
func timesAt(tokens []token, i int) bool {
	text, next := tokens[i].text, textAt(tokens, i+1)
	begins := isListed(text, []string{"until", "before", "after", "since", "as"}) || text == "once" && tokens[i-1].text != "at"
	return begins && (isSubject(next) || isListed(next, []string{"my", "the"}) && nounVerb(tokens, i+1))
}

// explainsAt reports whether a clause begins at token i that goes on to a reason: "an hour, what makes me close is fear".
func explainsAt(tokens []token, i int) bool {
	explains := tokens[i].text == "what" && isListed(textAt(tokens, i+1), []string{"makes", "made", "i"}) || isLeftAt(tokens, i)
	return explains && !needsObject(tokens, i-1) && !isListed(tokens[i-1].text, auxiliaries, thirdVerbs, connectors)
}

// goesOn reports whether the words after "and" or "or" are a clause of their own: a
// subject, a verb, or a denial.
func goesOn(tokens []token, begin, i int) bool {
	for i < len(tokens) && isListed(tokens[i].text, []string{"then", "also", "if", "when", "while", "because"}) {
		i++
	}
	text := textAt(tokens, i)
	if text == "nothing" && isListed(textAt(tokens, i+1), []string{"else", "but"}) {
		return false
	}
	if text == "what" && isListed(textAt(tokens, i+1), []string{"makes", "made", "i"}) {
		return true
	}
	if tokens[i-1].text != "or" && frontsTopic(tokens, i) {
		return true
	}
	if text == "my" && i > 1 && isListed(tokens[i-2].text, []string{"me", "myself"}) {
		return false // "just me and my partner have the login"
	}
	if isSubject(text) || isListed(text, []string{"my", "the"}) && nounVerb(tokens, i) || text == "never" || text == "no" || text == "not" {
		return textAt(tokens, i-1) != "or" || !isNegation(textAt(tokens, i)) || isSubject(text)
	}
	if tokens[i-1].text == "or" && deniedIn(tokens[begin:i]) {
		return false // "I don't hedge or average"
	}
	for i < len(tokens) && isListed(tokens[i].text, adverbs) {
		i++
	}
	text = textAt(tokens, i)
	return isListed(text, auxiliaries, tradeVerbs)
}

// isComplete reports whether the words can be a clause: there is a verb or a value.
func isComplete(tokens []token) bool {
	if len(tokens) > 1 && isOrder(tokens) {
		return true
	}
	for i, t := range tokens {
		noun := i > 0 && isListed(tokens[i-1].text, determiners, prepositions) && !isSubjectOf(tokens, i) || t.text == "trade" && i == 0
		if i > 0 && isListed(tokens[i-1].text, selfPronouns, otherPronouns, []string{"it"}) && !isListed(t.text, adverbs) {
			return true
		}
		if i > 1 && isListed(tokens[i-1].text, ownThings, firms, people) &&
			(strings.HasSuffix(t.text, "s") || strings.HasSuffix(t.text, "ed")) && !isListed(t.text, ownThings, firms, people) {
			return true // "if a trade goes against me"
		}
		if isVerb(t.text) && !noun || isListed(t.text, []string{"yes", "no"}) || isListed(t.text, beliefVerbs, reportVerbs) {
			return true
		}
	}
	return hasValue(tokens) || hasPhrase(tokens, "nothing but") ||
		endsWith(tokens, "against me", "none of those", "none of these", "none of them", "none of that")
}

// isSubjectOf reports whether the word before the auxiliary at token i is its subject: "that is".
func isSubjectOf(tokens []token, i int) bool {
	return i > 0 && isListed(tokens[i-1].text, neutral) && isListed(tokens[i].text, auxiliaries)
}

// asksAt reports whether a question begins at token i: an auxiliary before its
// subject.
func asksAt(tokens []token, i int) bool {
	if !isListed(tokens[i].text, auxiliaries) || i+1 >= len(tokens) || !isListed(tokens[i+1].text, selfPronouns, otherPronouns) {
		return false
	}
	before := textAt(tokens, i-1)
	return !isSubject(before) && !isListed(before, []string{"what", "how", "why", "where", "neither", "nor", "never", "only", "not", "than", "as", "all", "so"})
}

// subjectAt reports whether the subject of a clause is at token i.
func subjectAt(tokens []token, i int) bool {
	text := tokens[i].text
	switch {
	case i > 0 && isListed(textAt(tokens, i-1), []string{"do", "did", "can", "could", "would", "should", "have", "will", "am", "are"}) &&
		!isSubject(textAt(tokens, i-2)):
		return false // a question
	case isListed(text, otherPronouns) && !isVerb(textAt(tokens, i+1)) && (text != "he" && text != "she" || !strings.HasSuffix(textAt(tokens, i+1), "s")) && !isListed(textAt(tokens, i+1), adverbs):
		return false
	case isListed(text, selfPronouns, otherPronouns):
		before := textAt(tokens, i-1)
		particle := text != "you" && isListed(before, particles) && textAt(tokens, i-2) != "and" // "I stay out, I wait"
		return textAt(tokens, i+1) != "" && (particle || !isListed(before, prepositions))
	case text == "who":
		return false // it qualifies the word before it
	case isListed(text, neutral, quantified):
		return neutralSubjectAt(tokens, i)
	}
	before := textAt(tokens, i-1)
	reported := isListed(before, beliefVerbs, reportVerbs[:1])
	return nounVerb(tokens, i) && (reported || !needsObject(tokens, i-1)) && !isListed(before, reportVerbs[4:8])
}

// neutralSubjectAt reports whether "it", "that", "nobody" or the like at token i is the subject of a clause.
func neutralSubjectAt(tokens []token, i int) bool {
	text, next, before := tokens[i].text, textAt(tokens, i+1), textAt(tokens, i-1)
	relative := text == "that" && isListed(next, []string{"are", "were", "have", "do"}) // "trades that are"
	exists := isListed(text, quantified) && isListed(before, auxiliaries)               // "there is nobody else"
	running := strings.HasSuffix(before, "ing") && !isListed(next, auxiliaries)         // "I have been running it live"
	if relative || exists || running || isListed(next, prepositions) {
		return false
	}
	object := isListed(before, pastVerbs) && isListed(next, adverbs)                                                         // "I blew it, now I"
	third := text == "it" && strings.HasSuffix(next, "s") && !isListed(next, adverbs, ownThings, people, firms, determiners) // "it drops"
	verb := isVerb(next) || third || isListed(next, adverbs) && !object || text == "nobody" && next == "else"
	particle := isListed(before, particles) && isListed(next, auxiliaries) && isListed(textAt(tokens, i-2), []string{"me", "it", "them"}, tradeVerbs, thirdVerbs)
	ends := particle || before == "between" && textAt(tokens, i-2) == "in" || isListed(before, beliefVerbs)
	return verb && (ends || !needsObject(tokens, i-1))
}

// needsObject reports whether the word at i, a preposition, an article or a verb,
// is incomplete without the words that follow it.
func needsObject(tokens []token, i int) bool {
	text := textAt(tokens, i)
	if isListed(text, tradeVerbs) {
		return !isListed(textAt(tokens, i-1), determiners, prepositions)
	}
	if strings.HasSuffix(text, "ing") && isListed(textAt(tokens, i-1), []string{"for", "of", "by"}) && isListed(textAt(tokens, i+1), []string{"my", "the", "a"}) {
		return true // "for trailing the stop"
	}
	return isListed(text, prepositions) || isListed(text, determiners) && text != "that" && text != "this" && text != "all"
}

// nounVerb reports whether a noun with its article and a verb stand at token i:
// "my average trade lasts".
func nounVerb(tokens []token, i int) bool {
	if !isListed(tokens[i].text, determiners) && !isListed(tokens[i].text, []string{"people", "traders"}) || isNumberAt(tokens, i) {
		return false
	}
	if words := instrumentWords(tokens, i+1); words > 0 && isListed(textAt(tokens, i+1+words), []string{"is", "are"}) {
		return true // "the S and P is"
	}
	noun := "" // the last word before that is no adverb
	reach := i + 5
	for at := i + 1; at < len(tokens) && at <= reach; at++ {
		text := tokens[at].text
		if before := tokens[at-1].text; !isListed(before, adverbs) {
			noun = before
		}
		if text == "for" {
			reach += 2 // "the stop loss for the entire thing is"
		}
		switch {
		case isListed(text, []string{
			"is", "are", "was", "were", "has", "does", "can", "will", "would", "should", "must", "lasts", "last", "say", "says", "said", "told", "run", "goes", "sits",
			"runs", "stay", "stays", "allow", "allows",
		}, thirdVerbs),
			isListed(noun, people) && isListed(text, pastVerbs, beliefVerbs), isListed(noun, people) && (strings.HasSuffix(text, "s") || strings.HasSuffix(text, "ed")) &&
				(text == "trades" || !isListed(text, people, ownThings, firms, accesses, []string{"is", "as", "this", "always", "sometimes"})),
			isListed(text, []string{
				"have", "do", "hold", "use", "think", "get", "go", "stay",
			}) && (isListed(tokens[at-1].text, people) || isListed(tokens[at-1].text, ownThings)):
			return true
		case isListed(text, []string{"which", "who"}), isSubject(text) && (text != "that" || textAt(tokens, at+1) == "is"), text == "and", text == "or", text == "but",
			isNumberAt(tokens, at) && text != "one", isListed(text, []string{"my", "the"}) && at > i+1 && tokens[at-1].text != "for", isListed(text, prepositions) && !isListed(text, []string{"in", "of", "per", "for"}):
			return false
		}
	}
	return false
}

// subjectLink says how a clause that begins with its subject is connected with the
// words before it.
func subjectLink(tokens []token, begin, i int) (link, bool) {
	before := tokens[i-1].text
	head := tokens[begin:i]
	earlier := textAt(tokens, i-2)
	bounded := isListed(earlier, []string{"at", "another"}) // "two hours at most"
	idle := before == "nothing" && isListed(earlier, []string{"make", "do"})
	if isListed(before, relativeHeads) && !bounded && !idle && !tokens[i].paused && !hasOwnObject(tokens, i) {
		wh := isListed(before, []string{
			"what", "who", "which", "where", "how", "much", "long", "many", "often", "as", "whatever", "soon", "all", "thing", "things", "something",
			"only", "everything", "nothing", "anything", "most", "max", "maximum",
		})
		if wh || !isComplete(head) {
			return 0, false
		}
	}
	conditional := conditionOf(head) != "" && len(head) > 2 && isListed(tokens[i].text, selfPronouns)
	if !isComplete(head) && !conditional ||
		before == "that" && !isMatrix(head) && (unitWord(textAt(tokens, i-2)) || isListed(textAt(tokens, i-2), relativeHeads, []string{"advisor", "bot", "ea", "script", "tool", "program", "robot", "copier"})) {
		return 0, false
	}
	if isMatrix(head) {
		return inside, true
	}
	return apart, true
}

// isMatrix reports whether the words end so that the next clause is what somebody says, thinks or
// denies, as in "he told me that".
func isMatrix(head []token) bool {
	end := len(head)
	if end > 0 && isListed(head[end-1].text, []string{"that", "if", "whether"}) {
		end--
		if end > 0 && head[end-1].text == "like" && !hasPhrase(head, "i am") || end > 0 && // not "I am not like that"
			isListed(head[end-1].text, []string{
				"true", "wrong", "false", "lie", "not", "fact", "case", "right", "nonsense", "untrue", "myth", "correct", "possible",
			}) {
			return true
		}
	}
	for n := 0; n < 3 && end > 0; n++ {
		if isListed(head[end-1].text, reportVerbs, beliefVerbs, vainVerbs) {
			return true
		}
		if !isListed(head[end-1].text, []string{"me", "you", "him", "her", "them", "us", "to", "my", "like"}, quantified, people, determiners) {
			return false
		}
		end--
	}
	return false
}

// deniesAt reports whether a denial begins at token i that does not belong to the
// verb before it: "overnight, never over the weekend", "no grid, no hedging".
func deniesAt(tokens []token, begin, i int) bool {
	before, text := tokens[i-1].text, tokens[i].text
	if text == "nothing" && !isListed(textAt(tokens, i+1), []string{"else", "but", "is", "more", "less"}) {
		return isComplete(tokens[begin:i]) && !isListed(before, tradeVerbs, pastVerbs, auxiliaries, prepositions, adverbs, connectors)
	}
	if text != "never" && text != "not" && text != "no" || before == "try" || before == "rather" || isSubject(before) ||
		isListed(before, auxiliaries, adverbs, determiners, prepositions) || !isComplete(tokens[begin:i]) && !deniedIn(tokens[begin:i]) {
		return false
	}
	switch next := textAt(tokens, i+1); text {
	case "no":
		if (next == "trade" || next == "entry") && i+2 == len(tokens) { // "no stop, no trade"
			return false
		}
		return !isListed(before, tradeVerbs) && !isListed(next, []string{"more", "less", "longer", "later"})
	case "not":
		return !isListed(next, []string{"more", "less", "longer", "a", "always"}) || isNumberAt(tokens, i+1) || textAt(tokens, i+2) == "single"
	}
	return !isListed(before, []string{"trades", "positions", "risk", "stop", "losses", "loss", "everything"})
}

// correctsName reports whether "no" at token i is between two instruments, where it
// may correct the first or deny the second.
func correctsName(tokens []token, named []mention, begin, i int) bool {
	return tokens[i].text == "no" && !claims.IsClass(classes[textAt(tokens, i+1)]) && slices.ContainsFunc(named, func(x mention) bool { return x.last == i-1 }) &&
		slices.ContainsFunc(named, func(x mention) bool { return x.first == i+1 }) && !hasPhrase(tokens[begin:i], "only")
}

// namesOther reports whether the words before token i only name instruments, and those behind it name another one: "euro
// dollar and gold, I don't touch crypto".
func namesOther(tokens []token, named []mention, begin, i int) bool {
	before := slices.ContainsFunc(named, func(x mention) bool {
		return begin <= x.first && (x.last == i-1 || x.last < i && isListed(tokens[i-1].text, []string{"morning", "afternoon", "evening", "session"}))
	})
	return before && !isComplete(tokens[begin:i]) && slices.ContainsFunc(named, func(x mention) bool {
		return x.first > i && x.first <= i+5 && (deniedIn(tokens[i:x.first]) || isListed(textAt(tokens, i+1), pastVerbs)) && !hasPhrase(tokens[i:x.first], "and")
	})
}

// onlyAt reports whether an instrument begins at token i that "only" declares to be
// the only one: "I don't touch crypto, forex only".
func onlyAt(tokens []token, named []mention, i int) bool {
	return slices.ContainsFunc(named, func(x mention) bool {
		return x.first == i && textAt(tokens, x.last+1) == "only" && !slices.ContainsFunc(named, func(o mention) bool { return o.first == x.last+2 })
	})
}

// verbAt reports whether a clause without a subject begins at token i: "risk one
// percent per trade hold for an hour".
func verbAt(tokens []token, begin, i int) bool {
	verbs := []string{"hold", "risk", "use", "avoid", "stop", "close", "keep", "trade", "scalp", "take", "hedge"}
	before, next := tokens[i-1].text, textAt(tokens, i+1)
	behind := unitWord(before) ||
		isListed(before, []string{"trade", "day", "gold", "forex", "loss", "stops", "weekend", "overnight", "news", "time", "session"})
	if !isListed(tokens[i].text, verbs) || !behind {
		return false
	}
	if isSubject(textAt(tokens, begin)) || before == "stop" || isListed(before, determiners) || next == "" || next == "loss" ||
		next == "per" || next == "time" || isListed(next, connectors) {
		return false
	}
	return isComplete(tokens[begin:i])
}

// lastingAt reports whether a clause about how long trades last begins at token i: "I trade intraday, positions last an
// hour".
func lastingAt(tokens []token, i int) bool {
	before := tokens[i-1].text
	return isListed(tokens[i].text, []string{"positions", "trades", "scalps"}) && isListed(textAt(tokens, i+1), []string{"last", "stay", "run"}) &&
		!isListed(before, determiners, prepositions, adverbs, []string{"winning", "losing", "average", "typical", "good", "bad", "best", "worst", "open", "no", "where"}) && !needsObject(tokens, i-1)
}

// pairAt reports whether somebody else and the trader are named at token i: "my brother and I".
func pairAt(tokens []token, i int) bool {
	return tokens[i].text == "my" && isListed(textAt(tokens, i+1), people) && textAt(tokens, i+2) == "and" && textAt(tokens, i+3) == "i" && !needsObject(tokens, i-1)
}

// endsAt reports whether a clause can end at a pause before token i: not between
// words that need each other.
func endsAt(tokens []token, begin, i int) bool {
	before, text := tokens[i-1].text, tokens[i].text
	if isSubject(before) || isListed(before, determiners, prepositions, auxiliaries, adverbs, tradeVerbs) && before != "all" ||
		isListed(before, hedges) || before == "and" || before == "or" || before == "average" {
		return false
	}
	if unitWord(text) || isListed(text, prepositions) && text != "without" || isNumberAt(tokens, i) && len(findNumbers(tokens[begin:i])) == 0 {
		return false
	}
	return isComplete(tokens[begin:i])
}

// isAnswerAt reports whether "yes" or "no" at token i is an answer, and not part of
// the words around it.
func isAnswerAt(tokens []token, begin, i int) bool {
	text, before, next := tokens[i].text, textAt(tokens, i-1), textAt(tokens, i+1)
	switch {
	case text == "never" && next == "" && i > begin && isQuestion(tokens[begin:i]), i == begin && leadsAt(tokens, i):
		return true
	case text == "no" && next == "" && i > begin && isListed(before, []string{"that", "this"}):
		return true
	case text != "yes" && text != "no" || before == "if" || isListed(before, determiners, prepositions, reportVerbs) || next == "way" && i > begin || next == "doubt":
		return false
	case text == "yes" || next == "" || isSubject(next) || i+1 < len(tokens) && tokens[i+1].paused && i > begin && before != "have" && before != "use":
		return true
	case i > begin && (isListed(before, tradeVerbs, auxiliaries) || before == "is"):
		return false
	}
	return isListed(next, []string{
		"my", "never", "not", "yes", "no", "none", "because", "but", "only", "by", "all", "always", "everything", "just", "nothing", "sometimes",
		"usually", "seriously", "why", "how", "what", "could",
	}) &&
		(i == begin || next != "no") ||
		i+1 < len(tokens) && asksAt(tokens, i+1)
}

// leadsAt reports whether the first word of a clause, at token i, answers although more follows: "nobody, I trade alone",
// "never, same size", "no, hundred percent".
func leadsAt(tokens []token, i int) bool {
	next := textAt(tokens, i+1)
	switch tokens[i].text {
	case "nobody":
		return isListed(next, selfPronouns)
	case "never":
		return next == "same"
	case "no":
		return hasPhrase(tokens[i+1:min(len(tokens), i+4)], "hundred percent")
	}
	return false
}

// isExceptionAt reports whether "but" at token i leaves something out: "nobody but me".
func isExceptionAt(tokens []token, i int) bool {
	before := textAt(tokens, i-1)
	return isListed(before, []string{"everything", "anything", "all", "nothing", "nobody", "everybody", "else"}) ||
		before == "one" && isListed(textAt(tokens, i-2), []string{"no", "any", "every"}) // not "I have one, but"
}
