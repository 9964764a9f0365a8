package partner

import (
	"time"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// Put methods add a record or replace the one with the same id, and return it
// as a client must end with it: times in whole seconds, and without what the
// record's spelling cannot say. A zero UpdatedAt is replaced by the present
// moment.
//
// A record that has been put is the caller's: the world does not change it any
// more by itself, nor bring it back after a Delete.

// PutCustomer adds or replaces a customer.
func (p *Platform) PutCustomer(c Customer) Customer {
	t := p.tables
	t.Write(func() {
		ref, found := t.vacateRow(Customers, c.CustomerID)
		at := t.stampRecord(&c.UpdatedAt)
		c.CreatedAt = truncateSecond(c.CreatedAt.UTC())
		c = t.sentCustomer(c)
		t.customers.PutAt(ref, found, c.CustomerID, c, nil, at)
	})
	return c
}

// PutAccount adds or replaces an account.
func (p *Platform) PutAccount(a Account) Account {
	t := p.tables
	t.Write(func() {
		ref, found := t.vacateRow(Accounts, a.AccountNr)
		at := t.stampRecord(&a.UpdatedAt)
		for _, moment := range []*time.Time{&a.CreatedAt, &a.FundedAt, &a.BreachedAt} {
			*moment = truncateSecond(moment.UTC())
		}
		a = t.sentAccount(ref, a)
		t.accounts.PutAt(ref, found, a.AccountNr, a, nil, at)
	})
	return a
}

// PutPayout adds or replaces a payout.
func (p *Platform) PutPayout(o Payout) Payout {
	t := p.tables
	t.Write(func() {
		ref, found := t.vacateRow(Payouts, o.PayoutID)
		at := t.stampRecord(&o.UpdatedAt)
		o.RequestedAt, o.ApprovedAt = truncateSecond(o.RequestedAt.UTC()), truncateSecond(o.ApprovedAt.UTC())
		t.settlePayout(ref, &o)
		t.payouts.PutAt(ref, found, o.PayoutID, o, nil, at)
	})
	return o
}

// PutTrade adds or replaces the trade with the same account and ticket, open or
// closed as its CloseDate has it.
func (p *Platform) PutTrade(r Trade) Trade {
	p.tables.Write(func() { r = p.tables.putTrade(r) })
	return r
}

// OpenTrade is PutTrade for a trade that opens now, unless it has an OpenDate.
func (p *Platform) OpenTrade(r Trade) Trade {
	p.tables.Write(func() {
		if r.OpenDate.IsZero() {
			r.OpenDate = p.tables.Now()
		}
		r.CloseDate, r.ClosePrice = time.Time{}, wire.Decimal{}
		r = p.tables.putTrade(r)
	})
	return r
}

// ModifyTrade changes a trade, and returns what has become of it. It reports
// false when there is no such trade.
func (p *Platform) ModifyTrade(accountNr, ticket string, change func(*Trade)) (r Trade, ok bool) {
	t := p.tables
	t.Write(func() {
		ref, found := t.findTrade(accountNr, ticket)
		if ok = found && t.trades.Updated(ref) != 0; !ok {
			return
		}
		r = t.trades.Record(ref)
		change(&r)
		r.AccountNr, r.Ticket = accountNr, ticket
		r = t.putTrade(r)
	})
	return r, ok
}

// CloseTrade closes an open trade at the present moment and at the price that
// it was opened at. It reports false when there is none.
func (p *Platform) CloseTrade(accountNr, ticket string) (r Trade, ok bool) {
	closes := false
	r, ok = p.ModifyTrade(accountNr, ticket, func(r *Trade) {
		if closes = r.CloseDate.IsZero(); closes {
			r.CloseDate, r.ClosePrice, r.PnL = p.tables.Now(), r.OpenPrice, wire.NewDecimal(0, 2)
		}
	})
	return r, ok && closes
}

// PutRaw makes a list send any text instead of a record. The id gives the place in
// the list. Closed trades are placed by at, and the other lists' filter uses it as
// the time of their change. A zero time means now. The All methods leave such
// records out.
func (p *Platform) PutRaw(list List, id string, at time.Time, text string) {
	t := p.tables
	t.Write(func() {
		changed := t.stampRecord(&at)
		raw := []byte(text)
		switch list {
		case Customers:
			ref, found := t.vacateRow(list, id)
			t.customers.PutAt(ref, found, id, Customer{CustomerID: id, CustomerNr: id}, raw, changed)
		case Accounts:
			ref, found := t.vacateRow(list, id)
			t.accounts.PutAt(ref, found, id, Account{AccountNr: id}, raw, changed)
		case Payouts:
			ref, found := t.vacateRow(list, id)
			t.payouts.PutAt(ref, found, id, Payout{PayoutID: id}, raw, changed)
		case ClosedTrades:
			t.putTradeAs(Trade{Ticket: id, CloseDate: at}, raw)
		case OpenTrades:
			t.putTradeAs(Trade{Ticket: id}, raw)
		}
	})
}

// Delete makes a record vanish and reports whether it was there. Of trades with
// the same ticket in several accounts it takes the first; see DeleteTrade.
func (p *Platform) Delete(list List, id string) (deleted bool) {
	t := p.tables
	t.Write(func() {
		switch list {
		case Customers, Accounts, Payouts:
			ref, found := t.vacateRow(list, id)
			shelf, _ := t.tableOf(list)
			deleted = shelf.Drop(ref, found)
		case ClosedTrades, OpenTrades:
			deleted = t.dropTrade("", id)
		}
	})
	return deleted
}

// DeleteTrade makes the trade of an account vanish and reports whether it was there.
func (p *Platform) DeleteTrade(accountNr, ticket string) (deleted bool) {
	p.tables.Write(func() { deleted = p.tables.dropTrade(accountNr, ticket) })
	return deleted
}

// shelf is what changes of any table but the trades' need.
type shelf interface {
	Find(id string) (uint32, bool)
	Updated(ref uint32) int64
	Drop(ref uint32, found bool) bool
	Len() int
}

// tableOf returns a list's table, and what takes a record out of its index.
func (t *tables) tableOf(list List) (table shelf, leave func(ref uint32)) {
	switch list {
	case Customers:
		return &t.customers, t.leaveCustomer
	case Accounts:
		return &t.accounts, t.leaveAccount
	}
	return &t.payouts, t.leavePayout
}

// vacateRow takes a record out of its index, if it is there, and returns its row,
// which is the next one for a record that is not.
func (t *tables) vacateRow(list List, id string) (ref uint32, found bool) {
	table, leave := t.tableOf(list)
	if ref, found = table.Find(id); !found {
		return uint32(table.Len()), false
	}
	if table.Updated(ref) != 0 {
		leave(ref)
	}
	return ref, true
}

// stampRecord gives a record without a time of change one, and cuts it to what the
// platform keeps. It returns the whole time, for the order of changes.
func (t *tables) stampRecord(updatedAt *time.Time) int64 {
	t.Stamp(updatedAt)
	at := wire.Micros(*updatedAt)
	*updatedAt = truncateSecond(*updatedAt)
	return at
}

func (t *tables) putTrade(r Trade) Trade {
	r.OpenDate, r.CloseDate = truncateSecond(r.OpenDate.UTC()), truncateSecond(r.CloseDate.UTC())
	t.putTradeAs(r, nil)
	return r
}

func (t *tables) putTradeAs(r Trade, raw []byte) {
	ref, found := t.findTrade(r.AccountNr, r.Ticket)
	if found && t.trades.Updated(ref) != 0 {
		t.leaveTrade(ref)
	}
	var now time.Time
	t.trades.PutAt(ref, found, r.Ticket, r, raw, t.stampRecord(&now))
}

func (t *tables) dropTrade(accountNr, ticket string) bool {
	ref, found := t.findTrade(accountNr, ticket)
	if !found || t.trades.Updated(ref) == 0 {
		return false
	}
	t.leaveTrade(ref)
	return t.trades.Drop(ref, true)
}

// findTrade returns the row of an account's trade; any account's when the
// account is empty.
func (t *tables) findTrade(accountNr, ticket string) (uint32, bool) {
	return t.trades.Search(ticket, func(ref uint32) bool {
		if accountNr == "" {
			return true
		}
		if record, raw, ok := t.trades.Custom(ref); ok {
			return raw || record.AccountNr == accountNr
		}
		return t.accounts.ID(t.Trade(ref).Account) == accountNr
	})
}
