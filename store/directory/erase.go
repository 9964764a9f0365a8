package directory

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// erasedIDs are the ids by which a platform's records name an erased trader.
type erasedIDs struct {
	trader            string
	accounts, payouts []string
	seconds           []string // of the accounts, by which trades and payouts may name them
}

// eraseQuarantined deletes the quarantined records of the trader.
func eraseQuarantined(ctx context.Context, tx bun.IDB, integration uuid.UUID, ids erasedIDs) error {
	var list []struct {
		Resource record.Resource
		Key, Raw string
	}
	if err := tx.NewRaw(`SELECT resource, key, raw FROM quarantine WHERE integration_id = ?`, integration).Scan(ctx, &list); err != nil {
		return err
	}
	var resources, keys []string
	for _, q := range list {
		if ids.ownKey(q.Resource, q.Key) || ids.nameIn(q.Raw) {
			resources, keys = append(resources, string(q.Resource)), append(keys, q.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	_, err := tx.NewRaw(`DELETE FROM quarantine WHERE integration_id = ? AND (resource, key) IN (SELECT * FROM unnest(?::text[], ?::text[]))`,
		integration, store.Array(resources), store.Array(keys)).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`UPDATE sync_state SET quarantined = (SELECT count(*) FROM quarantine WHERE integration_id = ?0) WHERE integration_id = ?0`, integration).Exec(ctx)
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
func eraseListed(ctx context.Context, tx bun.IDB, integration uuid.UUID, ids erasedIDs) error {
	var listed []string
	err := tx.NewRaw(`SELECT DISTINCT l.id FROM (
    SELECT unnest(samples) AS id FROM findings WHERE integration_id = ?0
    UNION ALL SELECT i #>> '{}' FROM sync_audits AS a, jsonb_path_query(jsonb_build_array(a.resources, a.sweep), '$[*].repaired_ids[*]') AS i WHERE a.integration_id = ?0
    UNION ALL SELECT i #>> '{}' FROM sync_audits AS a, jsonb_path_query(a.resources, '$[*].missing_ids[*]') AS i WHERE a.integration_id = ?0
) AS l WHERE l.id = ANY (?1::text[]) OR EXISTS (SELECT FROM unnest(?2::text[]) AS n(account) WHERE starts_with(l.id, n.account || '/'))
    OR EXISTS (SELECT FROM trades AS t WHERE t.integration_id = ?0 AND t.account_external_id = ANY (?2::text[]) AND t.id = l.id)`,
		integration, store.Array(slices.Concat([]string{ids.trader}, ids.accounts, ids.payouts)), store.Array(ids.accounts)).Scan(ctx, &listed)
	if err != nil || len(listed) == 0 {
		return err
	}
	_, err = tx.NewRaw(`UPDATE findings SET samples = ARRAY(SELECT s.id FROM unnest(samples) WITH ORDINALITY AS s(id, n) WHERE s.id <> ALL (?1::text[]) ORDER BY s.n)
WHERE integration_id = ?0 AND samples && ?1::text[]`, integration, store.Array(listed)).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`UPDATE sync_audits AS a SET sweep = CASE WHEN a.sweep -> 'repaired_ids' IS NOT NULL THEN jsonb_set(a.sweep, '{repaired_ids}', (a.sweep -> 'repaired_ids') - ?1::text[]) ELSE a.sweep END,
    resources = (SELECT coalesce(jsonb_agg(r.result || jsonb_build_object('repaired_ids', (r.result -> 'repaired_ids') - ?1::text[],
        'missing_ids', (r.result -> 'missing_ids') - ?1::text[]) ORDER BY r.n), '[]') FROM jsonb_array_elements(a.resources) WITH ORDINALITY AS r(result, n))
WHERE a.integration_id = ?0`, integration, store.Array(listed)).Exec(ctx)
	return err
}
