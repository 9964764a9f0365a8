// Package claims says what a statement of a trader about the own trading is: its topic, its value and how that is
// bounded, how firmly it was made, and where it was said. Package extract finds statements in a transcript, and
// package check compares them with an analysis of the trades.
package claims

import "time"

// Topic is what a claim is about.
type Topic string

// The topics that can be compared with the data.
const (
	HoldingTime    Topic = "holding_time"       // seconds
	Instruments    Topic = "instruments"        // a set of symbol classes
	RiskPerTrade   Topic = "risk_per_trade"     // percent, or money
	StopLossUse    Topic = "stop_loss_use"      // yes or no
	AccountCount   Topic = "account_count"      // a number
	OtherPeople    Topic = "other_people"       // yes or no: other people trade too
	AccountSharing Topic = "account_sharing"    // yes or no: other people use the account
	EAUse          Topic = "ea_use"             // yes or no: a program trades
	News           Topic = "news"               // yes or no: trades around news
	Hours          Topic = "hours_timezone"     // hours of a day, or a session
	TradesPerDay   Topic = "trades_per_day"     // a number
	MaxLossDay     Topic = "max_loss_day"       // percent, or money
	Averaging      Topic = "martingale_hedging" // yes or no: averages, doubles, or hedges
	StrategyLength Topic = "strategy_length"    // seconds
)

// Topics lists all topics, in the order in which reports show them.
func Topics() []Topic {
	return []Topic{
		HoldingTime, Instruments, RiskPerTrade, StopLossUse, AccountCount, OtherPeople, AccountSharing, EAUse, News, Hours, TradesPerDay, MaxLossDay,
		Averaging, StrategyLength,
	}
}

// Op is the relation of a claim to its value.
type Op string

// The operations of claims.
const (
	Equal   Op = "="     // Value, or about Value if Approximate
	AtMost  Op = "<"     // at most Value
	AtLeast Op = ">"     // at least Value
	Range   Op = "range" // from Value to High
	Is      Op = "bool"  // Bool
	OneOf   Op = "set"   // Set
)

// Unit is the unit of a value.
type Unit string

// The units of values.
const (
	Seconds Unit = "s"
	Percent Unit = "%"
	Money   Unit = "money" // in Currency, or in the account's currency if that is empty
	Count   Unit = "count"
	Clock   Unit = "h" // hour of the day, 0 to 24
	NoUnit  Unit = ""
)

// Modality is how firmly a claim is made.
type Modality string

// The modalities of claims.
const (
	Plain     Modality = "plain"
	Always    Modality = "always"
	Usually   Modality = "usually"
	Sometimes Modality = "sometimes"
	Never     Modality = "never"
)

// Zones of hours that are not names of timezones.
const (
	OwnZone    = "own"    // the trader's own timezone
	ServerZone = "server" // the platform's clock
	// UnknownZone is a zone that the trader named but that is not known.
	UnknownZone = "unknown"
)

// Word is one recognized word.
type Word struct {
	Text       string
	StartMS    int
	EndMS      int
	Confidence *float64 // from 0 to 1, or nil if the engine does not report it
}

// Segment is a section of the transcript.
type Segment struct {
	ID         string
	QuestionID string
	StartMS    int // on the timeline of the interview
	EndMS      int
	Text       string
	Confidence *float64 // from 0 to 1, or nil if the engine does not report it
	Words      []Word   // nil if the engine does not report words
	Typed      bool     // whether the trader typed it, so that it was not recognized
	Corrected  bool     // whether a person has listened and corrected the words
}

// Claim is a statement that can be compared with the data.
type Claim struct {
	ID          string // hash of what was said and where
	Topic       Topic
	About       string // part of the topic, such as hedging, or empty for all of it
	Op          Op
	Value       float64  // for =, <, >, and range
	High        float64  // end of a range; for hours it may be less than Value if the range spans midnight
	Bool        bool     // for bool
	Set         []string // for set, sorted
	Only        bool     // for set: whether the trader said that there is nothing else
	On          []string // instruments that the claim is about, sorted, or empty for all
	EitherHalf  bool     // for hours: whether they may be those of the morning or of the evening, because nothing said which
	Zone        string   // for hours: an IANA name, an offset such as UTC+02:00, OwnZone, ServerZone, or UnknownZone, or empty if not stated
	Currency    string   // for money, or empty if not stated
	Unit        Unit
	Approximate bool
	Modality    Modality
	Quote       string // verbatim part of the segment's text
	SegmentID   string
	QuestionID  string // of the segment, or empty
	StartMS     int
	EndMS       int
	Confidence  *float64 // confidence of the words that contain the value, from 0 to 1, or nil if unknown
	Typed       bool     // whether the trader typed it, so that it was not recognized
	Corrected   bool     // whether a person has listened and corrected the words
	Also        []Quote  // where the trader said the same again
}

// LoadZone returns the zone of a name, or of an offset such as UTC+02:00.
func LoadZone(name string) (*time.Location, error) {
	if at, err := time.Parse("UTC-07:00", name); err == nil {
		_, seconds := at.Zone()
		return time.FixedZone(name, seconds), nil
	}
	return time.LoadLocation(name)
}
