package ingest

import (
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/directory/column"
)

// tables holds the synced tables.
type tables struct {
	traders  *table[record.Trader]
	accounts *table[record.Account]
	trades   *table[record.Trade]
	payouts  *table[record.Payout]
}

// synced are the synced tables.
var synced = tables{tradersTable(), accountsTable(), tradesTable(), payoutsTable()}

func tradersTable() *table[record.Trader] {
	type r = record.Trader
	t := &table[r]{
		name: "traders", resource: record.Traders, counter: "traders", owned: true, sourced: true,
		Set:       column.OfTraders(),
		updatedAt: func(t *r) time.Time { return t.UpdatedAt },
		madeAt:    func(t *r) time.Time { return firstKnown(t.UpdatedAt, t.RegisteredAt) },
		changedAt: func(t *r) time.Time { return t.UpdatedAt },
		recordKey: func(t *r) string { return t.ID },
		asHashed: func(t *r) *r {
			if t.Unrecognized == "" {
				return t
			}
			hashed := *t
			hashed.Metadata = withUnrecognized(t.Metadata, t.Unrecognized)
			return &hashed
		},
	}
	return t.withStatements()
}

func accountsTable() *table[record.Account] {
	type r = record.Account
	t := &table[r]{
		name: "accounts", resource: record.Accounts, counter: "accounts", owned: true,
		Set:       column.OfAccounts(),
		updatedAt: func(a *r) time.Time { return a.UpdatedAt },
		madeAt:    func(a *r) time.Time { return firstKnown(a.UpdatedAt, a.StartedAt) },
		changedAt: func(a *r) time.Time { return a.UpdatedAt },
		recordKey: func(a *r) string { return a.ID },
		secondID:  func(a *r) string { return a.PartnerID },
		traderID:  func(a *r) string { return a.TraderID },
		asHashed: func(a *r) *r {
			if a.Unrecognized == "" {
				return a
			}
			hashed := *a
			hashed.Metadata = withUnrecognized(a.Metadata, a.Unrecognized)
			return &hashed
		},
	}
	return t.withStatements()
}

func tradesTable() *table[record.Trade] {
	type r = record.Trade
	t := &table[r]{
		name: "trades", resource: record.Trades, counter: "trades",
		Set:       column.OfTrades(),
		updatedAt: func(t *r) time.Time { return t.UpdatedAt },
		madeAt:    func(t *r) time.Time { return firstKnown(t.UpdatedAt, t.CloseTime, t.OpenTime) },
		changedAt: func(t *r) time.Time { return firstKnown(t.UpdatedAt, t.CloseTime) },
		recordKey: func(t *r) string { return record.TradeKey(t.AccountID, t.ID) },
		open:      func(t *r) bool { return t.Open() },
		period:    func(t *r) (opened, closed time.Time) { return t.OpenTime, t.CloseTime },
	}
	return t.withStatements()
}

func payoutsTable() *table[record.Payout] {
	type r = record.Payout
	t := &table[r]{
		name: "payouts", resource: record.Payouts, counter: "payouts", owned: true,
		Set:       column.OfPayouts(),
		updatedAt: func(p *r) time.Time { return p.UpdatedAt },
		madeAt:    func(p *r) time.Time { return firstKnown(p.UpdatedAt, p.PaidAt, p.RequestedAt) },
		changedAt: func(p *r) time.Time { return p.UpdatedAt },
		recordKey: func(p *r) string { return p.ID },
		traderID:  func(p *r) string { return p.TraderID },
	}
	return t.withStatements()
}

// withUnrecognized returns metadata with the unrecognized values as a member. They were stored
// there before they had their own column, and the hashes of rows from that time cover them there.
// With another hash, all of these records would seem to have changed without a new updated_at.
func withUnrecognized(metadata, unrecognized string) string {
	head := "{"
	if metadata != "" {
		head = strings.TrimRight(metadata[:len(metadata)-1], " \t\r\n")
	}
	if len(head) > 1 {
		head += ","
	}
	return head + `"unrecognized":` + unrecognized + "}"
}

// firstKnown returns the first of the times that is not zero, or zero if all are.
func firstKnown(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
