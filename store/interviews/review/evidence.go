package review

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
)

// EvidenceTrade is a trade that a report refers to.
type EvidenceTrade struct {
	directory.Trade
	// NamedAccountID is the account that the report names. It is the trade's account, or the one
	// with which the file's account was identified.
	NamedAccountID uuid.UUID `bun:"named_account_id"`
	TraderID       uuid.UUID `bun:"trader_id"`   // the account's owner: the interviewed trader, or another
	TraderName     *string   `bun:"trader_name"` // nil if unknown
	Login          *string   `bun:"login"`       // of the account; nil if unknown
	Currency       *string   `bun:"currency"`    // of the account; nil if unknown
	FromFile       bool      `bun:"from_file"`   // from an uploaded file, not from a platform
}

// evidenceQuery reads the trades ?1 of the accounts ?0, in pairs, for the organization ?2 and its
// trader ?3. A file's account may have been identified with another of the same login. Among the
// trader's own files the trade's id decides.
const evidenceQuery = `WITH named AS (SELECT * FROM unnest(?0::uuid[], ?1::text[]) WITH ORDINALITY AS n (account, trade, place)), uploaded AS (
    SELECT n.place, n.account, n.trade, a.file_id, a.number, a.id, a.login, a.currency FROM named AS n JOIN activity_accounts AS a ON a.id = n.account
    UNION
    SELECT n.place, n.account, n.trade, a.file_id, a.number, a.id, a.login, a.currency
    FROM activity_files AS f JOIN activity_accounts AS a ON a.file_id = f.id, named AS n WHERE f.organization_id = ?2 AND f.trader_id = ?3
)
SELECT DISTINCT ON (place) named_account_id, id, account_id, account_external_id, symbol, side, volume, open_time, close_time, open_price, close_price, stop_loss,
    take_profit, commission, swap, profit, platform_updated_at, missing_since, trader_id, trader_name, login, currency, from_file
FROM (
    SELECT n.place, 0 AS rank, n.account AS named_account_id, t.id, a.id AS account_id, t.account_external_id, t.symbol, t.side, t.volume, t.open_time, t.close_time,
        t.open_price, t.close_price, t.stop_loss, t.take_profit, t.commission, t.swap, t.profit, t.platform_updated_at, t.missing_since,
        r.id AS trader_id, coalesce(r.override_full_name, r.full_name) AS trader_name, a.login, a.currency, false AS from_file
    FROM named AS n JOIN accounts AS a ON a.id = n.account AND a.organization_id = ?2
        JOIN trades AS t ON t.integration_id = a.integration_id AND t.account_external_id = a.external_id AND t.id = n.trade
        JOIN traders AS r ON r.integration_id = a.integration_id AND r.external_id = a.trader_external_id
    UNION ALL
    SELECT u.place, CASE WHEN u.id = u.account THEN 0 ELSE 1 END, u.account, t.id, u.id, '', t.symbol, t.side, t.volume, t.open_time, t.close_time,
        t.open_price, t.close_price, t.stop_loss, t.take_profit, t.commission, t.swap, t.profit, NULL, NULL::timestamptz,
        r.id, coalesce(r.override_full_name, r.full_name), nullif(u.login, ''), nullif(u.currency, ''), true
    FROM uploaded AS u JOIN activity_files AS f ON f.id = u.file_id AND f.organization_id = ?2
        JOIN activity_trades AS t ON t.file_id = u.file_id AND t.account = u.number AND t.id = u.trade
        JOIN traders AS r ON r.id = f.trader_id
) AS found ORDER BY place, rank, account_id`

// ListEvidence returns the trades to which the newest report of an interview refers, each once, in
// the report's order. It leaves out those that have been deleted since. It returns ErrNotFound if
// the organization has no such interview.
func ListEvidence(ctx context.Context, reader store.Reader, orgID, id uuid.UUID) (trades []EvidenceTrade, err error) {
	defer store.WrapError(&err, "list trades that interview %s is judged by", id)
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		trades = []EvidenceTrade{}
		var of struct {
			TraderID uuid.UUID       `bun:"trader_id"`
			Report   json.RawMessage `bun:"report"`
		}
		err := tx.NewRaw(`SELECT i.trader_id, r.report FROM interviews AS i LEFT JOIN interview_reports AS r ON r.interview_id = i.id AND r.version = i.report_version
WHERE i.id = ? AND i.organization_id = ?`, id, orgID).Scan(ctx, &of)
		if err != nil || of.Report == nil {
			return err
		}
		accounts, ids, err := evidenceOf(of.Report)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := tx.NewRaw(evidenceQuery, store.Array(accounts), store.Array(ids), orgID, of.TraderID).Scan(ctx, &trades); err != nil {
			return err
		}
		for _, t := range trades {
			if err := directory.ExactTrades([]directory.Trade{t.Trade}); err != nil {
				return err
			}
		}
		return nil
	})
	return trades, err
}

// evidenceOf lists the trades to which a report refers, as accounts and ids.
func evidenceOf(report json.RawMessage) (accounts, ids []string, err error) {
	type evidence struct {
		Type      string `json:"type"`
		AccountID string `json:"account_id"`
		TradeID   string `json:"trade_id"`
	}
	type part struct {
		Evidence []evidence `json:"evidence"`
	}
	var r struct {
		Findings    []part `json:"findings"`
		ClaimChecks []part `json:"claim_checks"`
	}
	if err := json.Unmarshal(report, &r); err != nil {
		return nil, nil, err
	}
	seen := map[evidence]bool{}
	for _, p := range slices.Concat(r.Findings, r.ClaimChecks) {
		for _, e := range p.Evidence {
			if e.Type != "trade" || seen[e] || uuid.Validate(e.AccountID) != nil {
				continue
			}
			seen[e] = true
			accounts, ids = append(accounts, e.AccountID), append(ids, e.TradeID)
		}
	}
	return accounts, ids, nil
}
