package ingest

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory/column"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
)

// maxQuarantined limits the quarantined records stored for one integration, because a platform that
// sends nothing else must not fill the disk. Beyond it, records that are listed already are still
// counted.
const maxQuarantined = 10_000

// checkQuarantine finds out whether the page concerns the quarantine: one of its records goes there or
// may leave it. If the page has a valid and a bad version of a record, the valid one counts.
func (w *pageWriter[R]) checkQuarantine(ctx context.Context) error {
	if len(w.p.Rejected) > 0 {
		valid := make(map[string]bool, len(w.rows))
		for _, key := range w.recordKeys() {
			valid[key] = true
		}
		w.p.Rejected = slices.DeleteFunc(slices.Clone(w.p.Rejected), func(r record.Rejected) bool { return valid[r.Key] })
	}
	w.quarantining = len(w.p.Rejected) > 0
	if w.quarantining || w.p.Claim.Quarantined == 0 || len(w.rows) == 0 {
		return nil
	}
	return w.db.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM quarantine WHERE integration_id = $1 AND resource = $2 AND key = ANY ($3))`,
		store.Prepared(w.db, w.p.Claim.IntegrationID, w.t.resource, w.recordKeys())...).Scan(&w.quarantining)
}

// recordKeys lists the keys of the page's rows.
func (w *pageWriter[R]) recordKeys() []string {
	keys := make([]string, len(w.rows))
	for i := range w.rows {
		keys[i] = w.t.recordKey(&w.rows[i])
	}
	return keys
}

// updateQuarantine quarantines the page's rejected records and releases those with a valid version
// in the page.
func (w *pageWriter[R]) updateQuarantine(ctx context.Context, tx pgx.Tx, out *PageOutcome) error {
	if !w.quarantining {
		return nil
	}
	id, resource := w.p.Claim.IntegrationID, w.t.resource
	if w.p.Claim.Quarantined > 0 && len(w.rows) > 0 {
		_, err := tx.Exec(ctx, `DELETE FROM quarantine WHERE integration_id = $1 AND resource = $2 AND key = ANY ($3)`,
			store.Prepared(w.db, id, resource, w.recordKeys())...)
		if err != nil {
			return err
		}
	}
	if err := w.quarantineRejected(ctx, tx); err != nil {
		return err
	}
	left, err := recountQuarantine(ctx, w.db, tx, id)
	out.Quarantined = left
	return err
}

// recountQuarantine counts what is left in an integration's quarantine, after a change of it.
func recountQuarantine(ctx context.Context, db *store.DB, tx pgx.Tx, integrationID uuid.UUID) (left int64, err error) {
	err = tx.QueryRow(ctx, `UPDATE sync_state SET quarantined = (SELECT count(*) FROM quarantine WHERE integration_id = $1)
WHERE integration_id = $1 RETURNING quarantined`, store.Prepared(db, integrationID)...).Scan(&left)
	return left, err
}

// quarantineRejected lists the page's rejected records, the newest version of each, or counts them if
// they are already listed.
func (w *pageWriter[R]) quarantineRejected(ctx context.Context, tx pgx.Tx) error {
	byKey := make(map[string]record.Rejected, len(w.p.Rejected))
	for _, r := range w.p.Rejected {
		byKey[r.Key] = r
	}
	var raws, pointers, rules, details []string
	keys := slices.Sorted(maps.Keys(byKey))
	for _, key := range keys {
		r := byKey[key]
		raws, pointers, rules, details = append(raws, r.Raw), append(pointers, r.Pointer), append(rules, r.Rule), append(details, r.Detail)
	}
	_, err := tx.Exec(ctx, `WITH u AS (
    SELECT u.*, q.key IS NOT NULL AS listed, row_number() OVER (PARTITION BY q.key IS NOT NULL ORDER BY u.key) AS n
    FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) AS u(key, raw, pointer, rule, detail)
    LEFT JOIN quarantine q ON q.integration_id = $1 AND q.resource = $2 AND q.key = u.key
)
INSERT INTO quarantine AS q (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
SELECT $1, $2, key, raw, pointer, rule, detail, 1, now(), now() FROM u WHERE listed OR n <= $8
ON CONFLICT (integration_id, resource, key) DO UPDATE SET raw = EXCLUDED.raw, pointer = EXCLUDED.pointer, rule = EXCLUDED.rule,
    detail = EXCLUDED.detail, count = q.count + 1, last_seen_at = now()`,
		store.Prepared(w.db, w.p.Claim.IntegrationID, w.t.resource, keys, raws, pointers, rules, details, max(maxQuarantined-w.p.Claim.Quarantined, 0))...)
	return err
}

// writtenDay extracts the day on which a quarantined trade says that it was changed or closed, by
// which a list of trades since some day selects: a date, or Unix seconds or milliseconds. It
// accepts only ten digits or the form of a date, so that no record can make the statement fail.
const writtenDay = `coalesce(substring(raw from '` + writtenTime + `"(\d{4}-\d\d-\d\d)'),
    to_char(to_timestamp(substring(raw from '` + writtenTime + `"?(\d{10})(?:\d{3})?"?\s*[,}]')::bigint) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))`

// writtenTime matches the names of such times, up to the value.
const writtenTime = `"(?:updated_at|updatedAt|closeDate|closeTime|close_time|closedAt)"\s*:\s*`

// ForgetQuarantine removes the records that a complete read of a resource, begun at since, has not
// met again: they have been corrected, or no longer exist. If the read only included what was
// changed since from, records that say that they are older stay. from is zero if the read included
// everything. ForgetQuarantine returns how many rows are left in the integration's quarantine.
func ForgetQuarantine(ctx context.Context, db *store.DB, claim *syncing.Claim, resource record.Resource, since, from time.Time) (left int64, err error) {
	defer store.WrapError(&err, "forget quarantine of integration %s", claim.IntegrationID)
	err = syncing.InLeaseTx(ctx, db, claim.Lease, func(tx pgx.Tx) error {
		first := ""
		if !from.IsZero() {
			first = from.UTC().Format(time.DateOnly)
		}
		_, err := tx.Exec(ctx, `DELETE FROM quarantine WHERE integration_id = $1 AND resource = $2 AND last_seen_at < $3 AND coalesce(`+writtenDay+` COLLATE "C" > $4, true)`,
			claim.IntegrationID, string(resource), since, first)
		if err != nil {
			return err
		}
		left, err = recountQuarantine(ctx, db, tx, claim.IntegrationID)
		return err
	})
	return left, err
}

// recordFindings counts broken rules, and returns those that were not broken before. Findings are
// added up if fresh is set, or if the rule was not seen within the hour. Otherwise they are the
// same records read again, and nothing is written.
func recordFindings(ctx context.Context, db *store.DB, tx pgx.Tx, lease syncing.Lease, findings []record.Finding, fresh bool) (opened []history.Finding, err error) {
	if len(findings) == 0 {
		return nil, nil
	}
	var (
		resources, rules, samples []string
		counts                    []int64
	)
	for _, f := range mergeFindings(findings) {
		shown := make([]string, 0, len(f.Samples))
		for _, key := range f.Samples {
			shown = append(shown, record.ReadableKey(key))
		}
		text, _ := column.AppendTextArray(nil, shown)
		resources, rules = append(resources, string(f.Resource)), append(rules, f.Rule)
		counts, samples = append(counts, int64(f.Count)), append(samples, string(text))
	}
	rows, err := tx.Query(ctx, `INSERT INTO findings AS f (integration_id, resource, rule, count, samples, first_seen_at, last_seen_at)
SELECT $1, u.resource, u.rule, u.count, u.samples::text[], now(), now()
FROM unnest($3::text[], $4::text[], $5::bigint[], $6::text[]) AS u(resource, rule, count, samples)
WHERE EXISTS (SELECT FROM sync_state WHERE integration_id = $1 AND token = $2)
  AND ($7 OR NOT EXISTS (SELECT FROM findings o WHERE o.integration_id = $1 AND o.resource = u.resource AND o.rule = u.rule AND o.last_seen_at > now() - interval '1 hour'))
ORDER BY u.resource, u.rule
ON CONFLICT (integration_id, resource, rule) DO UPDATE SET count = f.count + EXCLUDED.count, samples = EXCLUDED.samples, last_seen_at = now()
RETURNING f.resource, f.rule, f.count, f.xmax = 0`,
		store.Prepared(db, lease.IntegrationID, lease.Token, resources, rules, counts, samples, fresh)...)
	if err != nil {
		return nil, err
	}
	var (
		f    history.Finding
		made bool // inserted: an updated row has been locked for the update
	)
	_, err = pgx.ForEachRow(rows, []any{&f.Resource, &f.Rule, &f.Count, &made}, func() error {
		if made {
			opened = append(opened, f)
		}
		return nil
	})
	return opened, err
}

// mergeFindings adds up findings of the same rule, since one statement cannot
// write a row twice.
func mergeFindings(findings []record.Finding) []record.Finding {
	type key struct {
		resource record.Resource
		rule     string
	}
	at := make(map[key]int, len(findings))
	merged := make([]record.Finding, 0, len(findings))
	for _, f := range findings {
		k := key{f.Resource, f.Rule}
		i, known := at[k]
		if !known {
			at[k] = len(merged)
			merged = append(merged, f)
			continue
		}
		merged[i].Count += f.Count
		if room := record.MaxSamples - len(merged[i].Samples); room > 0 {
			merged[i].Samples = slices.Concat(merged[i].Samples, f.Samples[:min(room, len(f.Samples))])
		}
	}
	return merged
}
