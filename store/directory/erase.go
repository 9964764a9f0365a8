package directory

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
)

// erasedIDs are the ids by which a platform's records name an erased trader.
type erasedIDs struct {
	trader            string
	accounts, payouts []string
	seconds           []string // of the accounts, by which trades and payouts may name them
}

// eraseQuarantined deletes the quarantined records of the trader.
func eraseQuarantined(ctx context.Context, tx pgx.Tx, integration uuid.UUID, ids erasedIDs) error {
	rows, err := tx.Query(ctx, `SELECT resource, key, raw FROM quarantine WHERE integration_id = $1`, integration)
	if err != nil {
		return err
	}
	var (
		resource, key, raw string
		resources, keys    []string
	)
	_, err = pgx.ForEachRow(rows, []any{&resource, &key, &raw}, func() error {
		if ids.ownKey(record.Resource(resource), key) || ids.nameIn(raw) {
			resources, keys = append(resources, resource), append(keys, key)
		}
		return nil
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM quarantine WHERE integration_id = $1 AND (resource, key) IN (SELECT * FROM unnest($2::text[], $3::text[]))`, integration, resources, keys)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE sync_state SET quarantined = (SELECT count(*) FROM quarantine WHERE integration_id = $1) WHERE integration_id = $1`, integration)
	return err
}

// ownKey reports whether the key of a rejected record is that of a record of the trader.
func (e erasedIDs) ownKey(resource record.Resource, key string) bool {
	switch resource {
	case record.Traders:
		return key == e.trader
	case record.Payouts:
		return slices.Contains(e.payouts, key)
	}
	account, _, _ := strings.Cut(key, record.TradeKey("", ""))
	return slices.Contains(e.accounts, account)
}

// holdsID matches the names of members whose numbers may be ids of traders and accounts. Others, such as a volume,
// may be equal to an id by chance.
var holdsID = regexp.MustCompile(`(?i)(id|nr|no|number|login|account|trader|customer)$`)

// nameIn reports whether the JSON text of a record, of which the end may be missing, contains an id of the trader or
// of an account: as a string, or as a number that may be an id.
func (e erasedIDs) nameIn(raw string) bool {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	last := "" // string, such as the name of the member whose value follows
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		id := ""
		switch v := token.(type) {
		case string:
			id, last = strings.TrimSpace(v), v
		case json.Number:
			whole, fraction, _ := strings.Cut(v.String(), ".")
			if holdsID.MatchString(last) && strings.Trim(fraction, "0") == "" {
				id = whole
			}
			last = ""
		default:
			last = ""
		}
		if id != "" && (id == e.trader || slices.Contains(e.accounts, id) || slices.Contains(e.seconds, id)) {
			return true
		}
	}
}

// eraseListed removes the ids of the trader's records, whose rows still exist, from the samples of findings and the
// results of audits.
func eraseListed(ctx context.Context, tx pgx.Tx, integration uuid.UUID, ids erasedIDs) error {
	var listed []string
	err := tx.QueryRow(ctx, `SELECT coalesce(array_agg(DISTINCT l.id), '{}') FROM (
    SELECT unnest(samples) AS id FROM findings WHERE integration_id = $1
    UNION ALL SELECT i #>> '{}' FROM sync_audits AS a, jsonb_path_query(jsonb_build_array(a.resources, a.sweep), '$[*].repaired_ids[*]') AS i WHERE a.integration_id = $1
    UNION ALL SELECT i #>> '{}' FROM sync_audits AS a, jsonb_path_query(a.resources, '$[*].missing_ids[*]') AS i WHERE a.integration_id = $1
) AS l WHERE l.id = ANY ($2) OR EXISTS (SELECT FROM unnest($3::text[]) AS n(account) WHERE starts_with(l.id, n.account || '/'))
    OR EXISTS (SELECT FROM trades AS t WHERE t.integration_id = $1 AND t.account_external_id = ANY ($3) AND t.id = l.id)`,
		integration, slices.Concat([]string{ids.trader}, ids.accounts, ids.payouts), ids.accounts).Scan(&listed)
	if err != nil || len(listed) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE findings SET samples = ARRAY(SELECT s.id FROM unnest(samples) WITH ORDINALITY AS s(id, n) WHERE s.id <> ALL ($2) ORDER BY s.n)
WHERE integration_id = $1 AND samples && $2`, integration, listed)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE sync_audits AS a SET sweep = CASE WHEN a.sweep ? 'repaired_ids' THEN jsonb_set(a.sweep, '{repaired_ids}', (a.sweep -> 'repaired_ids') - $2::text[]) ELSE a.sweep END,
    resources = (SELECT coalesce(jsonb_agg(r.result || jsonb_build_object('repaired_ids', (r.result -> 'repaired_ids') - $2::text[],
        'missing_ids', (r.result -> 'missing_ids') - $2::text[]) ORDER BY r.n), '[]') FROM jsonb_array_elements(a.resources) WITH ORDINALITY AS r(result, n))
WHERE a.integration_id = $1`, integration, listed)
	return err
}
