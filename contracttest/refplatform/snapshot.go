package refplatform

import (
	"iter"
	"time"
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
func (p *Platform) Now() time.Time { return moment(p.world.now()) }

// Advance moves the world's time forward by d and lets happen what happens
// until then. It is meant for frozen worlds; a live one runs ahead of its clock
// from then on.
func (p *Platform) Advance(d time.Duration) { p.world.advance(d) }

// Counts counts the records.
func (p *Platform) Counts() (c Counts) {
	p.world.read(func() {
		w := p.world
		c = Counts{w.traders.live, w.accounts.live, w.trades.live, w.payouts.live}
	})
	return c
}

// Snapshot copies every record, all at the same moment. It takes about half a
// kilobyte of memory for each; see the All methods for large worlds.
func (p *Platform) Snapshot() (s Snapshot) {
	p.world.read(func() {
		w := p.world
		s = Snapshot{At: moment(w.now()), Traders: w.traders.all(), Accounts: w.accounts.all(), Trades: w.trades.all(), Payouts: w.payouts.all()}
	})
	return s
}

// all returns every record in order.
func (t *table[R, T]) all() []T {
	records := make([]T, 0, t.live)
	for _, e := range t.order {
		if !t.stale(e) && t.custom[e.ref].raw == nil {
			records = append(records, t.record(e.ref))
		}
	}
	return records
}

// AllTraders yields every trader in the contract's order. Like the other All
// methods it holds no lock between records: in a live world, one that changes
// meanwhile comes again.
func (p *Platform) AllTraders() iter.Seq[Trader] { return each(p.world, &p.world.traders) }

// AllAccounts yields every account, see AllTraders.
func (p *Platform) AllAccounts() iter.Seq[Account] { return each(p.world, &p.world.accounts) }

// AllTrades yields every trade, see AllTraders.
func (p *Platform) AllTrades() iter.Seq[Trade] { return each(p.world, &p.world.trades) }

// AllPayouts yields every payout, see AllTraders.
func (p *Platform) AllPayouts() iter.Seq[Payout] { return each(p.world, &p.world.payouts) }

// each yields a table's records, taking them out in portions.
func each[R, T any](w *world, t *table[R, T]) iter.Seq[T] {
	const portion = 500
	return func(yield func(T) bool) {
		var last *position
		for {
			var records []T
			w.read(func() {
				refs, _ := t.page(0, last, portion)
				if len(refs) == 0 {
					last = nil
					return
				}
				for _, ref := range refs {
					if t.custom[ref].raw == nil {
						records = append(records, t.record(ref))
					}
				}
				end := t.at(refs[len(refs)-1])
				last = &end
			})
			for _, record := range records {
				if !yield(record) {
					return
				}
			}
			if last == nil {
				return
			}
		}
	}
}
