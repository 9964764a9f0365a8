package reference

import (
	"slices"
	"time"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// Put methods add a record or replace the one with the same id, and return it
// as it is stored. A zero UpdatedAt is replaced by the present moment, later
// than that of every record so far, as the contract wants; any other value is
// taken as it is, also one that breaks the contract's order of changes.
//
// A record that has been put is the caller's: the world does not change it any
// more by itself, nor bring it back after a Delete.

// PutTrader adds or replaces a trader.
func (p *Platform) PutTrader(t Trader) Trader {
	p.world.Write(func() {
		p.world.Stamp(&t.UpdatedAt)
		t.Tags = slices.Clone(t.Tags)
		p.world.traders.Put(t.ID, t, nil, wire.Micros(t.UpdatedAt))
	})
	return t
}

// PutAccount adds or replaces an account.
func (p *Platform) PutAccount(a Account) Account {
	p.world.Write(func() {
		p.world.Stamp(&a.UpdatedAt)
		p.world.accounts.Put(a.ID, a, nil, wire.Micros(a.UpdatedAt))
	})
	return a
}

// PutTrade adds or replaces the trade with the same account and id.
func (p *Platform) PutTrade(t Trade) Trade {
	p.world.Write(func() {
		p.world.Stamp(&t.UpdatedAt)
		ref, found := p.world.findTrade(t.AccountID, t.ID)
		p.world.trades.PutAt(ref, found, t.ID, t, nil, wire.Micros(t.UpdatedAt))
	})
	return t
}

// PutPayout adds or replaces a payout.
func (p *Platform) PutPayout(o Payout) Payout {
	p.world.Write(func() {
		p.world.Stamp(&o.UpdatedAt)
		p.world.payouts.Put(o.ID, o, nil, wire.Micros(o.UpdatedAt))
	})
	return o
}

// PutRaw makes a list send any text instead of a record, which is the way to send
// what no platform should. The id and updatedAt give the place in the list; a zero
// updatedAt means now. Snapshots leave such records out, and a trade is found by
// its id alone.
func (p *Platform) PutRaw(list Resource, id string, updatedAt time.Time, text string) {
	p.world.Write(func() {
		p.world.Stamp(&updatedAt)
		at, raw, w := wire.Micros(updatedAt), []byte(text), p.world
		switch list {
		case Traders:
			w.traders.Put(id, Trader{}, raw, at)
		case Accounts:
			w.accounts.Put(id, Account{}, raw, at)
		case Trades:
			w.trades.Put(id, Trade{}, raw, at)
		case Payouts:
			w.payouts.Put(id, Payout{}, raw, at)
		}
	})
}

// Delete makes a record vanish and reports whether it was there. Of trades
// with the same id in several accounts it takes the first; see DeleteTrade.
func (p *Platform) Delete(list Resource, id string) (deleted bool) {
	p.world.Write(func() {
		w := p.world
		switch list {
		case Traders:
			deleted = w.traders.Drop(w.traders.Find(id))
		case Accounts:
			deleted = w.accounts.Drop(w.accounts.Find(id))
		case Trades:
			ref, found := w.trades.Find(id)
			if !found {
				ref, found = w.findTrade("", id)
			}
			deleted = w.trades.Drop(ref, found)
		case Payouts:
			deleted = w.payouts.Drop(w.payouts.Find(id))
		}
	})
	return deleted
}

// DeleteTrade makes the trade of an account vanish and reports whether it was there.
func (p *Platform) DeleteTrade(accountID, id string) (deleted bool) {
	p.world.Write(func() {
		deleted = p.world.trades.Drop(p.world.findTrade(accountID, id))
	})
	return deleted
}

// findTrade returns the row of an account's trade; any account's when the
// account is empty. Ids that count per account are looked for one by one.
func (w *tables) findTrade(accountID, id string) (uint32, bool) {
	return w.trades.Search(id, func(ref uint32) bool {
		if accountID == "" {
			return true
		}
		if record, raw, ok := w.trades.Custom(ref); ok {
			return raw || record.AccountID == accountID
		}
		return w.accounts.ID(w.Trade(ref).Account) == accountID
	})
}
