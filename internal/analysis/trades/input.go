// Package trades prepares trades for an analysis. A Builder collects them as an Input, and
// Prepare makes a View of it: trades in order, decisions, symbol groups and days, which
// detectors, charts and the checks of statements read.
package trades

import (
	"time"

	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/instrument"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
)

// Input is all that an analysis depends on. A Builder makes one. analysis.Analyse reads
// it and changes nothing in it.
type Input struct {
	Accounts []Account
	// Trades are the positions of all accounts. analysis.Analyse is fastest, and copies
	// nothing, when they are in the order of compareTrades, as a Builder leaves them.
	Trades []Trade
	// Symbols are the raw names that Trade.Symbol is an index of.
	Symbols []string
	// Instruments says which symbols are one instrument; nil is what assay knows.
	Instruments instrument.Names
	Window      Window
	// Location is the timezone of hours, weekdays, and of the days of accounts
	// that have none of their own. Nil is UTC.
	Location *time.Location
	// Basis says how well the times themselves are known; empty is AssumedUTC.
	Basis result.TimezoneBasis
	// Ruleset holds the thresholds; nil is the neutral preset.
	Ruleset *ruleset.Ruleset
	// Calendar holds scheduled news; nil makes checks of it not checkable.
	Calendar *calendar.Calendar
	Sources  []result.Source
	// PeersSearched is among how many accounts of others the Peers were searched,
	// themselves included; the correction for what was looked at counts them all.
	// Less than there are Peers: these are all.
	PeersSearched int
	// PeersCut reports that the search may have missed some of the accounts that
	// resemble the trader's. Then those that are not among Peers say nothing.
	PeersCut bool
	// Excluded is what was left out before the analysis, such as rows that a
	// Builder could not use.
	Excluded []result.Exclusion
}

// Account is one trading account.
type Account struct {
	ID         string // assay's id, a UUID; unique in an Input
	ExternalID string // the platform's id
	Platform   string // as the platform names it, such as "mt5"; may be empty
	Login      string // may be empty
	Phase      string // evaluation, verification, funded or free text; may be empty
	Currency   string // ISO 4217; empty when unknown
	File       string // the name of the uploaded file that it is known from; may be empty
	// InitialBalance is in Currency; nil when unknown.
	InitialBalance *float64
	// Location decides where the account's days begin; nil is Input.Location.
	Location *time.Location
	// Peer marks an account of another trader. It only takes part in comparisons of
	// accounts.
	Peer bool
}

// Window is the half-open span [From, To) of open times that the analysis is
// about. A zero time leaves that end open.
type Window struct{ From, To time.Time }

// Side is the direction of a trade.
type Side uint8

// The two sides of a trade.
const (
	Buy Side = iota
	Sell
)

// Opposite returns the other side.
func (s Side) Opposite() Side { return 1 - s }

// String returns buy or sell, as records spell them.
func (s Side) String() string {
	if s == Sell {
		return "sell"
	}
	return "buy"
}

// Has is a set of the fields of a Trade that its source stated.
type Has uint16

// The fields of a Trade that may be absent.
const (
	HasClose Has = 1 << iota
	HasVolume
	HasOpenPrice
	HasStopLoss
	HasTakeProfit
	HasProfit
)

// Trade is one position: what the analysis needs of it, in 80 bytes and its id,
// so that a million of them can be held. A field is zero and means nothing while
// its bit in Has is not set.
type Trade struct {
	ID    string // the platform's; unique within the account only
	Open  int64  // microseconds of the epoch, UTC
	Close int64  // the same; absent while the position is open

	Volume     float64 // lots
	OpenPrice  float64
	StopLoss   float64 // as last seen: a stop that was taken away does not show
	TakeProfit float64
	Profit     float64 // net result in the account's currency

	Account uint16 // index in Input.Accounts
	Symbol  uint16 // index in Input.Symbols
	Has     Has
	Side    Side
}

// Bounds of what Trade.Account and Trade.Symbol can distinguish. A trader has a few
// accounts, and a firm a few thousand symbols.
const (
	MaxAccounts = 10_000
	MaxSymbols  = 10_000
)

// Closed reports whether the position has been closed.
func (t *Trade) Closed() bool { return t.Has&HasClose != 0 }

// Hold returns how long a closed position was held, in seconds.
func (t *Trade) Hold() float64 { return float64(t.Close-t.Open) / micros.Second }

// Net returns the net result of a closed position, and whether it is known.
func (t *Trade) Net() (float64, bool) {
	return t.Profit, t.Has&(HasClose|HasProfit) == HasClose|HasProfit
}

// minLots is the least volume that counts as one; quotients of less could leave
// what a float64 holds.
const minLots = 1e-9

// Lots returns the volume, and whether it is known and positive.
func (t *Trade) Lots() (float64, bool) { return t.Volume, t.Has&HasVolume != 0 && t.Volume >= minLots }

// Balance returns the initial balance, and whether it is known and positive.
func (a *Account) Balance() (float64, bool) {
	if a.InitialBalance == nil || !(*a.InitialBalance >= 0.01 && *a.InitialBalance <= MaxNumber) {
		return 0, false
	}
	return *a.InitialBalance, true
}
