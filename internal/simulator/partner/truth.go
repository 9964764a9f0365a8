package partner

import (
	"iter"
	"time"

	"github.com/assayhq/assay/internal/simulator/firm"
)

// Now is the world's time: the clock's, or that of a frozen world.
func (p *Platform) Now() time.Time { return p.tables.Now() }

// Advance moves the world's time forward by d and lets happen what happens
// until then. It is meant for frozen worlds; a live one runs ahead of its clock
// from then on.
func (p *Platform) Advance(d time.Duration) { p.tables.Advance(d) }

// Counts counts the records, those of PutRaw included.
func (p *Platform) Counts() (c Counts) {
	t := p.tables
	t.Read(func() {
		c = Counts{t.customers.Live(), t.accounts.Live(), len(t.closed), len(t.open), t.payouts.Live()}
	})
	return c
}

// AllCustomers yields every customer in the order in which they came to be.
// Like the other All methods it holds no lock between records.
func (p *Platform) AllCustomers() iter.Seq[Customer] {
	return firm.WalkRows(p.tables.World, &p.tables.customers)
}

// AllAccounts yields every account, see AllCustomers.
func (p *Platform) AllAccounts() iter.Seq[Account] {
	return firm.WalkRows(p.tables.World, &p.tables.accounts)
}

// AllTrades yields every trade, closed and open, see AllCustomers.
func (p *Platform) AllTrades() iter.Seq[Trade] {
	return firm.WalkRows(p.tables.World, &p.tables.trades)
}

// AllPayouts yields every payout, see AllCustomers.
func (p *Platform) AllPayouts() iter.Seq[Payout] {
	return firm.WalkRows(p.tables.World, &p.tables.payouts)
}
