package reference

import (
	"errors"
	"time"

	"github.com/assayhq/assay/internal/simulator/firm"
)

// History is how far back the generated trades and payouts reach. It is a
// little less than the 90 days that the contract wants reachable, so that a
// first sync sees every one of them.
const History = firm.History

// MaxRecords bounds each count of Options.
const MaxRecords = firm.MaxRecords

// Options describe the world that a Platform shows. Counts are exact for the
// moment Start; the zero Options are an empty platform without a key.
type Options struct {
	// Key is the API key. Required by New; Start makes one when it is empty.
	Key string

	// Seed chooses the world: the same seed, counts and start always give the
	// same records.
	Seed uint64
	// Traders, AccountsPerTrader, Trades and Payouts are how many records there
	// are at the start. Accounts number Traders × AccountsPerTrader in all and
	// are spread unevenly; so are trades over accounts.
	Traders           int
	AccountsPerTrader int
	Trades            int
	Payouts           int

	// Start is the moment up to which history is generated, and from which on
	// the world lives. Zero means now. A world that is to look the same after
	// a restart needs the same Start.
	Start time.Time
	// Clock returns the time; nil means time.Now. It is not used when Speed is 0.
	Clock func() time.Time
	// Speed is how fast the world lives: with 60, an hour's trades open and
	// close in a minute. Timestamps are always the clock's. Zero freezes the
	// world at Start; only Platform.Advance moves it then, at speed 1.
	Speed float64
	// Weekends keeps the markets open on Saturdays and Sundays, so that
	// something happens on any day; without it there are no trades then.
	Weekends bool
	// TradeIDsPerAccount numbers the trades of each account from 1, so that
	// different accounts have trades with the same id, which the contract
	// allows. Otherwise trade ids are unique.
	TradeIDsPerAccount bool

	// OnRequest is called after each request has been answered. It is called from
	// many goroutines at once.
	OnRequest func(RequestInfo)
}

// Validate reports the first option that makes no sense.
func (o *Options) Validate() error {
	if o.Key == "" {
		return errors.New("no API key")
	}
	options := o.worldOptions()
	return options.Validate()
}

// worldOptions returns the options of the firm behind the contract.
func (o *Options) worldOptions() firm.Options {
	return firm.Options{
		Seed: o.Seed, Traders: o.Traders, AccountsPerTrader: o.AccountsPerTrader, Trades: o.Trades, Payouts: o.Payouts,
		Start: o.Start, Clock: o.Clock, Speed: o.Speed, Weekends: o.Weekends,
	}
}
