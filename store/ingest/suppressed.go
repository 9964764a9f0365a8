package ingest

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
)

// leaveOut removes the records of erased people from a page, and their ids from its findings. It does not change the given batch.
func leaveOut(ctx context.Context, db *store.DB, p *PageCommit) error {
	if !p.Claim.Suppressing {
		return nil
	}
	s, err := directory.OpenSuppressor(ctx, db, db.Bun, p.Claim.OrganizationID, p.Claim.IntegrationID)
	if err != nil {
		return err
	}
	gone, err := s.FindSuppressed(ctx, db.Bun, erasableIDs(p))
	if err != nil {
		return err
	}
	seconds, err := findErasedSeconds(ctx, db, p, gone)
	if err != nil {
		return err
	}
	e := &erasedPeople{gone: gone, seconds: seconds, left: make(map[string]bool), accounts: make(map[string]string)}
	e.removeFrom(p)
	if e.disputed > 0 {
		p.Findings = append(p.Findings, record.Finding{Rule: ruleAccountOfErased, Resource: record.Accounts, Count: e.disputed})
	}
	if err := e.keepStored(ctx, db, p); err != nil {
		return err
	}
	if len(e.accounts)+len(e.further) == 0 {
		return nil
	}
	return db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := s.AddIDs(ctx, tx, p.Claim.OrganizationID, record.Accounts, slices.Sorted(maps.Keys(e.accounts))...); err != nil {
			return err
		}
		return s.AddIDs(ctx, tx, p.Claim.OrganizationID, directory.SecondIDs, e.further...)
	})
}

// erasedPeople recognizes the records of erased people in a page.
type erasedPeople struct {
	gone    func(record.Resource, string) bool // see directory.Suppressor
	seconds map[string]bool                    // see findErasedSeconds
	left    map[string]bool                    // ids of the records that are left out

	accounts map[string]string // their accounts that are not suppressed yet, by number, with the second id
	further  []string          // second ids of these, and of others, that are not suppressed yet
	disputed int               // accounts that are left out for their number, although they name another trader
}

// ruleAccountOfErased is broken by an account that has the number of an erased person's account and
// names another trader. It has no samples, because the number is the erased person's.
const ruleAccountOfErased = "account_of_erased"

// keepStored removes from the accounts to suppress those that are stored, because the erased
// person's were deleted: they are somebody else's, and a page has shown them with the erased person
// by mistake. Their own later pages must not be left out.
func (e *erasedPeople) keepStored(ctx context.Context, db *store.DB, p *PageCommit) error {
	if len(e.accounts) == 0 {
		return nil
	}
	stored, err := findStoredAccounts(ctx, db, p.Claim.IntegrationID, slices.Collect(maps.Keys(e.accounts)))
	for _, number := range stored {
		second := e.accounts[number]
		delete(e.accounts, number)
		e.further = slices.DeleteFunc(e.further, func(id string) bool { return id == second })
	}
	return err
}

// removeFrom removes the records from a page.
func (e *erasedPeople) removeFrom(p *PageCommit) {
	b := &p.Batch
	b.Traders = withoutGone(b.Traders, func(r record.Trader) bool { return e.noteLeft(r.ID, e.ownsRecord(record.Owner{TraderID: r.ID})) })
	b.Accounts = withoutGone(b.Accounts, func(r record.Account) bool {
		return e.noteLeft(r.ID, e.ownsAccount(record.Owner{TraderID: r.TraderID, AccountID: r.ID}, r.PartnerID))
	})
	b.Trades = withoutGone(b.Trades, func(r record.Trade) bool { return e.noteLeft(r.ID, e.ownsRecord(record.Owner{AccountID: r.AccountID})) })
	b.Payouts = withoutGone(b.Payouts, func(r record.Payout) bool {
		return e.noteLeft(r.ID, e.ownsRecord(record.Owner{TraderID: r.TraderID, AccountID: r.AccountID}))
	})
	p.Rejected = withoutGone(p.Rejected, func(r record.Rejected) bool {
		if p.Run.Stream.Resource() == record.Accounts {
			return e.ownsAccount(r.Owner, "")
		}
		return e.ownsRecord(r.Owner)
	})
	p.Findings = slices.Clone(p.Findings)
	for i := range p.Findings {
		p.Findings[i].Samples = withoutGone(p.Findings[i].Samples, func(id string) bool { return e.left[id] })
	}
}

// ownsRecord reports whether a record with the owner is an erased person's.
func (e *erasedPeople) ownsRecord(o record.Owner) bool {
	return e.gone(record.Traders, o.TraderID) || e.gone(record.Accounts, o.AccountID) || e.seconds[o.AccountID]
}

// ownsAccount reports whether an account with the second id is an erased person's, and notes ids of it that are not suppressed yet.
func (e *erasedPeople) ownsAccount(o record.Owner, second string) bool {
	if !e.ownsRecord(o) {
		return false
	}
	if o.TraderID != "" && !e.gone(record.Traders, o.TraderID) {
		e.disputed++
	}
	if o.AccountID != "" && !e.gone(record.Accounts, o.AccountID) {
		e.accounts[o.AccountID] = second
	}
	if second != "" && !e.gone(directory.SecondIDs, second) {
		e.further = append(e.further, second)
	}
	return true
}

// noteLeft notes the id of a record that is left out.
func (e *erasedPeople) noteLeft(id string, out bool) bool {
	e.left[id] = e.left[id] || out
	return out
}

// erasableIDs lists the ids in a page that may be those of erased people.
func erasableIDs(p *PageCommit) map[record.Resource][]string {
	var traders, accounts, seconds []string
	for _, r := range p.Batch.Traders {
		traders = append(traders, r.ID)
	}
	for _, r := range p.Batch.Accounts {
		traders, accounts, seconds = append(traders, r.TraderID), append(accounts, r.ID), append(seconds, r.PartnerID)
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
	ids := map[record.Resource][]string{record.Traders: slices.Compact(traders), record.Accounts: slices.Compact(accounts)}
	if p.Claim.Kind == record.PartnerPlatform {
		ids[directory.SecondIDs] = slices.Concat(seconds, ids[record.Accounts])
	}
	return ids
}

// findErasedSeconds returns the ids by which trades and payouts name accounts of erased people by their second id. An id that
// nameAccounts has left as it is may also be the number of somebody else's account, which takes precedence.
func findErasedSeconds(ctx context.Context, db *store.DB, p *PageCommit, gone func(record.Resource, string) bool) (map[string]bool, error) {
	seconds := make(map[string]bool)
	if p.Run.Stream.Resource() == record.Accounts {
		return seconds, nil
	}
	for _, id := range erasableIDs(p)[directory.SecondIDs] {
		if gone(directory.SecondIDs, id) {
			seconds[id] = true
		}
	}
	if len(seconds) == 0 {
		return seconds, nil
	}
	numbers, err := findStoredAccounts(ctx, db, p.Claim.IntegrationID, slices.Collect(maps.Keys(seconds)))
	for _, number := range numbers {
		delete(seconds, number)
	}
	return seconds, err
}

// findStoredAccounts returns those of the numbers that are of stored accounts.
func findStoredAccounts(ctx context.Context, db *store.DB, integrationID uuid.UUID, numbers []string) ([]string, error) {
	rows, err := db.Pool.Query(ctx, `SELECT external_id FROM accounts WHERE integration_id = $1 AND external_id = ANY ($2)`,
		store.Prepared(db, integrationID, numbers)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// withoutGone returns a copy of the list without the elements that are gone.
func withoutGone[T any](list []T, gone func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), gone)
}
