package extract

import (
	"math"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/clause"
	"github.com/assayhq/assay/internal/interview/claims/rules"
	"github.com/assayhq/assay/internal/interview/claims/words"
)

// applyValueRule applies a rule to the numbers that no other claim has taken.
func (st *statement) applyValueRule(rule rules.ValueRule) {
	if st.hasAny(rule.Unless) || rule.Topic == claims.AccountCount && st.context.HasPhrase(elsewhere...) ||
		len(rule.Also) > 0 && !st.hasAny(rule.Also) && !st.context.HasPhrase(rule.Also...) ||
		rule.Topic == claims.HoldingTime && st.holdsOther() || rule.Topic == claims.TradesPerDay && st.hasSeveralEntries() {
		return
	}
	for i, n := range st.numbers {
		if n.Unit == claims.NoUnit && n.Low >= mostRisk && slices.Contains(rule.Units, claims.Money) && words.IsListed(st.tokens.TextAt(n.Last+1), []string{"a", "per", "each", "every"}) && words.IsListed(st.tokens.TextAt(n.Last+2), []string{"trade", "position", "day"}) {
			n.Unit = claims.Money // "four hundred a trade"
		}
		if st.used[i] || !slices.Contains(rule.Units, n.Unit) || n.Low < 0 || rule.Most > 0 && (n.High > rule.Most || n.Low != math.Trunc(n.Low)) {
			continue
		}
		at := st.findTrigger(rule, n)
		if at >= 0 && st.tokens[at].Text == "times" && !st.hasAny([]string{"trade", "enter"}) {
			continue
		}
		if at < 0 || st.isRefuted(rule, n) || st.tokens[at].Text == "account" && n.High != 1 { // "a 100k account"
			continue
		}
		st.used[i] = true
		first, last := min(at, n.First), max(at, n.Last)
		// The words that bound a value are part of what was said.
		first = max(0, min(first, n.First-st.boundWords(n)))
		for _, phrase := range rule.Also { // "3 trades a day"
			phraseWords := strings.Fields(phrase)
			if at := st.tokens.FindWords(phraseWords, last+1); at >= 0 && at <= last+3 {
				last = at + len(phraseWords) - 1
			}
		}
		st.addClaim(st.makeClaim(rule.Topic, n), first, last)
	}
}

// elsewhere are phrases for firms from which there is no data.
var elsewhere = []string{"somewhere else", "elsewhere", "other firm", "other firms", "another firm", "other broker", "another broker", "different firm", "other company", "another company", "different company"}

// mostRisk is the risk of a trade, in percent, from which on the number must mean
// something else.
const mostRisk = 50

// isRefuted reports whether a value is denied without a bound ("I don't hold for
// two days", "two days are too long"), or cannot be meant.
func (st *statement) isRefuted(rule rules.ValueRule, n words.Number) bool {
	if rule.Topic == claims.RiskPerTrade && (n.Unit == claims.Percent && n.High >= mostRisk || st.inSomeCases(n)) {
		return true
	}
	if st.countsOther(rule.Topic, n) || st.isJudged(n) {
		return true
	}
	if st.tokens[n.Last+1:].HasPhrase("too long", "too short", "too much", "too many", "too little", "a mistake", "is enough", "overtrading", "is gambling") ||
		rule.Topic == claims.HoldingTime && (st.tokens[:n.First].HasPhrase("record") || st.tokens.TextAt(n.First-1) == "every") {
		return true
	}
	if rule.Topic == claims.StrategyLength && len(st.context.FindNumbers()) > 1 && st.tokens.HasPhrase("total", "altogether", "in markets", "on demo") {
		return true // "six years total, two with this strategy"
	}
	if rule.Topic == claims.MaxLossDay && st.tokens[max(0, n.First-2):n.First].HasPhrase("trade of", "trades of", "loss of", "losses of") {
		return true // "two losing trades of one percent"
	}
	if rule.Topic == claims.RiskPerTrade && words.IsListed(st.tokens.TextAt(n.First-1), []string{"up", "down"}) {
		return true // "once I am up three percent"
	}
	if rule.Topic == claims.RiskPerTrade && st.tokens.TextAt(n.First-1) == "at" && words.IsListed(st.tokens.TextAt(n.First-2), words.Connectors) {
		return true // "I cut my risk, and at four percent I stop"
	}
	if rule.Topic == claims.AccountCount && st.tokens.TextAt(n.First-1) == "number" {
		return true // "this is account number three"
	}
	return st.readComparison(n) != claims.AtMost && st.readComparison(n) != claims.AtLeast && st.isNegated(n.First) && rule.Topic != claims.MaxLossDay
}

// inSomeCases reports whether a value applies only on some days, or after wins or
// losses: "half a percent after a losing streak".
func (st *statement) inSomeCases(n words.Number) bool {
	if words.IsListed(st.tokens.TextAt(n.First-1), []string{"those", "these"}) {
		return true // "2% on those 30%"
	}
	behind := st.tokens[n.Last+1:]
	near := behind[:min(5, len(behind))]
	switch next := behind.TextAt(1); behind.TextAt(0) {
	case "on", "for":
		return len(behind) == 1 && behind[0].Text == "on" || words.IsListed(next, someCases) ||
			next == "the" && words.IsListed(behind.TextAt(2), []string{"first", "second", "third", "next", "last", "other"}) ||
			next == "the" && behind[0].Text == "on" && behind.IsNumberAt(2) && len(st.context.FindNumbers()) > 2 || // "1% on the 100k account and half on the 50k"
			near.HasPhrase("setup", "setups", "conviction") && !near.HasPhrase("every", "each", "all", "any", "my") // "1% on A+ setups"
	case "after", "during", "in":
		return next != "" && near.HasPhrase("losing", "loss", "losses", "loser", "winning", "win", "drawdown", "streak", "bad day")
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
	named := st.context.FindInstruments()
	for i, t := range st.context {
		if !words.IsListed(t.Text, []string{"hold", "holding", "keep", "keeping"}) || words.IsListed(st.context.TextAt(i-1), words.Determiners) ||
			words.IsListed(st.context.TextAt(i+1), []string{"time", "times", "is"}) {
			continue
		}
		for j := i + 1; j < len(st.context); j++ {
			text := st.context[j].Text
			if text == "account" || text == "accounts" {
				return true
			}
			if words.IsListed(text, words.Determiners, words.Adverbs, []string{
				"winning", "losing", "open", "long", "short", "good", "bad", "bigger", "smaller", "typical", "normal", "average", "funded", "full",
				"running", "of", "on", "onto",
			}) {
				continue
			}
			known := words.IsListed(text, words.OwnThings, words.Prepositions, words.Neutral, words.Hedges, words.Connectors) ||
				words.IsListed(text, []string{
					"them", "anything", "everything", "nothing", "me", "longer", "anywhere", "until", "no", "more", "less", "overnight", "contracts",
					"shares", "futures", "options", "crypto", "usually", "when", "if", "because", "but", "as", "forex", "shorts", "longs",
					"something", "things", "stuff", "lots", "stocks", "coins",
				})
			if !known && !st.context.IsNumberAt(j) && !words.IsSubject(text) && !slices.ContainsFunc(named, func(x words.Mention) bool { return x.First == j }) {
				return true
			}
			break
		}
	}
	return false
}

// makeClaim returns a claim with the value of n.
func (st *statement) makeClaim(topic claims.Topic, n words.Number) claims.Claim {
	c := claims.Claim{Topic: topic, Op: st.readComparison(n), Value: n.Low, High: n.High, Unit: n.Unit, Currency: n.Currency, Approximate: n.Approximate}
	if c.Unit == claims.NoUnit {
		c.Unit = claims.Count
	}
	if c.Op != claims.Range {
		if n.Ranged && c.Op == claims.AtMost {
			c.Value = n.High
		}
		c.High = 0
	}
	return c
}

// boundWords returns how many tokens before the value bound it: "not more than".
func (st *statement) boundWords(n words.Number) int {
	for k := 5; k > 0; k-- {
		if n.First-k < 0 {
			continue
		}
		switch w := st.tokens[n.First-k].Text; {
		case words.IsNegation(w), w == "more", w == "less", w == "under", w == "at", w == "up", w == "maximum", w == "max":
			return k
		}
	}
	return 0
}

// findTrigger returns where a trigger of the rule is to which the number may
// belong, or -1 if there is none.
func (st *statement) findTrigger(rule rules.ValueRule, n words.Number) int {
	best := -1
	if rule.Topic == claims.HoldingTime {
		best = st.closedAfter(n)
		if at := st.tokens.FindWords([]string{"trade", "is"}, 0); at >= 0 && at < n.First && st.tokens.TextAt(n.Last+1) == "long" {
			best = at
		}
		if at := st.findLasting(); best < 0 && at >= 0 && at < n.First && n.First-at <= reach {
			best = at
		}
	}
	if rule.Topic == claims.TradesPerDay && st.isDailyCount(n) {
		return n.Last
	}
	for _, phrase := range rule.Triggers {
		if !st.tokens.HasPhrase(phrase) {
			continue
		}
		phraseWords := strings.Fields(phrase)
		for at := st.tokens.FindWords(phraseWords, 0); at >= 0; at = st.tokens.FindWords(phraseWords, at+1) {
			distance := n.First - (at + len(phraseWords) - 1)
			if at > n.Last {
				distance = at - n.Last
			}
			near := distance <= reach
			if rule.Follows {
				near = at > n.Last && at-n.Last <= 3+2*toInt(st.tokens.IsNumberAt(n.Last+1)) && st.onlyAdjectives(n.Last+1, at) // "two one hundred k accounts"
			}
			if near && (best < 0 || distance < n.First-best) {
				best = at
				if at > n.Last {
					best = at + len(phraseWords) - 1
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
func (st *statement) isDailyCount(n words.Number) bool {
	done := words.IsListed(doingBefore(st.tokens[:n.First]), []string{"do", "take"})
	daily := words.IsListed(st.tokens.TextAt(n.Last+1), []string{"a", "per", "each", "every"}) && st.tokens.TextAt(n.Last+2) == "day"
	return st.aboutTrades && done && daily && n.High <= mostDone
}

// closedAfter returns where "after" or "within" is before the value in a clause
// that closes positions, or -1 if there is none.
func (st *statement) closedAfter(n words.Number) int {
	if !st.hasAny(rules.Closing) ||
		st.hasAny([]string{"close half", "half of", "half off", "half the", "half my", "some", "part", "partial", "partials", "news", "break"}) {
		return -1
	}
	for at := n.First - 1; at >= 0 && at >= n.First-3; at-- {
		switch text := st.tokens[at].Text; {
		case text == "after", text == "within", text == "in", text == "inside":
			return at
		case !words.IsListed(text, words.Hedges, words.Adverbs, []string{"under", "less", "than", "the", "first"}):
			return -1
		}
	}
	return -1
}

// findLasting returns where a verb is that says how long trades last, with trades
// as its subject: "my trades do not usually last". It is -1 if there is none.
func (st *statement) findLasting() int {
	for i, t := range st.tokens {
		if !words.IsListed(t.Text, []string{"last", "lasts", "take", "takes", "live", "lives", "run", "runs"}) {
			continue
		}
		at := i - 1
		for at >= 0 && (words.IsListed(st.tokens[at].Text, words.Adverbs, []string{"do", "does", "will", "can", "of", "mine"}) ||
			words.IsListed(st.tokens[at].Text, []string{"on", "in", "the"}) || words.Classes[st.tokens[at].Text] != "") { // "my trades on the Dax last"
			at--
		}
		if at >= 0 &&
			words.IsListed(st.tokens[at].Text, []string{"trade", "trades", "position", "positions", "scalps", "winners", "losers", "runners"}) &&
			st.tokens.TextAt(i+1) != "me" {
			return at
		}
	}
	return -1
}

// onlyAdjectives reports whether there are only describing words between: "3 funded
// accounts", but not "2 pounds with your account".
func (st *statement) onlyAdjectives(from, to int) bool {
	for _, t := range st.tokens[from:to] {
		if slices.Contains([]string{"with", "of", "in", "on", "for", "at", "and", "the", "this", "that", "who", "my", "your", ","}, t.Text) {
			return false
		}
	}
	return true
}

func (st *statement) hasAny(phrases []string) bool {
	return st.tokens.HasPhrase(phrases...)
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
	at := st.tokens.FindWords([]string{"my", "only", "account"}, 0)
	if at < 0 || st.isNegated(at) || st.tokens.TextAt(at-1) != "is" && st.tokens.TextAt(at+3) != "is" {
		return
	}
	st.addClaim(claims.Claim{Topic: claims.AccountCount, Op: claims.Equal, Value: 1, Unit: claims.Count}, at, at+2)
}

// readStyles reads words that stand for a holding time.
func (st *statement) readStyles() {
	listed := !slices.ContainsFunc(st.context, func(t words.Token) bool { return words.IsSubject(t.Text) || words.IsListed(t.Text, words.Auxiliaries) }) && slices.ContainsFunc(st.context.FindNumbers(), func(n words.Number) bool { return n.Unit == claims.Seconds }) ||
		st.context.HasPhrase("few minutes", "few hours", "few days") && !st.context.HasPhrase("i", "am") // "scalps: one to three minutes"
	if listed || slices.ContainsFunc(st.claims, func(c claims.Claim) bool { return c.Topic == claims.HoldingTime }) {
		return
	}
	for _, style := range styles {
		for _, phrase := range style.words {
			phraseWords := strings.Fields(phrase)
			if at := st.tokens.FindWords(phraseWords, 0); at >= 0 && !st.isNegated(at) && !slices.Contains(st.wordsBetween(at-3, at), "than") &&
				!st.tokens.HasPhrase("swing high", "swing low", "swing highs", "swing lows", "mood") &&
				!words.IsListed(st.tokens.TextAt(at-1), []string{"my", "for", "on", "the", "last", "previous"}) &&
				!words.IsListed(st.tokens.TextAt(at+len(phraseWords)), []string{"news", "is"}) {
				st.addClaim(claims.Claim{Topic: claims.HoldingTime, Op: style.op, Value: style.value, Unit: claims.Seconds}, at, at+len(phraseWords)-1)
				break
			}
		}
	}
}

// readBareValues takes lone values for the answer to a question, or for something
// mentioned before.
func (st *statement) readBareValues(topic claims.Topic) {
	if topic == claims.AccountCount && st.tokens.StartsWith([]string{"only", "this", "one"}) { // "only this one, I have another four with other firms"
		st.addClaim(claims.Claim{Topic: topic, Op: claims.Equal, Value: 1, Unit: claims.Count}, 0, 2)
		return
	}
	index := slices.IndexFunc(rules.ValueRules, func(r rules.ValueRule) bool { return r.Topic == topic })
	if index < 0 || st.hasAny(rules.ValueRules[index].Unless) || st.hasAction() || topic == claims.HoldingTime && st.holdsOther() {
		return
	}
	rule := rules.ValueRules[index]
	if topic == claims.AccountCount && len(st.numbers) == 0 && (st.tokens.HasPhrase("the one", "only one", "just one", "this one", "a single one", "only this account") || st.tokens[0].Text == "this" && st.tokens.TextAt(1) == "account" && clause.IsFragment(st.tokens)) {
		st.addClaim(claims.Claim{Topic: topic, Op: claims.Equal, Value: 1, Unit: claims.Count}, 0, len(st.tokens)-1)
		return
	}
	for i, n := range st.numbers {
		if n.Unit == claims.NoUnit && words.IsListed(st.tokens.TextAt(n.First-1), []string{"by", "until", "till"}) {
			continue // "usually by eleven"
		}
		behind := st.tokens[n.Last+1:]
		if i+1 < len(st.numbers) && n.Unit == claims.NoUnit && st.numbers[i+1].First == n.Last+2 && words.IsListed(behind.TextAt(0), []string{"max", "maximum"}) {
			continue // "one, max two"
		}
		if topic == claims.AccountCount && n.Unit == claims.NoUnit && slices.ContainsFunc([]string{"with you", "here", "with your firm"}, func(p string) bool { return behind.BeginsWithPhrase(p) || behind.BeginsWithPhrase("of them "+p) }) {
			st.addClaim(st.makeClaim(topic, n), max(0, n.First-st.boundWords(n)), n.Last) // "one with you and three with others"
			return
		}
		if topic == claims.AccountCount && (behind.TextAt(0) == "with" || st.context.HasPhrase(elsewhere...)) {
			continue
		}
		if topic == claims.AccountCount && words.IsListed(st.tokens.TextAt(n.Last+1), []string{"for", "of", "in", "on"}) && !words.IsListed(behind.TextAt(1), []string{"total", "all"}) &&
			(st.tokens[0].Text != "there" || st.tokens.TextAt(n.Last+2) != "them") {
			continue // "one for gold and one for oil"
		}
		if topic == claims.AccountCount && !isTotal(st.context) ||
			topic == claims.TradesPerDay && (isOfPart(st.tokens[n.Last+1:]) || namesHours(st.context) || st.hasSeveralEntries()) {
			continue // parts of what was asked: "one funded, one challenge"
		}
		stated := topic == claims.AccountCount && n.First <= 3 && st.tokens[:n.First].HasPhrase("it is", "i have")                                                              // "it is four, all on my name"
		near := reach*toInt(stated) + toInt(words.IsListed(st.tokens[0].Text, words.Connectors)) + reach*(1+toInt(topic == claims.StrategyLength && !st.tokens.HasPhrase("i"))) // of years, little else is said
		if !st.used[i] && slices.Contains(rule.Units, n.Unit) && len(st.tokens) <= n.Last-n.First+1+near && !st.isRefuted(rule, n) &&
			(rule.Most == 0 || n.High <= rule.Most && n.Low == math.Trunc(n.Low)) {
			st.addClaim(st.makeClaim(topic, n), max(0, n.First-st.boundWords(n)), n.Last)
			return
		}
	}
}

// namesHours reports whether numbers are hours: "one at nine, one at ten".
func namesHours(tokens words.Tokens) bool {
	for i, t := range tokens {
		if t.Text == "at" && tokens.IsNumberAt(i+1) {
			return true
		}
	}
	return false
}

// isOfPart reports whether the words behind a number say that it is that of a part of the
// day, of some days ("in the morning", "on Fridays", "every two days"), or of one account, or counts
// something else than trades.
func isOfPart(behind words.Tokens) bool {
	next := behind.TextAt(1)
	switch behind.TextAt(0) {
	case "in":
		return words.IsListed(next, []string{"the", "each", "every", "an", "london", "new", "asia", "tokyo", "sydney", "frankfurt"})
	case "on":
		return strings.HasSuffix(next, "day") || strings.HasSuffix(next, "days")
	case "per":
		return words.IsListed(next, []string{"account", "pair", "symbol", "instrument", "market", "strategy"})
	case "every":
		return words.IsListed(next, []string{"other", "second", "third", "few"}) || behind.IsNumberAt(1)
	case "orders", "order", "sessions", "session", "accounts", "pairs", "winners", "winner", "wins", "win", "losers", "loser", "losses",
		"loss", "losing", "winning":
		return true
	}
	return false
}

// hasSeveralEntries reports whether what is counted is entered more than once, so that the number of
// trades is another: "two setups with three entries each".
func (st *statement) hasSeveralEntries() bool {
	return slices.ContainsFunc(st.context.FindNumbers(), func(n words.Number) bool {
		entries := words.IsListed(st.context.TextAt(n.Last+1), []string{"entries", "positions", "orders"})
		return entries && n.Low > 1 &&
			(st.context.TextAt(n.First-1) == "with" || st.context.TextAt(n.Last+2) == "each" && st.context.TextAt(n.Last+3) != "day")
	})
}

// isTotal reports whether the first number is the only one, or the sum of the others:
// "two, one for gold and one for oil".
func isTotal(tokens words.Tokens) bool {
	numbers := slices.DeleteFunc(tokens.FindNumbers(), func(n words.Number) bool { // accounts that are over
		return n.Low >= 1000 || words.IsListed(tokens.TextAt(n.Last+1), []string{"breached", "failed", "lost", "blown", "closed", "inactive"})
	})
	if len(numbers) < 2 {
		return true
	}
	rest := numbers[0].Low
	for _, n := range numbers[1:] {
		rest -= n.Low
	}
	return len(numbers) > 2 && rest == 0
}

// hasAction reports whether the clause describes something that the trader does, so
// that a value in it is not a bare answer.
func (st *statement) hasAction() bool {
	for i, t := range st.tokens {
		bounds := t.Text == "go" && words.IsListed(st.tokens.TextAt(i-1), []string{"never", "not", "i"}) &&
			words.IsListed(st.tokens.TextAt(i+1), []string{"above", "over", "beyond", "under", "below"})
		if t.Text == "got" && st.tokens.TextAt(i-1) == "have" || t.Text == "live" && !words.IsListed(st.tokens.TextAt(i+1), []string{"in", "with", "at", "from", "off"}) {
			continue
		}
		if words.IsListed(t.Text, []string{"set", "put", "cap"}) && words.IsListed(st.tokens.TextAt(i+1), []string{"it", "that", "mine"}) && words.IsListed(st.tokens.TextAt(i+2), []string{"to", "at"}) {
			continue // "I have set it to two thousand dollars"
		}
		if !bounds && words.IsListed(t.Text, words.TradeVerbs, words.PastVerbs) &&
			!words.IsListed(t.Text, []string{
				"have", "hold", "risk", "take", "trade", "say", "think", "guess", "use", "keep", "am", "do", "average", "stop", "like", "mean",
				"believe", "limit",
			}) {
			return true
		}
	}
	return false
}
