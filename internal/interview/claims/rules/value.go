package rules

import "github.com/assayhq/assay/internal/interview/claims"

// ValueRule finds claims that are values.
type ValueRule struct {
	Topic claims.Topic
	// Triggers are phrases. One of them must be within reach of the value.
	Triggers []string
	// Also are phrases. The sentence must contain one of them as well, unless the
	// list is empty.
	Also []string
	// Unless are phrases that make the sentence one about something else.
	Unless []string
	Units  []claims.Unit
	// Follows means that the trigger comes directly after the value: "3 accounts".
	Follows bool
	// Most is the greatest value of a count, which must be whole.
	Most float64
}

// ValueRules are the rules for values. Where two fit a number, the first of them takes it.
var ValueRules = []ValueRule{
	{
		Topic: claims.TradesPerDay, Triggers: []string{"trade", "trades", "positions", "times", "entries", "setups"}, Follows: true, Units: []claims.Unit{claims.NoUnit}, Most: 10_000,
		Also: []string{"a day", "per day", "each day", "every day", "daily", "in a day", "one day", "a normal day", "an average day", "a typical day"},
		Unless: []string{
			"out of", "of my trades", "a week", "per week", "a month", "per month", "per session", "a session", "an hour", "per hour",
			"losing trades", "losing trade", "losing positions", "winning trades", "winning trade", "same time", "at once", "at a time",
			"in parallel", "simultaneously", "a day with", "days with",
		},
	},
	{
		Topic: claims.AccountCount, Triggers: []string{"accounts", "account"}, Follows: true, Units: []claims.Unit{claims.NoUnit}, Most: 1000,
		Unless: []string{
			"accounts a", "account size", "per account", "at a time", "me and my", "between us", "my wife and", "my brother and", "my partner and", "will", "want",
			"one account to", "from one account", "looking to", "blew", "blown", "failed", "burned", "lost", "passed", "bank", "savings", "checking", "email", "mail", "game", "games",
			"gaming", "netflix", "instagram", "twitter", "facebook", "social", "youtube", "google", "demo", "other firms", "another firm",
			"elsewhere",
		},
	},
	{
		Topic: claims.MaxLossDay, Units: []claims.Unit{claims.Percent, claims.Money},
		Triggers: []string{
			"stop for the day", "stop after", "stop trading", "stop at", "daily loss", "daily max", "max daily", "daily limit", "daily drawdown",
			"lose in a day", "a day", "per day", "for the day", "daily", "done for the day",
		},
		Also: []string{"lose", "loss", "losing", "lost", "down", "stop", "drawdown", "limit", "risk"},
		Unless: []string{
			"profit", "gain", "make", "target", "of the drawdown", "of my drawdown", "of the daily drawdown", "of my daily drawdown",
			"of the daily loss", "of my daily loss", "of the daily limit", "of my daily limit", "of the max", "of my max", "on each", "percent each",
			"per trade",
		},
	},
	{
		Topic: claims.RiskPerTrade, Units: []claims.Unit{claims.Percent, claims.Money},
		Triggers: []string{
			"risk", "risking", "risks", "lose at most", "lose more", "lose no more", "lose on a trade", "per trade", "a trade", "each trade",
			"every trade", "any trade", "single trade", "one trade", "per position", "a position", "each position", "every position", "percent each",
			"each time", "on each", "on the line", "at stake", "any single", "single idea",
		},
		Unless: []string{
			"of my hair", "body", "weight", "split", "spread over",
			"reward", "a day", "per day", "daily", "for the day", "in total", "overall", "total drawdown", "total risk", "per week", "a week", "per month",
			"a month", "profit target", "of my trades", "of trades", "of the trades",
			"of the time", "win rate", "winning", "make", "profit", "margin", "target", "aim for", "aiming for", "drawdown", "buffer",
		},
	},
	{
		Topic: claims.HoldingTime, Units: []claims.Unit{claims.Seconds},
		Triggers: []string{
			"in and out", "out within", "out in", "trades run", "trade runs", "positions run", "let them run", "let it run", "they run", "it runs",
			"lasting", "am in for", "duration", "leave them", "leave it", "leave positions", "leave trades", "close within", "close in",
			"close them within", "gone within", "done within", "lasts", "trades stay", "positions stay", "ride",
			"hold", "holding", "held", "hold time", "keep it", "keep them", "keep a trade", "keep a position", "keep my", "keep the", "keep trades",
			"keep positions", "keep open", "open for", "stay in", "in a trade", "in the trade",
			"in a position", "in the market", "trade lasts", "trades last", "position lasts", "positions last", "they last", "it lasts",
			"usually last", "usually lasts", "scalp", "average trade", "average winner", "average loser", "my trades are", "scalps are", "swings are", "stays open", "stay open", "minute trades",
			"close after", "close it after", "close them after", "closed after", "closed within", "out after",
		},
		Unless: []string{
			"trading for", "experience", "been trading", "stop loss", "journal", "degree", "minutes ago", "wait", "waiting", "cooldown", "news", "alarm", "timer",
			"learning", "payout", "been in the market", "been in this market", "keep my account", "keep the account", "york open", "london open", "us open", "asian open", "asia open",
			"european open", "market open", "session open", "to set", "to plan", "to find", "to analyze", "to prepare",
		},
	},
	{
		Topic: claims.StrategyLength, Units: []claims.Unit{claims.Seconds},
		Triggers: []string{
			"trading for", "been trading", "experience", "since", "been at it", "been doing", "been scalping", "been using", "been day", "been swing",
			"been in this", "been in the", "same strategy", "this strategy", "using it", "strategy for", "traded for", "doing this", "that i do it", "that i trade", "that i am doing", "done nothing else", "doing nothing else", "stuck with", "stuck to", "at this for",
		},
	},
}
