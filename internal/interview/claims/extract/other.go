package extract

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
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
func (st *statement) countsOther(topic claims.Topic, n number) bool {
	before, behind := st.contextAround(n)
	next, after := textAt(behind, 0), textAt(behind, 1)
	if topic == claims.AccountCount && len(before) > 0 && isListed(before[len(before)-1].text, []string{"me", "us"}) {
		before = before[:len(before)-1] // "that cost me two accounts"
	}
	if doing := doingBefore(before); isListed(doing, otherDoings[topic]) || topic == claims.RiskPerTrade && doing == "take" && isListed(next, []string{"off", "profit"}) {
		return true
	}
	each := isListed(next, []string{"a", "an", "per", "each", "every", "for"})
	switch topic {
	case claims.RiskPerTrade:
		return each && isListed(after, priced) || endsWith(before, "average loss", "average win") || hasPhrase(behind, "entries per", "positions per", "orders per") || slices.ContainsFunc(before[max(0, len(before)-4):], func(t token) bool { return isListed(t.text, costs) }) ||
			slices.ContainsFunc(behind[:min(3, len(behind))], func(t token) bool { return isListed(t.text, costs) })
	case claims.HoldingTime, claims.StrategyLength:
		daily := each && isListed(after, []string{"day", "week", "morning", "evening"}) || isListed(next, []string{"daily", "weekly"})
		sinceThen := next == "after" && slices.ContainsFunc(behind[1:min(6, len(behind))], func(t token) bool { return isListed(t.text, dayTimes) })
		if topic == claims.StrategyLength && isListed(next, []string{"demo", "paper"}) {
			return true
		}
		short := topic == claims.StrategyLength && n.high < shortestStrategy
		years := topic == claims.HoldingTime && n.low >= longestHold && !st.hasAny([]string{"hold", "holding", "held", "keep", "open"})
		return daily || sinceThen || years || short || topic == claims.StrategyLength && isOtherExperience(before, behind)
	case claims.MaxLossDay:
		return each && isListed(after, []string{"week", "month"}) || isListed(next, []string{"weekly", "monthly", "overall", "total"})
	case claims.TradesPerDay:
		return len(before) > 1 && before[len(before)-2].text == "on" && isWeekday(before[len(before)-1].text)
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
func isOtherExperience(before, behind []token) bool {
	words := slices.Concat(before[max(0, len(before)-4):], behind)
	at := findTokens(words, []string{"experience"}, 0)
	if at < 0 || !isListed(textAt(words, at+1), []string{"in", "as", "with"}) {
		return false
	}
	known := isListed(textAt(words, at+2), determiners, ownThings, tradingWords, []string{"markets", "forex", "futures", "crypto", "stocks", "fx", "total", "it"})
	return !known && classes[textAt(words, at+2)] == ""
}

// contextAround returns the words of the clause before and behind a value.
func (st *statement) contextAround(n number) (before, behind []token) {
	first, last := st.tokens[n.first].start, st.tokens[n.last].start
	from := slices.IndexFunc(st.context, func(t token) bool { return t.start == first })
	to := slices.IndexFunc(st.context, func(t token) bool { return t.start == last })
	if from < 0 || to < 0 {
		return st.tokens[:n.first], st.tokens[n.last+1:]
	}
	for to+1 < len(st.context) && st.context[to+1].start == last { // of a contraction
		to++
	}
	return st.context[:from], st.context[to+1:]
}

// doingBefore returns the word that governs a value: the last before it that neither bounds nor joins it.
func doingBefore(before []token) string {
	for i := len(before) - 1; i >= 0; i-- {
		if text := before[i].text; text == "to" || text == "for" || text == "at" || text == "about" || !isListed(text, hedges, adverbs, determiners, bounds, prepositions) {
			if !isListed(text, hedges, []string{"to", "for", "at"}) {
				return text
			}
		}
	}
	return ""
}

// isJudged reports whether a value is what the clause judges, and not what the trader does: "under thirty minutes is a
// scalp", "five percent is the rule".
func (st *statement) isJudged(n number) bool {
	_, behind := st.contextAround(n)
	if !isListed(textAt(behind, 0), []string{"is", "are", "would", "feels", "sounds"}) {
		return false
	}
	near := behind[1:min(5, len(behind))]
	if len(near) > 1 && near[0].text == "what" && isListed(near[1].text, quantified, people, otherPronouns, []string{"everyone", "someone"}) {
		return true // "one percent is what everybody teaches"
	}
	if hasPhrase(near, "the rule", "your rule", "your limit", "allowed") {
		return true
	}
	return !slices.ContainsFunc(near, func(t token) bool { return isListed(t.text, owned) })
}
