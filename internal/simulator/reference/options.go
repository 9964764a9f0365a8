package reference

import (
	"errors"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
)

// Options describe a Platform. The zero Options are an empty one without a key.
type Options struct {
	// Key is the API key. Required by New; Start makes one when it is empty.
	Key string
	// Firm is whose records the platform shows.
	Firm firm.Options
	// TradeIDsPerAccount numbers the trades of each account from 1, so that
	// different accounts have trades with the same id, which the contract
	// allows. Otherwise trade ids are unique.
	TradeIDsPerAccount bool
	// OnRequest is called after each request has been answered. It is called from
	// many goroutines at once.
	OnRequest func(fault.RequestInfo)
}

// Validate reports the first option that makes no sense.
func (o *Options) Validate() error {
	if o.Key == "" {
		return errors.New("no API key")
	}
	return o.Firm.Validate()
}
