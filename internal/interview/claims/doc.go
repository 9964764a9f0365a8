// Package claims finds in a transcript what a trader says about the own
// trading, and holds it against an analysis of the trades.
//
// It is careful rather than complete: what has no value is no claim, what was
// true once is none, and a number that fits no topic is left alone. Everything is
// a pure function of its input.
//
// The answers under testdata/corpus pass now but for a few, which says little: rules were changed
// for each of them. What tells how the rules do on an answer that nobody has seen is
// the first run of each set that was written afterwards, before a rule was changed
// for it. A statement counts as right when its topic, value, bound and whether it is
// of some cases only are right, in each of eleven ways of writing the answer:
//
//	set     answers  precision  recall  invariance
//	fresh1       88      0.582   0.405       0.989
//	fresh2       86      0.820   0.586       1.000
//	fresh3       84      0.814   0.727       1.000
//	fresh4       89      0.773   0.582       0.966  (harder than the others)
//	fresh5       63      0.846   0.800       1.000
//	fresh6       58      0.814   0.614       1.000
//	fresh7       47      0.846   0.767       1.000
//
// In each of the last six sets, one to six answers held a false statement that the
// data contradicts.
package claims

// Topic is what a claim is about.
type Topic string

// The topics that can be held against data.
const (
	HoldingTime    Topic = "holding_time"       // seconds
	Instruments    Topic = "instruments"        // a set of symbol classes
	RiskPerTrade   Topic = "risk_per_trade"     // percent, or money
	StopLossUse    Topic = "stop_loss_use"      // yes or no
	AccountCount   Topic = "account_count"      // a number
	OtherPeople    Topic = "other_people"       // yes or no: others trade too
	AccountSharing Topic = "account_sharing"    // yes or no: others use the account
	EAUse          Topic = "ea_use"             // yes or no: a program trades
	News           Topic = "news"               // yes or no: trades around news
	Hours          Topic = "hours_timezone"     // hours of a day, or a session
	TradesPerDay   Topic = "trades_per_day"     // a number
	MaxLossDay     Topic = "max_loss_day"       // percent, or money
	Averaging      Topic = "martingale_hedging" // yes or no: averages, doubles or hedges
	StrategyLength Topic = "strategy_length"    // seconds
)

// Topics lists all topics, in the order in which reports show them.
func Topics() []Topic {
	return []Topic{
		HoldingTime, Instruments, RiskPerTrade, StopLossUse, AccountCount, OtherPeople, AccountSharing, EAUse, News, Hours, TradesPerDay, MaxLossDay,
		Averaging, StrategyLength,
	}
}

// Op says how a value is meant.
type Op string

// The operations of claims.
const (
	Equal   Op = "="     // Value, about so when Approximate
	AtMost  Op = "<"     // no more than Value
	AtLeast Op = ">"     // no less than Value
	Range   Op = "range" // from Value to High
	Is      Op = "bool"  // Bool
	OneOf   Op = "set"   // Set
)

// Unit is what a value counts.
type Unit string

// The units of values.
const (
	Seconds Unit = "s"
	Percent Unit = "%"
	Money   Unit = "money" // in the account's currency, unless Currency says otherwise
	Count   Unit = "count"
	Clock   Unit = "h" // hour of the day, 0 to 24
	NoUnit  Unit = ""
)

// Modality is how firmly something is said.
type Modality string

// The modalities of claims.
const (
	Plain     Modality = "plain"
	Always    Modality = "always"
	Usually   Modality = "usually"
	Sometimes Modality = "sometimes"
	Never     Modality = "never"
)

// Zones of hours that are no names of zones.
const (
	OwnZone    = "own"    // the trader's own
	ServerZone = "server" // the platform's clock
	// UnknownZone is one that was named and is not known.
	UnknownZone = "unknown"
)

// Word is one recognised word.
type Word struct {
	Text       string
	StartMS    int
	EndMS      int
	Confidence *float64 // 0 to 1; nil: the engine tells none
}

// Segment is a stretch of the transcript.
type Segment struct {
	ID         string
	QuestionID string
	StartMS    int // on the timeline of the interview
	EndMS      int
	Text       string
	Confidence *float64 // 0 to 1; nil: the engine tells none
	Words      []Word   // nil: the engine tells no words
	Typed      bool     // written by the trader and not recognised
}

// Claim is something that was said and can be held against data.
type Claim struct {
	ID          string // a hash of what was said and where
	Topic       Topic
	About       string // what of the topic, such as hedging; empty: all of it
	Op          Op
	Value       float64  // of =, <, > and range
	High        float64  // of range: its end; of a range of hours it may be less than Value, over midnight
	Bool        bool     // of bool
	Set         []string // of set, sorted
	Only        bool     // of set: nothing else
	On          []string // instruments that it is said of, sorted; empty: of all
	Zone        string   // of hours: an IANA zone, an offset as UTC+02:00, OwnZone, ServerZone or UnknownZone; empty: not said
	Currency    string   // of money; empty: not said
	Unit        Unit
	Approximate bool
	Modality    Modality
	Quote       string // a verbatim part of the segment's text
	SegmentID   string
	StartMS     int
	EndMS       int
	Confidence  *float64 // of the words that carry the value, 0 to 1; nil: not known
	Typed       bool     // written and not recognised
	Also        []Quote  // where the same is said again
}
