package claims

import (
	"math"
	"slices"
	"strings"
)

// valueRule finds claims that are values.
type valueRule struct {
	topic Topic
	// triggers are phrases of which one stands within reach of the value.
	triggers []string
	// also are phrases of which one has to stand in the sentence besides; empty: none.
	also []string
	// unless are phrases that make the sentence one about something else.
	unless []string
	units  []Unit
	// follows says that the trigger stands right behind the value: "3 accounts".
	follows bool
	// most is the greatest value of a count; it must be whole.
	most float64
}

var valueRules = []valueRule{
	{
		topic: TradesPerDay, triggers: []string{"trade", "trades", "positions", "times", "entries", "setups"}, follows: true, units: []Unit{NoUnit}, most: 10_000,
		also:   []string{"a day", "per day", "each day", "every day", "daily", "in a day", "one day"},
		unless: []string{"out of", "of my trades"},
	},
	{
		topic: AccountCount, triggers: []string{"accounts", "account"}, follows: true, units: []Unit{NoUnit}, most: 1000,
		unless: []string{"accounts a", "account size", "per account", "blew", "blown", "failed", "burned", "lost", "passed"},
	},
	{
		topic: MaxLossDay, units: []Unit{Percent, Money},
		triggers: []string{"stop for the day", "stop after", "stop trading", "daily loss", "daily max", "max daily", "daily limit", "daily drawdown", "lose in a day", "a day", "per day", "for the day", "daily", "done for the day"},
		also:     []string{"lose", "loss", "losing", "lost", "down", "stop", "drawdown", "limit", "risk"},
		unless:   []string{"profit", "gain", "make", "target", "of the drawdown", "of my drawdown", "of the daily drawdown", "of my daily drawdown"},
	},
	{
		topic: RiskPerTrade, units: []Unit{Percent, Money},
		triggers: []string{"risk", "risking", "risks", "lose", "losing", "per trade", "a trade", "each trade", "every trade", "per position"},
		unless: []string{
			"reward", "a day", "per day", "daily", "for the day", "in total", "overall", "total drawdown", "per week", "a week", "per month", "a month", "profit target", "of my trades", "of trades", "of the trades",
			"of the time", "win rate", "winning", "make", "profit", "margin", "target", "aim", "drawdown", "buffer",
		},
	},
	{
		topic: HoldingTime, units: []Unit{Seconds},
		triggers: []string{
			"hold", "holding", "held", "hold time", "keep it", "keep them", "keep a trade", "keep a position", "keep my", "keep the", "keep trades", "keep positions", "keep open", "open for", "stay in", "in a trade", "in the trade",
			"in a position", "in the market", "trade lasts", "trades last", "position lasts", "positions last", "they last", "it lasts", "usually last", "usually lasts", "scalp", "average trade", "my trades are", "minute trades",
			"close after", "close it after", "close them after", "closed after", "closed within", "out after",
		},
		unless: []string{"trading for", "experience", "been trading", "stop loss", "journal", "minutes ago", "wait", "waiting", "cooldown", "news", "learning", "payout", "keep my account", "keep the account"},
	},
	{
		topic: StrategyLength, units: []Unit{Seconds},
		triggers: []string{"trading for", "been trading", "experience", "since", "same strategy", "this strategy", "using it", "strategy for", "traded for", "doing this"},
	},
}

// values applies a rule to the numbers that no other claim has taken.
func (st *statement) values(rule valueRule) {
	if st.hasAny(rule.unless) || len(rule.also) > 0 && !st.hasAny(rule.also) {
		return
	}
	for i, n := range st.numbers {
		if st.used[i] || !slices.Contains(rule.units, n.unit) || n.low < 0 || rule.most > 0 && (n.high > rule.most || n.low != math.Trunc(n.low)) {
			continue
		}
		at := st.trigger(rule, n)
		if at < 0 || st.tokens[at].text == "account" && n.high != 1 { // "a 100k account"
			continue
		}
		st.used[i] = true
		first, last := min(at, n.first), max(at, n.last)
		// The words that bound a value are part of what was said.
		first = max(0, min(first, n.first-st.boundWords(n)))
		for _, phrase := range rule.also { // "3 trades a day"
			words := strings.Fields(phrase)
			if at := find(st.tokens, words, last+1); at >= 0 && at <= last+3 {
				last = at + len(words) - 1
			}
		}
		st.claim(st.valued(rule.topic, n), first, last)
	}
}

// valued is a claim with the value of n.
func (st *statement) valued(topic Topic, n number) Claim {
	c := Claim{Topic: topic, Op: st.comparison(n), Value: n.low, High: n.high, Unit: n.unit, Currency: n.currency, Approximate: n.approximate}
	if c.Unit == NoUnit {
		c.Unit = Count
	}
	if c.Op != Range {
		if n.ranged && c.Op == AtMost {
			c.Value = n.high
		}
		c.High = 0
	}
	return c
}

// boundWords is how many tokens before the value bound it: "not more than".
func (st *statement) boundWords(n number) int {
	for k := 5; k > 0; k-- {
		if n.first-k < 0 {
			continue
		}
		switch w := st.tokens[n.first-k].text; {
		case negates(w), w == "more", w == "less", w == "under", w == "at", w == "up", w == "maximum", w == "max":
			return k
		}
	}
	return 0
}

// trigger returns where a trigger of the rule stands that the number may belong
// to; -1: nowhere.
func (st *statement) trigger(rule valueRule, n number) int {
	best := -1
	for _, phrase := range rule.triggers {
		words := strings.Fields(phrase)
		for at := find(st.tokens, words, 0); at >= 0; at = find(st.tokens, words, at+1) {
			distance := n.first - (at + len(words) - 1)
			if at > n.last {
				distance = at - n.last
			}
			near := distance <= reach
			if rule.follows {
				near = at > n.last && at-n.last <= 3 && st.onlyAdjectives(n.last+1, at)
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

// onlyAdjectives reports whether nothing but describing words stand between: "3
// funded accounts", but not "2 pounds with your account".
func (st *statement) onlyAdjectives(from, to int) bool {
	for _, t := range st.tokens[from:to] {
		if slices.Contains([]string{"with", "of", "in", "on", "for", "at", "and", "the", "my", "your", ","}, t.text) {
			return false
		}
	}
	return true
}

func (st *statement) hasAny(phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return find(st.tokens, strings.Fields(p), 0) >= 0 })
}

// boolRule finds claims that something is so or is not.
type boolRule struct {
	topic    Topic
	about    string
	triggers []string
	// inverted are phrases that say the opposite by themselves: "manually".
	inverted []string
	// verbs are words of which one has to stand near the trigger, at most before
	// tokens before it or behind tokens behind it; empty: none.
	verbs          []string
	before, behind int
	// off are phrases that deny wherever they stand in the clause.
	off []string
	// unless are phrases that make the clause one about something else.
	unless []string
}

var boolRules = []boolRule{
	{
		topic: StopLossUse, triggers: []string{"stop loss", "stop losses", "stop-loss", "stop - loss", "stops", "a stop", "hard stop", "sl"}, before: 6, behind: 4, unless: []string{"no trade", "no entry", "without a trade", "mental"},
		verbs: []string{"use", "uses", "using", "have", "set", "put", "place", "trade", "without", "with", "every"},
	},
	{topic: EAUse, about: "program", triggers: []string{"ea", "eas", "expert advisor", "expert advisors", "bot", "bots", "robot", "robots", "algo", "algos", "automated", "trading algorithm", "automation"}, inverted: []string{"manually", "by hand", "manual trader", "everything manual", "all manual", "manual trading"}},
	{topic: EAUse, about: "copier", triggers: []string{"copier", "trade copier", "copy trading", "copy trades", "copy trader", "copy other"}},
	{topic: EAUse, about: "signals", triggers: []string{"signal service", "signal services", "signal group", "signal groups", "signal provider", "telegram signals", "signals from", "follow signals", "buy signals from", "paid signals"}, unless: []string{"indicator", "indicators", "my own"}},
	{topic: Averaging, about: "martingale", triggers: []string{"martingale", "double up", "double down", "doubling up", "doubling down", "double my lot", "double my lots", "double my size", "double the lot", "double the size"}},
	{
		topic: Averaging, about: "averaging",
		triggers: []string{"average down", "averaging down", "average my losers", "average my losing", "average losers", "averaging", "add to losers", "add to losing", "add to a losing", "add to my losing", "adding to losers", "adding to losing", "grid"},
	},
	{topic: Averaging, about: "hedging", triggers: []string{"hedge", "hedging", "hedged positions"}, unless: []string{"hedge fund", "hedge funds"}},
	{
		topic: News, triggers: []string{"news trading", "news trader", "news", "nfp", "cpi", "fomc", "non-farm", "nonfarm", "non farm"}, before: 5, behind: 4,
		verbs: []string{"trade", "trading", "trades", "trader", "avoid", "avoiding", "stay", "open", "enter", "close", "flat"},
		off:   []string{"stay out", "stay away", "stay flat", "staying out", "close before", "close my", "close everything", "close all", "flat before"},
	},
	{
		topic: AccountSharing, triggers: []string{"share my account", "shares my account", "sharing my account", "share the account", "share accounts", "access to my account", "access to the account", "uses my account", "use my account", "trade my account", "trades my account", "log in to my account", "logs in to my account", "my password"},
		inverted: []string{"only me", "only i", "just me", "nobody else", "no one else", "only person", "nobody but me", "no one but me"},
		off:      []string{"with nobody", "with no one"},
	},
	{
		topic: OtherPeople, triggers: []string{"my brother", "my sister", "my friend", "my friends", "my wife", "my husband", "my partner", "my father", "my cousin", "a friend", "some friends", "someone else", "somebody else", "a group", "together with"},
		inverted: []string{"trade alone", "by myself", "trading alone"}, before: 3, behind: 5,
		verbs: []string{"trades", "trading", "account", "accounts", "together", "copies", "copy"},
	},
}

// yesOrNo applies a rule: the first of its phrases counts.
func (st *statement) yesOrNo(rule boolRule) {
	if st.hasAny(rule.unless) {
		return
	}
	for pass, phrases := range [][]string{rule.inverted, rule.triggers} {
		inverted := pass == 0
		for _, phrase := range phrases {
			words := strings.Fields(phrase)
			at := find(st.tokens, words, 0)
			if at < 0 || !inverted && !st.near(rule, at, at+len(words)) {
				continue
			}
			so := !st.denied(at, negationReach)
			if inverted { // "not only me", "don't trade manually"
				so = st.denied(at, invertedReach)
			}
			if st.hasAny(rule.off) {
				so = false
			}
			first := at
			for j := max(0, at-negationReach); j < at; j++ {
				if negates(st.tokens[j].text) {
					first = j
					break
				}
			}
			st.claim(Claim{Topic: rule.topic, About: rule.about, Op: Is, Bool: so}, first, at+len(words)-1)
			return
		}
	}
}

// near reports whether one of the rule's verbs stands near its trigger.
func (st *statement) near(rule boolRule, from, to int) bool {
	if len(rule.verbs) == 0 || st.hasAny(rule.off) {
		return true
	}
	around := append(st.words(from-rule.before, from), st.words(from, to+rule.behind)...)
	return slices.ContainsFunc(around, func(w string) bool { return slices.Contains(rule.verbs, w) })
}

// style is words that stand for a holding time.
type style struct {
	words []string
	op    Op
	value float64
}

var styles = []style{
	{[]string{"scalp", "scalper", "scalping", "scalps"}, AtMost, 300},
	{[]string{"day trade", "day trader", "day trading", "intraday"}, AtMost, 86400},
	{[]string{"swing", "swing trade", "swing trader", "swing trading"}, AtLeast, 86400},
}

// styles reads words that stand for a holding time.
func (st *statement) styles() {
	if slices.ContainsFunc(st.claims, func(c Claim) bool { return c.Topic == HoldingTime }) {
		return
	}
	for _, style := range styles {
		for _, phrase := range style.words {
			words := strings.Fields(phrase)
			if at := find(st.tokens, words, 0); at >= 0 && !st.negated(at) && !slices.Contains(st.words(at-3, at), "than") {
				st.claim(Claim{Topic: HoldingTime, Op: style.op, Value: style.value, Unit: Seconds}, at, at+len(words)-1)
				break
			}
		}
	}
}

// bare takes a lone value for the answer to the question.
func (st *statement) bare(asked Topic) {
	if len(st.numbers) == 0 || asked == "" {
		st.bareYesOrNo(asked)
		return
	}
	index := slices.IndexFunc(valueRules, func(r valueRule) bool { return r.topic == asked })
	if index < 0 {
		return
	}
	for i, n := range st.numbers {
		if !st.used[i] && slices.Contains(valueRules[index].units, n.unit) && len(st.tokens) <= n.last-n.first+1+reach {
			st.claim(st.valued(asked, n), max(0, n.first-st.boundWords(n)), n.last)
			return
		}
	}
}

// bareYesOrNo takes "yes" or "no" at the beginning of a sentence for the answer
// to a question that asks for it.
func (st *statement) bareYesOrNo(asked Topic) {
	if len(st.tokens) == 0 || !slices.ContainsFunc(boolRules, func(r boolRule) bool { return r.topic == asked }) {
		return
	}
	switch st.tokens[0].text {
	case "yes", "yeah", "yep", "sure", "always":
		st.claim(Claim{Topic: asked, Op: Is, Bool: true}, 0, 0)
	case "no", "nope", "never":
		st.claim(Claim{Topic: asked, Op: Is, Bool: false}, 0, 0)
	}
}
