package partner

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
)

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

// Options describe a Platform. The zero Options are an empty one without a key.
type Options struct {
	// Key is the API key. Required by New; Start makes one when it is empty.
	Key string
	// Firm is whose records the platform shows; its traders are the customers. Its
	// seed chooses the spelling, too.
	Firm firm.Options

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
	OnRequest func(fault.RequestInfo)
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
	return o.Firm.Validate()
}
