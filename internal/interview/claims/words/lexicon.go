package words

import (
	"slices"
	"strings"
)

// Word lists of the clause grammar. They are the closed classes of English (pronouns, auxiliaries,
// conjunctions), and those words of the open classes that traders use when they talk about trading.
var (
	// Pronouns, by what they may stand for: the trader, other people, anybody or nobody, and things.
	SelfPronouns  = []string{"i", "we"}
	OtherPronouns = []string{"he", "she", "you", "they"}
	Quantified    = []string{"nobody", "somebody", "everybody", "anybody", "everything", "nothing", "who"}
	Neutral       = []string{"it", "that", "this", "there", "these", "those"}
	Determiners   = []string{
		"my", "our", "his", "her", "their", "your", "the", "a", "an", "some", "most", "other", "another", "many", "every", "each", "all", "any",
		"this", "that", "these", "both",
	}

	Auxiliaries = []string{
		"do", "does", "did", "am", "is", "are", "was", "were", "have", "has", "had", "can", "could", "will", "would", "should", "may", "might",
		"must",
	}
	Adverbs = []string{
		"always", "usually", "normally", "mostly", "typically", "generally", "often", "mainly", "sometimes", "occasionally", "rarely", "also", "only",
		"still", "really", "now", "then", "just", "maybe", "perhaps", "probably",
		"currently", "nowadays", "ever", "never", "not", "exclusively", "strictly", "all", "both", "definitely", "certainly", "absolutely", "totally",
		"simply", "actually", "too", "again", "either", "almost", "nearly", "hardly", "seldom",
	}
	Prepositions = []string{
		"for", "of", "on", "in", "at", "with", "from", "by", "to", "than", "per", "without", "about", "around", "between", "over", "under", "into",
		"during", "until", "till", "within", "up", "through", "against", "across", "near", "off", "out", "before", "after",
	}

	// TradeVerbs are verbs for what traders do, in the present tense of the first and second
	// person. PastVerbs are those in the past tense, and ThirdVerbs those of the third person.
	TradeVerbs = []string{
		"trade", "hold", "keep", "risk", "use", "stop", "close", "take", "avoid", "scalp", "swing", "hedge", "copy", "average", "double", "add",
		"scale", "share", "log", "lose", "stay", "place", "put", "set", "follow", "make", "let", "leave", "open", "enter", "exit",
		"run", "refuse", "limit", "focus", "stick", "look", "read", "wait", "want", "need", "try", "do", "have", "am", "quit", "deny", "target",
		"aim", "watch", "work", "give", "shut", "get", "go", "manage", "say", "think", "know", "believe", "guess", "mean",
		"swear", "tell", "promise", "hope", "wish", "like", "love", "prefer", "buy", "sell", "pay", "move", "cut", "cap", "size", "call", "sit", "sleep", "live",
	}
	PastVerbs = []string{
		"held", "risked", "traded", "took", "lost", "blew", "made", "had", "was", "were", "used", "did", "went", "kept", "scalped", "hedged",
		"copied", "averaged", "doubled", "shared", "gave", "logged", "stayed", "closed", "opened", "swung", "started", "began", "tried",
		"followed", "ran", "added", "scaled", "stopped", "got", "failed", "bought", "sold", "left", "seen",
	}
	ThirdVerbs = []string{
		"holds", "risks", "uses", "keeps", "scalps", "swings", "hedges", "copies", "averages", "doubles", "adds", "scales", "shares", "logs", "loses",
		"takes", "closes", "avoids", "follows", "makes", "comes", "depends", "varies", "says", "tells", "claims", "thinks", "believes", "allows", "wants", "handles",
	}
	// ReportVerbs introduce a clause that someone says, BeliefVerbs one that someone believes, and
	// VainVerbs one that is not true.
	ReportVerbs = []string{
		"say", "says", "said", "saying", "tell", "tells", "told", "telling", "mention", "mentioned", "claim", "claims", "claimed", "claiming",
		"wrote", "write", "promise", "promised", "swear", "heard", "hear", "read", "admit", "admitted", "confirm", "confirmed", "state", "stated",
		"write", "report", "reported", "ask", "asks", "asked",
	}
	BeliefVerbs = []string{
		"think", "thinks", "thought", "guess", "believe", "believes", "suppose", "assume", "feel", "reckon", "know", "knows", "remember", "sure",
		"certain", "mean", "means",
	}
	CertainVerbs = []string{"know", "remember", "sure", "certain"}
	VainVerbs    = []string{"hope", "wish", "imagine", "pretend", "dream", "consider", "considering", "suppose"}

	// OwnThings are subjects that refer to the trader's own trading.
	OwnThings = []string{
		"trade", "trades", "position", "positions", "risk", "stop", "stops", "loss", "losses", "size", "sizes", "lot", "lots", "account", "accounts",
		"strategy", "system", "style", "hold", "holds", "holding", "time", "times", "average", "max", "maximum", "limit", "setup", "setups",
		"entries", "entry",
		"exit", "exits", "ea", "eas", "bot", "bots", "robot", "algo", "copier", "winners", "winner", "losers", "loser", "scalps", "swings", "swing",
		"hours", "session", "sessions", "day", "plan", "rule", "rules", "approach", "edge", "trading", "drawdown", "exposure", "one", "thing", "pair",
		"pairs", "market", "markets", "instrument", "instruments",
		"password", "login", "orders", "order", "runners", "runner", "target", "minimum", "duration", "everything", "half", "basket", "longest",
		"shortest", "rest", "number", "amount", "percentage", "indicator", "tp", "sl", "majority",
	}
	// People are nouns for people.
	People = []string{
		"guy", "guys", "man", "woman", "friend", "friends", "brother", "sister", "wife", "husband", "father", "mother", "dad", "mom", "mum", "cousin",
		"uncle", "aunt", "son", "daughter", "partner", "colleague", "colleagues", "coworker", "mentor", "coach", "teacher", "boss", "neighbor",
		"neighbour", "buddy", "mate",
		"roommate", "flatmate", "girlfriend", "boyfriend", "kid", "kids", "trader", "traders", "people", "person", "folks", "member", "members",
		"student", "students", "team", "family", "nephew", "niece", "parents", "grandfather", "grandmother", "fiance", "fiancee", "ex", "client",
		"clients", "manager", "influencer", "youtuber", "dude", "scalpers", "beginners", "professionals",
		"brothers", "sisters", "sons", "partners", "ticket", "support", "somebody",
	}
	// Firms are nouns for those who set the rules.
	Firms = []string{"firm", "firms", "broker", "brokers", "company", "companies", "rulebook", "contract", "website", "terms", "policy", "faq", "prop"}

	// RelativeHeads are words that a relative clause can follow, as in "the pairs I trade".
	RelativeHeads = []string{
		"thing", "things", "all", "everything", "anything", "nothing", "pairs", "pair", "market", "markets", "instrument", "instruments", "what",
		"who", "which", "where", "how", "much", "long", "many", "time", "way", "one", "ones", "session", "amount", "most", "max", "maximum", "least",
		"best", "reason", "trades", "trade", "often",
		"positions", "position", "hours", "something", "whatever", "as", "soon", "symbol", "symbols", "only", "strategy", "accounts", "account",
		"risk", "setup", "setups",
	}
)

// IsListed reports whether a word is in any of the lists.
func IsListed(text string, lists ...[]string) bool {
	for _, list := range lists { // a function literal would be allocated in each of the many calls
		if slices.Contains(list, text) {
			return true
		}
	}
	return false
}

// IsSubject reports whether the word is a pronoun that can be the subject of a clause.
func IsSubject(text string) bool {
	return IsListed(text, SelfPronouns, OtherPronouns, Quantified, Neutral)
}

// IsVerb reports whether the word can be the verb of a clause.
func IsVerb(text string) bool { return IsListed(text, Auxiliaries, TradeVerbs, PastVerbs, ThirdVerbs) }

// Negations deny what is said behind them.
var Negations = []string{
	"no", "not", "never", "without", "none", "nobody", "neither", "nor", "avoid", "avoids", "avoiding", "refuse", "hate", "nolonger", "deny",
	"denying", "stopped", "quit", "nothing",
}

// IsNegation reports whether the word denies something.
func IsNegation(text string) bool {
	return slices.Contains(Negations, text) || strings.HasSuffix(text, "n't")
}

// Connectors may stand between values.
var Connectors = []string{"and", "then", "while", "because", "plus", "or"}

// IsWeekday reports whether the word is a day of the working week, or several.
func IsWeekday(text string) bool {
	return IsListed(text, []string{
		"monday", "tuesday", "wednesday", "thursday", "friday", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays",
	})
}

// DayTimes are moments of the day from which a duration may be counted.
var DayTimes = []string{"open", "opens", "opening", "close", "closes", "bell", "news", "release", "lunch", "session"}

// Accesses are what gives access.
var Accesses = []string{"account", "accounts", "password", "passwords", "login", "logins", "credentials", "access"}

// IsKnown reports whether the word has a meaning in the grammar, or in a number, a time or the name of an instrument.
func IsKnown(text string) bool {
	return IsSubject(text) || IsVerb(text) || IsNegation(text) || IsUnit(text) || Classes[text] != "" || Codes[text] != "" ||
		IsListed(text, Determiners, Adverbs, Prepositions, OwnThings, People, Firms, RelativeHeads, Connectors, Hedges, fillers, rangeMarks, counted, ReportVerbs, BeliefVerbs) ||
		zones[text] != "" || times[text] != "" || places[text] != ""
}
