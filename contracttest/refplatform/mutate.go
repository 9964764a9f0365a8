package refplatform

import (
	"slices"
	"time"
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
	p.world.write(func(now int64) {
		p.world.stampRecord(&t.UpdatedAt, now)
		t.Tags = slices.Clone(t.Tags)
		p.world.traders.put(t.ID, override[Trader]{id: t.ID, record: t}, micros(t.UpdatedAt))
	})
	return t
}

// PutAccount adds or replaces an account.
func (p *Platform) PutAccount(a Account) Account {
	p.world.write(func(now int64) {
		p.world.stampRecord(&a.UpdatedAt, now)
		p.world.accounts.put(a.ID, override[Account]{id: a.ID, record: a}, micros(a.UpdatedAt))
	})
	return a
}

// PutTrade adds or replaces the trade with the same account and id.
func (p *Platform) PutTrade(t Trade) Trade {
	p.world.write(func(now int64) {
		p.world.stampRecord(&t.UpdatedAt, now)
		ref, found := p.world.findTrade(t.AccountID, t.ID)
		p.world.trades.putAt(ref, found, override[Trade]{id: t.ID, record: t}, micros(t.UpdatedAt))
	})
	return t
}

// PutPayout adds or replaces a payout.
func (p *Platform) PutPayout(o Payout) Payout {
	p.world.write(func(now int64) {
		p.world.stampRecord(&o.UpdatedAt, now)
		p.world.payouts.put(o.ID, override[Payout]{id: o.ID, record: o}, micros(o.UpdatedAt))
	})
	return o
}

// PutRaw makes a list send a text in the place of a record, whatever it is:
// the way to send what no platform should. The id and updatedAt give the place
// in the list; a zero updatedAt is now. Snapshots leave such records out, and
// a trade is found by its id alone.
func (p *Platform) PutRaw(list Resource, id string, updatedAt time.Time, text string) {
	p.world.write(func(now int64) {
		p.world.stampRecord(&updatedAt, now)
		at, raw, w := micros(updatedAt), []byte(text), p.world
		switch list {
		case Traders:
			w.traders.put(id, override[Trader]{id: id, raw: raw}, at)
		case Accounts:
			w.accounts.put(id, override[Account]{id: id, raw: raw}, at)
		case Trades:
			w.trades.put(id, override[Trade]{id: id, raw: raw}, at)
		case Payouts:
			w.payouts.put(id, override[Payout]{id: id, raw: raw}, at)
		}
	})
}

// Delete makes a record vanish and reports whether it was there. Of trades
// with the same id in several accounts it takes the first; see DeleteTrade.
func (p *Platform) Delete(list Resource, id string) (deleted bool) {
	p.world.write(func(int64) {
		w := p.world
		switch list {
		case Traders:
			deleted = w.traders.drop(w.traders.find(id))
		case Accounts:
			deleted = w.accounts.drop(w.accounts.find(id))
		case Trades:
			ref, found := w.trades.find(id)
			if !found {
				ref, found = w.findTrade("", id)
			}
			deleted = w.trades.drop(ref, found)
		case Payouts:
			deleted = w.payouts.drop(w.payouts.find(id))
		}
	})
	return deleted
}

// DeleteTrade makes the trade of an account vanish and reports whether it was there.
func (p *Platform) DeleteTrade(accountID, id string) (deleted bool) {
	p.world.write(func(int64) {
		deleted = p.world.trades.drop(p.world.findTrade(accountID, id))
	})
	return deleted
}

// stampRecord gives a record without an updated_at one.
func (w *world) stampRecord(updatedAt *time.Time, now int64) {
	if updatedAt.IsZero() {
		*updatedAt = moment(w.stampNext(now))
	} else {
		*updatedAt = updatedAt.UTC().Truncate(time.Microsecond)
	}
}

// findTrade returns the row of an account's trade; any account's when the
// account is empty. Ids that count per account are looked for one by one.
func (w *world) findTrade(accountID, id string) (uint32, bool) {
	belongs := func(ref uint32) bool {
		if accountID == "" {
			return true
		}
		if o, ok := w.trades.custom[ref]; ok {
			return o.raw != nil || o.record.AccountID == accountID
		}
		return w.accounts.id(w.trades.rows[ref].account) == accountID
	}
	for ref, o := range w.trades.custom {
		if o.id == id && belongs(ref) {
			return ref, true
		}
	}
	if !w.perAcct {
		ref, found := w.trades.find(id)
		return ref, found && belongs(ref)
	}
	for ref := range w.trades.rows {
		if w.trades.id(uint32(ref)) == id && belongs(uint32(ref)) {
			return uint32(ref), true
		}
	}
	return 0, false
}

// put adds or replaces the record with an id.
func (t *table[R, T]) put(id string, o override[T], at int64) {
	ref, found := t.find(id)
	t.putAt(ref, found, o, at)
}

// putAt is put for a record that has been looked up.
func (t *table[R, T]) putAt(ref uint32, found bool, o override[T], at int64) {
	if t.custom == nil {
		t.custom = make(map[uint32]override[T])
		t.ids = make(map[string]uint32)
	}
	if !found {
		var blank R
		ref = t.add(blank, 0)
		t.live-- // counted below
		t.ids[o.id] = ref
	}
	if t.updated[ref] == 0 {
		t.live++
	}
	t.custom[ref] = o
	t.touch(ref, at)
}

// drop deletes a record that has been looked up. Its row stays, so that refs
// keep their meaning.
func (t *table[R, T]) drop(ref uint32, found bool) bool {
	if !found || t.updated[ref] == 0 {
		return false
	}
	t.updated[ref] = 0
	t.live--
	return true
}
