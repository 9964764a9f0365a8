package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// Words of statements about people who trade too, or who have access.
var (
	// relations are people whom a trader knows, each a word behind "my", "a" or a number.
	relations = []string{
		"friend", "friends", "brother", "brothers", "sister", "sisters", "wife", "husband", "father", "mother", "dad", "mom", "mum", "cousin", "cousins", "uncle", "aunt",
		"son", "sons", "daughter", "partner", "colleague", "colleagues", "coworker", "mentor", "coach", "boss", "neighbor", "neighbour", "buddy", "mate", "roommate",
		"flatmate", "girlfriend", "boyfriend", "nephew", "niece", "fiance", "fiancee", "guy", "guys", "student", "students", "somebody", "people", "others", "clients",
		"investors", "family", "him", "her",
	}
	// handling are verbs for what somebody does with an account, as they stand behind "let my brother".
	handling = []string{"trade", "close", "open", "place", "click", "manage", "use", "take", "pass", "log", "run", "enter", "exit", "help"}
	// handled are the same verbs behind the one who does it.
	handled = []string{
		"placed", "places", "closed", "closes", "opened", "opens", "passed", "passes", "took", "takes", "clicked", "clicks", "trades", "traded", "manages", "managed", "uses",
		"used", "runs", "handles",
	}
	// joining are words with which somebody is a trader of the firm.
	joining = []string{"trade", "trades", "trading", "account", "accounts", "signed", "joined", "challenge"}
)

// readPeople reads what a clause says about other people: that they have access to the account, that nobody has, or
// that they trade here, too. That somebody had access once is a statement, too.
func readPeople(s claims.Segment, c clause, asked claims.Topic, known bool) []claims.Claim {
	if c.unreal || hasPhrase(c.tokens, elsewhere...) || hasPhrase(c.tokens, foreignAccounts...) || hasPhrase(c.tokens, otherTrading...) {
		return nil
	}
	st := readPart(s, c, c.tokens)
	last := len(c.tokens) - 1
	switch {
	case !c.foreign && !c.past && tradesAlone(c.tokens, asked), nobodyHasAccess(c.tokens, asked), asked == claims.AccountSharing && isAllByTrader(c.tokens):
		st.addClaim(claims.Claim{Topic: claims.AccountSharing, Op: claims.Is}, 0, last)
	case !deniedIn(c.tokens) && (letsOthers(c.tokens, asked) || c.foreign && handlesAccount(c.tokens, asked) || sharesAccount(c.tokens, asked)):
		st.addClaim(claims.Claim{Topic: claims.AccountSharing, Op: claims.Is, Bool: true}, 0, last)
	case !deniedIn(c.tokens) && !hasPhrase(c.tokens, pastTimes...) && (c.foreign && isTraderHere(c.tokens, asked, known) || isGroup(c.tokens, asked)):
		st.addClaim(claims.Claim{Topic: claims.OtherPeople, Op: claims.Is, Bool: true}, 0, last)
	}
	return st.claims
}

// tradesAlone reads that the trader alone trades the accounts: "I trade all of them alone", "I trade it myself".
func tradesAlone(tokens []token, asked claims.Topic) bool {
	alone := -1
	for _, phrase := range []string{"alone", "myself", "on my own"} {
		alone = max(alone, findPhrase(tokens, phrase))
	}
	if alone < 2 || deniedIn(tokens) || hasPhrase(tokens[alone:], "with", "and my") || asked != claims.AccountSharing && asked != claims.AccountCount && asked != "" && asked != "free" {
		return false
	}
	at := slices.IndexFunc(tokens[:alone], func(t token) bool {
		return isListed(t.text, []string{"trade", "trading", "manage", "run", "operate", "handle"})
	})
	return at > 0 && hasPhrase(tokens[:at], "i") && hasPhrase(tokens[at:alone], "it", "them", "account", "accounts")
}

// nobodyHasAccess reads "nobody touches them" and "no one has the password".
func nobodyHasAccess(tokens []token, asked claims.Topic) bool {
	at := slices.IndexFunc(tokens, func(t token) bool { return t.text == "nobody" })
	if at < 0 || at > 2 {
		return false
	}
	rest := tokens[at+1 : min(at+4, len(tokens))]
	verb := slices.IndexFunc(rest, func(t token) bool { return isListed(t.text, accessing) })
	if verb < 0 || deniedIn(rest) {
		return false
	}
	object := tokens[at+2+verb : min(at+6+verb, len(tokens))]
	named := slices.ContainsFunc(object, func(t token) bool { return isListed(t.text, accesses) })
	return named || asked == claims.AccountSharing && slices.ContainsFunc(object, func(t token) bool { return isListed(t.text, []string{"it", "them", "mine"}) })
}

// isAllByTrader reads "it has all been me".
func isAllByTrader(tokens []token) bool {
	return len(tokens) <= 10 && hasPhrase(tokens, "been me", "was me", "all me", "always me") && !hasPhrase(tokens, "me and", "not", "and me")
}

// letsOthers reads "I let my brother close a trade" and "I gave a friend the login".
func letsOthers(tokens []token, asked claims.Topic) bool {
	ofAccount := asked == claims.AccountSharing || hasPhrase(tokens, "my account", "my accounts", "for me", "my trades", "evaluation", "evaluations", "challenge", "challenges")
	for i, t := range tokens {
		if !isListed(t.text, []string{"let", "lets", "letting", "pay", "paid", "allow", "gave", "give", "had", "have"}) || conditionOf(tokens) != "" {
			continue
		}
		at := i + 1
		for isListed(textAt(tokens, at), determiners) {
			at++
		}
		if !isListed(textAt(tokens, at), relations) {
			continue
		}
		if at++; textAt(tokens, at) == "to" && isListed(t.text, []string{"pay", "paid", "allow"}) {
			at++
		}
		given := isListed(t.text, []string{"gave", "give"})
		if given && hasPhrase(tokens[at:min(at+4, len(tokens))], "login", "password", "access", "credentials") || !given && ofAccount && isListed(textAt(tokens, at), handling) {
			return true
		}
	}
	return false
}

// handlesAccount reads what somebody else does with the account: "my cousin placed a couple of trades".
func handlesAccount(tokens []token, asked claims.Topic) bool {
	if at := slices.IndexFunc(tokens, func(t token) bool { return isListed(t.text, []string{"had", "has", "have", "knows"}) }); at > 0 && textAt(tokens, at+1) == "my" && isListed(textAt(tokens, at+2), accesses) {
		return true
	}
	at := slices.IndexFunc(tokens, func(t token) bool { return isListed(t.text, handled) })
	if at < 0 || hasPhrase(tokens[:at], "i", "they", "you") {
		return false
	}
	object := tokens[at+1:]
	if hasPhrase(object, "for me", "my account", "my accounts") {
		return true
	}
	near := object[:min(5, len(object))]
	return asked == claims.AccountSharing && !hasPhrase(near, "same", "own", "similar") &&
		(hasPhrase(near, "account", "accounts", "it", "them", "second one", "other one", "first one") || hasPhrase(near, "trade", "trades", "position", "positions"))
}

// sharesAccount reads that accounts are other people's as well: "I trade five accounts for other people", "we have the
// accounts together".
func sharesAccount(tokens []token, asked claims.Topic) bool {
	at := slices.IndexFunc(tokens, func(t token) bool { return isListed(t.text, []string{"account", "accounts"}) })
	if at < 0 || asked != claims.AccountSharing && asked != claims.AccountCount {
		return false
	}
	if hasPhrase(tokens[:at], "we have", "we trade", "we run", "we use") && hasPhrase(tokens[at:], "together") {
		return true
	}
	behind := tokens[at+1 : min(at+6, len(tokens))]
	return hasPhrase(tokens[:at], "trade", "trading", "manage", "managing", "run", "running", "handle", "handling") && textAt(behind, 0) == "for" &&
		slices.ContainsFunc(behind, func(t token) bool { return isListed(t.text, relations) })
}

// isTraderHere reads that somebody whom the trader knows trades with the firm.
func isTraderHere(tokens []token, asked claims.Topic, known bool) bool {
	if known && len(tokens) > 2 && slices.ContainsFunc(tokens[:2], func(t token) bool { return t.text == "he" || t.text == "she" }) && !hasPhrase(tokens, "own") {
		return hasPhrase(tokens, "trades here", "trades with you", "trades too", "trades also", "also trades", "is here too", "is here also", "is also here", "is here as well", "is with you too", "is with you as well") || endsWith(tokens, "is with you")
	}
	who := slices.IndexFunc(tokens, func(t token) bool { return isListed(t.text, relations) })
	if who < 1 || who > 4 || tokens[who].text == "people" {
		return false
	}
	rest := tokens[who+1:]
	if asked == claims.AccountCount && countsAccounts(rest) {
		return true // "my brother has two"
	}
	return slices.ContainsFunc(rest, func(t token) bool { return isListed(t.text, joining) }) &&
		(hasPhrase(rest, "with you", "here", "your firm", "your company") || hasPhrase(rest, "also", "too", "as well"))
}

// countsAccounts reads how many accounts somebody has: not "has two kids".
func countsAccounts(tokens []token) bool {
	at := slices.IndexFunc(tokens, func(t token) bool { return t.text == "has" })
	all := findNumbers(tokens)
	if at < 0 || len(all) != 1 || all[0].first < at || all[0].unit != claims.NoUnit {
		return false
	}
	next := textAt(tokens, all[0].last+1)
	return next == "" || isListed(next, []string{"account", "accounts", "funded", "challenge", "challenges", "here", "too", "also", "with"})
}

// isPersonAlone reads an answer that only names somebody: "my cousin Emeka".
func isPersonAlone(tokens []token) bool {
	if at := slices.IndexFunc(tokens, func(t token) bool { return t.text == "he" || t.text == "she" }); at > 1 {
		tokens = tokens[:at] // "my cousin Emeka, he brought me here"
	}
	who := slices.IndexFunc(tokens, func(t token) bool { return isListed(t.text, relations) })
	if who < 0 || len(tokens) > 5 || !isListed(tokens[0].text, []string{"my", "a", "some", "two", "three"}) || hasVerb(tokens) || deniedIn(tokens) {
		return false
	}
	return !mayBeDoing(tokens[who+1:])
}

// mayBeDoing reports whether the words behind somebody may be what they do, and not their name: "lives with me", "cooks".
func mayBeDoing(behind []token) bool {
	first := textAt(behind, 0)
	if first == "" || isListed(first, prepositions, adverbs, connectors, relations) {
		return false
	}
	next := textAt(behind, 1)
	return strings.HasSuffix(first, "s") || strings.HasSuffix(first, "ed") || next != "" && next != "from" && !isListed(next, connectors)
}

// isGroup reads that the trader is one of several who trade together: not "we are five people at home".
func isGroup(tokens []token, asked claims.Topic) bool {
	if hasPhrase(tokens, "we") && hasPhrase(tokens, "same trade", "same trades", "same entries", "same positions", "enter at the same time", "trade at the same time", "trade the same") {
		return true
	}
	group := hasPhrase(tokens, "we are a", "we are two", "we are three", "we are four", "we are five") && hasPhrase(tokens, "team", "group", "people", "traders", "friends", "of us")
	trading := slices.Contains([]claims.Topic{claims.OtherPeople, claims.AccountSharing, claims.AccountCount}, asked) || hasPhrase(tokens, "team", "traders", "trading", "trade", "office", "plan")
	return group && trading && !hasPhrase(tokens, "home", "house", "flat", "family", "kids", "children", "room", "live")
}
