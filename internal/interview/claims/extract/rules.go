package extract

import (
	"math"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// applyValueRule applies a rule to the numbers that no other claim has taken.
func (st *statement) applyValueRule(rule valueRule) {
	if st.hasAny(rule.unless) || rule.topic == claims.AccountCount && hasPhrase(st.context, elsewhere...) ||
		len(rule.also) > 0 && !st.hasAny(rule.also) && !hasPhrase(st.context, rule.also...) ||
		rule.topic == claims.HoldingTime && st.holdsOther() || rule.topic == claims.TradesPerDay && st.hasSeveralEntries() {
		return
	}
	for i, n := range st.numbers {
		if n.unit == claims.NoUnit && n.low >= mostRisk && slices.Contains(rule.units, claims.Money) && isListed(textAt(st.tokens, n.last+1), []string{"a", "per", "each", "every"}) && isListed(textAt(st.tokens, n.last+2), []string{"trade", "position", "day"}) {
			n.unit = claims.Money // "four hundred a trade"
		}
		if st.used[i] || !slices.Contains(rule.units, n.unit) || n.low < 0 || rule.most > 0 && (n.high > rule.most || n.low != math.Trunc(n.low)) {
			continue
		}
		at := st.findTrigger(rule, n)
		if at >= 0 && st.tokens[at].text == "times" && !st.hasAny([]string{"trade", "enter"}) {
			continue
		}
		if at < 0 || st.isRefuted(rule, n) || st.tokens[at].text == "account" && n.high != 1 { // "a 100k account"
			continue
		}
		st.used[i] = true
		first, last := min(at, n.first), max(at, n.last)
		// The words that bound a value are part of what was said.
		first = max(0, min(first, n.first-st.boundWords(n)))
		for _, phrase := range rule.also { // "3 trades a day"
			words := strings.Fields(phrase)
			if at := findTokens(st.tokens, words, last+1); at >= 0 && at <= last+3 {
				last = at + len(words) - 1
			}
		}
		st.addClaim(st.makeClaim(rule.topic, n), first, last)
	}
}

// elsewhere are phrases for firms from which there is no data.
var elsewhere = []string{"somewhere else", "elsewhere", "other firm", "other firms", "another firm", "other broker", "another broker", "different firm", "other company", "another company", "different company"}

// mostRisk is the risk of a trade, in percent, from which on the number must mean
// something else.
const mostRisk = 50

// isRefuted reports whether a value is denied without a bound ("I don't hold for
// two days", "two days are too long"), or cannot be meant.
func (st *statement) isRefuted(rule valueRule, n number) bool {
	if rule.topic == claims.RiskPerTrade && (n.unit == claims.Percent && n.high >= mostRisk || st.inSomeCases(n)) {
		return true
	}
	if st.countsOther(rule.topic, n) || st.isJudged(n) {
		return true
	}
	if hasPhrase(st.tokens[n.last+1:], "too long", "too short", "too much", "too many", "too little", "a mistake", "is enough", "overtrading", "is gambling") ||
		rule.topic == claims.HoldingTime && (hasPhrase(st.tokens[:n.first], "record") || textAt(st.tokens, n.first-1) == "every") {
		return true
	}
	if rule.topic == claims.StrategyLength && len(findNumbers(st.context)) > 1 && hasPhrase(st.tokens, "total", "altogether", "in markets", "on demo") {
		return true // "six years total, two with this strategy"
	}
	if rule.topic == claims.MaxLossDay && hasPhrase(st.tokens[max(0, n.first-2):n.first], "trade of", "trades of", "loss of", "losses of") {
		return true // "two losing trades of one percent"
	}
	if rule.topic == claims.RiskPerTrade && isListed(textAt(st.tokens, n.first-1), []string{"up", "down"}) {
		return true // "once I am up three percent"
	}
	if rule.topic == claims.RiskPerTrade && textAt(st.tokens, n.first-1) == "at" && isListed(textAt(st.tokens, n.first-2), connectors) {
		return true // "I cut my risk, and at four percent I stop"
	}
	if rule.topic == claims.AccountCount && textAt(st.tokens, n.first-1) == "number" {
		return true // "this is account number three"
	}
	return st.readComparison(n) != claims.AtMost && st.readComparison(n) != claims.AtLeast && st.isNegated(n.first) && rule.topic != claims.MaxLossDay
}

// inSomeCases reports whether a value applies only on some days, or after wins or
// losses: "half a percent after a losing streak".
func (st *statement) inSomeCases(n number) bool {
	if isListed(textAt(st.tokens, n.first-1), []string{"those", "these"}) {
		return true // "2% on those 30%"
	}
	behind := st.tokens[n.last+1:]
	near := behind[:min(5, len(behind))]
	switch next := textAt(behind, 1); textAt(behind, 0) {
	case "on", "for":
		return len(behind) == 1 && behind[0].text == "on" || isListed(next, someCases) ||
			next == "the" && isListed(textAt(behind, 2), []string{"first", "second", "third", "next", "last", "other"}) ||
			next == "the" && behind[0].text == "on" && isNumberAt(behind, 2) && len(findNumbers(st.context)) > 2 || // "1% on the 100k account and half on the 50k"
			hasPhrase(near, "setup", "setups", "conviction") && !hasPhrase(near, "every", "each", "all", "any", "my") // "1% on A+ setups"
	case "after", "during", "in":
		return next != "" && hasPhrase(near, "losing", "loss", "losses", "loser", "winning", "win", "drawdown", "streak", "bad day")
	}
	return false
}

// someCases are the words behind "on" and "for" that limit a value to some days or trades.
var someCases = []string{
	"good", "bad", "better", "worse", "weak", "strong", "red", "green", "slow", "quiet", "busy", "volatile", "certain", "some", "losing", "winning",
	"those", "these", "that",
}

// holdsOther reports whether the clause is about holding or keeping something that
// is no position: "hold my dog".
func (st *statement) holdsOther() bool {
	named := instrumentSpans(st.context)
	for i, t := range st.context {
		if !isListed(t.text, []string{"hold", "holding", "keep", "keeping"}) || isListed(textAt(st.context, i-1), determiners) ||
			isListed(textAt(st.context, i+1), []string{"time", "times", "is"}) {
			continue
		}
		for j := i + 1; j < len(st.context); j++ {
			text := st.context[j].text
			if text == "account" || text == "accounts" {
				return true
			}
			if isListed(text, determiners, adverbs, []string{
				"winning", "losing", "open", "long", "short", "good", "bad", "bigger", "smaller", "typical", "normal", "average", "funded", "full",
				"running", "of", "on", "onto",
			}) {
				continue
			}
			known := isListed(text, ownThings, prepositions, neutral, hedges, connectors) ||
				isListed(text, []string{
					"them", "anything", "everything", "nothing", "me", "longer", "anywhere", "until", "no", "more", "less", "overnight", "contracts",
					"shares", "futures", "options", "crypto", "usually", "when", "if", "because", "but", "as", "forex", "shorts", "longs",
					"something", "things", "stuff", "lots", "stocks", "coins",
				})
			if !known && !isNumberAt(st.context, j) && !isSubject(text) && !slices.ContainsFunc(named, func(x mention) bool { return x.first == j }) {
				return true
			}
			break
		}
	}
	return false
}

// makeClaim returns a claim with the value of n.
func (st *statement) makeClaim(topic claims.Topic, n number) claims.Claim {
	c := claims.Claim{Topic: topic, Op: st.readComparison(n), Value: n.low, High: n.high, Unit: n.unit, Currency: n.currency, Approximate: n.approximate}
	if c.Unit == claims.NoUnit {
		c.Unit = claims.Count
	}
	if c.Op != claims.Range {
		if n.ranged && c.Op == claims.AtMost {
			c.Value = n.high
		}
		c.High = 0
	}
	return c
}

// boundWords returns how many tokens before the value bound it: "not more than".
func (st *statement) boundWords(n number) int {
	for k := 5; k > 0; k-- {
		if n.first-k < 0 {
			continue
		}
		switch w := st.tokens[n.first-k].text; {
		case isNegation(w), w == "more", w == "less", w == "under", w == "at", w == "up", w == "maximum", w == "max":
			return k
		}
	}
	return 0
}

// findTrigger returns where a trigger of the rule is to which the number may
// belong, or -1 if there is none.
func (st *statement) findTrigger(rule valueRule, n number) int {
	best := -1
	if rule.topic == claims.HoldingTime {
		best = st.closedAfter(n)
		if at := findTokens(st.tokens, []string{"trade", "is"}, 0); at >= 0 && at < n.first && textAt(st.tokens, n.last+1) == "long" {
			best = at
		}
		if at := st.findLasting(); best < 0 && at >= 0 && at < n.first && n.first-at <= reach {
			best = at
		}
	}
	if rule.topic == claims.TradesPerDay && st.isDailyCount(n) {
		return n.last
	}
	for _, phrase := range rule.triggers {
		if !hasPhrase(st.tokens, phrase) {
			continue
		}
		words := strings.Fields(phrase)
		for at := findTokens(st.tokens, words, 0); at >= 0; at = findTokens(st.tokens, words, at+1) {
			distance := n.first - (at + len(words) - 1)
			if at > n.last {
				distance = at - n.last
			}
			near := distance <= reach
			if rule.follows {
				near = at > n.last && at-n.last <= 3+2*toInt(isNumberAt(st.tokens, n.last+1)) && st.onlyAdjectives(n.last+1, at) // "two one hundred k accounts"
			}
			if near && (best < 0 || distance < n.first-best) {
				best = at
				if at > n.last {
					best = at + len(words) - 1
				}
			}
		}
	}
	return best
}

// mostDone is the greatest number of trades in a day that is understood without the word "trades".
const mostDone = 100

// isDailyCount reports whether a number without a noun is that of the trades in a day: "I don't take more than four a day".
// Only the question or the words around it show that it is not of something else.
func (st *statement) isDailyCount(n number) bool {
	done := isListed(doingBefore(st.tokens[:n.first]), []string{"do", "take"})
	daily := isListed(textAt(st.tokens, n.last+1), []string{"a", "per", "each", "every"}) && textAt(st.tokens, n.last+2) == "day"
	return st.aboutTrades && done && daily && n.high <= mostDone
}

// closedAfter returns where "after" or "within" is before the value in a clause
// that closes positions, or -1 if there is none.
func (st *statement) closedAfter(n number) int {
	if !st.hasAny(closing) ||
		st.hasAny([]string{"close half", "half of", "half off", "half the", "half my", "some", "part", "partial", "partials", "news", "break"}) {
		return -1
	}
	for at := n.first - 1; at >= 0 && at >= n.first-3; at-- {
		switch text := st.tokens[at].text; {
		case text == "after", text == "within", text == "in", text == "inside":
			return at
		case !isListed(text, hedges, adverbs, []string{"under", "less", "than", "the", "first"}):
			return -1
		}
	}
	return -1
}

// findLasting returns where a verb is that says how long trades last, with trades
// as its subject: "my trades do not usually last". It is -1 if there is none.
func (st *statement) findLasting() int {
	for i, t := range st.tokens {
		if !isListed(t.text, []string{"last", "lasts", "take", "takes", "live", "lives", "run", "runs"}) {
			continue
		}
		at := i - 1
		for at >= 0 && (isListed(st.tokens[at].text, adverbs, []string{"do", "does", "will", "can", "of", "mine"}) ||
			isListed(st.tokens[at].text, []string{"on", "in", "the"}) || classes[st.tokens[at].text] != "") { // "my trades on the Dax last"
			at--
		}
		if at >= 0 &&
			isListed(st.tokens[at].text, []string{"trade", "trades", "position", "positions", "scalps", "winners", "losers", "runners"}) &&
			textAt(st.tokens, i+1) != "me" {
			return at
		}
	}
	return -1
}

// onlyAdjectives reports whether there are only describing words between: "3 funded
// accounts", but not "2 pounds with your account".
func (st *statement) onlyAdjectives(from, to int) bool {
	for _, t := range st.tokens[from:to] {
		if slices.Contains([]string{"with", "of", "in", "on", "for", "at", "and", "the", "this", "that", "who", "my", "your", ","}, t.text) {
			return false
		}
	}
	return true
}

func (st *statement) hasAny(phrases []string) bool {
	return hasPhrase(st.tokens, phrases...)
}

// style is words that stand for a holding time.
type style struct {
	words []string
	op    claims.Op
	value float64
}

var styles = []style{
	{[]string{"scalp", "scalper", "scalping", "scalps"}, claims.AtMost, 300},
	{[]string{"day trade", "day trader", "day trading", "intraday"}, claims.AtMost, 86400},
	{[]string{"swing", "swing trade", "swing trader", "swing trading"}, claims.AtLeast, 86400},
}

// onlyAccount reads that there is only one account: "this is my only account".
func (st *statement) onlyAccount() {
	at := findTokens(st.tokens, []string{"my", "only", "account"}, 0)
	if at < 0 || st.isNegated(at) || textAt(st.tokens, at-1) != "is" && textAt(st.tokens, at+3) != "is" {
		return
	}
	st.addClaim(claims.Claim{Topic: claims.AccountCount, Op: claims.Equal, Value: 1, Unit: claims.Count}, at, at+2)
}

// readStyles reads words that stand for a holding time.
func (st *statement) readStyles() {
	listed := !slices.ContainsFunc(st.context, func(t token) bool { return isSubject(t.text) || isListed(t.text, auxiliaries) }) && slices.ContainsFunc(findNumbers(st.context), func(n number) bool { return n.unit == claims.Seconds }) ||
		hasPhrase(st.context, "few minutes", "few hours", "few days") && !hasPhrase(st.context, "i", "am") // "scalps: one to three minutes"
	if listed || slices.ContainsFunc(st.claims, func(c claims.Claim) bool { return c.Topic == claims.HoldingTime }) {
		return
	}
	for _, style := range styles {
		for _, phrase := range style.words {
			words := strings.Fields(phrase)
			if at := findTokens(st.tokens, words, 0); at >= 0 && !st.isNegated(at) && !slices.Contains(st.wordsBetween(at-3, at), "than") &&
				!hasPhrase(st.tokens, "swing high", "swing low", "swing highs", "swing lows", "mood") &&
				!isListed(textAt(st.tokens, at-1), []string{"my", "for", "on", "the", "last", "previous"}) &&
				!isListed(textAt(st.tokens, at+len(words)), []string{"news", "is"}) {
				st.addClaim(claims.Claim{Topic: claims.HoldingTime, Op: style.op, Value: style.value, Unit: claims.Seconds}, at, at+len(words)-1)
				break
			}
		}
	}
}

// readBareValues takes lone values for the answer to a question, or for something
// mentioned before.
func (st *statement) readBareValues(topic claims.Topic) {
	if topic == claims.AccountCount && startsWith(st.tokens, []string{"only", "this", "one"}) { // "only this one, I have another four with other firms"
		st.addClaim(claims.Claim{Topic: topic, Op: claims.Equal, Value: 1, Unit: claims.Count}, 0, 2)
		return
	}
	index := slices.IndexFunc(valueRules, func(r valueRule) bool { return r.topic == topic })
	if index < 0 || st.hasAny(valueRules[index].unless) || st.hasAction() || topic == claims.HoldingTime && st.holdsOther() {
		return
	}
	rule := valueRules[index]
	if topic == claims.AccountCount && len(st.numbers) == 0 && (hasPhrase(st.tokens, "the one", "only one", "just one", "this one", "a single one", "only this account") || st.tokens[0].text == "this" && textAt(st.tokens, 1) == "account" && isFragment(st.tokens)) {
		st.addClaim(claims.Claim{Topic: topic, Op: claims.Equal, Value: 1, Unit: claims.Count}, 0, len(st.tokens)-1)
		return
	}
	for i, n := range st.numbers {
		if n.unit == claims.NoUnit && isListed(textAt(st.tokens, n.first-1), []string{"by", "until", "till"}) {
			continue // "usually by eleven"
		}
		behind := st.tokens[n.last+1:]
		if i+1 < len(st.numbers) && n.unit == claims.NoUnit && st.numbers[i+1].first == n.last+2 && isListed(textAt(behind, 0), []string{"max", "maximum"}) {
			continue // "one, max two"
		}
		if topic == claims.AccountCount && n.unit == claims.NoUnit && slices.ContainsFunc([]string{"with you", "here", "with your firm"}, func(p string) bool { return beginsWithPhrase(behind, p) || beginsWithPhrase(behind, "of them "+p) }) {
			st.addClaim(st.makeClaim(topic, n), max(0, n.first-st.boundWords(n)), n.last) // "one with you and three with others"
			return
		}
		if topic == claims.AccountCount && (textAt(behind, 0) == "with" || hasPhrase(st.context, elsewhere...)) {
			continue
		}
		if topic == claims.AccountCount && isListed(textAt(st.tokens, n.last+1), []string{"for", "of", "in", "on"}) && !isListed(textAt(behind, 1), []string{"total", "all"}) &&
			(st.tokens[0].text != "there" || textAt(st.tokens, n.last+2) != "them") {
			continue // "one for gold and one for oil"
		}
		if topic == claims.AccountCount && !isTotal(st.context) ||
			topic == claims.TradesPerDay && (isOfPart(st.tokens[n.last+1:]) || namesHours(st.context) || st.hasSeveralEntries()) {
			continue // parts of what was asked: "one funded, one challenge"
		}
		stated := topic == claims.AccountCount && n.first <= 3 && hasPhrase(st.tokens[:n.first], "it is", "i have")                                                  // "it is four, all on my name"
		near := reach*toInt(stated) + toInt(isListed(st.tokens[0].text, connectors)) + reach*(1+toInt(topic == claims.StrategyLength && !hasPhrase(st.tokens, "i"))) // of years, little else is said
		if !st.used[i] && slices.Contains(rule.units, n.unit) && len(st.tokens) <= n.last-n.first+1+near && !st.isRefuted(rule, n) &&
			(rule.most == 0 || n.high <= rule.most && n.low == math.Trunc(n.low)) {
			st.addClaim(st.makeClaim(topic, n), max(0, n.first-st.boundWords(n)), n.last)
			return
		}
	}
}

// namesHours reports whether numbers are hours: "one at nine, one at ten".
func namesHours(tokens []token) bool {
	for i, t := range tokens {
		if t.text == "at" && isNumberAt(tokens, i+1) {
			return true
		}
	}
	return false
}

// isOfPart reports whether the words behind a number say that it is that of a part of the
// day, of some days ("in the morning", "on Fridays", "every two days"), or of one account, or counts
// something else than trades.
func isOfPart(behind []token) bool {
	next := textAt(behind, 1)
	switch textAt(behind, 0) {
	case "in":
		return isListed(next, []string{"the", "each", "every", "an", "london", "new", "asia", "tokyo", "sydney", "frankfurt"})
	case "on":
		return strings.HasSuffix(next, "day") || strings.HasSuffix(next, "days")
	case "per":
		return isListed(next, []string{"account", "pair", "symbol", "instrument", "market", "strategy"})
	case "every":
		return isListed(next, []string{"other", "second", "third", "few"}) || isNumberAt(behind, 1)
	case "orders", "order", "sessions", "session", "accounts", "pairs", "winners", "winner", "wins", "win", "losers", "loser", "losses",
		"loss", "losing", "winning":
		return true
	}
	return false
}

// hasSeveralEntries reports whether what is counted is entered more than once, so that the number of
// trades is another: "two setups with three entries each".
func (st *statement) hasSeveralEntries() bool {
	return slices.ContainsFunc(findNumbers(st.context), func(n number) bool {
		entries := isListed(textAt(st.context, n.last+1), []string{"entries", "positions", "orders"})
		return entries && n.low > 1 &&
			(textAt(st.context, n.first-1) == "with" || textAt(st.context, n.last+2) == "each" && textAt(st.context, n.last+3) != "day")
	})
}

// isTotal reports whether the first number is the only one, or the sum of the others:
// "two, one for gold and one for oil".
func isTotal(tokens []token) bool {
	numbers := slices.DeleteFunc(findNumbers(tokens), func(n number) bool { // accounts that are over
		return n.low >= 1000 || isListed(textAt(tokens, n.last+1), []string{"breached", "failed", "lost", "blown", "closed", "inactive"})
	})
	if len(numbers) < 2 {
		return true
	}
	rest := numbers[0].low
	for _, n := range numbers[1:] {
		rest -= n.low
	}
	return len(numbers) > 2 && rest == 0
}

// hasAction reports whether the clause describes something that the trader does, so
// that a value in it is not a bare answer.
func (st *statement) hasAction() bool {
	for i, t := range st.tokens {
		bounds := t.text == "go" && isListed(textAt(st.tokens, i-1), []string{"never", "not", "i"}) &&
			isListed(textAt(st.tokens, i+1), []string{"above", "over", "beyond", "under", "below"})
		if t.text == "got" && textAt(st.tokens, i-1) == "have" || t.text == "live" && !isListed(textAt(st.tokens, i+1), []string{"in", "with", "at", "from", "off"}) {
			continue
		}
		if isListed(t.text, []string{"set", "put", "cap"}) && isListed(textAt(st.tokens, i+1), []string{"it", "that", "mine"}) && isListed(textAt(st.tokens, i+2), []string{"to", "at"}) {
			continue // "I have set it to two thousand dollars"
		}
		if !bounds && isListed(t.text, tradeVerbs, pastVerbs) &&
			!isListed(t.text, []string{
				"have", "hold", "risk", "take", "trade", "say", "think", "guess", "use", "keep", "am", "do", "average", "stop", "like", "mean",
				"believe", "limit",
			}) {
			return true
		}
	}
	return false
}
