package claims

import (
	"slices"
	"strings"
)

// link says how a clause hangs on the one before it.
type link int

// The links of clauses.
const (
	apart    link = iota // it stands by itself
	together             // and, or: what it leaves out stands before it
	against              // but, however
	inside               // it is what the one before says, thinks or denies
	under                // if, when, because: it is a condition or a reason of another
	instead              // it takes the place of what was said before
)

// clause is a stretch of words with one verb at most, as far as can be told.
type clause struct {
	tokens []token
	link   link
	paused bool // a pause stands before it
	manner
}

// cut cuts the words of a segment into clauses: at pauses, discourse markers and
// where a clause can begin, whatever marks there are. Every token is in exactly one
// clause, but for the words of corrections, which are in none.
func cut(tokens []token) (clauses []clause) {
	kept, named := valueRests(tokens), instrumentSpans(tokens)
	begin, how := 0, apart
	add := func(end int) {
		if end > begin {
			clauses = append(clauses, clause{tokens: tokens[begin:end:end], link: how, paused: tokens[begin].paused})
		}
	}
	for i := 0; i < len(tokens); i++ {
		if next := correctionAt(tokens, begin, i); next > i {
			add(i)
			begin, how = next, instead
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
		l, ok := begins(tokens, begin, i)
		if ok && correctsName(tokens, named, begin, i) {
			continue
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

// longest is how many words a clause has at most: no clause has, and the time that
// cutting takes is bounded by it.
const longest = 200

// valueRests marks the tokens that belong to the value of the one before.
func valueRests(tokens []token) []bool {
	kept := make([]bool, len(tokens))
	for _, n := range numbers(tokens) {
		keep(kept, n.first+1, n.last)
	}
	for _, c := range clocks(tokens) {
		keep(kept, c.first+1, c.last)
	}
	return kept
}

func keep(kept []bool, first, last int) {
	for i := first; i <= last; i++ {
		kept[i] = true
	}
}

// begins reports whether a clause begins at token i of one that began before, and
// how it hangs on that.
func begins(tokens []token, begin, i int) (link, bool) {
	text, before, next := tokens[i].text, tokens[i-1].text, textAt(tokens, i+1)
	switch {
	case text == "but" && !isException(before), text == "however", text == "although", text == "though", text == "whereas", text == "yet" && isSubject(next):
		return against, true
	case in(text, []string{"usually", "normally", "mostly", "typically"}) && in(tokens[begin].text, []string{"until", "till"}) && isNumberAt(tokens, i+1):
		return apart, true
	case in(text, []string{"for", "on", "with"}) && startsOwnValue(tokens, i), in(text, []string{"everything", "all"}) && i > begin+1 && i <= begin+4 && in(tokens[begin].text, []string{"no", "nothing", "never"}), text == "hopefully", text == "always" && i > begin+1 && i <= begin+3 && negates(tokens[begin].text) && !in(before, auxiliaries), text == "otherwise" && !in(before, auxiliaries), i > begin && i <= begin+3 && tokens[begin].text == "not" && (i == begin+2 || in(tokens[begin+1].text, []string{"very", "too", "that", "really"})) && in(before, []string{"long", "much", "many", "often"}):
		return apart, true
	case in(before, []string{"long", "much", "many", "often"}) && i-begin > 2 && deniedIn(tokens[begin:i]) && isNumberAt(tokens, i) && !isSubject(textAt(tokens, i+1)):
		return apart, true
	case (text == "less" || text == "more" || text == "under") && endsUnknown(tokens[begin:i]) && isNumberAt(tokens, i+1+one(textAt(tokens, i+1) == "than")):
		return apart, true
	case text == "who" && in(before, people):
		return apart, true // what follows is about them
	case text == "seriously", in(before, []string{"joking", "kidding"}), in(text, unsure) && deniedIn(tokens[begin:i]) && (isNumberAt(tokens, i+1) || in(next, hedges)):
		return apart, complete(tokens[begin:i])
	case (text == "now" || text == "nowadays" || text == "today" || text == "currently" || text == "these" && next == "days") && isPast(tokens[begin:i]):
		return apart, true
	case in(text, []string{"maybe", "perhaps", "possibly"}) && isNumberAt(tokens, i+1) && hasUnit(tokens[begin:i]):
		return apart, true
	case in(text, []string{"maybe", "perhaps", "probably", "possibly"}) && isSubject(next):
		return apart, complete(tokens[begin:i])
	case text == "because", text == "while", text == "when", text == "whenever", text == "unless", text == "if" && !in(before, beliefVerbs, reportVerbs) && before != "as" && (!in(before, []string{"me", "us"}) || !in(textAt(tokens, i-2), reportVerbs)):
		return under, true
	case (text == "until" || text == "before" || text == "after" || text == "since" || text == "as" || text == "once" && before != "at") && (isSubject(next) || next == "my"):
		return under, true
	case (text == "and" || text == "or" || text == "then" || text == "also" || text == "plus" || text == "nor") && in(before, auxiliaries, adverbs) && before != "do":
		return 0, false
	case text == "and", text == "or", text == "then", text == "nor", text == "also":
		return together, goesOn(tokens, begin, i+1)
	case in(before, []string{"and", "or", "then", "but", "because", "if", "when", "while", "unless", "until", "nor", "also"}) && (before != "if" || !in(textAt(tokens, i-2), []string{"me", "us"})):
		return 0, false
	case asksAt(tokens, i):
		return apart, complete(tokens[begin:i]) || isFragment(tokens[begin:i]) && !in(before, relativeHeads)
	case subjectAt(tokens, i):
		return subjectLink(tokens, begin, i)
	case deniesAt(tokens, begin, i), verbAt(tokens, begin, i):
		return together, true
	case tokens[i].paused:
		return apart, endsAt(tokens, begin, i)
	}
	return 0, false
}

// goesOn reports whether what follows "and" or "or" is a clause of its own: a
// subject, a verb, or a denial.
func goesOn(tokens []token, begin, i int) bool {
	for i < len(tokens) && in(tokens[i].text, []string{"then", "also", "if", "when", "while", "because"}) {
		i++
	}
	text := textAt(tokens, i)
	if text == "nothing" && in(textAt(tokens, i+1), []string{"else", "but"}) {
		return false
	}
	if isSubject(text) || text == "my" && nounVerb(tokens, i) || text == "never" || text == "no" || text == "not" {
		return textAt(tokens, i-1) != "or" || !negates(textAt(tokens, i)) || isSubject(text)
	}
	if tokens[i-1].text == "or" && deniedIn(tokens[begin:i]) {
		return false // "I don't hedge or average"
	}
	for i < len(tokens) && in(tokens[i].text, adverbs) {
		i++
	}
	text = textAt(tokens, i)
	if in(text, []string{"trade", "risk", "stop", "hold"}) { // nouns, too
		next := textAt(tokens, i+1)
		return isNumberAt(tokens, i+1) || in(next, determiners, prepositions) || next == "trading"
	}
	return in(text, auxiliaries, tradeVerbs)
}

func deniedIn(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return negates(t.text) })
}

func isNumberAt(tokens []token, i int) bool {
	if i >= len(tokens) {
		return false
	}
	_, ok := readNumber(tokens, i)
	return ok
}

// complete reports whether the words can be a clause: there is a verb or a value.
func complete(tokens []token) bool {
	for i, t := range tokens {
		noun := i > 0 && in(tokens[i-1].text, determiners, prepositions) || t.text == "trade" && i == 0
		if i > 0 && in(tokens[i-1].text, selfPronouns, otherPronouns, []string{"it"}) && !in(t.text, adverbs) {
			return true
		}
		if i > 1 && in(tokens[i-1].text, ownThings, firms, people) && (strings.HasSuffix(t.text, "s") || strings.HasSuffix(t.text, "ed")) && !in(t.text, ownThings, firms, people) {
			return true // "if a trade goes against me"
		}
		if isVerb(t.text) && !noun || in(t.text, []string{"yes", "no"}) || in(t.text, beliefVerbs, reportVerbs) {
			return true
		}
	}
	return len(numbers(tokens)) > 0 || has(tokens, "nothing but")
}

// asksAt reports whether a question begins at token i: an auxiliary before its
// subject.
func asksAt(tokens []token, i int) bool {
	if !in(tokens[i].text, auxiliaries) || i+1 >= len(tokens) || !in(tokens[i+1].text, selfPronouns, otherPronouns) {
		return false
	}
	if in(tokens[i].text, []string{"does", "is", "has", "was"}) && in(tokens[i+1].text, []string{"i", "we", "you", "they"}) {
		return false
	}
	before := textAt(tokens, i-1)
	return !isSubject(before) && !in(before, []string{"what", "how", "why", "where", "neither", "nor", "never", "only", "not", "than", "as", "all", "so"})
}

// subjectAt reports whether the subject of a clause stands at token i.
func subjectAt(tokens []token, i int) bool {
	text := tokens[i].text
	switch {
	case i > 0 && in(textAt(tokens, i-1), []string{"do", "did", "can", "could", "would", "should", "have", "will", "am", "are"}) && !isSubject(textAt(tokens, i-2)):
		return false // a question
	case in(text, otherPronouns) && !isVerb(textAt(tokens, i+1)) && !in(textAt(tokens, i+1), adverbs):
		return false
	case in(text, selfPronouns, otherPronouns):
		return textAt(tokens, i+1) != "" && !in(textAt(tokens, i-1), prepositions)
	case text == "who":
		return false // it says more of the word before it
	case in(text, neutral, quantified):
		next := textAt(tokens, i+1)
		return (isVerb(next) || in(next, adverbs) || text == "nobody" && next == "else") && !needsObject(tokens, i-1) && !in(next, prepositions)
	}
	return nounVerb(tokens, i) && !needsObject(tokens, i-1) && !in(textAt(tokens, i-1), reportVerbs[4:8])
}

// needsObject reports whether the word at i, a preposition, an article or a verb,
// is incomplete without what follows it.
func needsObject(tokens []token, i int) bool {
	text := textAt(tokens, i)
	if in(text, tradeVerbs) {
		return !in(textAt(tokens, i-1), determiners, prepositions)
	}
	return in(text, prepositions) || in(text, determiners) && text != "that" && text != "this" && text != "all"
}

// nounVerb reports whether a noun with its article and a verb stand at token i:
// "my average trade lasts".
func nounVerb(tokens []token, i int) bool {
	if !in(tokens[i].text, determiners) && !in(tokens[i].text, []string{"people", "traders"}) {
		return false
	}
	for at := i + 1; at < len(tokens) && at <= i+5; at++ {
		text := tokens[at].text
		switch {
		case in(text, []string{"is", "are", "was", "were", "has", "does", "can", "will", "would", "should", "must", "lasts", "last", "says", "said", "told", "run", "runs", "stay", "stays", "allow", "allows"}, thirdVerbs),
			in(text, []string{"trades"}) && in(tokens[at-1].text, people),
			in(text, []string{"have", "do", "hold", "use", "say", "think", "get", "go", "stay"}) && (in(tokens[at-1].text, people) || in(tokens[at-1].text, ownThings)):
			return true
		case isSubject(text) && (text != "that" || textAt(tokens, at+1) == "is"), text == "and", text == "or", text == "but", isNumberAt(tokens, at) && text != "one", in(text, prepositions) && text != "in" && text != "of" && text != "per":
			return false
		}
	}
	return false
}

// subjectLink says how a clause that begins with its subject hangs on what stands
// before it.
func subjectLink(tokens []token, begin, i int) (link, bool) {
	before := tokens[i-1].text
	head := tokens[begin:i]
	if in(before, relativeHeads) && !tokens[i].paused {
		wh := in(before, []string{"what", "who", "which", "where", "how", "much", "long", "many", "often", "as", "whatever", "soon", "all", "thing", "things", "something", "only", "everything", "nothing", "anything", "most", "max", "maximum"})
		if wh || !complete(head) {
			return 0, false
		}
	}
	conditional := conditionOf(head) != "" && len(head) > 2 && in(tokens[i].text, selfPronouns)
	if !complete(head) && !conditional || before == "that" && !isMatrix(head) && (unitWord(textAt(tokens, i-2)) || in(textAt(tokens, i-2), relativeHeads)) {
		return 0, false
	}
	if isMatrix(head) {
		return inside, true
	}
	return apart, true
}

// isMatrix reports whether the words end so that a clause that follows is what is
// said, thought or denied: "he told me that".
func isMatrix(head []token) bool {
	end := len(head)
	if end > 0 && in(head[end-1].text, []string{"that", "if", "whether"}) {
		end--
		if end > 0 && in(head[end-1].text, []string{"true", "wrong", "false", "lie", "not", "like", "fact", "case", "right", "nonsense", "untrue", "myth", "correct", "possible"}) {
			return true
		}
	}
	for n := 0; n < 3 && end > 0; n++ {
		if in(head[end-1].text, reportVerbs, beliefVerbs, vainVerbs) {
			return true
		}
		if !in(head[end-1].text, []string{"me", "you", "him", "her", "them", "us", "to", "my", "like"}, quantified, people, determiners) {
			return false
		}
		end--
	}
	return false
}

// deniesAt reports whether a denial begins at token i that is not of the verb
// before it: "overnight, never over the weekend", "no grid, no hedging".
func deniesAt(tokens []token, begin, i int) bool {
	before, text := tokens[i-1].text, tokens[i].text
	if text == "nothing" && !in(textAt(tokens, i+1), []string{"else", "but", "is", "more", "less"}) {
		return complete(tokens[begin:i]) && !in(before, tradeVerbs, pastVerbs, auxiliaries, prepositions, adverbs, connectors)
	}
	if text != "never" && text != "not" && text != "no" || before == "try" || before == "rather" || isSubject(before) || in(before, auxiliaries, adverbs, determiners, prepositions) || !complete(tokens[begin:i]) && !deniedIn(tokens[begin:i]) {
		return false
	}
	switch next := textAt(tokens, i+1); text {
	case "no":
		if (next == "trade" || next == "entry") && i+2 == len(tokens) { // "no stop, no trade"
			return false
		}
		return !in(before, tradeVerbs) && !in(next, []string{"more", "less", "longer", "later"})
	case "not":
		return !in(next, []string{"more", "less", "longer", "a", "always"}) || isNumberAt(tokens, i+1)
	}
	return !in(before, []string{"trades", "positions", "risk", "stop", "losses", "loss", "everything"})
}

// correctsName reports whether "no" at token i stands between two instruments: it
// may correct the first or deny the second.
func correctsName(tokens []token, named []mention, begin, i int) bool {
	return tokens[i].text == "no" && !isClass(classes[textAt(tokens, i+1)]) && slices.ContainsFunc(named, func(x mention) bool { return x.last == i-1 }) &&
		slices.ContainsFunc(named, func(x mention) bool { return x.first == i+1 }) && !has(tokens[begin:i], "only")
}

// onlyAt reports whether an instrument begins at token i of which "only" says that
// there is no other: "I don't touch crypto, forex only".
func onlyAt(tokens []token, named []mention, i int) bool {
	return slices.ContainsFunc(named, func(x mention) bool { return x.first == i && textAt(tokens, x.last+1) == "only" })
}

// verbAt reports whether a clause without a subject begins at token i: "risk one
// percent per trade hold for an hour".
func verbAt(tokens []token, begin, i int) bool {
	verbs := []string{"hold", "risk", "use", "avoid", "stop", "close", "keep", "trade", "scalp", "take", "hedge"}
	before, next := tokens[i-1].text, textAt(tokens, i+1)
	behind := unitWord(before) || in(before, []string{"trade", "day", "gold", "forex", "loss", "stops", "weekend", "overnight", "news", "time", "session"})
	if !in(tokens[i].text, verbs) || !behind {
		return false
	}
	if isSubject(textAt(tokens, begin)) || before == "stop" || in(before, determiners) || next == "" || next == "loss" || next == "per" || next == "time" || in(next, connectors) {
		return false
	}
	return complete(tokens[begin:i])
}

// endsAt reports whether a clause can end before token i, where somebody paused:
// not between words that need each other.
func endsAt(tokens []token, begin, i int) bool {
	before, text := tokens[i-1].text, tokens[i].text
	if isSubject(before) || in(before, determiners, prepositions, auxiliaries, adverbs, tradeVerbs) && before != "all" || in(before, hedges) || before == "and" || before == "or" || before == "average" {
		return false
	}
	if unitWord(text) || in(text, prepositions) && text != "without" || isNumberAt(tokens, i) && len(numbers(tokens[begin:i])) == 0 {
		return false
	}
	return complete(tokens[begin:i])
}

// isAnswerAt reports whether "yes" or "no" at token i is an answer, and no part of
// what stands around it.
func isAnswerAt(tokens []token, begin, i int) bool {
	text, before, next := tokens[i].text, textAt(tokens, i-1), textAt(tokens, i+1)
	switch {
	case text == "never" && next == "" && i > begin && isQuestion(tokens[begin:i]):
		return true
	case text != "yes" && text != "no" || in(before, determiners, prepositions, reportVerbs) || next == "way" && i > begin || next == "doubt":
		return false
	case text == "no" && next == "way" && i+2 == len(tokens):
		return true
	case text == "yes" || next == "" || isSubject(next) || i+1 < len(tokens) && tokens[i+1].paused && i > begin && before != "have" && before != "use":
		return true
	case i > begin && (in(before, tradeVerbs, auxiliaries) || before == "is"):
		return false
	}
	return in(next, []string{"my", "never", "not", "yes", "no", "none", "because", "but", "only", "by", "all", "always", "everything", "just", "nothing", "sometimes", "usually", "seriously", "why", "how", "what"}) && (i == begin || next != "no") || i+1 < len(tokens) && asksAt(tokens, i+1)
}

// isException reports whether "but" behind the word leaves something out.
func isException(word string) bool {
	return slices.Contains([]string{"everything", "anything", "all", "nothing", "nobody", "one", "everybody", "else"}, word)
}
