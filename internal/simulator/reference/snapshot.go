package reference

import (
	"iter"
	"time"

	"github.com/assayhq/assay/internal/simulator/firm"
)

// Counts are numbers of records.
type Counts struct{ Traders, Accounts, Trades, Payouts int }

// Snapshot is the whole truth at one moment, each list in the contract's order.
type Snapshot struct {
	At       time.Time
	Traders  []Trader
	Accounts []Account
	Trades   []Trade
	Payouts  []Payout
}

// Now is the world's time: the clock's, or that of a frozen world.
func (p *Platform) Now() time.Time { return p.world.Now() }

// Advance moves the world's time forward by d and lets happen what happens
// until then. It is meant for frozen worlds; a live one runs ahead of its clock
// from then on.
func (p *Platform) Advance(d time.Duration) { p.world.Advance(d) }

// Counts counts the records.
func (p *Platform) Counts() (c Counts) {
	p.world.Read(func() {
		w := p.world
		c = Counts{w.traders.Live(), w.accounts.Live(), w.trades.Live(), w.payouts.Live()}
	})
	return c
}

// Snapshot copies every record, all at the same moment. It takes about half a
// kilobyte of memory for each; see the All methods for large worlds.
func (p *Platform) Snapshot() (s Snapshot) {
	p.world.Read(func() {
		w := p.world
		s = Snapshot{At: w.Now(), Traders: w.traders.All(), Accounts: w.accounts.All(), Trades: w.trades.All(), Payouts: w.payouts.All()}
	})
	return s
}

// AllTraders yields every trader in the contract's order. Like the other All
// methods it holds no lock between records, so in a live world a record that
// changes in the meantime is yielded again.
func (p *Platform) AllTraders() iter.Seq[Trader] { return firm.Walk(p.world.World, &p.world.traders) }

// AllAccounts yields every account, see AllTraders.
func (p *Platform) AllAccounts() iter.Seq[Account] {
	return firm.Walk(p.world.World, &p.world.accounts)
}

// AllTrades yields every trade, see AllTraders.
func (p *Platform) AllTrades() iter.Seq[Trade] { return firm.Walk(p.world.World, &p.world.trades) }

// AllPayouts yields every payout, see AllTraders.
func (p *Platform) AllPayouts() iter.Seq[Payout] { return firm.Walk(p.world.World, &p.world.payouts) }
