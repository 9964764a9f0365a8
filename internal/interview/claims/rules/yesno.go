package rules

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
)

// BoolRule finds yes-or-no claims.
type BoolRule struct {
	Topic    claims.Topic
	About    string
	Triggers []string
	// Inverted are phrases that say the opposite by themselves: "manually".
	Inverted []string
	// Verbs are words. One of them must be near the trigger, at most Before tokens
	// before it or Behind tokens after it. If the list is empty, no verb is needed.
	Verbs          []string
	Before, Behind int
	// Off are phrases that deny anywhere in the clause.
	Off []string
	// Ends are phrases that deny with a word for closing in the clause: "flat before
	// the weekend".
	Ends []string
	// Unless are phrases that make the clause one about something else.
	Unless []string
	// Others means that the subject must be somebody else, or nobody.
	Others bool
}

// BoolRules are the rules for what is so or is not, each with the part of its topic.
var BoolRules = []BoolRule{
	{
		Topic: claims.StopLossUse, Before: 6, Behind: 5,
		Triggers: []string{"stop loss", "stop losses", "stops", "a stop", "hard stop", "tight stop", "common stop", "real stop", "my stop", "the stop", "no stop", "sl"},
		Unless: []string{
			"no trade", "no entry", "without a trade", "stop in pips", "stop in points", "stop has to", "where to put", "where to place", "mental", "bus", "move", "moved", "moving", "widen", "widened", "remove", "removed", "tighten",
			"tightened",
		},
		Verbs: []string{
			"use", "uses", "using", "used", "have", "has", "set", "put", "place", "trade", "without", "with", "every", "no", "always", "never",
			"mandatory", "takes", "got", "trail", "trailing", "trails",
		},
	},
	{
		Topic: claims.EAUse, About: "program",
		Unless: []string{
			"close by hand", "exit by hand", "shows", "displays", "draws", "alerts", "do it manually", "do it by hand", "do that manually",
			"close manually", "exit manually", "close it manually", "close them manually", "calculates", "calculate", "calculator", "coffee", "floor",
			"vacuum", "clean", "cleans", "discord", "chat", "lawn", "kitchen", "garden",
		},
		Triggers: []string{
			"ea", "eas", "expert advisor", "expert advisors", "bot", "bots", "robot", "robots", "algo", "algos", "automated", "is automatic", "fully automatic", "all automatic", "trading algorithm",
			"my own algorithm", "an algorithm", "algorithms", "automation", "by a program", "programs", "any software", "fully coded", "algorithmic", "coded in python", "coded in mql", "nothing automatic",
		},
		Inverted: []string{
			"manually", "by hand", "manual trader", "everything manual", "everything is manual", "all manual", "manual trading", "is manual",
			"are manual", "percent discretionary", "percent manual", "click myself", "click everything myself", "place everything myself", "trade manual", "fully manual", "fully discretionary", "purely manual",
		},
	},
	{
		Topic: claims.EAUse, About: "copier",
		Unless: []string{"paste", "of the contract"}, Off: []string{"copy nobody", "copying nobody", "from nobody"},
		Triggers: []string{
			"copier", "copiers", "copy trading", "copy trades", "copy trader", "copy traders", "copy other", "copy others", "copy anybody",
			"copy somebody", "copy nobody", "copy people", "copy from", "copy the trades", "copy a trade", "copy my", "copy all", "copy any",
			"copy them", "mirror my", "mirror the", "mirror all", "mirroring", "copying", "copied", "copies my", "copies me", "copy everything",
		},
	},
	{
		Topic: claims.EAUse, About: "signals",
		Unless: []string{"indicator", "indicators", "my own", "my signals", "entry signals", "wait for", "signal from my"}, Before: 8, Behind: 2,
		Triggers: []string{
			"signal service", "signal services", "signal group", "signal groups", "signal provider", "signal providers", "telegram signals",
			"signals", "paid signals", "telegram channel", "they post", "he posts", "anybody calls", "his calls", "their calls",
		},
		Verbs: []string{
			"follow", "use", "using", "buy", "take", "any", "service", "services", "paid", "telegram", "copy", "group", "groups", "provider",
			"providers", "from", "subscribe", "no", "need",
		},
	},
	{
		Topic: claims.Averaging, About: "martingale",
		Unless: []string{"believe in"},
		Triggers: []string{
			"martingale", "double up", "double down", "doubling up", "doubling down", "not doubling", "double my lot", "double my lots", "double my size",
			"double your size", "double the lot", "double the size", "double your lot", "double after", "double your position",
			"double your positions", "double my position", "double my positions",
		},
	},
	{
		Topic: claims.Averaging, About: "martingale", Before: 6, Behind: 8, Verbs: []string{"loss", "losses", "losing", "loser", "losers"},
		Triggers: []string{
			"increase my", "increase your", "increase the", "increase size", "increasing my", "increasing the", "raise my", "raise your",
			"bigger lots", "bigger size", "bigger position",
		},
	},
	{
		Topic: claims.Averaging, About: "averaging",
		Triggers: []string{
			"average down", "averaging down", "average my losers", "average my losing", "average losers", "averaging", "not average", "never average",
			"or average", "nor average", "average into", "averages down", "averaged",
			"add to losers", "add to losing", "add to a losing", "add to my losing", "add to my losers", "add to a loser", "adding to losers",
			"adding to losing", "to losers", "to losing trades", "to losing positions", "to a loser", "to a losing", "to my losers", "grid", "grids", "better average",
			"improve my average", "lower my average", "more at a better price", "again at a better price", "add at a better price", "position at a better price",
			"scale in on the way down", "position at a better level", "more at a better level",
		},
	},
	{
		Topic: claims.Averaging, About: "scaling",
		Unless: []string{"scale out", "scaling out", "better level", "better price", "on the way down"},
		Triggers: []string{
			"scale in", "scale into", "scaling in", "scaling into", "scale my way in", "scaling", "add to my winners", "add to winners",
			"add to winning", "add to a winner", "add to a winning", "add to my winning", "adding to winners", "add to positions",
			"add to a position", "add to my positions", "add to my position", "add to trades", "add to a trade", "add to my trades", "add more",
			"add a second", "add another", "add a position", "to winners", "to winning trades", "to my winners",
			"pyramid", "pyramiding", "build a position", "build positions", "build up positions", "build up a position", "build my position",
			"build my positions",
		},
	},
	{
		Topic: claims.Averaging, About: "hedging",
		Triggers: []string{
			"hedge", "hedging", "hedged positions", "hedges", "hedged", "opposite positions", "opposite trades", "opposite position", "opposite trade",
			"open the opposite", "opening the opposite", "long and short at the same time", "buy and sell at the same time",
		},
		Unless: []string{"hedge fund", "hedge funds", "garden", "bushes", "trim", "gardener"},
	},
	{
		Topic: claims.News, Triggers: []string{"news trading", "news trader", "news", "nfp", "cpi", "fomc", "non farm", "nonfarm", "red folder", "red event", "red events"}, Before: 10, Behind: 4,
		Verbs: []string{
			"trade", "trading", "trades", "trader", "avoid", "avoiding", "stay", "open", "enter", "close", "flat", "touch", "no", "never", "closed",
			"sit", "hold", "love", "keep", "leave",
		},
		Ends: []string{
			"before news", "before the news", "before any news", "before nfp", "before cpi", "before high impact", "before fomc", "before big news",
			"before major news", "before important news", "before every news", "before red",
		},
		Off: []string{
			"stay out", "stay away", "stay flat", "am flat", "go flat", "get flat", "be flat", "staying out", "close before", "close my", "close whatever", "close them before", "close it before", "out before", "switch it off", "turn it off", "close everything", "close all", "flat before",
			"sit out", "am done by", "sit on my hands", "step aside", "keep out", "stay off", "close the", "wait for the news", "wait until the news",
			"wait until news", "let the news pass", "keep away", "i skip", "not find me", "not see me", "nothing open", "not in any", "not in the market", "not in a trade", "hands off", "no open positions", "i do nothing", "close my positions",
		},
		Unless: []string{"nothing special", "nothing different", "keep an eye", "keep track", "read the news", "watch the news", "news channel", "check the news"},
	},
	{
		Topic: claims.HoldingTime, About: "overnight", Before: 8, Behind: 5, Unless: []string{"news overnight", "shift", "job", "asleep", "back until"},
		Triggers: []string{
			"overnight", "over night", "through the night", "into the next day", "to the next day", "until the next day", "to bed with", "sleep with",
			"past the close", "beyond the close", "past the new york close", "past the us close", "past the london close", "past the session",
		},
		Ends: []string{
			"end of the day", "end of day", "the same day", "by the close", "before the close", "before i go to bed", "before bed", "day end",
			"day is over", "overnight",
		},
		Verbs: []string{
			"hold", "holding", "keep", "keeping", "leave", "leaving", "open", "stay", "stays", "carry", "carrying", "position", "positions", "trades",
			"never", "not", "no", "nothing", "none", "run", "held", "holds", "too", "also", "well",
		},
	},
	{
		Topic: claims.HoldingTime, About: "weekend", Before: 8, Behind: 5, Unless: []string{"at weekends i", "on weekends i rest", "job", "shift"},
		Triggers: []string{
			"over the weekend", "over weekend", "over weekends", "over the weekends", "weekend positions", "weekend trades", "through the weekend",
			"through weekends", "into the weekend", "across the weekend", "until monday", "weekend holding", "weekend holds",
		},
		Ends: []string{
			"before the weekend", "before weekend", "before weekends", "by friday", "on friday", "on fridays", "friday evening", "friday night",
			"friday afternoon", "over the weekend", "every friday", "into the weekend", "before friday", "friday close", "weekends i am",
			"on weekends", "at weekends",
		},
		Verbs: []string{
			"hold", "holding", "keep", "keeping", "leave", "leaving", "open", "stay", "stays", "carry", "carrying", "position", "positions", "trades",
			"never", "not", "no", "nothing", "none", "run", "held", "holds", "too", "also", "well",
		},
	},
	{
		Topic: claims.AccountSharing, Unless: append([]string{"to yourself", "to myself"}, ForeignAccounts...), Before: 8, Behind: 4,
		Verbs: append([]string{"share", "shares", "sharing", "with", "give", "gave", "given", "only", "trading", "using", "manages", "else", "somebody", "anybody", "besides", "but"}, Accessing...),
		Triggers: []string{
			"share my account", "shares my account", "sharing my account", "share the account", "share accounts", "share my login",
			"share my password", "share my credentials", "share my access", "share your account", "share your login", "share your password",
			"share your credentials", "share your access", "access to my account", "access to this account", "access to the account",
			"access to my accounts", "have access", "has access", "uses my account", "use my account", "use your account", "uses your account",
			"access to your account", "trade my account", "trades my account", "trades on my account", "trade your account", "my password",
			"my login", "my credentials", "the password", "your password", "trades for me", "a trade for me", "manages my account", "using my account",
			"else trade on my", "else trade on this", "anybody trade on my", "somebody trade on my", "else trade my", "use this account",
			"uses this account", "touches my account", "touched my account", "touched it", "been shared with",
		},
		Inverted: []string{
			"only me", "only i log", "just me", "nobody else", "only person", "sole operator", "sole trader", "sole user", "nobody but me", "nobody apart from me", "nobody except me",
			"nobody besides me", "nobody other than me", "the only one", "only one who", "only one person", "only i have", "just myself",
			"only myself", "only i know", "only i use", "only i trade",
		},
		Off: []string{"with nobody", "to nobody"},
	},
	{
		Topic: claims.AccountSharing, Others: true, Unless: ForeignAccounts,
		Triggers: []string{"log in", "logs in", "log into", "logs into", "logging in", "logged in", "logs on", "log on"},
	},
	{
		Topic: claims.OtherPeople, Before: 3, Behind: 7, Unless: ForeignAccounts,
		Triggers: []string{
			"my brother", "my sister", "my friend", "my friends", "my wife", "my husband", "my partner", "my father", "my cousin", "a friend",
			"some friends", "someone else", "somebody else", "a group of", "together with my", "together with a", "my mother", "my son",
			"my daughter", "my girlfriend", "my boyfriend", "my family", "your family", "my uncle", "anybody in", "with other people",
			"with other traders", "with others",
		},
		Inverted: []string{"trade alone", "trade by myself", "trading by myself", "all by myself", "trading alone"},
		Verbs:    []string{"also", "too", "together", "copies", "same", "here"},
	},
}

// Closing are words for no longer having a position.
var Closing = []string{"close", "closed", "closing", "flat", "flatten", "exit", "out", "closes", "done"}

// ForeignAccounts are accounts of other kinds.
var ForeignAccounts = []string{
	"netflix", "spotify", "amazon", "youtube", "email", "bank", "instagram", "game", "games", "steam", "streaming", "wifi", "phone", "laptop",
	"facebook", "hedge fund",
}

// NewsRule returns the rule for trading around news.
func NewsRule() BoolRule {
	return BoolRules[slices.IndexFunc(BoolRules, func(r BoolRule) bool { return r.Topic == claims.News })]
}

// Accessing are verbs for having access.
var Accessing = []string{"touch", "touches", "touched", "use", "uses", "used", "trade", "trades", "log", "logs", "have", "has", "having", "know", "knows", "get", "gets", "access"}

// Adding are phrases for adding to a position.
var Adding = []string{
	"add", "adding", "buy more", "buy some more", "buy a bit more", "buy a second", "take a second", "buy again", "sell again", "buying more", "sell more", "put more", "another position", "second position", "another entry", "one more at",
}
