package store

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
)

// A partner's trades and payouts name their account by its number or by a
// second id. nameAccounts puts the number in the place of either; moveNamed does
// it again for rows that are there already when an account comes or gets another
// second id. Both use the same rule, so the outcome does not depend on the order
// of arrival.

// ruleAmbiguousAccount is broken when a trade or payout names its account by an
// id that may stand for several.
const ruleAmbiguousAccount = "account_ambiguous"

// namedAccount is what the stored accounts make of an id that a trade or payout
// names its account by.
type namedAccount struct {
	own        bool   // an account has it as its number
	ownPartner string // the second id of that account
	partners   int64  // accounts that have it as their second id
	partner    string // the number of one of them
}

// resolve returns the number of the account meant; partner says that the id
// stands for a second id first. An account that has not arrived is known by the
// id itself. sure is false when another account may be meant as well. It must
// agree with resolvedSQL.
func (n namedAccount) resolve(id string, partner bool) (number string, sure bool) {
	switch {
	case n.own && !partner:
		return id, true
	case n.partners == 1:
		return n.partner, true
	case n.partners > 1:
		return id, false
	case n.own:
		return id, n.ownPartner == "" || n.ownPartner == id
	}
	return id, true
}

// nameAccounts puts accounts' numbers in the place of what a partner's page of
// trades or payouts names them by. The batch given is not changed: a page may be
// written again after a failure.
func (db *DB) nameAccounts(ctx context.Context, p *PageCommit) error {
	if p.Claim.Kind != record.PartnerPlatform {
		return nil
	}
	accounts, err := db.namedAccounts(ctx, p)
	if err != nil || len(accounts) == 0 {
		return err
	}
	finding := record.Finding{Rule: ruleAmbiguousAccount, Resource: p.Run.Stream.Resource()}
	resolve := func(number *string, name *record.AccountName, sample string) {
		id, partner := nameOf(*number, *name)
		resolved, sure := accounts[id].resolve(id, partner)
		if *number = resolved; !partner && resolved != id {
			*name = record.NamedByNumber(id)
		}
		if sure {
			return
		}
		if finding.Count++; len(finding.Samples) < record.MaxSamples {
			finding.Samples = append(finding.Samples, sample)
		}
	}
	p.Batch.Trades, p.Batch.Payouts, p.Rejected = slices.Clone(p.Batch.Trades), slices.Clone(p.Batch.Payouts), slices.Clone(p.Rejected)
	for i := range p.Batch.Trades {
		t := &p.Batch.Trades[i]
		resolve(&t.AccountID, &t.AccountName, t.ID)
	}
	for i := range p.Batch.Payouts {
		o := &p.Batch.Payouts[i]
		resolve(&o.AccountID, &o.AccountName, o.ID)
	}
	for i := range p.Rejected {
		// So that a valid version of the trade lifts its quarantine.
		if account, id, ok := strings.Cut(p.Rejected[i].Key, record.TradeKey("", "")); ok {
			account, _ = accounts[account].resolve(account, false)
			p.Rejected[i].Key = record.TradeKey(account, id)
		}
	}
	if finding.Count > 0 {
		p.Findings = append(slices.Clone(p.Findings), finding)
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

// namedAccounts looks up the ids that the page names accounts by.
func (db *DB) namedAccounts(ctx context.Context, p *PageCommit) (map[string]namedAccount, error) {
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
	rows, err := db.pool.Query(ctx, namedAccountsSQL, hot(db, p.Claim.IntegrationID, ids)...)
	if err != nil {
		return nil, err
	}
	accounts := make(map[string]namedAccount, len(ids))
	var (
		id string
		n  namedAccount
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &n.own, &n.ownPartner, &n.partners, &n.partner}, func() error {
		accounts[id] = n
		return nil
	})
	return accounts, err
}

// namedAccountsSQL looks each id up as an account's number and as its second id.
// OFFSET 0 keeps the first a look-up by id; the second is one because the
// integration as a text is in no other index than that of second ids.
const namedAccountsSQL = `SELECT u.id, o.external_id IS NOT NULL AS own, coalesce(o.partner_id, '') AS own_partner, coalesce(s.n, 0) AS partners, coalesce(s.external_id, '') AS partner
FROM unnest($2::text[]) AS u(id)
LEFT JOIN LATERAL (SELECT a.external_id, a.partner_id FROM accounts a WHERE a.integration_id = $1 AND a.external_id = u.id OFFSET 0) o ON true
LEFT JOIN LATERAL (SELECT count(*) AS n, min(a.external_id) AS external_id FROM accounts a WHERE a.integration_id::text = $1::uuid::text AND a.partner_id = u.id) s ON true`
