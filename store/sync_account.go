package store

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
)

// ruleAmbiguousAccount is broken when a trade or payout names its account by an
// id that may stand for several.
const ruleAmbiguousAccount = "account_ambiguous"

// accountName is what the stored accounts make of an id that a partner's trade
// or payout names its account by.
type accountName struct {
	own        bool   // an account has it as its id
	ownPartner string // the second id of that account
	partners   int64  // accounts that have it as their second id
	partner    string // the id of one of them
}

// resolve returns the id of the account meant. byPartner says that the name
// stands for a second id first. An account that has not arrived keeps its
// name as the id; see moveWaiting. sure is false when another account may be
// meant as well.
func (n accountName) resolve(name string, byPartner bool) (id string, sure bool) {
	switch {
	case n.own && !byPartner:
		return name, true
	case n.partners == 1:
		return n.partner, true
	case n.partners > 1:
		return name, false
	case n.own:
		return name, n.ownPartner == "" || n.ownPartner == name
	}
	return name, true
}

// nameAccounts puts accounts' ids in the place of second ids in a partner's page
// of trades or payouts. The batch given is not changed: a page may be written
// again after a failure.
func (db *DB) nameAccounts(ctx context.Context, p *PageCommit) error {
	if p.Claim.Kind != record.PartnerPlatform {
		return nil
	}
	names, err := db.accountNames(ctx, p)
	if err != nil || len(names) == 0 {
		return err
	}
	finding := record.Finding{Rule: ruleAmbiguousAccount, Resource: p.Run.Stream.Resource()}
	resolve := func(id *string, byPartner bool, sample string) {
		resolved, sure := names[*id].resolve(*id, byPartner)
		*id = resolved
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
		resolve(&t.AccountID, t.ByPartnerID, t.ID)
	}
	for i := range p.Batch.Payouts {
		o := &p.Batch.Payouts[i]
		resolve(&o.AccountID, o.ByPartnerID, o.ID)
	}
	for i := range p.Rejected {
		// So that a valid version of the trade lifts its quarantine.
		if account, id, ok := strings.Cut(p.Rejected[i].Key, record.TradeKey("", "")); ok {
			account, _ = names[account].resolve(account, false)
			p.Rejected[i].Key = record.TradeKey(account, id)
		}
	}
	if finding.Count > 0 {
		p.Findings = append(slices.Clone(p.Findings), finding)
	}
	return nil
}

// accountNames looks up the names that the page gives accounts.
func (db *DB) accountNames(ctx context.Context, p *PageCommit) (map[string]accountName, error) {
	var given []string
	for i := range p.Batch.Trades {
		given = append(given, p.Batch.Trades[i].AccountID)
	}
	for i := range p.Batch.Payouts {
		given = append(given, p.Batch.Payouts[i].AccountID)
	}
	for i := range p.Rejected {
		if account, _, ok := strings.Cut(p.Rejected[i].Key, record.TradeKey("", "")); ok {
			given = append(given, account)
		}
	}
	slices.Sort(given)
	given = slices.DeleteFunc(slices.Compact(given), func(name string) bool { return name == "" })
	if len(given) == 0 {
		return nil, nil
	}
	rows, err := db.pool.Query(ctx, accountNamesSQL, hot(db, p.Claim.IntegrationID, given)...)
	if err != nil {
		return nil, err
	}
	names := make(map[string]accountName, len(given))
	var (
		name string
		n    accountName
	)
	_, err = pgx.ForEachRow(rows, []any{&name, &n.own, &n.ownPartner, &n.partners, &n.partner}, func() error {
		names[name] = n
		return nil
	})
	return names, err
}

// accountNamesSQL looks each name up as an account's id and as its second id.
// OFFSET 0 keeps them look-ups by name. The cast keeps the second one from the
// indexes that begin with the integration, which a planner that knows nothing of
// the integration would take, to read all of its accounts for each name.
const accountNamesSQL = `SELECT u.name, o.external_id IS NOT NULL, coalesce(o.partner_id, ''), coalesce(s.n, 0), coalesce(s.external_id, '')
FROM unnest($2::text[]) AS u(name)
LEFT JOIN LATERAL (SELECT a.external_id, a.partner_id FROM accounts a WHERE a.integration_id = $1 AND a.external_id = u.name OFFSET 0) o ON true
LEFT JOIN LATERAL (SELECT count(*) AS n, min(a.external_id) AS external_id FROM accounts a WHERE a.integration_id::text = $1::uuid::text AND a.partner_id = u.name) s ON true`

// lookForWaiting finds out which second ids of the page's accounts stand where
// the id of an account should: in trades and payouts that arrived before it.
func (w *pageWriter[R]) lookForWaiting(ctx context.Context) error {
	if w.t.secondID == nil || w.p.Claim.Kind != record.PartnerPlatform {
		return nil
	}
	var second []string
	for i := range w.rows {
		if id := w.t.secondID(&w.rows[i]); id != "" && id != w.t.recordKey(&w.rows[i]) {
			second = append(second, id)
		}
	}
	if len(second) == 0 {
		return nil
	}
	return w.db.pool.QueryRow(ctx, waitingSQL, hot(w.db, w.p.Claim.IntegrationID, second)...).Scan(&w.waiting)
}

// waitingSQL answers which of the names stand in trades or payouts and are no
// account's id. Its look-ups go by name for the reasons of accountNamesSQL; the
// order of the trades keeps theirs from reading the table until one is met.
const waitingSQL = `SELECT coalesce(array_agg(DISTINCT u.name), '{}') FROM unnest($2::text[]) AS u(name)
LEFT JOIN LATERAL (SELECT t.id FROM trades t WHERE t.integration_id = $1 AND t.account_external_id = u.name ORDER BY t.id LIMIT 1) t ON true
LEFT JOIN LATERAL (SELECT min(o.external_id) AS id FROM payouts o WHERE o.integration_id::text = $1::uuid::text AND o.account_external_id = u.name) o ON true
LEFT JOIN LATERAL (SELECT a.external_id AS id FROM accounts a WHERE a.integration_id = $1 AND a.external_id = u.name OFFSET 0) a ON true
WHERE (t.id IS NOT NULL OR o.id IS NOT NULL) AND a.id IS NULL`

// moveWaiting puts the ids of accounts that have arrived into the trades and
// payouts that waited for them. Of two rows that turn out to be one trade, a
// closed one beats an open one, and otherwise the later observation the earlier.
// A second id that several accounts have, or that is the id of another one, is
// left where it is.
func (w *pageWriter[R]) moveWaiting(ctx context.Context, tx pgx.Tx) error {
	if len(w.waiting) == 0 {
		return nil
	}
	var from, to []string
	id := w.p.Claim.IntegrationID
	err := tx.QueryRow(ctx, `SELECT coalesce(array_agg(m.name), '{}'), coalesce(array_agg(m.id), '{}') FROM (
    SELECT a.partner_id AS name, min(a.external_id) AS id FROM accounts a
    WHERE a.integration_id = $1 AND a.partner_id = ANY ($2::text[])
      AND NOT EXISTS (SELECT FROM accounts o WHERE o.integration_id = $1 AND o.external_id = a.partner_id)
    GROUP BY a.partner_id HAVING count(*) = 1
) AS m`, id, w.waiting).Scan(&from, &to)
	if err != nil || len(from) == 0 {
		return err
	}
	const moves = `WITH m AS (SELECT * FROM unnest($2::text[], $3::text[]) AS m(name, id)) `
	twins, err := tx.Exec(ctx, moves+`, twin AS (
    SELECT w.id, CASE WHEN (w.close_time IS NULL) <> (t.close_time IS NULL) AND w.close_time IS NOT NULL
            OR (w.close_time IS NULL) = (t.close_time IS NULL) AND w.updated_at > t.updated_at
        THEN t.account_external_id ELSE w.account_external_id END AS account
    FROM m JOIN trades w ON w.integration_id = $1 AND w.account_external_id = m.name
    JOIN trades t ON t.integration_id = $1 AND t.account_external_id = m.id AND t.id = w.id
) DELETE FROM trades d USING twin WHERE d.integration_id = $1 AND d.account_external_id = twin.account AND d.id = twin.id`, id, from, to)
	if err != nil {
		return err
	}
	for _, statement := range []string{
		`UPDATE trades t SET account_external_id = m.id, updated_at = now() FROM m WHERE t.integration_id = $1 AND t.account_external_id = m.name`,
		`UPDATE payouts o SET account_external_id = m.id, updated_at = now() FROM m WHERE o.integration_id = $1 AND o.account_external_id = m.name`,
		`UPDATE quarantine q SET key = m.id || substr(q.key, length(m.name) + 1) FROM m
WHERE q.integration_id = $1 AND q.resource = 'trades' AND starts_with(q.key, m.name || chr(31))
  AND NOT EXISTS (SELECT FROM quarantine o WHERE o.integration_id = $1 AND o.resource = 'trades' AND o.key = m.id || substr(q.key, length(m.name) + 1))`,
	} {
		if _, err := tx.Exec(ctx, moves+statement, id, from, to); err != nil {
			return err
		}
	}
	if n := twins.RowsAffected(); n > 0 {
		_, err = tx.Exec(ctx, `UPDATE sync_state SET trades = trades - $2 WHERE integration_id = $1`, id, n)
	}
	return err
}
