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
		unless: []string{
			"accounts a", "account size", "per account", "blew", "blown", "failed", "burned", "lost", "passed", "bank", "savings", "checking", "email", "mail", "game", "games", "gaming", "netflix", "instagram", "twitter", "facebook", "social", "youtube", "google", "demo", "other firms", "another firm", "elsewhere",
		},
	},
	{
		topic: MaxLossDay, units: []Unit{Percent, Money},
		triggers: []string{"stop for the day", "stop after", "stop trading", "stop at", "daily loss", "daily max", "max daily", "daily limit", "daily drawdown", "lose in a day", "a day", "per day", "for the day", "daily", "done for the day"},
		also:     []string{"lose", "loss", "losing", "lost", "down", "stop", "drawdown", "limit", "risk"},
		unless:   []string{"profit", "gain", "make", "target", "of the drawdown", "of my drawdown", "of the daily drawdown", "of my daily drawdown"},
	},
	{
		topic: RiskPerTrade, units: []Unit{Percent, Money},
		triggers: []string{"risk", "risking", "risks", "lose at most", "lose more", "lose no more", "lose on a trade", "per trade", "a trade", "each trade", "every trade", "any trade", "single trade", "one trade", "per position", "a position", "each position", "every position", "percent each", "each time", "on the line", "at stake"},
		unless: []string{
			"of my hair", "body", "weight",
			"reward", "a day", "per day", "daily", "for the day", "in total", "overall", "total drawdown", "per week", "a week", "per month", "a month", "profit target", "of my trades", "of trades", "of the trades",
			"of the time", "win rate", "winning", "make", "profit", "margin", "target", "aim", "drawdown", "buffer",
		},
	},
	{
		topic: HoldingTime, units: []Unit{Seconds},
		triggers: []string{
			"in and out", "out within", "out in", "trades run", "trade runs", "positions run", "let them run", "let it run", "they run", "it runs", "lasting", "am in for", "duration", "leave them", "leave it", "leave positions", "leave trades", "close within", "close in", "close them within", "gone within", "done within", "lasts", "trades stay", "positions stay", "ride",
			"hold", "holding", "held", "hold time", "keep it", "keep them", "keep a trade", "keep a position", "keep my", "keep the", "keep trades", "keep positions", "keep open", "open for", "stay in", "in a trade", "in the trade",
			"in a position", "in the market", "trade lasts", "trades last", "position lasts", "positions last", "they last", "it lasts", "usually last", "usually lasts", "scalp", "average trade", "my trades are", "minute trades",
			"close after", "close it after", "close them after", "closed after", "closed within", "out after",
		},
		unless: []string{"trading for", "experience", "been trading", "stop loss", "journal", "degree", "minutes ago", "wait", "waiting", "cooldown", "news", "learning", "payout", "keep my account", "keep the account"},
	},
	{
		topic: StrategyLength, units: []Unit{Seconds},
		triggers: []string{"trading for", "been trading", "experience", "since", "been at it", "been doing", "been scalping", "been using", "been day", "been swing", "been in this", "been in the", "same strategy", "this strategy", "using it", "strategy for", "traded for", "doing this"},
	},
}

// values applies a rule to the numbers that no other claim has taken.
func (st *statement) values(rule valueRule) {
	if st.hasAny(rule.unless) || rule.topic == AccountCount && has(st.context, elsewhere...) || len(rule.also) > 0 && !st.hasAny(rule.also) && !has(st.context, rule.also...) || rule.topic == HoldingTime && st.holdsOther() {
		return
	}
	for i, n := range st.numbers {
		if n.unit == NoUnit && rule.topic == RiskPerTrade && st.unit == Percent && in(textAt(st.tokens, n.first-1), []string{"risk", "about", "only"}) && n.last == len(st.tokens)-1 {
			n.unit = Percent // "she risks three percent, I risk one"
		}
		if st.used[i] || !slices.Contains(rule.units, n.unit) || n.low < 0 || rule.most > 0 && (n.high > rule.most || n.low != math.Trunc(n.low)) {
			continue
		}
		at := st.trigger(rule, n)
		if at >= 0 && st.tokens[at].text == "times" && !st.hasAny([]string{"trade", "enter"}) {
			continue
		}
		if at < 0 || st.refuted(rule, n) || st.tokens[at].text == "account" && n.high != 1 { // "a 100k account"
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

// elsewhere are phrases for firms that the data is not of.
var elsewhere = []string{"somewhere else", "elsewhere", "other firm", "other firms", "another firm", "other broker", "another broker"}

// mostRisk is the risk of a trade, in percent, from which on nobody means it.
const mostRisk = 50

// refuted reports whether a value is denied without a bound ("I don't hold for two
// days"), or cannot be meant.
func (st *statement) refuted(rule valueRule, n number) bool {
	if rule.topic == RiskPerTrade && (n.unit == Percent && n.high >= mostRisk || st.inSomeCases(n)) {
		return true
	}
	return st.comparison(n) != AtMost && st.comparison(n) != AtLeast && st.negated(n.first) && rule.topic != MaxLossDay
}

// inSomeCases reports whether a value holds after wins or losses alone: "half a
// percent after a losing streak".
func (st *statement) inSomeCases(n number) bool {
	behind := st.tokens[n.last+1:]
	return len(behind) > 1 && in(behind[0].text, []string{"after", "during", "in"}) && has(behind[:min(5, len(behind))], "losing", "loss", "losses", "loser", "winning", "win", "drawdown", "streak", "bad day")
}

// holdsOther reports whether the clause holds or keeps what is no position: "hold
// my dog".
func (st *statement) holdsOther() bool {
	named := instrumentSpans(st.context)
	for i, t := range st.context {
		if !in(t.text, []string{"hold", "holding", "keep", "keeping"}) || in(textAt(st.context, i-1), determiners) || textAt(st.context, i+1) == "time" {
			continue
		}
		for j := i + 1; j < len(st.context); j++ {
			text := st.context[j].text
			if in(text, determiners, adverbs, []string{"winning", "losing", "open", "long", "short", "good", "bad", "bigger", "smaller", "typical", "normal", "average", "funded", "full", "running", "of", "on", "onto"}) {
				continue
			}
			known := in(text, ownThings, prepositions, neutral, hedges, connectors) || in(text, []string{"them", "me", "longer", "anywhere", "until", "no", "more", "less", "overnight", "contracts", "shares", "futures", "options", "crypto", "usually", "when", "if", "because", "but", "as", "forex", "shorts", "longs", "something", "things", "stuff", "lots", "stocks", "coins"})
			if !known && !isNumberAt(st.context, j) && !isSubject(text) && !slices.ContainsFunc(named, func(x mention) bool { return x.first == j }) {
				return true
			}
			break
		}
	}
	return false
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
	if rule.topic == HoldingTime {
		best = st.closedAfter(n)
	}
	for _, phrase := range rule.triggers {
		if !has(st.tokens, phrase) {
			continue
		}
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

// closedAfter returns where "after" or "within" stands before the value in a clause
// that closes positions; -1: nowhere.
func (st *statement) closedAfter(n number) int {
	if !st.hasAny(closing) || st.hasAny([]string{"half", "some", "part", "partial", "partials", "news", "break"}) {
		return -1
	}
	for at := n.first - 1; at >= 0 && at >= n.first-3; at-- {
		switch text := st.tokens[at].text; {
		case text == "after", text == "within":
			return at
		case !in(text, hedges, adverbs):
			return -1
		}
	}
	return -1
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
	return has(st.tokens, phrases...)
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
	// ends are phrases that deny with a word for closing in the clause: "flat before
	// the weekend".
	ends []string
	// unless are phrases that make the clause one about something else.
	unless []string
	// others says that it takes somebody else, or nobody, as the subject.
	others bool
}

// closing are words for having no position any more.
var closing = []string{"close", "closed", "closing", "flat", "flatten", "exit", "out", "closes"}

var boolRules = []boolRule{
	{
		topic: StopLossUse, triggers: []string{"stop loss", "stop losses", "stops", "a stop", "hard stop", "tight stop", "my stop", "the stop", "sl"}, before: 6, behind: 5, unless: []string{"no trade", "no entry", "without a trade", "mental", "bus", "move", "moving", "widen", "remove", "tighten", "stop loss is", "stop losses are", "my stop is"},
		verbs: []string{"use", "uses", "using", "used", "have", "has", "set", "put", "place", "trade", "without", "with", "every", "no", "always", "never"},
	},
	{
		topic: EAUse, about: "program", unless: []string{"close by hand", "exit by hand", "coffee", "floor", "vacuum", "clean", "cleans", "discord", "chat", "lawn", "kitchen", "garden"},
		triggers: []string{"ea", "eas", "expert advisor", "expert advisors", "bot", "bots", "robot", "robots", "algo", "algos", "automated", "trading algorithm", "my own algorithm", "an algorithm", "algorithms", "automation", "by a program", "programs"},
		inverted: []string{"manually", "by hand", "manual trader", "everything manual", "everything is manual", "all manual", "manual trading", "is manual", "are manual", "trade manual", "fully manual", "fully discretionary", "purely manual"},
	},
	{
		topic: EAUse, about: "copier", unless: []string{"paste", "of the contract"}, off: []string{"copy nobody", "copying nobody", "from nobody"},
		triggers: []string{
			"copier", "copiers", "copy trading", "copy trades", "copy trader", "copy traders", "copy other", "copy others", "copy anybody", "copy somebody", "copy nobody", "copy people", "copy from", "copy the trades", "copy a trade", "copy my", "copy all", "copy any", "copy them", "copying", "copied", "copies my", "copies me", "copy everything",
		},
	},
	{
		topic: EAUse, about: "signals", unless: []string{"indicator", "indicators", "my own", "entry signals", "wait for", "signal from my"}, before: 8, behind: 2,
		triggers: []string{"signal service", "signal services", "signal group", "signal groups", "signal provider", "signal providers", "telegram signals", "signals", "paid signals"},
		verbs:    []string{"follow", "use", "using", "buy", "take", "any", "service", "services", "paid", "telegram", "copy", "group", "groups", "provider", "providers", "from", "subscribe", "no", "need"},
	},
	{
		topic: Averaging, about: "martingale", unless: []string{"believe in"},
		triggers: []string{"martingale", "double up", "double down", "doubling up", "doubling down", "double my lot", "double my lots", "double my size", "double your size", "double the lot", "double the size", "double your lot", "double after", "double my position", "double my positions"},
	},
	{
		topic: Averaging, about: "averaging",
		triggers: []string{
			"average down", "averaging down", "average my losers", "average my losing", "average losers", "averaging", "not average", "never average", "or average", "nor average", "average into", "averages down", "averaged",
			"add to losers", "add to losing", "add to a losing", "add to my losing", "add to my losers", "add to a loser", "adding to losers", "adding to losing", "to losers", "to losing trades", "to losing positions", "to a loser", "to a losing", "to my losers", "grid", "grids",
		},
	},
	{
		topic: Averaging, about: "scaling",
		triggers: []string{
			"scale in", "scale into", "scaling in", "scaling into", "scale my way in", "add to my winners", "add to winners", "add to winning", "add to a winner", "add to a winning", "add to my winning", "adding to winners", "add to positions", "add to a position", "add to my positions", "add to my position", "add to trades", "add to a trade", "add to my trades", "add more", "to winners", "to winning trades", "to my winners",
			"pyramid", "pyramiding", "build a position", "build positions", "build up positions", "build up a position", "build my position", "build my positions",
		},
	},
	{topic: Averaging, about: "hedging", triggers: []string{"hedge", "hedging", "hedged positions", "hedges", "hedged"}, unless: []string{"hedge fund", "hedge funds", "garden", "bushes", "trim", "gardener"}},
	{
		topic: News, triggers: []string{"news trading", "news trader", "news", "nfp", "cpi", "fomc", "non farm", "nonfarm"}, before: 6, behind: 4,
		verbs:  []string{"trade", "trading", "trades", "trader", "avoid", "avoiding", "stay", "open", "enter", "close", "flat", "touch", "no", "never", "closed", "sit", "hold"},
		ends:   []string{"before news", "before the news", "before any news", "before nfp", "before cpi", "before high impact", "before fomc", "before big news", "before major news", "before important news", "before every news", "before red"},
		off:    []string{"stay out", "stay away", "stay flat", "staying out", "close before", "close my", "close everything", "close all", "flat before", "sit out", "sit on my hands", "step aside", "keep out", "stay off", "close the"},
		unless: []string{"read the news", "watch the news", "news channel", "check the news"},
	},
	{
		topic: HoldingTime, about: "overnight", before: 8, behind: 5, unless: []string{"news overnight", "shift", "job", "asleep"},
		triggers: []string{"overnight", "over night", "through the night", "into the next day", "to the next day", "until the next day", "to bed with"},
		ends:     []string{"end of the day", "end of day", "the same day", "by the close", "before the close", "before i go to bed", "before bed", "day end", "day is over", "overnight"},
		verbs:    []string{"hold", "holding", "keep", "keeping", "leave", "leaving", "open", "stay", "stays", "carry", "carrying", "position", "positions", "trades", "never", "not", "no", "nothing", "none", "run", "held", "holds"},
	},
	{
		topic: HoldingTime, about: "weekend", before: 8, behind: 5, unless: []string{"at weekends i", "on weekends i rest", "job", "shift"},
		triggers: []string{"over the weekend", "over weekend", "over weekends", "over the weekends", "through the weekend", "through weekends", "into the weekend", "across the weekend", "until monday", "weekend holding", "weekend holds"},
		ends:     []string{"before the weekend", "before weekend", "before weekends", "by friday", "on friday", "on fridays", "friday evening", "friday night", "friday afternoon", "over the weekend", "every friday", "into the weekend", "weekends i am", "on weekends", "at weekends"},
		verbs:    []string{"hold", "holding", "keep", "keeping", "leave", "leaving", "open", "stay", "stays", "carry", "carrying", "position", "positions", "trades", "never", "not", "no", "nothing", "none", "run", "held", "holds"},
	},
	{
		topic: AccountSharing, unless: foreignAccounts,
		triggers: []string{
			"share my account", "shares my account", "sharing my account", "share the account", "share accounts", "share my login", "share my password", "share my credentials", "share my access", "access to my account", "access to this account", "access to the account", "access to my accounts", "have access", "has access", "uses my account", "use my account", "use your account", "uses your account",
			"access to your account", "trade my account", "trades my account", "trades on my account", "trade your account", "my password", "my login", "my credentials", "the password", "your password", "trades for me", "manages my account", "using my account",
		},
		inverted: []string{"only me", "only i log", "just me", "nobody else", "only person", "nobody but me", "only one", "only i have", "just myself", "only myself", "only i know", "only i use", "only i trade"},
		off:      []string{"with nobody", "to nobody"},
	},
	{
		topic: AccountSharing, others: true, unless: foreignAccounts,
		triggers: []string{"log in", "logs in", "log into", "logs into", "logging in", "logged in", "logs on", "log on"},
	},
	{
		topic: OtherPeople, triggers: []string{"my brother", "my sister", "my friend", "my friends", "my wife", "my husband", "my partner", "my father", "my cousin", "a friend", "some friends", "someone else", "somebody else", "a group of", "together with my", "together with a", "my mother", "my son", "my daughter", "my girlfriend", "my boyfriend", "my family", "your family", "my uncle", "anybody in"},
		inverted: []string{"trade alone", "by myself", "trading alone"}, before: 3, behind: 7, unless: foreignAccounts,
		verbs: []string{"also", "too", "together", "copies", "same", "here"},
	},
}

// foreignAccounts are accounts of other kinds.
var foreignAccounts = []string{"netflix", "spotify", "amazon", "youtube", "email", "bank", "instagram", "game", "games", "steam", "streaming", "wifi", "phone", "laptop", "facebook", "hedge fund"}

// yesOrNo applies a rule: the first of its phrases counts.
func (st *statement) yesOrNo(rule boolRule) {
	if st.hasAny(rule.unless) {
		return
	}
	if st.asked == News && rule.topic == News && st.hasAny(rule.off) && !st.hasAny(rule.triggers) {
		st.claim(Claim{Topic: News, Op: Is}, 0, len(st.tokens)-1)
		return
	}
	for pass, phrases := range [][]string{rule.ends, rule.inverted, rule.triggers} {
		for _, phrase := range phrases {
			if !has(st.tokens, phrase) {
				continue
			}
			words := strings.Fields(phrase)
			at := find(st.tokens, words, 0)
			if in(words[0], []string{"not", "never", "or", "nor"}) { // what makes a verb of "average"
				at, words = at+1, words[1:]
			}
			if at < 0 || pass == 0 && !st.hasAny(closing) || pass == 2 && !st.near(rule, at, at+len(words)) || rule.others && !st.byOthers(at) || rule.topic == AccountSharing && pass == 1 && !st.ofAccess() {
				continue
			}
			so := !st.denied(at, negationReach)
			if pass < 2 { // "not only me", "don't trade manually", "never close before the weekend"
				so = st.denied(at, invertedReach+2*one(pass == 0))
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

// ofAccess reports whether "only me" and "nobody else" are said of the account.
func (st *statement) ofAccess() bool {
	return st.asked == AccountSharing || st.asked == OtherPeople || st.hasAny([]string{"account", "accounts", "access", "log", "logs", "password", "login", "credentials", "uses it", "touches", "person", "trades for me"})
}

// byOthers reports whether somebody else, or nobody, does what stands at token i.
func (st *statement) byOthers(i int) bool {
	return st.foreign || has(st.tokens[:i], "nobody") || has(st.tokens, "nobody else", "anybody else", "somebody else")
}

// near reports whether one of the rule's verbs stands near its trigger.
func (st *statement) near(rule boolRule, from, to int) bool {
	if len(rule.verbs) == 0 || st.hasAny(rule.off) || st.fragment {
		return true
	}
	if st.foreign && rule.topic == OtherPeople && has(st.tokens, "with you") {
		return true
	}
	around := append(st.words(from-rule.before, from), st.words(to, to+rule.behind)...)
	return slices.ContainsFunc(around, func(w string) bool { return slices.Contains(rule.verbs, w) }) ||
		slices.ContainsFunc(st.words(from, to), func(w string) bool { return slices.Contains(rule.verbs, w) })
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
			if at := find(st.tokens, words, 0); at >= 0 && !st.negated(at) && !slices.Contains(st.words(at-3, at), "than") && !has(st.tokens, "swing high", "swing low", "swing highs", "swing lows", "mood") && textAt(st.tokens, at-1) != "my" {
				st.claim(Claim{Topic: HoldingTime, Op: style.op, Value: style.value, Unit: Seconds}, at, at+len(words)-1)
				break
			}
		}
	}
}

// bare takes lone values for the answer to a question, or for what was spoken of.
func (st *statement) bare(topic Topic) {
	index := slices.IndexFunc(valueRules, func(r valueRule) bool { return r.topic == topic })
	if index < 0 || st.hasAny(valueRules[index].unless) || st.acts() || topic == HoldingTime && st.holdsOther() {
		return
	}
	rule := valueRules[index]
	if topic == AccountCount && has(st.context, elsewhere...) {
		return
	}
	if topic == AccountCount && has(st.tokens, "the one", "only one", "just one") && len(st.numbers) == 0 {
		st.claim(Claim{Topic: topic, Op: Equal, Value: 1, Unit: Count}, 0, len(st.tokens)-1)
		return
	}
	for i, n := range st.numbers {
		if topic == AccountCount && in(textAt(st.tokens, n.last+1), []string{"for", "of", "in", "on"}) {
			continue // "one for gold and one for oil"
		}
		if !st.used[i] && slices.Contains(rule.units, n.unit) && len(st.tokens) <= n.last-n.first+1+reach && !st.refuted(rule, n) && (rule.most == 0 || n.high <= rule.most) {
			st.claim(st.valued(topic, n), max(0, n.first-st.boundWords(n)), n.last)
			return
		}
	}
}

// acts reports whether the clause tells of something that the trader does, so that
// a value in it is no bare answer.
func (st *statement) acts() bool {
	return slices.ContainsFunc(st.tokens, func(t token) bool {
		return in(t.text, tradeVerbs, pastVerbs) && !in(t.text, []string{"have", "hold", "risk", "take", "trade", "say", "think", "guess", "use", "keep", "am", "do", "average", "stop", "like", "mean", "believe"})
	})
}
