package extract

import (
	"slices"
	"strings"
)

// Word lists of the clause grammar. They are the closed classes of English (pronouns, auxiliaries,
// conjunctions), and those words of the open classes that traders use when they talk about trading.
var (
	selfPronouns  = []string{"i", "we"}
	otherPronouns = []string{"he", "she", "you", "they"}
	quantified    = []string{"nobody", "somebody", "everybody", "anybody", "everything", "nothing", "who"}
	neutral       = []string{"it", "that", "this", "there", "these", "those"}
	determiners   = []string{
		"my", "our", "his", "her", "their", "your", "the", "a", "an", "some", "most", "other", "another", "many", "every", "each", "all", "any",
		"this", "that", "these", "both",
	}

	auxiliaries = []string{
		"do", "does", "did", "am", "is", "are", "was", "were", "have", "has", "had", "can", "could", "will", "would", "should", "may", "might",
		"must",
	}
	adverbs = []string{
		"always", "usually", "normally", "mostly", "typically", "generally", "often", "mainly", "sometimes", "occasionally", "rarely", "also", "only",
		"still", "really", "now", "then", "just", "maybe", "perhaps", "probably",
		"currently", "nowadays", "ever", "never", "not", "exclusively", "strictly", "all", "both", "definitely", "certainly", "absolutely", "totally",
		"simply", "actually", "too", "again", "either", "almost", "nearly", "hardly", "seldom",
	}
	prepositions = []string{
		"for", "of", "on", "in", "at", "with", "from", "by", "to", "than", "per", "without", "about", "around", "between", "over", "under", "into",
		"during", "until", "till", "within", "up", "through", "against", "across", "near", "off", "out", "before", "after",
	}

	// tradeVerbs are verbs for what traders do, in the present tense of the first and second
	// person. pastVerbs are those in the past tense, and thirdVerbs those of the third person.
	tradeVerbs = []string{
		"trade", "hold", "keep", "risk", "use", "stop", "close", "take", "avoid", "scalp", "swing", "hedge", "copy", "average", "double", "add",
		"scale", "share", "log", "lose", "stay", "place", "put", "set", "follow", "make", "let", "leave", "open", "enter", "exit",
		"run", "refuse", "limit", "focus", "stick", "look", "read", "wait", "want", "need", "try", "do", "have", "am", "quit", "deny", "target",
		"aim", "watch", "work", "give", "shut", "get", "go", "manage", "say", "think", "know", "believe", "guess", "mean",
		"swear", "tell", "promise", "hope", "wish", "like", "love", "prefer", "buy", "sell", "pay", "move", "cut", "cap", "size", "call", "sit", "sleep", "live",
	}
	pastVerbs = []string{
		"held", "risked", "traded", "took", "lost", "blew", "made", "had", "was", "were", "used", "did", "went", "kept", "scalped", "hedged",
		"copied", "averaged", "doubled", "shared", "gave", "logged", "stayed", "closed", "opened", "swung", "started", "began", "tried",
		"followed", "ran", "added", "scaled", "stopped", "got", "failed", "bought", "sold", "left", "seen",
	}
	thirdVerbs = []string{
		"holds", "risks", "uses", "keeps", "scalps", "swings", "hedges", "copies", "averages", "doubles", "adds", "scales", "shares", "logs", "loses",
		"takes", "closes", "avoids", "follows", "makes", "comes", "depends", "varies", "says", "tells", "claims", "thinks", "believes", "allows", "wants", "handles",
	}
	// reportVerbs introduce a clause that someone says, beliefVerbs one that someone believes, and
	// vainVerbs one that is not true.
	reportVerbs = []string{
		"say", "says", "said", "saying", "tell", "tells", "told", "telling", "mention", "mentioned", "claim", "claims", "claimed", "claiming",
		"wrote", "write", "promise", "promised", "swear", "heard", "hear", "read", "admit", "admitted", "confirm", "confirmed", "state", "stated",
		"write", "report", "reported", "ask", "asks", "asked",
	}
	beliefVerbs = []string{
		"think", "thinks", "thought", "guess", "believe", "believes", "suppose", "assume", "feel", "reckon", "know", "knows", "remember", "sure",
		"certain", "mean", "means",
	}
	certainVerbs = []string{"know", "remember", "sure", "certain"}
	vainVerbs    = []string{"hope", "wish", "imagine", "pretend", "dream", "consider", "considering", "suppose"}

	// ownThings are subjects that refer to the trader's own trading.
	ownThings = []string{
		"trade", "trades", "position", "positions", "risk", "stop", "stops", "loss", "losses", "size", "sizes", "lot", "lots", "account", "accounts",
		"strategy", "system", "style", "hold", "holds", "holding", "time", "times", "average", "max", "maximum", "limit", "setup", "setups",
		"entries", "entry",
		"exit", "exits", "ea", "eas", "bot", "bots", "robot", "algo", "copier", "winners", "winner", "losers", "loser", "scalps", "swings", "swing",
		"hours", "session", "sessions", "day", "plan", "rule", "rules", "approach", "edge", "trading", "drawdown", "exposure", "one", "thing", "pair",
		"pairs", "market", "markets", "instrument", "instruments",
		"password", "login", "orders", "order", "runners", "runner", "target", "minimum", "duration", "everything", "half", "basket", "longest",
		"shortest", "rest", "number", "amount", "percentage", "indicator", "tp", "sl", "majority",
	}
	// people are nouns for people.
	people = []string{
		"guy", "guys", "man", "woman", "friend", "friends", "brother", "sister", "wife", "husband", "father", "mother", "dad", "mom", "mum", "cousin",
		"uncle", "aunt", "son", "daughter", "partner", "colleague", "colleagues", "coworker", "mentor", "coach", "teacher", "boss", "neighbor",
		"neighbour", "buddy", "mate",
		"roommate", "flatmate", "girlfriend", "boyfriend", "kid", "kids", "trader", "traders", "people", "person", "folks", "member", "members",
		"student", "students", "team", "family", "nephew", "niece", "parents", "grandfather", "grandmother", "fiance", "fiancee", "ex", "client",
		"clients", "manager", "influencer", "youtuber", "dude", "scalpers", "beginners", "professionals",
		"brothers", "sisters", "sons", "partners", "ticket", "support", "somebody",
	}
	// firms are nouns for those who set the rules.
	firms = []string{"firm", "firms", "broker", "brokers", "company", "companies", "rulebook", "contract", "website", "terms", "policy", "faq", "prop"}

	// relativeHeads are words that a relative clause can follow, as in "the pairs I trade".
	relativeHeads = []string{
		"thing", "things", "all", "everything", "anything", "nothing", "pairs", "pair", "market", "markets", "instrument", "instruments", "what",
		"who", "which", "where", "how", "much", "long", "many", "time", "way", "one", "ones", "session", "amount", "most", "max", "maximum", "least",
		"best", "reason", "trades", "trade", "often",
		"positions", "position", "hours", "something", "whatever", "as", "soon", "symbol", "symbols", "only", "strategy", "accounts", "account",
		"risk", "setup", "setups",
	}
)

func isListed(text string, lists ...[]string) bool {
	return slices.ContainsFunc(lists, func(l []string) bool { return slices.Contains(l, text) })
}

// isSubject reports whether the word is a pronoun that can be the subject of a clause.
func isSubject(text string) bool {
	return isListed(text, selfPronouns, otherPronouns, quantified, neutral)
}

// isVerb reports whether the word can be the verb of a clause.
func isVerb(text string) bool { return isListed(text, auxiliaries, tradeVerbs, pastVerbs, thirdVerbs) }

var negations = []string{
	"no", "not", "never", "without", "none", "nobody", "neither", "nor", "avoid", "avoids", "avoiding", "refuse", "hate", "nolonger", "deny",
	"denying", "stopped", "quit", "nothing",
}

func isNegation(text string) bool {
	return slices.Contains(negations, text) || strings.HasSuffix(text, "n't")
}

// connectors may stand between values.
var connectors = []string{"and", "then", "while", "because", "plus", "or"}

func isWeekday(text string) bool {
	return isListed(text, []string{
		"monday", "tuesday", "wednesday", "thursday", "friday", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays",
	})
}

// dayTimes are moments of the day from which a duration may be counted.
var dayTimes = []string{"open", "opens", "opening", "close", "closes", "bell", "news", "release", "lunch", "session"}

// accesses are what gives access.
var accesses = []string{"account", "accounts", "password", "passwords", "login", "logins", "credentials", "access"}

// isKnown reports whether the word has a meaning in the grammar, or in a number, a time or the name of an instrument.
func isKnown(text string) bool {
	return isSubject(text) || isVerb(text) || isNegation(text) || unitWord(text) || classes[text] != "" || codes[text] != "" ||
		isListed(text, determiners, adverbs, prepositions, ownThings, people, firms, relativeHeads, connectors, hedges, fillers, rangeMarks, counted, reportVerbs, beliefVerbs) ||
		zones[text] != "" || times[text] != "" || places[text] != ""
}
