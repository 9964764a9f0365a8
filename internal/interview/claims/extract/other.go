package extract

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// Words for what a value is of that is no statement about the topic.
var (
	// costs are what a trade costs beside its risk.
	costs = []string{"commission", "commissions", "spread", "spreads", "swap", "swaps", "fee", "fees"}
	// priced are what a price is of: "ten dollars a pip".
	priced = []string{"pip", "pips", "point", "points", "tick", "ticks", "lot", "lots", "contract", "contracts", "share", "shares", "micro", "mini", "side", "ounce"}
	// otherDoings are verbs before a value that is not the one of the topic: "I see ten setups a day", "to make two percent".
	otherDoings = map[claims.Topic][]string{
		claims.RiskPerTrade: {"make", "makes", "get", "gain", "earn", "win", "wins", "bank", "banks", "move", "moves", "pay", "pays", "cost", "costs", "charge", "target", "withdraw"},
		claims.HoldingTime:  {"sleep", "sleeps", "study", "read", "analyze", "watch", "look", "spend", "code", "train", "rest", "backtest", "journal"},
		claims.AccountCount: {"cost", "costs", "blew", "burned", "lost", "failed", "breached", "passed", "reset"},
		claims.TradesPerDay: {"see", "find", "spot", "mark", "watch", "scan", "analyze", "skip"},
	}
	// owned are words behind "is" with which a value is the trader's own: "two hours is typical".
	owned = []string{
		"my", "our", "the", "what", "it", "all", "typical", "normal", "usual", "usually", "average", "standard", "max", "maximum", "minimum", "most",
		"limit", "risk", "risked", "risking", "good", "common", "how", "where", "per", "on", "for",
	}
)

// countsOther reports whether the words around a value say that it is of something else than the topic.
func (st *statement) countsOther(topic claims.Topic, n words.Number) bool {
	before, behind := st.contextAround(n)
	next, after := behind.TextAt(0), behind.TextAt(1)
	if topic == claims.AccountCount && len(before) > 0 && words.IsListed(before[len(before)-1].Text, []string{"me", "us"}) {
		before = before[:len(before)-1] // "that cost me two accounts"
	}
	if doing := doingBefore(before); words.IsListed(doing, otherDoings[topic]) || topic == claims.RiskPerTrade && doing == "take" && words.IsListed(next, []string{"off", "profit"}) {
		return true
	}
	each := words.IsListed(next, []string{"a", "an", "per", "each", "every", "for"})
	switch topic {
	case claims.RiskPerTrade:
		return each && words.IsListed(after, priced) || before.EndsWith("average loss", "average win") || behind.HasPhrase("entries per", "positions per", "orders per") || slices.ContainsFunc(before[max(0, len(before)-4):], func(t words.Token) bool { return words.IsListed(t.Text, costs) }) ||
			slices.ContainsFunc(behind[:min(3, len(behind))], func(t words.Token) bool { return words.IsListed(t.Text, costs) })
	case claims.HoldingTime, claims.StrategyLength:
		daily := each && words.IsListed(after, []string{"day", "week", "morning", "evening"}) || words.IsListed(next, []string{"daily", "weekly"})
		sinceThen := next == "after" && slices.ContainsFunc(behind[1:min(6, len(behind))], func(t words.Token) bool { return words.IsListed(t.Text, words.DayTimes) })
		if topic == claims.StrategyLength && words.IsListed(next, []string{"demo", "paper"}) {
			return true
		}
		short := topic == claims.StrategyLength && n.High < shortestStrategy
		years := topic == claims.HoldingTime && n.Low >= longestHold && !st.hasAny([]string{"hold", "holding", "held", "keep", "open"})
		return daily || sinceThen || years || short || topic == claims.StrategyLength && isOtherExperience(before, behind)
	case claims.MaxLossDay:
		return each && words.IsListed(after, []string{"week", "month"}) || words.IsListed(next, []string{"weekly", "monthly", "overall", "total"})
	case claims.TradesPerDay:
		return len(before) > 1 && before[len(before)-2].Text == "on" && words.IsWeekday(before[len(before)-1].Text)
	case claims.AccountCount, claims.Instruments, claims.StopLossUse, claims.OtherPeople, claims.AccountSharing, claims.EAUse, claims.News, claims.Hours, claims.Averaging:
	}
	return false
}

// shortestStrategy is the shortest time, in seconds, for which somebody says to have traded in a way. Less is a
// holding time or a timeframe.
const shortestStrategy = 86400

// longestHold is the holding time, in seconds, from which on words must say that something is held. Otherwise it
// is how long somebody has traded.
const longestHold = 180 * 86400

// isOtherExperience reports whether an experience is one in something else than trading: "ten years of experience in
// software".
func isOtherExperience(before, behind words.Tokens) bool {
	around := slices.Concat(before[max(0, len(before)-4):], behind)
	at := around.FindWords([]string{"experience"}, 0)
	if at < 0 || !words.IsListed(around.TextAt(at+1), []string{"in", "as", "with"}) {
		return false
	}
	known := words.IsListed(around.TextAt(at+2), words.Determiners, words.OwnThings, tradingWords, []string{"markets", "forex", "futures", "crypto", "stocks", "fx", "total", "it"})
	return !known && words.Classes[around.TextAt(at+2)] == ""
}

// contextAround returns the words of the clause before and behind a value.
func (st *statement) contextAround(n words.Number) (before, behind words.Tokens) {
	first, last := st.tokens[n.First].Start, st.tokens[n.Last].Start
	from := slices.IndexFunc(st.context, func(t words.Token) bool { return t.Start == first })
	to := slices.IndexFunc(st.context, func(t words.Token) bool { return t.Start == last })
	if from < 0 || to < 0 {
		return st.tokens[:n.First], st.tokens[n.Last+1:]
	}
	for to+1 < len(st.context) && st.context[to+1].Start == last { // of a contraction
		to++
	}
	return st.context[:from], st.context[to+1:]
}

// doingBefore returns the word that governs a value: the last before it that neither bounds nor joins it.
func doingBefore(before words.Tokens) string {
	for i := len(before) - 1; i >= 0; i-- {
		if text := before[i].Text; text == "to" || text == "for" || text == "at" || text == "about" || !words.IsListed(text, words.Hedges, words.Adverbs, words.Determiners, bounds, words.Prepositions) {
			if !words.IsListed(text, words.Hedges, []string{"to", "for", "at"}) {
				return text
			}
		}
	}
	return ""
}

// isJudged reports whether a value is what the clause judges, and not what the trader does: "under thirty minutes is a
// scalp", "five percent is the rule".
func (st *statement) isJudged(n words.Number) bool {
	_, behind := st.contextAround(n)
	if !words.IsListed(behind.TextAt(0), []string{"is", "are", "would", "feels", "sounds"}) {
		return false
	}
	near := behind[1:min(5, len(behind))]
	if len(near) > 1 && near[0].Text == "what" && words.IsListed(near[1].Text, words.Quantified, words.People, words.OtherPronouns, []string{"everyone", "someone"}) {
		return true // "one percent is what everybody teaches"
	}
	if near.HasPhrase("the rule", "your rule", "your limit", "allowed") {
		return true
	}
	return !slices.ContainsFunc(near, func(t words.Token) bool { return words.IsListed(t.Text, owned) })
}
