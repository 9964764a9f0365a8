package firm

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// History is how far back the generated trades and payouts reach. It is a
// little less than the 90 days that the contract wants reachable, so that a
// first sync sees every one of them.
const History = 85 * 24 * time.Hour

// maxRecords bounds each count of Options.
const maxRecords = 50_000_000

// Options describe a world. Counts are exact for the moment Start.
type Options struct {
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
	// world at Start; only World.Advance moves it then, at speed 1.
	Speed float64
	// Weekends keeps the markets open on Saturdays and Sundays, so that
	// something happens on any day; without it there are no trades then.
	Weekends bool
}

// Validate reports the first option that makes no sense.
func (o *Options) Validate() error {
	counts := []struct {
		name string
		n    int
	}{{"traders", o.Traders}, {"accounts per trader", o.AccountsPerTrader}, {"trades", o.Trades}, {"payouts", o.Payouts}}
	for _, c := range counts {
		if c.n < 0 || c.n > maxRecords {
			return fmt.Errorf("number of %s is %d: want 0 to %d", c.name, c.n, maxRecords)
		}
	}
	switch {
	case o.Traders*o.AccountsPerTrader > maxRecords:
		return fmt.Errorf("%d accounts: want at most %d", o.Traders*o.AccountsPerTrader, maxRecords)
	case o.Trades > 0 && o.Traders*o.AccountsPerTrader == 0:
		return errors.New("trades need accounts, and there are none")
	case o.Payouts > 0 && o.Traders*o.AccountsPerTrader == 0:
		return errors.New("payouts need accounts, and there are none")
	case math.IsNaN(o.Speed) || o.Speed < 0 || o.Speed > 1e6:
		return fmt.Errorf("speed is %v: want 0 to 1000000", o.Speed)
	case !o.Start.IsZero() && (o.Start.Year() < 1975 || o.Start.Year() > 9000):
		return fmt.Errorf("start is in the year %d: want 1975 to 9000", o.Start.Year())
	}
	return nil
}
