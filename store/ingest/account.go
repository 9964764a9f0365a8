package ingest

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// A partner's trades and payouts name their account by its number or by a second id. nameAccounts
// replaces either by the number. moveNamed does it again for rows that exist already when an
// account arrives or gets another second id. Both use the same rule, that of meaningsSQL, so the
// outcome does not depend on the order of arrival.

// ruleAmbiguousAccount is broken if a trade or payout names its account by an id that may stand for
// several accounts.
const ruleAmbiguousAccount = "account_ambiguous"

// meaning is the account that an id in a trade or payout refers to, according to the stored
// accounts: see meaningsSQL.
type meaning struct {
	number string // number of the account
	sure   bool   // no other account can be meant
}

// meanings are the two meanings of an id: in a field that prefers the number, and in one that
// prefers the second id.
type meanings struct{ asNumber, asSecond meaning }

// meaningFor returns one of the two meanings. partner selects the one that prefers the second id.
func (m meanings) meaningFor(partner bool) meaning {
	if partner {
		return m.asSecond
	}
	return m.asNumber
}

// nameAccounts replaces the ids by which a partner's page of trades or payouts names accounts by
// the accounts' numbers. It does not change the given batch, because a page may be written again
// after a failure.
func nameAccounts(ctx context.Context, db *store.DB, p *PageCommit) error {
	if p.Claim.Kind != record.PartnerPlatform {
		return nil
	}
	accounts, err := lookUpAccounts(ctx, db, p)
	if err != nil || len(accounts) == 0 {
		return err
	}
	p.ambiguous = make(map[string]string)
	resolve := func(number *string, name *record.AccountName) (sure bool) {
		id, partner := nameOf(*number, *name)
		if id == "" {
			return true
		}
		meant := accounts[id].meaningFor(partner)
		if *number = meant.number; !partner && meant.number != id {
			*name = record.NamedByNumber(id)
		}
		return meant.sure
	}
	p.Batch.Trades, p.Batch.Payouts, p.Rejected = slices.Clone(p.Batch.Trades), slices.Clone(p.Batch.Payouts), slices.Clone(p.Rejected)
	for i := range p.Batch.Trades {
		t := &p.Batch.Trades[i]
		if !resolve(&t.AccountID, &t.AccountName) {
			p.ambiguous[record.TradeKey(t.AccountID, t.ID)] = t.ID
		}
	}
	for i := range p.Batch.Payouts {
		o := &p.Batch.Payouts[i]
		if !resolve(&o.AccountID, &o.AccountName) {
			p.ambiguous[o.ID] = o.ID
		}
	}
	for i := range p.Rejected {
		// The key must be that of a valid version of the trade, which lifts its quarantine.
		if account, id, ok := strings.Cut(p.Rejected[i].Key, record.TradeKey("", "")); ok {
			p.Rejected[i].Key = record.TradeKey(accounts[account].asNumber.number, id)
		}
	}
	return nil
}

// nameOf returns the id by which an account was named, and whether to look for it among the second
// ids first.
func nameOf(number string, name record.AccountName) (id string, partner bool) {
	if name == "" {
		return number, false
	}
	return name.Split()
}

// lookUpAccounts looks up the ids by which the page names accounts.
func lookUpAccounts(ctx context.Context, db *store.DB, p *PageCommit) (map[string]meanings, error) {
	var ids []string
	for i := range p.Batch.Trades {
		id, _ := nameOf(p.Batch.Trades[i].AccountID, p.Batch.Trades[i].AccountName)
		ids = append(ids, id)
	}
	for i := range p.Batch.Payouts {
		id, _ := nameOf(p.Batch.Payouts[i].AccountID, p.Batch.Payouts[i].AccountName)
		ids = append(ids, id)
	}
	for i := range p.Rejected {
		if account, _, ok := strings.Cut(p.Rejected[i].Key, record.TradeKey("", "")); ok {
			ids = append(ids, account)
		}
	}
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.Pool.Query(ctx, meaningsSQL, store.Prepared(db, p.Claim.IntegrationID, ids)...)
	if err != nil {
		return nil, err
	}
	accounts := make(map[string]meanings, len(ids))
	var (
		id string
		m  meanings
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &m.asNumber.number, &m.asNumber.sure, &m.asSecond.number, &m.asSecond.sure}, func() error {
		accounts[id] = m
		return nil
	})
	return accounts, err
}

// meaningsSQL selects which accounts the ids $2 stand for, in a field that prefers the number and
// in one that prefers the second id, and whether any other account can be meant. An account that
// has not arrived is known by the id itself. Platforms also send numbers in fields for second ids,
// so an id that is no account's second id is the number of an account.
//
// Each id is looked up as an account's number and as its second id. OFFSET 0 forces a look-up by id
// for the first. The second is one because only the index of second ids contains the integration as
// a text.
const meaningsSQL = `SELECT u.id,
    CASE WHEN o.external_id IS NULL AND s.n = 1 THEN s.external_id ELSE u.id END AS as_number, o.external_id IS NOT NULL OR s.n <= 1 AS sure_number,
    CASE WHEN s.n = 1 THEN s.external_id ELSE u.id END AS as_second, s.n <= 1 AS sure_second
FROM unnest($2::text[]) AS u(id)
LEFT JOIN LATERAL (SELECT a.external_id, a.partner_id FROM accounts a WHERE a.integration_id = $1 AND a.external_id = u.id OFFSET 0) o ON true
LEFT JOIN LATERAL (SELECT count(*) AS n, min(a.external_id) AS external_id FROM accounts a WHERE a.integration_id::text = $1::uuid::text AND a.partner_id = u.id) s ON true`
