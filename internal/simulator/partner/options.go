package partner

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/assayhq/assay/internal/simulator/firm"
)

// History is how far back the generated trades and payouts reach.
const History = firm.History

// Dialect is how a platform spells its records.
type Dialect string

const (
	// Contract spells every field by the first of its names, ids as strings,
	// numbers as numbers and times in RFC 3339. It is the default.
	Contract Dialect = "contract"
	// Seeded chooses by the seed, for each field of each record: one of its
	// names, dotted ones included; a number or a string, balances with thousands
	// commas; one of the forms of time; capitals; null, "" or nothing for what
	// is unknown. Account numbers are longer than 2^53.
	Seeded Dialect = "seeded"
	// Walk spells every field of the n-th record by the n-th of its names,
	// counted in a circle, so that any eight records that came to be one after
	// the other use every name together; trades came to be in the order of
	// tickets, open or closed. Values are spelled as in Contract.
	Walk Dialect = "walk"
)

// Dialects lists them.
func Dialects() []Dialect { return []Dialect{Contract, Seeded, Walk} }

// Totals says where a list reports how many records there are.
type Totals string

// The places of a total.
const (
	InMetadata Totals = "metadata" // metadata.total_count, the default
	TopLevel   Totals = "top"      // total_count
	NoTotals   Totals = "none"
)

// TotalsPlaces lists them.
func TotalsPlaces() []Totals { return []Totals{InMetadata, TopLevel, NoTotals} }

// Options describe the world that a Platform shows. Counts are exact for the
// moment Start; the zero Options are an empty platform without a key.
type Options struct {
	// Key is the API key. Required by New; Start makes one when it is empty.
	Key string

	// Seed chooses the world and the spelling: the same seed, counts and start
	// always give the same records.
	Seed uint64
	// Customers, AccountsPerCustomer, Trades and Payouts are how many records
	// there are at the start. Accounts number Customers × AccountsPerCustomer in
	// all and are spread unevenly; so are trades over accounts.
	Customers           int
	AccountsPerCustomer int
	Trades              int
	Payouts             int

	// Start is the moment up to which history is generated, and from which on
	// the world lives. Zero means now.
	Start time.Time
	// Clock returns the time; nil means time.Now. It is not used when Speed is 0.
	Clock func() time.Time
	// Speed is how fast the world lives: with 60, an hour's trades open and
	// close in a minute. Zero freezes the world at Start; only Platform.Advance
	// moves it then, at speed 1.
	Speed float64
	// Weekends keeps the markets open on Saturdays and Sundays.
	Weekends bool

	// Dialect is how records are spelled; empty is Contract.
	Dialect Dialect
	// Totals says where lists report their totals; empty means InMetadata.
	Totals Totals
	// TicketsPerAccount numbers the trades of each account from 1, so that
	// different accounts have trades with the same ticket.
	TicketsPerAccount bool
	// NumericAccountNumbers sends account numbers as JSON numbers.
	NumericAccountNumbers bool
	// NoUpdatedAt leaves updatedAt out of every record.
	NoUpdatedAt bool
	// NoPayouts answers 404 for payouts, which the contract allows.
	NoPayouts bool

	// BeforeRequest is called for every request before anything is done about
	// it, without any lock: what it changes is in the answer.
	BeforeRequest func(*http.Request)
	// OnRequest is called after each request has been answered. Both functions are
	// called from many goroutines at once.
	OnRequest func(RequestInfo)
}

// Validate reports the first option that makes no sense.
func (o *Options) Validate() error {
	switch {
	case o.Key == "":
		return errors.New("no API key")
	case o.Dialect != "" && !slices.Contains(Dialects(), o.Dialect):
		return fmt.Errorf("unknown dialect %q: want one of %v", o.Dialect, Dialects())
	case o.Totals != "" && !slices.Contains(TotalsPlaces(), o.Totals):
		return fmt.Errorf("unknown place of totals %q: want one of %v", o.Totals, TotalsPlaces())
	}
	options := o.worldOptions()
	return options.Validate()
}

// worldOptions returns the options of the firm behind the lists.
func (o *Options) worldOptions() firm.Options {
	return firm.Options{
		Seed: o.Seed, Traders: o.Customers, AccountsPerTrader: o.AccountsPerCustomer, Trades: o.Trades, Payouts: o.Payouts,
		Start: o.Start, Clock: o.Clock, Speed: o.Speed, Weekends: o.Weekends,
	}
}
