package extract

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// Words that make a statement in a clause less firm.
var (
	// conditions limit a statement to some cases, except limits of a day, which are
	// conditions by themselves: "if I lose 2 % I stop".
	conditions = []string{"if", "unless", "except", "when it", "as long as", "depending"}
	// someTrades limit holding times to some of the trades.
	someTrades = []string{"best trade", "best trades", "winner", "winners", "winning", "loser", "losers", "losing", "runner", "runners", "scalps", "swings", "swing trades", "scalp trades"}
	// aFew and mostOf begin a statement about some, and about most, of the trades.
	aFew   = []string{"some of", "some for", "some trades", "some positions", "few of", "few for", "few trades", "few positions", "others for", "the rest for"}
	mostOf = []string{"most of my trades", "most of my positions", "most trades", "most positions", "most of them"}
	// phases are stages of an account that a firm gives.
	phases = []string{"funded", "evaluation", "evaluations", "eval", "evals", "challenge", "challenges", "verification", "phase"}
)

// modalityOf returns how firmly a claim is made.
func (st *statement) modalityOf(c claims.Claim) claims.Modality {
	tells := c.Op == claims.Is && c.Bool && (c.Topic == claims.AccountSharing || c.Topic == claims.OtherPeople) || // it is so though it is seldom so
		c.Op == claims.Is && !c.Bool && (c.Topic == claims.Averaging || c.Topic == claims.StopLossUse && st.hasAny([]string{"never"})) // "if I am down I never add"
	switch {
	case c.Op == claims.Is && st.onlyAsked(c.Topic) && c.Topic == claims.News, st.Unsure,
		c.Topic != claims.MaxLossDay && (st.Conditional && !tells && (c.Topic != claims.Instruments || len(c.Set) <= 1) || st.hasAny(conditions) && (c.Topic != claims.AccountSharing || !st.hasAny([]string{"except me"}))),
		c.Unit == claims.Money && clause.IsOfSizedAccount(st.context),
		c.Topic == claims.HoldingTime && st.ofSomeTrades(), dependsOnAccount(c) && ofSomeAccounts(st.tokens, c.Op != claims.Is),
		(c.Topic == claims.HoldingTime || c.Topic == claims.RiskPerTrade) && c.Op != claims.Is && st.hasAny(aFew):
		return claims.Sometimes
	case (c.Topic == claims.HoldingTime || c.Topic == claims.RiskPerTrade) && c.Op != claims.Is && st.hasAny(mostOf):
		return claims.Usually
	}
	if c.Op == claims.Is && (st.hasAny([]string{"on most", "most trades", "most of my trades", "most of them"}) || st.ofShare()) {
		return claims.Sometimes
	}
	if c.Topic != claims.MaxLossDay && (c.Topic != claims.Instruments || len(c.Set) <= 1) &&
		st.hasAny([]string{
			"now and then", "from time to time", "once in a while", "here and there", "at times", "on occasion", "can be", "could be", "might be",
			"every so often", "depending on", "some days", "certain days", "every now", "every once",
		}) {
		return claims.Sometimes
	}
	for _, m := range modalities {
		at := slices.IndexFunc(st.tokens, func(t words.Token) bool { return slices.Contains(m.words, t.Text) })
		switch {
		case at < 0:
		case m.modality == claims.Never && st.tokens.TextAt(at+1) == "and": // "over the weekend never and overnight seldom"
		case m.modality == claims.Always && st.tokens.TextAt(at-1) == "at" && st.tokens[at].Text == "all": // "not at all"
		case m.modality == claims.Always && c.Op == claims.Is && slices.ContainsFunc(st.tokens[:at], func(t words.Token) bool { return t.Text == "not" }):
			return claims.Sometimes // "not always"
		case m.modality == claims.Sometimes && (isLater(c, st.tokens, at) || c.Topic == claims.Instruments && st.namesBefore(at)):
		default:
			return m.modality
		}
	}
	return claims.Plain
}

// ofShare reports whether a clause is about a share of the trades: "ninety percent of my trades have a stop".
func (st *statement) ofShare() bool {
	return slices.ContainsFunc(st.numbers, func(n words.Number) bool {
		return n.Unit == claims.Percent && n.High < 100 && slices.ContainsFunc([]string{"of my trades", "of my positions", "of the trades", "of the time", "of cases", "of the cases"}, func(p string) bool { return st.tokens[n.Last+1:].BeginsWithPhrase(p) })
	})
}

// dependsOnAccount reports whether a claim may hold for some of the accounts only.
func dependsOnAccount(c claims.Claim) bool {
	return !slices.Contains([]claims.Topic{claims.AccountCount, claims.Instruments, claims.AccountSharing, claims.OtherPeople, claims.StrategyLength}, c.Topic)
}

// ofSomeAccounts reports whether the words limit a statement to accounts of a kind or a
// phase: "on funded accounts", "in the challenge". A single one, as in "on the funded
// account", may be all that there is.
func ofSomeAccounts(tokens words.Tokens, single bool) bool {
	for i, t := range tokens {
		if !words.IsListed(t.Text, []string{"on", "in", "for", "with", "during"}) {
			continue
		}
		kind := false
		for j := i + 1; j < min(i+6, len(tokens)); j++ {
			text := tokens[j].Text
			switch {
			case kind && text == "accounts", single && kind && text == "account", slices.Contains(phases, text) && (single || tokens.TextAt(j+1) != "account"):
				return true
			case words.IsListed(text, words.Prepositions, []string{"account", "accounts"}), words.IsSubject(text), words.IsVerb(text):
				j = len(tokens)
			default:
				kind = kind || !words.IsListed(text, words.Determiners, []string{"own", "trading", "whole", "entire"}) && !tokens.IsNumberAt(j)
			}
		}
	}
	return false
}

// ofSomeTrades reports whether a clause is about some of the trades, and not about
// both kinds: "winners and losers".
func (st *statement) ofSomeTrades() bool {
	return st.hasAny(someTrades) &&
		!st.hasAny([]string{"winners and losers", "losers and winners", "winning and losing", "losing and winning", "winners or losers", "winner or loser"})
}

// namesBefore reports whether an instrument is named before token i: "the Dax, and
// sometimes oil" names what is always traded first.
func (st *statement) namesBefore(i int) bool {
	named := st.tokens.FindInstruments()
	return slices.ContainsFunc(named, func(x words.Mention) bool { return x.First < i }) && slices.ContainsFunc(named, func(x words.Mention) bool { return x.First > i })
}

// isLater reports whether the word at an index limits only the words after it: "two
// or three a day, rarely more".
func isLater(c claims.Claim, tokens words.Tokens, at int) bool {
	if next, ok := tokens.ReadNumberAt(at + 1); ok && c.Op != claims.Is && at > 0 && next.Low <= 2*c.Value {
		return true // "one trade a day, sometimes two", but not "sometimes ten"
	}
	return c.Op != claims.Is && !tokens.IsNumberAt(at+1) && tokens.TextAt(at+2) != "than" &&
		words.IsListed(tokens.TextAt(at+1), []string{"more", "less", "longer", "a", "bit", "even"})
}

// notAll reports whether the negation at token j only denies that something is
// always true.
func (st *statement) notAll(j, before int) bool {
	return j+1 < before && slices.Contains([]string{"always", "every", "all", "necessarily"}, st.tokens[j+1].Text)
}
