package ingest

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
)

// leaveOut removes the records of erased people from a page. It does not change the given batch.
func leaveOut(ctx context.Context, db *store.DB, p *PageCommit) error {
	if !p.Claim.Suppressing {
		return nil
	}
	s, err := directory.OpenSuppressor(ctx, db, p.Claim.OrganizationID, p.Claim.IntegrationID)
	if err != nil {
		return err
	}
	gone, err := s.FindSuppressed(ctx, db, erasableIDs(p))
	if err != nil {
		return err
	}
	b := &p.Batch
	goneOwner := func(o record.Owner) bool {
		return gone(record.Traders, o.TraderID) || gone(record.Accounts, o.AccountID)
	}
	var accounts []string // further accounts of erased people
	goneAccount := func(o record.Owner) bool {
		if gone(record.Traders, o.TraderID) && o.AccountID != "" && !gone(record.Accounts, o.AccountID) {
			accounts = append(accounts, o.AccountID)
		}
		return goneOwner(o)
	}
	b.Traders = withoutGone(b.Traders, func(r record.Trader) bool { return gone(record.Traders, r.ID) })
	b.Accounts = withoutGone(b.Accounts, func(r record.Account) bool { return goneAccount(record.Owner{TraderID: r.TraderID, AccountID: r.ID}) })
	b.Trades = withoutGone(b.Trades, func(r record.Trade) bool { return gone(record.Accounts, r.AccountID) })
	b.Payouts = withoutGone(b.Payouts, func(r record.Payout) bool {
		return goneOwner(record.Owner{TraderID: r.TraderID, AccountID: r.AccountID})
	})
	p.Rejected = withoutGone(p.Rejected, func(r record.Rejected) bool {
		if p.Run.Stream.Resource() == record.Accounts {
			return goneAccount(r.Owner)
		}
		return goneOwner(r.Owner)
	})
	if len(accounts) == 0 {
		return nil
	}
	return db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return s.AddIDs(ctx, tx, p.Claim.OrganizationID, record.Accounts, accounts...)
	})
}

// erasableIDs lists the ids in a page that may be those of erased people.
func erasableIDs(p *PageCommit) map[record.Resource][]string {
	var traders, accounts []string
	for _, r := range p.Batch.Traders {
		traders = append(traders, r.ID)
	}
	for _, r := range p.Batch.Accounts {
		traders, accounts = append(traders, r.TraderID), append(accounts, r.ID)
	}
	for _, r := range p.Batch.Trades {
		accounts = append(accounts, r.AccountID)
	}
	for _, r := range p.Batch.Payouts {
		traders, accounts = append(traders, r.TraderID), append(accounts, r.AccountID)
	}
	for _, r := range p.Rejected {
		traders, accounts = append(traders, r.Owner.TraderID), append(accounts, r.Owner.AccountID)
	}
	slices.Sort(traders)
	slices.Sort(accounts)
	return map[record.Resource][]string{record.Traders: slices.Compact(traders), record.Accounts: slices.Compact(accounts)}
}

// withoutGone returns a copy of the list without the elements that are gone.
func withoutGone[T any](list []T, gone func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), gone)
}
