package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// A row that a complete sweep has not found is missing on the platform. It is marked, never
// deleted, and only if there are few: if a platform suddenly omits nearly everything, the platform
// is more likely at fault than its records. If it still omits them in the third night, they are gone.

const (
	// mostMissing is the largest share of a resource's rows that may be marked at once.
	mostMissing = 0.05
	// fewMissing is how many rows of a short list may be marked at once, if they are at most a third of it.
	fewMissing = 3
	// nights is how many complete nightly audits in a row must not show a row for it to be missing,
	// however many others are.
	nights = 3
	// mostRemembered is the most rows that an audit remembers for the next nights.
	mostRemembered = 10_000
	// mostMarked is the most rows of a resource that one audit marks.
	mostMarked = 100_000
	// markBatch is the most rows that one statement marks.
	markBatch = 1000
	// judgeTimeout limits the statements that read all rows of a resource.
	judgeTimeout = 5 * time.Minute
)

// Unshown describes the rows that a sweep should have found but has not.
type Unshown struct {
	Rows  int64 // rows that should have been found
	Count int64 // those that were not found
	// TooMany reports that there are more than may be marked at once.
	TooMany bool
	// Keys are the keys of the rows to mark, in the form of record.Rejected.Key. If TooMany is set,
	// they are those that were not found in the nights before either.
	Keys []string
	// Remembered are hashes of the keys of rows that were not found, if a nightly audit found too
	// many missing. See syncing.AuditedResource.
	Remembered []int64
}

// isTooMany reports whether more rows are missing than may be marked at once.
func isTooMany(missing, rows int64) bool {
	few := missing <= fewMissing && 3*missing <= rows
	return !few && float64(missing) > mostMissing*float64(rows)
}

// expectedRows describes the rows of a resource that a sweep must find. It returns SQL over the
// table as t, with $1 the integration, $2 the start of the sweep and $3 that of its window. Rows
// written since the sweep began were seen since then.
func expectedRows(kind record.Kind, r record.Resource) (table, key, where string) {
	table, key = string(r), "t.external_id"
	where = "t.integration_id = $1 AND (t.missing_since IS NULL OR t.missing_since >= $2) AND t.updated_at < $2 AND ($3::timestamptz IS NULL OR "
	window := "t.platform_updated_at >= $3"
	if r == record.Trades {
		key = "t.account_external_id || chr(31) || t.id"
		if kind == record.PartnerPlatform {
			window = "t.close_time >= $3 OR t.close_time IS NULL"
		}
	}
	return table, key, where + window + ")"
}

// FindUnshown finds the rows that a completed sweep has not found. It returns ErrConflict if the
// database has crashed since the sweep began, because what the sweep has found is no longer known
// then.
func FindUnshown(ctx context.Context, db *store.DB, claim *syncing.Claim, a *syncing.OpenAudit) (u Unshown, err error) {
	defer store.WrapError(&err, "look for rows of integration %s that were not shown", claim.IntegrationID)
	err = inScanTx(ctx, db, func(tx pgx.Tx) error {
		var pages int64
		err := tx.QueryRow(ctx, `SELECT count(*) FROM sync_audit_pages WHERE integration_id = $1`, claim.IntegrationID).Scan(&pages)
		switch {
		case err != nil:
			return err
		case pages < a.Sweep.Run.Pages:
			return store.ErrConflict
		}
		u, err = findUnshown(ctx, tx, claim, a)
		return err
	})
	return u, err
}

// findUnshown chooses which of the rows that were not found are marked, and which are remembered.
func findUnshown(ctx context.Context, tx pgx.Tx, claim *syncing.Claim, a *syncing.OpenAudit) (u Unshown, err error) {
	rows := newUnshownRows(claim, a.Sweep)
	if u.Rows, u.Count, err = rows.countRows(ctx, tx); err != nil || u.Count == 0 {
		return u, err
	}
	if !isTooMany(u.Count, u.Rows) {
		u.Keys, err = rows.listKeys(ctx, tx, nil)
		return u, err
	}
	u.TooMany = true
	if a.Trigger != syncing.TriggerSchedule || a.Sweep.Run.Seen == 0 { // an empty list proves nothing in any night
		return u, nil
	}
	if u.Remembered, err = rows.hashKeys(ctx, tx); err != nil {
		return u, err
	}
	gone, err := findGone(ctx, tx, claim, a.Sweep.Run.Stream.Resource(), u.Remembered)
	if err != nil || len(gone) == 0 {
		return u, err
	}
	if u.TooMany = isTooMany(u.Count-int64(len(gone)), u.Rows); !u.TooMany {
		gone = nil // without them there are few others, which may be marked too
	}
	u.Keys, err = rows.listKeys(ctx, tx, gone)
	return u, err
}

// unshownRows selects the rows of a resource that a sweep should have found and has not.
type unshownRows struct {
	expected string // SQL: the rows t that it should have found
	unshown  string // SQL: that the sweep has not found t, as part of a statement that begins with seenSQL
	key      string // SQL: the key of t
	args     []any  // of both
}

// seenSQL begins a statement about what the sweep has found.
const seenSQL = `WITH seen AS MATERIALIZED (SELECT DISTINCT h FROM sync_audit_pages p CROSS JOIN LATERAL unnest(p.keys) AS h WHERE p.integration_id = $1) `

func newUnshownRows(claim *syncing.Claim, s *syncing.Sweep) unshownRows {
	table, key, where := expectedRows(claim.Kind, s.Run.Stream.Resource())
	return unshownRows{
		expected: ` FROM ` + table + ` t WHERE ` + where,
		unshown:  ` AND NOT EXISTS (SELECT FROM seen s WHERE s.h = ` + keyHash(key) + `)`,
		key:      key,
		args:     []any{claim.IntegrationID, s.Run.StartedAt, store.OrNil(windowOf(s))},
	}
}

// countRows counts the rows that the sweep should have found, and those of them that it has not.
func (r unshownRows) countRows(ctx context.Context, tx pgx.Tx) (expected, unshown int64, err error) {
	if err := tx.QueryRow(ctx, `SELECT count(*)`+r.expected, r.args...).Scan(&expected); err != nil {
		return 0, 0, err
	}
	err = tx.QueryRow(ctx, seenSQL+`SELECT count(*)`+r.expected+r.unshown, r.args...).Scan(&unshown)
	return expected, unshown, err
}

// hashKeys returns hashes of the keys of rows that were not found, at most mostRemembered.
func (r unshownRows) hashKeys(ctx context.Context, tx pgx.Tx) (hashes []int64, err error) {
	err = tx.QueryRow(ctx, seenSQL+`SELECT coalesce(array_agg(h), '{}') FROM (SELECT `+keyHash(r.key)+` AS h`+r.expected+r.unshown+` ORDER BY 1 LIMIT $4) AS x`,
		append(r.args, mostRemembered)...).Scan(&hashes)
	return hashes, err
}

// listKeys lists the keys of rows that were not found, at most mostMarked, and only those with one of
// the hashes unless that is nil.
func (r unshownRows) listKeys(ctx context.Context, tx pgx.Tx, hashes []int64) ([]string, error) {
	rows, err := tx.Query(ctx, seenSQL+`SELECT `+r.key+r.expected+r.unshown+` AND ($4::bigint[] IS NULL OR `+keyHash(r.key)+` = ANY ($4)) ORDER BY 1 LIMIT $5`,
		append(r.args, hashes, mostMarked)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// findGone returns those of the hashes that the complete nightly audits before this one have
// remembered too.
func findGone(ctx context.Context, tx pgx.Tx, claim *syncing.Claim, r record.Resource, hashes []int64) ([]int64, error) {
	rows, err := tx.Query(ctx, `SELECT coalesce(r -> 'unshown_hashes', '[]') FROM sync_audits AS a CROSS JOIN LATERAL jsonb_array_elements(a.resources) AS r
WHERE a.integration_id = $1 AND a.trigger = $2 AND a.finished_at IS NOT NULL AND r ->> 'resource' = $3 AND (r ->> 'complete')::boolean
ORDER BY a.requested_at DESC LIMIT $4`, claim.IntegrationID, string(syncing.TriggerSchedule), string(r), nights-1)
	if err != nil {
		return nil, err
	}
	before, err := pgx.CollectRows(rows, pgx.RowTo[[]int64])
	if err != nil || len(before) < nights-1 {
		return nil, err
	}
	for _, night := range before {
		known := make(map[int64]bool, len(night))
		for _, h := range night {
			known[h] = true
		}
		hashes = slices.DeleteFunc(slices.Clone(hashes), func(h int64) bool { return !known[h] })
	}
	return hashes, nil
}

// windowOf returns the time from which on the sweep includes records. Zero means all. It allows for
// platforms that truncate times to seconds.
func windowOf(s *syncing.Sweep) time.Time {
	if s.Run.UpdatedSince.IsZero() {
		return time.Time{}
	}
	return s.Run.UpdatedSince.Add(time.Second)
}

// inScanTx runs fn in a transaction for statements that read all rows of a resource. The planner,
// which may have no statistics about the integration, must not compare every row with every other.
// It overrates what is left of nested loops, for which the server would compile each statement in a
// quarter of a second.
func inScanTx(ctx context.Context, db *store.DB, fn func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, db.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf(`SELECT set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true),
    set_config('statement_timeout', '%d', true)`, judgeTimeout.Milliseconds()))
		if err != nil {
			return err
		}
		return fn(tx)
	})
}

// MarkMissing marks rows that a sweep has not found, except those that were written since it began.
func MarkMissing(ctx context.Context, db *store.DB, claim *syncing.Claim, s *syncing.Sweep, keys []string) (err error) {
	defer store.WrapError(&err, "mark missing rows of integration %s", claim.IntegrationID)
	resource := s.Run.Stream.Resource()
	for len(keys) > 0 {
		batch := keys[:min(len(keys), markBatch)]
		keys = keys[len(batch):]
		err := syncing.InLeaseTx(ctx, db, claim.Lease, func(tx pgx.Tx) error {
			ids, accounts := make([]string, len(batch)), make([]string, len(batch))
			match := "t.external_id = u.id"
			for i, key := range batch {
				ids[i] = key
				if resource == record.Trades {
					accounts[i], ids[i], _ = strings.Cut(key, record.TradeKey("", ""))
					match = "t.account_external_id = u.account AND t.id = u.id"
				}
			}
			_, err := tx.Exec(ctx, `UPDATE `+string(resource)+` t SET missing_since = now() FROM unnest($3::text[], $4::text[]) AS u(account, id)
WHERE t.integration_id = $1 AND `+match+` AND t.missing_since IS NULL AND t.updated_at < $2`,
				store.Prepared(db, claim.IntegrationID, s.Run.StartedAt, accounts, ids)...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reference is a column by which records of one resource name those of another.
type reference struct {
	column string
	of     record.Resource
	rule   string
}

func referencesOf(r record.Resource) []reference {
	trader := reference{"trader_external_id", record.Traders, "trader_unknown"}
	account := reference{"account_external_id", record.Accounts, "account_unknown"}
	switch r {
	case record.Accounts:
		return []reference{trader}
	case record.Trades:
		return []reference{account}
	case record.Payouts:
		return []reference{trader, account}
	}
	return nil
}

// FindBrokenReferences finds stored records of a resource that name a trader or an account that is
// not stored, although both were readable when the sweep of the resource began. complete lists the
// resources that the audit has read completely: records of others may not have arrived.
func FindBrokenReferences(ctx context.Context, db *store.DB, claim *syncing.Claim, s *syncing.Sweep, complete map[record.Resource]bool) (findings []record.Finding, err error) {
	defer store.WrapError(&err, "look for broken references of integration %s", claim.IntegrationID)
	resource := s.Run.Stream.Resource()
	key := "t.external_id"
	if resource == record.Trades {
		key = "t.account_external_id || chr(31) || t.id"
	}
	err = inScanTx(ctx, db, func(tx pgx.Tx) error {
		for _, ref := range referencesOf(resource) {
			if !complete[ref.of] {
				continue
			}
			f := record.Finding{Rule: ref.rule, Resource: resource}
			err := tx.QueryRow(ctx, fmt.Sprintf(`WITH named AS MATERIALIZED (
    SELECT DISTINCT t.%[1]s AS name FROM %[2]s t WHERE t.integration_id = $1 AND t.missing_since IS NULL AND t.updated_at < $2 AND t.%[1]s IS NOT NULL
), gone AS MATERIALIZED (
    SELECT n.name FROM named n LEFT JOIN %[3]s p ON p.integration_id = $1 AND p.external_id = n.name WHERE p.external_id IS NULL
), broken AS (
    SELECT %[4]s AS key FROM %[2]s t JOIN gone g ON g.name = t.%[1]s WHERE t.integration_id = $1 AND t.missing_since IS NULL AND t.updated_at < $2
) SELECT (SELECT count(*) FROM broken), coalesce((SELECT array_agg(b.key) FROM (SELECT key FROM broken ORDER BY key LIMIT %[5]d) b), '{}')`,
				ref.column, string(resource), string(ref.of), key, record.MaxSamples), claim.IntegrationID, s.Run.StartedAt).Scan(&f.Count, &f.Samples)
			if err != nil {
				return err
			}
			if f.Count > 0 {
				findings = append(findings, f)
			}
		}
		return nil
	})
	return findings, err
}
