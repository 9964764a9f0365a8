package ingest

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// A partner's trades and payouts name their account by its number or by a
// second id. nameAccounts puts the number in the place of either; moveNamed does
// it again for rows that are there already when an account comes or gets another
// second id. Both use the same rule, that of meaningsSQL, so the outcome does not
// depend on the order of arrival.

// ruleAmbiguousAccount is broken when a trade or payout names its account by an
// id that may stand for several.
const ruleAmbiguousAccount = "account_ambiguous"

// meaning is what the stored accounts make of an id that a trade or payout names
// its account by: see meaningsSQL.
type meaning struct {
	number string // of the account meant
	sure   bool   // no other account may be meant as well
}

// meanings are those of an id under a name that stands for the number first, and
// under one that stands for the second id first.
type meanings struct{ asNumber, asSecond meaning }

// meaningFor returns one of the two meanings. partner says that the second id
// comes first.
func (m meanings) meaningFor(partner bool) meaning {
	if partner {
		return m.asSecond
	}
	return m.asNumber
}

// nameAccounts puts accounts' numbers in the place of what a partner's page of
// trades or payouts names them by. The batch given is not changed: a page may be
// written again after a failure.
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
		// So that a valid version of the trade lifts its quarantine.
		if account, id, ok := strings.Cut(p.Rejected[i].Key, record.TradeKey("", "")); ok {
			p.Rejected[i].Key = record.TradeKey(accounts[account].asNumber.number, id)
		}
	}
	return nil
}

// nameOf is the id that an account was named by, and what it stands for first.
func nameOf(number string, name record.AccountName) (id string, partner bool) {
	if name == "" {
		return number, false
	}
	return name.Split()
}

// lookUpAccounts looks up the ids that the page names accounts by.
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

// meaningsSQL answers which accounts the ids $2 mean, as a name that stands for
// the number first and as one that stands for the second id first, and whether
// no other account may be meant as well. An account that has not arrived is known
// by the id itself. Platforms send numbers under the names of second ids too, so
// an id that no account has as its second one is the number of an account.
//
// Each id is looked up as an account's number and as its second id. OFFSET 0
// keeps the first a look-up by id; the second is one because the integration as a
// text is in no other index than that of second ids.
const meaningsSQL = `SELECT u.id,
    CASE WHEN o.external_id IS NULL AND s.n = 1 THEN s.external_id ELSE u.id END AS as_number, o.external_id IS NOT NULL OR s.n <= 1 AS sure_number,
    CASE WHEN s.n = 1 THEN s.external_id ELSE u.id END AS as_second, s.n <= 1 AS sure_second
FROM unnest($2::text[]) AS u(id)
LEFT JOIN LATERAL (SELECT a.external_id, a.partner_id FROM accounts a WHERE a.integration_id = $1 AND a.external_id = u.id OFFSET 0) o ON true
LEFT JOIN LATERAL (SELECT count(*) AS n, min(a.external_id) AS external_id FROM accounts a WHERE a.integration_id::text = $1::uuid::text AND a.partner_id = u.id) s ON true`
