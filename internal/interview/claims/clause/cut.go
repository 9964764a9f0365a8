package clause

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// Link says how a clause is connected with the previous one.
type Link int

// The links of clauses.
const (
	Apart    Link = iota // it is independent
	Together             // and, or: what it leaves out is in the clause before it
	Against              // but, however
	Inside               // it is what the clause before says, thinks or denies
	Under                // if, when, because: it is a condition or a reason of another
	Instead              // it replaces what was said before
)

// Clause is a sequence of words with at most one verb, as far as the words show.
type Clause struct {
	Tokens words.Tokens
	Link   Link
	renews bool // it corrects, and what it corrects may get its value in the clauses behind it
	paused bool // there is a pause before it
	// Home is the zone of the place where the answer says that the trader is, or empty. Cut leaves it empty.
	Home string
	// AboutTrades is whether the question or what was said before is about how many trades there are. Cut leaves it false.
	AboutTrades bool
	Manner
}

// Cut cuts the words of a segment into clauses: at pauses, at discourse
// markers and where a clause can begin, whatever the punctuation. Every token is in
// exactly one clause, except the words of corrections, which are in none.
func Cut(tokens words.Tokens) (clauses []Clause) {
	kept, named, hours := tokens.ValueRests(), tokens.FindInstruments(), rangeEnds(tokens)
	begin, how, renews := 0, Apart, false
	add := func(end int) {
		if end > begin {
			clauses = append(clauses, Clause{Tokens: tokens[begin:end:end], Link: how, renews: how == Instead && renews, paused: tokens[begin].Paused})
		}
	}
	for i := 0; i < len(tokens); i++ {
		if next := correctionAt(tokens, begin, i); next > i {
			add(i)
			begin, how, renews = next, Instead, tokens[i].Text != "i"
			i = next - 1
			continue
		}
		if !kept[i] && isAnswerAt(tokens, begin, i) {
			add(i)
			begin, how = i, Apart
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
			_, ok = tokens.ReadClocks(i)
		}
		if !ok && tokens[i].Text == "i" && namesOther(tokens, named, begin, i) {
			ok = true
		}
		if !ok && (onlyAt(tokens, named, i) && tokens[begin:i].HasNegation() || i-begin >= longest) {
			l, ok = Apart, true
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
func beginsClause(tokens words.Tokens, begin, i int) (Link, bool) {
	text, before, next := tokens[i].Text, tokens[i-1].Text, tokens.TextAt(i+1)
	switch {
	case text == "but" && !isExceptionAt(tokens, i), text == "however", text == "although", text == "though", text == "whereas", text == "yet" && words.IsSubject(next):
		return Against, true
	case text == "only" && words.IsListed(next, []string{"when", "if"}) && endsWithInstrument(tokens[begin:i]):
		return Under, true
	case frontedAt(tokens, begin, i), words.IsListed(text, []string{"yours", "theirs"}) && words.IsListed(next, []string{"is", "are"}):
		return Against, true
	case beginsApart(tokens, begin, i):
		return Apart, true
	case text == "who" && words.IsListed(before, words.People):
		return Apart, true // what follows is about them
	case text == "that" && words.IsListed(next, words.SelfPronouns) && tokens.TextAt(i+2) == "can" && words.IsUnit(before):
		return Under, true // "two hundred dollars, so that I can lose ten times"
	case text == "seriously", words.IsListed(before, []string{"joking", "kidding"}),
		words.IsListed(text, UnsureWords) && tokens[begin:i].HasNegation() && (tokens.IsNumberAt(i+1) || words.IsListed(next, words.Hedges)):
		return Apart, isComplete(tokens[begin:i])
	case (words.IsListed(text, []string{"now", "nowadays", "today", "currently"}) || text == "these" && next == "days") && isPast(tokens[begin:i]):
		return Apart, true
	case words.IsListed(text, []string{"maybe", "perhaps", "possibly"}) && tokens.IsNumberAt(i+1) && tokens[begin:i].HasUnit():
		return Apart, true
	case words.IsListed(text, []string{"maybe", "perhaps", "probably", "possibly", "sometimes", "occasionally"}) && words.IsSubject(next):
		return Apart, isComplete(tokens[begin:i])
	case subordinatesAt(tokens, i), timesAt(tokens, i):
		return Under, true
	case text == "then" && before == "and" && tokens.TextAt(i-2) == "now" && tokens.TextAt(i-3) == "every":
		return 0, false
	case text == "and" && before != "and" && (frontsTopic(tokens, i+1) || words.IsListed(before, []string{"only", "too", "again"}) && words.IsListed(next, words.SelfPronouns) && words.IsVerb(tokens.TextAt(i+2))):
		return Together, true
	case words.IsListed(text, []string{"and", "or", "then", "also", "plus", "nor"}) && words.IsListed(before, words.Auxiliaries, words.Adverbs) && before != "do":
		return 0, false
	case words.IsListed(text, []string{"and", "or", "then", "nor", "also"}):
		return Together, goesOn(tokens, begin, i+1)
	case words.IsListed(before, []string{"and", "or", "then", "but", "because", "if", "when", "while", "unless", "until", "nor", "also"}) &&
		(before != "if" || !words.IsListed(tokens.TextAt(i-2), []string{"me", "us"})):
		return 0, false
	case text == "news" && (words.IsListed(next, words.ThirdVerbs) || next == "does" || next == "is"):
		return Apart, isComplete(tokens[begin:i])
	case topicAt(tokens, begin, i), comparesAt(tokens, begin, i):
		return Apart, true
	case explainsAt(tokens, i):
		return Apart, isComplete(tokens[begin:i])
	case asksAt(tokens, i):
		return Apart, isComplete(tokens[begin:i]) || IsFragment(tokens[begin:i]) && !words.IsListed(before, words.RelativeHeads)
	case subjectAt(tokens, i), lastingAt(tokens, i), pairAt(tokens, i):
		return subjectLink(tokens, begin, i)
	case deniesAt(tokens, begin, i), verbAt(tokens, begin, i):
		if words.IsListed(before, words.ReportVerbs) {
			return Inside, true // "my coach says never hold a loser"
		}
		return Together, true
	case tokens[i].Paused:
		return Apart, endsAt(tokens, begin, i)
	}
	return 0, false
}

// endsWithInstrument reports whether the last words name an instrument.
func endsWithInstrument(tokens words.Tokens) bool {
	return slices.ContainsFunc(tokens.FindInstruments(), func(x words.Mention) bool { return x.Last == len(tokens)-1 })
}

// subordinatesAt reports whether a condition or a reason begins at token i. "If" behind "ask me" or "as" begins none.
func subordinatesAt(tokens words.Tokens, i int) bool {
	before := tokens[i-1].Text
	switch tokens[i].Text {
	case "because":
		return tokens.TextAt(i+1) != "of"
	case "while", "when", "whenever", "unless":
		return true
	case "in":
		return tokens.TextAt(i+1) == "case" && words.IsSubject(tokens.TextAt(i+2))
	case "if":
		asked := words.IsListed(before, []string{"me", "us"}) && words.IsListed(tokens.TextAt(i-2), words.ReportVerbs)
		return !asked && before != "as" && !words.IsListed(before, words.BeliefVerbs, words.ReportVerbs)
	}
	return false
}

// timesAt reports whether a clause begins at token i that says when, with its subject: "until I", "after my trade closes".
func timesAt(tokens words.Tokens, i int) bool {
	text, next := tokens[i].Text, tokens.TextAt(i+1)
	begins := words.IsListed(text, []string{"until", "before", "after", "since", "as"}) || text == "once" && tokens[i-1].Text != "at"
	return begins && (words.IsSubject(next) || words.IsListed(next, []string{"my", "the"}) && nounVerb(tokens, i+1))
}

// explainsAt reports whether a clause begins at token i that goes on to a reason: "an hour, what makes me close is fear".
func explainsAt(tokens words.Tokens, i int) bool {
	explains := tokens[i].Text == "what" && words.IsListed(tokens.TextAt(i+1), []string{"makes", "made", "i"}) || isLeftAt(tokens, i)
	return explains && !needsObject(tokens, i-1) && !words.IsListed(tokens[i-1].Text, words.Auxiliaries, words.ThirdVerbs, words.Connectors)
}

// goesOn reports whether the words after "and" or "or" are a clause of their own: a
// subject, a verb, or a denial.
func goesOn(tokens words.Tokens, begin, i int) bool {
	for i < len(tokens) && words.IsListed(tokens[i].Text, []string{"then", "also", "if", "when", "while", "because"}) {
		i++
	}
	text := tokens.TextAt(i)
	if text == "nothing" && words.IsListed(tokens.TextAt(i+1), []string{"else", "but"}) {
		return false
	}
	if text == "what" && words.IsListed(tokens.TextAt(i+1), []string{"makes", "made", "i"}) {
		return true
	}
	if tokens[i-1].Text != "or" && frontsTopic(tokens, i) {
		return true
	}
	if text == "my" && i > 1 && words.IsListed(tokens[i-2].Text, []string{"me", "myself"}) {
		return false // "just me and my partner have the login"
	}
	if words.IsSubject(text) || words.IsListed(text, []string{"my", "the"}) && nounVerb(tokens, i) || text == "never" || text == "no" || text == "not" {
		return tokens.TextAt(i-1) != "or" || !words.IsNegation(tokens.TextAt(i)) || words.IsSubject(text)
	}
	if tokens[i-1].Text == "or" && tokens[begin:i].HasNegation() {
		return false // "I don't hedge or average"
	}
	for i < len(tokens) && words.IsListed(tokens[i].Text, words.Adverbs) {
		i++
	}
	text = tokens.TextAt(i)
	return words.IsListed(text, words.Auxiliaries, words.TradeVerbs)
}

// isComplete reports whether the words can be a clause: there is a verb or a value.
func isComplete(tokens words.Tokens) bool {
	if len(tokens) > 1 && isOrder(tokens) {
		return true
	}
	for i, t := range tokens {
		noun := i > 0 && words.IsListed(tokens[i-1].Text, words.Determiners, words.Prepositions) && !isSubjectOf(tokens, i) || t.Text == "trade" && i == 0
		if i > 0 && words.IsListed(tokens[i-1].Text, words.SelfPronouns, words.OtherPronouns, []string{"it"}) && !words.IsListed(t.Text, words.Adverbs) {
			return true
		}
		if i > 1 && words.IsListed(tokens[i-1].Text, words.OwnThings, words.Firms, words.People) &&
			(strings.HasSuffix(t.Text, "s") || strings.HasSuffix(t.Text, "ed")) && !words.IsListed(t.Text, words.OwnThings, words.Firms, words.People) {
			return true // "if a trade goes against me"
		}
		if words.IsVerb(t.Text) && !noun || words.IsListed(t.Text, []string{"yes", "no"}) || words.IsListed(t.Text, words.BeliefVerbs, words.ReportVerbs) {
			return true
		}
	}
	return tokens.HasValue() || tokens.HasPhrase("nothing but") ||
		tokens.EndsWith("against me", "none of those", "none of these", "none of them", "none of that")
}

// isSubjectOf reports whether the word before the auxiliary at token i is its subject: "that is".
func isSubjectOf(tokens words.Tokens, i int) bool {
	return i > 0 && words.IsListed(tokens[i-1].Text, words.Neutral) && words.IsListed(tokens[i].Text, words.Auxiliaries)
}

// asksAt reports whether a question begins at token i: an auxiliary before its
// subject.
func asksAt(tokens words.Tokens, i int) bool {
	if !words.IsListed(tokens[i].Text, words.Auxiliaries) || i+1 >= len(tokens) || !words.IsListed(tokens[i+1].Text, words.SelfPronouns, words.OtherPronouns) {
		return false
	}
	before := tokens.TextAt(i - 1)
	return !words.IsSubject(before) && !words.IsListed(before, []string{"what", "how", "why", "where", "neither", "nor", "never", "only", "not", "than", "as", "all", "so"})
}

// subjectAt reports whether the subject of a clause is at token i.
func subjectAt(tokens words.Tokens, i int) bool {
	text := tokens[i].Text
	switch {
	case i > 0 && words.IsListed(tokens.TextAt(i-1), []string{"do", "did", "can", "could", "would", "should", "have", "will", "am", "are"}) &&
		!words.IsSubject(tokens.TextAt(i-2)):
		return false // a question
	case words.IsListed(text, words.OtherPronouns) && !words.IsVerb(tokens.TextAt(i+1)) && (text != "he" && text != "she" || !strings.HasSuffix(tokens.TextAt(i+1), "s")) && !words.IsListed(tokens.TextAt(i+1), words.Adverbs):
		return false
	case words.IsListed(text, words.SelfPronouns, words.OtherPronouns):
		before := tokens.TextAt(i - 1)
		particle := text != "you" && words.IsListed(before, particles) && tokens.TextAt(i-2) != "and" // "I stay out, I wait"
		return tokens.TextAt(i+1) != "" && (particle || !words.IsListed(before, words.Prepositions))
	case text == "who":
		return false // it qualifies the word before it
	case words.IsListed(text, words.Neutral, words.Quantified):
		return neutralSubjectAt(tokens, i)
	}
	before := tokens.TextAt(i - 1)
	reported := words.IsListed(before, words.BeliefVerbs, words.ReportVerbs[:1])
	return nounVerb(tokens, i) && (reported || !needsObject(tokens, i-1)) && !words.IsListed(before, words.ReportVerbs[4:8])
}

// neutralSubjectAt reports whether "it", "that", "nobody" or the like at token i is the subject of a clause.
func neutralSubjectAt(tokens words.Tokens, i int) bool {
	text, next, before := tokens[i].Text, tokens.TextAt(i+1), tokens.TextAt(i-1)
	relative := text == "that" && words.IsListed(next, []string{"are", "were", "have", "do"})     // "trades that are"
	exists := words.IsListed(text, words.Quantified) && words.IsListed(before, words.Auxiliaries) // "there is nobody else"
	running := strings.HasSuffix(before, "ing") && !words.IsListed(next, words.Auxiliaries)       // "I have been running it live"
	if relative || exists || running || words.IsListed(next, words.Prepositions) {
		return false
	}
	object := words.IsListed(before, words.PastVerbs) && words.IsListed(next, words.Adverbs)                                                                     // "I blew it, now I"
	third := text == "it" && strings.HasSuffix(next, "s") && !words.IsListed(next, words.Adverbs, words.OwnThings, words.People, words.Firms, words.Determiners) // "it drops"
	verb := words.IsVerb(next) || third || words.IsListed(next, words.Adverbs) && !object || text == "nobody" && next == "else"
	particle := words.IsListed(before, particles) && words.IsListed(next, words.Auxiliaries) && words.IsListed(tokens.TextAt(i-2), []string{"me", "it", "them"}, words.TradeVerbs, words.ThirdVerbs)
	ends := particle || before == "between" && tokens.TextAt(i-2) == "in" || words.IsListed(before, words.BeliefVerbs)
	return verb && (ends || !needsObject(tokens, i-1))
}

// needsObject reports whether the word at i, a preposition, an article or a verb,
// is incomplete without the words that follow it.
func needsObject(tokens words.Tokens, i int) bool {
	text := tokens.TextAt(i)
	if words.IsListed(text, words.TradeVerbs) {
		return !words.IsListed(tokens.TextAt(i-1), words.Determiners, words.Prepositions)
	}
	if strings.HasSuffix(text, "ing") && words.IsListed(tokens.TextAt(i-1), []string{"for", "of", "by"}) && words.IsListed(tokens.TextAt(i+1), []string{"my", "the", "a"}) {
		return true // "for trailing the stop"
	}
	return words.IsListed(text, words.Prepositions) || words.IsListed(text, words.Determiners) && text != "that" && text != "this" && text != "all"
}

// nounVerb reports whether a noun with its article and a verb stand at token i:
// "my average trade lasts".
func nounVerb(tokens words.Tokens, i int) bool {
	if !words.IsListed(tokens[i].Text, words.Determiners) && !words.IsListed(tokens[i].Text, []string{"people", "traders"}) || tokens.IsNumberAt(i) {
		return false
	}
	if n := tokens.InstrumentWords(i + 1); n > 0 && words.IsListed(tokens.TextAt(i+1+n), []string{"is", "are"}) {
		return true // "the S and P is"
	}
	noun := "" // the last word before that is no adverb
	reach := i + 5
	for at := i + 1; at < len(tokens) && at <= reach; at++ {
		text := tokens[at].Text
		if before := tokens[at-1].Text; !words.IsListed(before, words.Adverbs) {
			noun = before
		}
		if text == "for" {
			reach += 2 // "the stop loss for the entire thing is"
		}
		switch {
		case words.IsListed(text, []string{
			"is", "are", "was", "were", "has", "does", "can", "will", "would", "should", "must", "lasts", "last", "say", "says", "said", "told", "run", "goes", "sits",
			"runs", "stay", "stays", "allow", "allows",
		}, words.ThirdVerbs),
			words.IsListed(noun, words.People) && words.IsListed(text, words.PastVerbs, words.BeliefVerbs), words.IsListed(noun, words.People) && (strings.HasSuffix(text, "s") || strings.HasSuffix(text, "ed")) &&
				(text == "trades" || !words.IsListed(text, words.People, words.OwnThings, words.Firms, words.Accesses, []string{"is", "as", "this", "always", "sometimes"})),
			words.IsListed(text, []string{
				"have", "do", "hold", "use", "think", "get", "go", "stay",
			}) && (words.IsListed(tokens[at-1].Text, words.People) || words.IsListed(tokens[at-1].Text, words.OwnThings)):
			return true
		case words.IsListed(text, []string{"which", "who"}), words.IsSubject(text) && (text != "that" || tokens.TextAt(at+1) == "is"), text == "and", text == "or", text == "but",
			tokens.IsNumberAt(at) && text != "one", words.IsListed(text, []string{"my", "the"}) && at > i+1 && tokens[at-1].Text != "for", words.IsListed(text, words.Prepositions) && !words.IsListed(text, []string{"in", "of", "per", "for"}):
			return false
		}
	}
	return false
}

// subjectLink says how a clause that begins with its subject is connected with the
// words before it.
func subjectLink(tokens words.Tokens, begin, i int) (Link, bool) {
	before := tokens[i-1].Text
	head := tokens[begin:i]
	earlier := tokens.TextAt(i - 2)
	bounded := words.IsListed(earlier, []string{"at", "another"}) // "two hours at most"
	idle := before == "nothing" && words.IsListed(earlier, []string{"make", "do"})
	if words.IsListed(before, words.RelativeHeads) && !bounded && !idle && !tokens[i].Paused && !hasOwnObject(tokens, i) {
		wh := words.IsListed(before, []string{
			"what", "who", "which", "where", "how", "much", "long", "many", "often", "as", "whatever", "soon", "all", "thing", "things", "something",
			"only", "everything", "nothing", "anything", "most", "max", "maximum",
		})
		if wh || !isComplete(head) {
			return 0, false
		}
	}
	conditional := ConditionOf(head) != "" && len(head) > 2 && words.IsListed(tokens[i].Text, words.SelfPronouns)
	if !isComplete(head) && !conditional ||
		before == "that" && !isMatrix(head) && (words.IsUnit(tokens.TextAt(i-2)) || words.IsListed(tokens.TextAt(i-2), words.RelativeHeads, []string{"advisor", "bot", "ea", "script", "tool", "program", "robot", "copier"})) {
		return 0, false
	}
	if isMatrix(head) {
		return Inside, true
	}
	return Apart, true
}

// isMatrix reports whether the words end so that the next clause is what somebody says, thinks or
// denies, as in "he told me that".
func isMatrix(head words.Tokens) bool {
	end := len(head)
	if end > 0 && words.IsListed(head[end-1].Text, []string{"that", "if", "whether"}) {
		end--
		if end > 0 && head[end-1].Text == "like" && !head.HasPhrase("i am") || end > 0 && // not "I am not like that"
			words.IsListed(head[end-1].Text, []string{
				"true", "wrong", "false", "lie", "not", "fact", "case", "right", "nonsense", "untrue", "myth", "correct", "possible",
			}) {
			return true
		}
	}
	for n := 0; n < 3 && end > 0; n++ {
		if words.IsListed(head[end-1].Text, words.ReportVerbs, words.BeliefVerbs, words.VainVerbs) {
			return true
		}
		if !words.IsListed(head[end-1].Text, []string{"me", "you", "him", "her", "them", "us", "to", "my", "like"}, words.Quantified, words.People, words.Determiners) {
			return false
		}
		end--
	}
	return false
}

// deniesAt reports whether a denial begins at token i that does not belong to the
// verb before it: "overnight, never over the weekend", "no grid, no hedging".
func deniesAt(tokens words.Tokens, begin, i int) bool {
	before, text := tokens[i-1].Text, tokens[i].Text
	if text == "nothing" && !words.IsListed(tokens.TextAt(i+1), []string{"else", "but", "is", "more", "less"}) {
		return isComplete(tokens[begin:i]) && !words.IsListed(before, words.TradeVerbs, words.PastVerbs, words.Auxiliaries, words.Prepositions, words.Adverbs, words.Connectors)
	}
	if text != "never" && text != "not" && text != "no" || before == "try" || before == "rather" || words.IsSubject(before) ||
		words.IsListed(before, words.Auxiliaries, words.Adverbs, words.Determiners, words.Prepositions) || !isComplete(tokens[begin:i]) && !tokens[begin:i].HasNegation() {
		return false
	}
	switch next := tokens.TextAt(i + 1); text {
	case "no":
		if (next == "trade" || next == "entry") && i+2 == len(tokens) { // "no stop, no trade"
			return false
		}
		return !words.IsListed(before, words.TradeVerbs) && !words.IsListed(next, []string{"more", "less", "longer", "later"})
	case "not":
		return !words.IsListed(next, []string{"more", "less", "longer", "a", "always"}) || tokens.IsNumberAt(i+1) || tokens.TextAt(i+2) == "single"
	}
	return !words.IsListed(before, []string{"trades", "positions", "risk", "stop", "losses", "loss", "everything"})
}

// correctsName reports whether "no" at token i is between two instruments, where it
// may correct the first or deny the second.
func correctsName(tokens words.Tokens, named []words.Mention, begin, i int) bool {
	return tokens[i].Text == "no" && !claims.IsClass(words.Classes[tokens.TextAt(i+1)]) && slices.ContainsFunc(named, func(x words.Mention) bool { return x.Last == i-1 }) &&
		slices.ContainsFunc(named, func(x words.Mention) bool { return x.First == i+1 }) && !tokens[begin:i].HasPhrase("only")
}

// namesOther reports whether the words before token i only name instruments, and those behind it name another one: "euro
// dollar and gold, I don't touch crypto".
func namesOther(tokens words.Tokens, named []words.Mention, begin, i int) bool {
	before := slices.ContainsFunc(named, func(x words.Mention) bool {
		return begin <= x.First && (x.Last == i-1 || x.Last < i && words.IsListed(tokens[i-1].Text, []string{"morning", "afternoon", "evening", "session"}))
	})
	return before && !isComplete(tokens[begin:i]) && slices.ContainsFunc(named, func(x words.Mention) bool {
		return x.First > i && x.First <= i+5 && (tokens[i:x.First].HasNegation() || words.IsListed(tokens.TextAt(i+1), words.PastVerbs)) && !tokens[i:x.First].HasPhrase("and")
	})
}

// onlyAt reports whether an instrument begins at token i that "only" declares to be
// the only one: "I don't touch crypto, forex only".
func onlyAt(tokens words.Tokens, named []words.Mention, i int) bool {
	return slices.ContainsFunc(named, func(x words.Mention) bool {
		return x.First == i && tokens.TextAt(x.Last+1) == "only" && !slices.ContainsFunc(named, func(o words.Mention) bool { return o.First == x.Last+2 })
	})
}

// verbAt reports whether a clause without a subject begins at token i: "risk one
// percent per trade hold for an hour".
func verbAt(tokens words.Tokens, begin, i int) bool {
	verbs := []string{"hold", "risk", "use", "avoid", "stop", "close", "keep", "trade", "scalp", "take", "hedge"}
	before, next := tokens[i-1].Text, tokens.TextAt(i+1)
	behind := words.IsUnit(before) ||
		words.IsListed(before, []string{"trade", "day", "gold", "forex", "loss", "stops", "weekend", "overnight", "news", "time", "session"})
	if !words.IsListed(tokens[i].Text, verbs) || !behind {
		return false
	}
	if words.IsSubject(tokens.TextAt(begin)) || before == "stop" || words.IsListed(before, words.Determiners) || next == "" || next == "loss" ||
		next == "per" || next == "time" || words.IsListed(next, words.Connectors) {
		return false
	}
	return isComplete(tokens[begin:i])
}

// lastingAt reports whether a clause about how long trades last begins at token i: "I trade intraday, positions last an
// hour".
func lastingAt(tokens words.Tokens, i int) bool {
	before := tokens[i-1].Text
	return words.IsListed(tokens[i].Text, []string{"positions", "trades", "scalps"}) && words.IsListed(tokens.TextAt(i+1), []string{"last", "stay", "run"}) &&
		!words.IsListed(before, words.Determiners, words.Prepositions, words.Adverbs, []string{"winning", "losing", "average", "typical", "good", "bad", "best", "worst", "open", "no", "where"}) && !needsObject(tokens, i-1)
}

// pairAt reports whether somebody else and the trader are named at token i: "my brother and I".
func pairAt(tokens words.Tokens, i int) bool {
	return tokens[i].Text == "my" && words.IsListed(tokens.TextAt(i+1), words.People) && tokens.TextAt(i+2) == "and" && tokens.TextAt(i+3) == "i" && !needsObject(tokens, i-1)
}

// endsAt reports whether a clause can end at a pause before token i: not between
// words that need each other.
func endsAt(tokens words.Tokens, begin, i int) bool {
	before, text := tokens[i-1].Text, tokens[i].Text
	if words.IsSubject(before) || words.IsListed(before, words.Determiners, words.Prepositions, words.Auxiliaries, words.Adverbs, words.TradeVerbs) && before != "all" ||
		words.IsListed(before, words.Hedges) || before == "and" || before == "or" || before == "average" {
		return false
	}
	if words.IsUnit(text) || words.IsListed(text, words.Prepositions) && text != "without" || tokens.IsNumberAt(i) && len(tokens[begin:i].FindNumbers()) == 0 {
		return false
	}
	return isComplete(tokens[begin:i])
}

// isAnswerAt reports whether "yes" or "no" at token i is an answer, and not part of
// the words around it.
func isAnswerAt(tokens words.Tokens, begin, i int) bool {
	text, before, next := tokens[i].Text, tokens.TextAt(i-1), tokens.TextAt(i+1)
	switch {
	case text == "never" && next == "" && i > begin && IsQuestion(tokens[begin:i]), i == begin && leadsAt(tokens, i):
		return true
	case text == "no" && next == "" && i > begin && words.IsListed(before, []string{"that", "this"}):
		return true
	case text != "yes" && text != "no" || before == "if" || words.IsListed(before, words.Determiners, words.Prepositions, words.ReportVerbs) || next == "way" && i > begin || next == "doubt":
		return false
	case text == "yes" || next == "" || words.IsSubject(next) || i+1 < len(tokens) && tokens[i+1].Paused && i > begin && before != "have" && before != "use":
		return true
	case i > begin && (words.IsListed(before, words.TradeVerbs, words.Auxiliaries) || before == "is"):
		return false
	}
	return words.IsListed(next, []string{
		"my", "never", "not", "yes", "no", "none", "because", "but", "only", "by", "all", "always", "everything", "just", "nothing", "sometimes",
		"usually", "seriously", "why", "how", "what", "could",
	}) &&
		(i == begin || next != "no") ||
		i+1 < len(tokens) && asksAt(tokens, i+1)
}

// leadsAt reports whether the first word of a clause, at token i, answers although more follows: "nobody, I trade alone",
// "never, same size", "no, hundred percent".
func leadsAt(tokens words.Tokens, i int) bool {
	next := tokens.TextAt(i + 1)
	switch tokens[i].Text {
	case "nobody":
		return words.IsListed(next, words.SelfPronouns)
	case "never":
		return next == "same"
	case "no":
		return tokens[i+1 : min(len(tokens), i+4)].HasPhrase("hundred percent")
	}
	return false
}

// isExceptionAt reports whether "but" at token i leaves something out: "nobody but me".
func isExceptionAt(tokens words.Tokens, i int) bool {
	before := tokens.TextAt(i - 1)
	return words.IsListed(before, []string{"everything", "anything", "all", "nothing", "nobody", "everybody", "else"}) ||
		before == "one" && words.IsListed(tokens.TextAt(i-2), []string{"no", "any", "every"}) // not "I have one, but"
}
