package ingest

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// findChangedIDs finds the ids in trades and payouts whose meaning the page changes: numbers and
// second ids of accounts that are new or changed in the page, and second ids that an account gives
// up. Such a page is not written in one message.
func (w *pageWriter[R]) findChangedIDs(ctx context.Context) error {
	if w.t.secondID == nil || w.p.Claim.Kind != record.PartnerPlatform || len(w.rows) == 0 {
		return nil
	}
	numbers, seconds := make([]string, len(w.rows)), make([]string, len(w.rows))
	for i := range w.rows {
		numbers[i], seconds[i] = w.t.recordKey(&w.rows[i]), w.t.secondID(&w.rows[i])
	}
	return w.db.Pool.QueryRow(ctx, changedNamesSQL, store.Prepared(w.db, w.p.Claim.IntegrationID, numbers, seconds)...).Scan(&w.named)
}

// changedNamesSQL selects the ids in trades or payouts whose meaning changes because of accounts
// with the given numbers and second ids. Look-ups are by id for the reasons given at meaningsSQL.
// The order of the trades forces an index look-up instead of scanning the table until a row
// matches.
const changedNamesSQL = `WITH changed AS (
    SELECT u.number, u.second, a.external_id AS known, a.partner_id AS before
    FROM unnest($2::text[], $3::text[]) AS u(number, second)
    LEFT JOIN LATERAL (SELECT a.external_id, a.partner_id FROM accounts a WHERE a.integration_id = $1 AND a.external_id = u.number OFFSET 0) a ON true
    WHERE a.external_id IS NULL OR coalesce(a.partner_id, '') <> u.second
), ids AS (
    SELECT number AS id FROM changed WHERE known IS NULL UNION SELECT second FROM changed WHERE second <> '' UNION SELECT before FROM changed WHERE before IS NOT NULL
)
SELECT coalesce(array_agg(i.id), '{}') FROM ids i
LEFT JOIN LATERAL (SELECT t.id FROM trades t WHERE t.integration_id = $1 AND t.account_external_id = i.id ORDER BY t.id LIMIT 1) t ON true
LEFT JOIN LATERAL (SELECT min(t.id) AS id FROM trades t WHERE t.integration_id::text = $1::uuid::text AND t.account_named IN ('n' || i.id, 's' || i.id)) n ON true
LEFT JOIN LATERAL (SELECT min(o.external_id) AS id FROM payouts o WHERE o.integration_id::text = $1::uuid::text AND o.account_external_id = i.id) o ON true
LEFT JOIN LATERAL (SELECT min(o.external_id) AS id FROM payouts o WHERE o.integration_id::text = $1::uuid::text AND o.account_named IN ('n' || i.id, 's' || i.id)) p ON true
WHERE coalesce(t.id, n.id, o.id, p.id) IS NOT NULL`

// resolvedSQL selects what the names by the ids $2 resolve to. target contains them in the form
// of account_named, and a name by number also for a null column, because account_external_id is the
// sent id then.
const resolvedSQL = `WITH found AS (` + meaningsSQL + `), target AS (
    SELECT id, 's' || id AS named, as_second AS number FROM found
    UNION ALL SELECT id, 'n' || id, as_number FROM found
)`

// movesSQL lists the trades whose name refers to a different account than the one under which they
// are stored: from, id and the account to move to.
const movesSQL = resolvedSQL + `, moves AS (
    SELECT t.account_external_id AS from_account, t.id, g.number AS to_account, g.named FROM target g
    JOIN trades t ON t.integration_id::text = $1::uuid::text AND t.account_named = g.named AND t.account_external_id <> g.number
    UNION ALL
    SELECT t.account_external_id, t.id, g.number, g.named FROM target g
    JOIN trades t ON t.integration_id = $1 AND t.account_external_id = g.id AND t.account_named IS NULL
    WHERE g.named = 'n' || g.id AND g.number <> g.id
)`

// moveNamed moves trades and payouts to the accounts that they mean, after the page has changed the
// meaning of some ids. If rows turn out to be the same trade, a closed one takes precedence over an
// open one, and otherwise the later observation over the earlier.
func (w *pageWriter[R]) moveNamed(ctx context.Context, tx pgx.Tx) error {
	if len(w.named) == 0 {
		return nil
	}
	id := w.p.Claim.IntegrationID
	twins, err := tx.Exec(ctx, movesSQL+`, alike AS (
    SELECT m.from_account AS account, m.id, m.to_account FROM moves m
    UNION ALL SELECT t.account_external_id, t.id, t.account_external_id
    FROM (SELECT DISTINCT m.to_account, m.id FROM moves m) d JOIN trades t ON t.integration_id = $1 AND t.account_external_id = d.to_account AND t.id = d.id
    WHERE NOT EXISTS (SELECT FROM moves m WHERE m.from_account = t.account_external_id AND m.id = t.id)
), ranked AS (
    SELECT a.account, a.id, row_number() OVER (PARTITION BY a.to_account, a.id ORDER BY t.close_time IS NULL, t.updated_at DESC, a.account) AS place
    FROM alike a JOIN trades t ON t.integration_id = $1 AND t.account_external_id = a.account AND t.id = a.id
)
DELETE FROM trades t USING ranked r WHERE r.place > 1 AND t.integration_id = $1 AND t.account_external_id = r.account AND t.id = r.id`, id, w.named)
	if err != nil {
		return err
	}
	// The moves go through accounts that no platform can have, because two rows may swap places.
	for _, statement := range []string{
		movesSQL + ` UPDATE trades t SET account_external_id = E'\x1f' || m.to_account, account_named = CASE WHEN m.named <> 'n' || m.to_account THEN m.named END
FROM moves m WHERE t.integration_id = $1 AND t.account_external_id = m.from_account AND t.id = m.id`,
		`UPDATE trades SET account_external_id = substr(account_external_id, 2), updated_at = now()
WHERE integration_id = $1 AND account_external_id >= E'\x1f' AND account_external_id < E'\x20' AND cardinality($2::text[]) > 0`,
		resolvedSQL + ` UPDATE payouts o SET account_external_id = g.number, account_named = CASE WHEN g.named <> 'n' || g.number THEN g.named END, updated_at = now(), content_hash = ''
FROM target g WHERE o.account_external_id <> g.number AND (o.integration_id::text = $1::uuid::text AND o.account_named = g.named
    OR o.integration_id = $1 AND o.account_named IS NULL AND o.account_external_id = g.id AND g.named = 'n' || g.id)`,
		resolvedSQL + ` UPDATE quarantine q SET key = g.number || substr(q.key, length(g.id) + 1) FROM target g
WHERE q.integration_id = $1 AND q.resource = 'trades' AND g.named = 'n' || g.id AND g.number <> g.id AND starts_with(q.key, g.id || chr(31))
  AND NOT EXISTS (SELECT FROM quarantine o WHERE o.integration_id = $1 AND o.resource = 'trades' AND o.key = g.number || substr(q.key, length(g.id) + 1))`,
	} {
		if _, err := tx.Exec(ctx, statement, id, w.named); err != nil {
			return err
		}
	}
	if n := twins.RowsAffected(); n > 0 {
		_, err = tx.Exec(ctx, `UPDATE sync_state SET trades = trades - $2 WHERE integration_id = $1`, id, n)
	}
	return err
}
