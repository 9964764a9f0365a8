package extract

import (
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
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
func readPeople(s claims.Segment, c clause.Clause, asked claims.Topic, known bool) []claims.Claim {
	if c.Unreal || c.Tokens.HasPhrase(elsewhere...) || c.Tokens.HasPhrase(rules.ForeignAccounts...) || c.Tokens.HasPhrase(otherTrading...) {
		return nil
	}
	st := readPart(s, c, c.Tokens)
	last := len(c.Tokens) - 1
	switch {
	case !c.Foreign && !c.Past && tradesAlone(c.Tokens, asked), nobodyHasAccess(c.Tokens, asked), asked == claims.AccountSharing && isAllByTrader(c.Tokens):
		st.addClaim(claims.Claim{Topic: claims.AccountSharing, Op: claims.Is}, 0, last)
	case !c.Tokens.HasNegation() && (letsOthers(c.Tokens, asked) || c.Foreign && handlesAccount(c.Tokens, asked) || sharesAccount(c.Tokens, asked)):
		st.addClaim(claims.Claim{Topic: claims.AccountSharing, Op: claims.Is, Bool: true}, 0, last)
	case !c.Tokens.HasNegation() && !c.Tokens.HasPhrase(clause.PastTimes...) && (c.Foreign && isTraderHere(c.Tokens, asked, known) || isGroup(c.Tokens, asked)):
		st.addClaim(claims.Claim{Topic: claims.OtherPeople, Op: claims.Is, Bool: true}, 0, last)
	}
	return st.claims
}

// tradesAlone reads that the trader alone trades the accounts: "I trade all of them alone", "I trade it myself".
func tradesAlone(tokens words.Tokens, asked claims.Topic) bool {
	alone := -1
	for _, phrase := range []string{"alone", "myself", "on my own"} {
		alone = max(alone, tokens.FindPhrase(phrase))
	}
	if alone < 2 || tokens.HasNegation() || tokens[alone:].HasPhrase("with", "and my") || asked != claims.AccountSharing && asked != claims.AccountCount && asked != "" && asked != "free" {
		return false
	}
	at := slices.IndexFunc(tokens[:alone], func(t words.Token) bool {
		return words.IsListed(t.Text, []string{"trade", "trading", "manage", "run", "operate", "handle"})
	})
	return at > 0 && tokens[:at].HasPhrase("i") && tokens[at:alone].HasPhrase("it", "them", "account", "accounts")
}

// nobodyHasAccess reads "nobody touches them" and "no one has the password".
func nobodyHasAccess(tokens words.Tokens, asked claims.Topic) bool {
	at := slices.IndexFunc(tokens, func(t words.Token) bool { return t.Text == "nobody" })
	if at < 0 || at > 2 {
		return false
	}
	rest := tokens[at+1 : min(at+4, len(tokens))]
	verb := slices.IndexFunc(rest, func(t words.Token) bool { return words.IsListed(t.Text, rules.Accessing) })
	if verb < 0 || rest.HasNegation() {
		return false
	}
	object := tokens[at+2+verb : min(at+6+verb, len(tokens))]
	named := slices.ContainsFunc(object, func(t words.Token) bool { return words.IsListed(t.Text, words.Accesses) })
	return named || asked == claims.AccountSharing && slices.ContainsFunc(object, func(t words.Token) bool { return words.IsListed(t.Text, []string{"it", "them", "mine"}) })
}

// isAllByTrader reads "it has all been me".
func isAllByTrader(tokens words.Tokens) bool {
	return len(tokens) <= 10 && tokens.HasPhrase("been me", "was me", "all me", "always me") && !tokens.HasPhrase("me and", "not", "and me")
}

// letsOthers reads "I let my brother close a trade" and "I gave a friend the login".
func letsOthers(tokens words.Tokens, asked claims.Topic) bool {
	ofAccount := asked == claims.AccountSharing || tokens.HasPhrase("my account", "my accounts", "for me", "my trades", "evaluation", "evaluations", "challenge", "challenges")
	for i, t := range tokens {
		if !words.IsListed(t.Text, []string{"let", "lets", "letting", "pay", "paid", "allow", "gave", "give", "had", "have"}) || clause.ConditionOf(tokens) != "" {
			continue
		}
		at := i + 1
		for words.IsListed(tokens.TextAt(at), words.Determiners) {
			at++
		}
		if !words.IsListed(tokens.TextAt(at), relations) {
			continue
		}
		if at++; tokens.TextAt(at) == "to" && words.IsListed(t.Text, []string{"pay", "paid", "allow"}) {
			at++
		}
		given := words.IsListed(t.Text, []string{"gave", "give"})
		if given && tokens[at:min(at+4, len(tokens))].HasPhrase("login", "password", "access", "credentials") || !given && ofAccount && words.IsListed(tokens.TextAt(at), handling) {
			return true
		}
	}
	return false
}

// handlesAccount reads what somebody else does with the account: "my cousin placed a couple of trades".
func handlesAccount(tokens words.Tokens, asked claims.Topic) bool {
	if at := slices.IndexFunc(tokens, func(t words.Token) bool { return words.IsListed(t.Text, []string{"had", "has", "have", "knows"}) }); at > 0 && tokens.TextAt(at+1) == "my" && words.IsListed(tokens.TextAt(at+2), words.Accesses) {
		return true
	}
	at := slices.IndexFunc(tokens, func(t words.Token) bool { return words.IsListed(t.Text, handled) })
	if at < 0 || tokens[:at].HasPhrase("i", "they", "you") {
		return false
	}
	object := tokens[at+1:]
	if object.HasPhrase("for me", "my account", "my accounts") {
		return true
	}
	near := object[:min(5, len(object))]
	return asked == claims.AccountSharing && !near.HasPhrase("same", "own", "similar") &&
		(near.HasPhrase("account", "accounts", "it", "them", "second one", "other one", "first one") || near.HasPhrase("trade", "trades", "position", "positions"))
}

// sharesAccount reads that accounts are other people's as well: "I trade five accounts for other people", "we have the
// accounts together".
func sharesAccount(tokens words.Tokens, asked claims.Topic) bool {
	at := slices.IndexFunc(tokens, func(t words.Token) bool { return words.IsListed(t.Text, []string{"account", "accounts"}) })
	if at < 0 || asked != claims.AccountSharing && asked != claims.AccountCount {
		return false
	}
	if tokens[:at].HasPhrase("we have", "we trade", "we run", "we use") && tokens[at:].HasPhrase("together") {
		return true
	}
	behind := tokens[at+1 : min(at+6, len(tokens))]
	return tokens[:at].HasPhrase("trade", "trading", "manage", "managing", "run", "running", "handle", "handling") && behind.TextAt(0) == "for" &&
		slices.ContainsFunc(behind, func(t words.Token) bool { return words.IsListed(t.Text, relations) })
}

// isTraderHere reads that somebody whom the trader knows trades with the firm.
func isTraderHere(tokens words.Tokens, asked claims.Topic, known bool) bool {
	if known && len(tokens) > 2 && slices.ContainsFunc(tokens[:2], func(t words.Token) bool { return t.Text == "he" || t.Text == "she" }) && !tokens.HasPhrase("own") {
		return tokens.HasPhrase("trades here", "trades with you", "trades too", "trades also", "also trades", "is here too", "is here also", "is also here", "is here as well", "is with you too", "is with you as well") || tokens.EndsWith("is with you")
	}
	who := slices.IndexFunc(tokens, func(t words.Token) bool { return words.IsListed(t.Text, relations) })
	if who < 1 || who > 4 || tokens[who].Text == "people" {
		return false
	}
	rest := tokens[who+1:]
	if asked == claims.AccountCount && countsAccounts(rest) {
		return true // "my brother has two"
	}
	return slices.ContainsFunc(rest, func(t words.Token) bool { return words.IsListed(t.Text, joining) }) &&
		(rest.HasPhrase("with you", "here", "your firm", "your company") || rest.HasPhrase("also", "too", "as well"))
}

// countsAccounts reads how many accounts somebody has: not "has two kids".
func countsAccounts(tokens words.Tokens) bool {
	at := slices.IndexFunc(tokens, func(t words.Token) bool { return t.Text == "has" })
	all := tokens.FindNumbers()
	if at < 0 || len(all) != 1 || all[0].First < at || all[0].Unit != claims.NoUnit {
		return false
	}
	next := tokens.TextAt(all[0].Last + 1)
	return next == "" || words.IsListed(next, []string{"account", "accounts", "funded", "challenge", "challenges", "here", "too", "also", "with"})
}

// isPersonAlone reads an answer that only names somebody: "my cousin Emeka".
func isPersonAlone(tokens words.Tokens) bool {
	if at := slices.IndexFunc(tokens, func(t words.Token) bool { return t.Text == "he" || t.Text == "she" }); at > 1 {
		tokens = tokens[:at] // "my cousin Emeka, he brought me here"
	}
	who := slices.IndexFunc(tokens, func(t words.Token) bool { return words.IsListed(t.Text, relations) })
	if who < 0 || len(tokens) > 5 || !words.IsListed(tokens[0].Text, []string{"my", "a", "some", "two", "three"}) || tokens.HasVerb() || tokens.HasNegation() {
		return false
	}
	return !mayBeDoing(tokens[who+1:])
}

// mayBeDoing reports whether the words behind somebody may be what they do, and not their name: "lives with me", "cooks".
func mayBeDoing(behind words.Tokens) bool {
	first := behind.TextAt(0)
	if first == "" || words.IsListed(first, words.Prepositions, words.Adverbs, words.Connectors, relations) {
		return false
	}
	next := behind.TextAt(1)
	return strings.HasSuffix(first, "s") || strings.HasSuffix(first, "ed") || next != "" && next != "from" && !words.IsListed(next, words.Connectors)
}

// isGroup reads that the trader is one of several who trade together: not "we are five people at home".
func isGroup(tokens words.Tokens, asked claims.Topic) bool {
	if tokens.HasPhrase("we") && tokens.HasPhrase("same trade", "same trades", "same entries", "same positions", "enter at the same time", "trade at the same time", "trade the same") {
		return true
	}
	group := tokens.HasPhrase("we are a", "we are two", "we are three", "we are four", "we are five") && tokens.HasPhrase("team", "group", "people", "traders", "friends", "of us")
	trading := slices.Contains([]claims.Topic{claims.OtherPeople, claims.AccountSharing, claims.AccountCount}, asked) || tokens.HasPhrase("team", "traders", "trading", "trade", "office", "plan")
	return group && trading && !tokens.HasPhrase("home", "house", "flat", "family", "kids", "children", "room", "live")
}
