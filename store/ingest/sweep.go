package ingest

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// SweepPage holds what a PageCommit needs as a page of an audit.
type SweepPage struct {
	Audit *syncing.OpenAudit
	Sweep syncing.Sweep // before the page; Run is in PageCommit
}

// ruleMissedByUpdates is broken if a list without updated_since shows a record that polling with it
// should have brought but has not.
const ruleMissedByUpdates = "missed_by_updates"

// settledBefore returns the time before which the stored version must have changed, or must have
// been written, for an older version to replace it: so long ago that no poll will bring it again.
// It is nil outside of audits.
func (p *SweepPage) settledBefore() *time.Time {
	if p == nil {
		return nil
	}
	return &p.Sweep.Due
}

// repairPage writes a page of an audit. It repairs differences, and records what the platform
// shows.
func (w *pageWriter[R]) repairPage(ctx context.Context) (PageOutcome, error) {
	found, err := w.compareRows(ctx, false)
	if err != nil {
		return PageOutcome{}, err
	}
	if !found.isEmpty() {
		if err := w.findSubscribers(ctx); err != nil {
			return PageOutcome{}, err
		}
	}
	out := w.pageOutcome(found)
	w.countRepairs(found, &out)
	return out, w.commitWritten(ctx, &out, found.writtenRows())
}

// countRepairs counts what the page reveals about the completeness of the store.
func (w *pageWriter[R]) countRepairs(c changes, out *PageOutcome) {
	s := w.p.Sweep.Sweep
	s.RepairedIDs = slices.Clone(s.RepairedIDs)
	missed := record.Finding{Rule: ruleMissedByUpdates, Resource: w.t.resource}
	repair := func(n int, byUpdates bool) {
		key := record.ReadableKey(w.t.recordKey(&w.rows[n]))
		if len(s.RepairedIDs) < syncing.MaxAuditIDs {
			s.RepairedIDs = append(s.RepairedIDs, key)
		}
		if !byUpdates {
			return
		}
		if missed.Count++; len(missed.Samples) < record.MaxSamples {
			missed.Samples = append(missed.Samples, w.t.recordKey(&w.rows[n]))
		}
	}
	for _, n := range c.inserted {
		if at := w.t.madeAt(&w.rows[n]); at.IsZero() || !at.Before(s.Due) {
			s.Fresh++
			continue
		}
		s.Absent++
		repair(n, true)
	}
	silent := slices.Concat(c.sameTime, c.closedSilently, c.older)
	for _, n := range c.updated {
		switch at := w.t.changedAt(&w.rows[n]); {
		case slices.Contains(c.returned, n):
		case slices.Contains(silent, n):
			s.Stale++
			repair(n, false)
		case at.IsZero() || !at.Before(s.Due):
			s.Fresh++
		default:
			s.Stale++
			repair(n, true)
		}
	}
	// What is stale was not stored as shown, and not repaired either: a poll may have just brought the newer version.
	s.Current += int64(len(w.rows) - len(c.inserted) - len(c.updated) - len(c.stale) + len(c.returned))
	if missed.Count > 0 {
		out.Findings = append(out.Findings, missed)
	}
	out.Sweep = &s
}

// fenceSweep locks the integration's row, which proves that the lease is still held, and saves the
// sweep with what the page has shown.
func (w *pageWriter[R]) fenceSweep(ctx context.Context, tx pgx.Tx, out *PageOutcome) error {
	out.Run.Listed = true
	out.Sweep.Run = out.Run
	state, err := json.Marshal(out.Sweep)
	if err != nil {
		return err
	}
	keys := w.recordKeys()
	for _, r := range w.p.Rejected {
		keys = append(keys, r.Key)
	}
	var held bool
	err = tx.QueryRow(ctx, `WITH fence AS (
    UPDATE sync_state SET claimable_at = now() + $3::interval, `+w.t.counter+` = `+w.t.counter+` + $4 WHERE integration_id = $1 AND token = $2 RETURNING 1
), audit AS (
    UPDATE sync_audits a SET sweep = $6::jsonb FROM fence WHERE a.id = $5 AND a.finished_at IS NULL
), page AS (
    INSERT INTO sync_audit_pages (integration_id, page, keys)
    SELECT $1, $7, k.keys FROM fence CROSS JOIN LATERAL (SELECT coalesce(array_agg(`+keyHash("u.key")+`), '{}') AS keys FROM unnest($8::text[]) AS u(key)) k
    ON CONFLICT (integration_id, page) DO UPDATE SET keys = EXCLUDED.keys
) SELECT EXISTS (SELECT FROM fence)`, store.Prepared(w.db, w.p.Claim.IntegrationID, w.p.Claim.Token, w.p.Lease, out.Page.Inserted,
		w.p.Sweep.Audit.ID, string(state), out.Run.Pages, keys)...).Scan(&held)
	if err == nil && !held {
		err = store.ErrFenced
	}
	return err
}

// keyHash returns SQL for the hash of a record's key that sync_audit_pages stores. A collision of
// two keys would hide one missing row, and has no worse effect.
func keyHash(key string) string { return `hashtextextended(` + key + ` COLLATE "C", 0)` }

// BeginSweep begins a sweep, or restarts it.
func BeginSweep(ctx context.Context, db *store.DB, lease syncing.Lease, a *syncing.OpenAudit) (err error) {
	defer store.WrapError(&err, "begin sweep of integration %s", lease.IntegrationID)
	return syncing.InLeaseTx(ctx, db, lease, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM sync_audit_pages WHERE integration_id = $1`, lease.IntegrationID); err != nil {
			return err
		}
		if err := syncing.InsertRun(ctx, tx, lease.IntegrationID, &a.Sweep.Run); err != nil {
			return err
		}
		return saveSweep(ctx, tx, a)
	})
}

// SaveSweep saves the state of a sweep between pages.
func SaveSweep(ctx context.Context, db *store.DB, lease syncing.Lease, a *syncing.OpenAudit) (err error) {
	defer store.WrapError(&err, "save sweep of integration %s", lease.IntegrationID)
	return syncing.InLeaseTx(ctx, db, lease, func(tx pgx.Tx) error { return saveSweep(ctx, tx, a) })
}

func saveSweep(ctx context.Context, tx pgx.Tx, a *syncing.OpenAudit) error {
	state, err := json.Marshal(a.Sweep)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE sync_audits SET sweep = $2::jsonb WHERE id = $1 AND finished_at IS NULL`, a.ID, string(state))
	return err
}

// CountSweptPages counts the stored pages of a sweep. They are fewer than it has read if the
// database has crashed since.
func CountSweptPages(ctx context.Context, db *store.DB, lease syncing.Lease) (pages int64, err error) {
	defer store.WrapError(&err, "count swept pages of integration %s", lease.IntegrationID)
	err = db.Bun.NewRaw(`SELECT count(*) FROM sync_audit_pages WHERE integration_id = ?`, lease.IntegrationID).Scan(ctx, &pages)
	return pages, err
}

// SweepCommit is the end of a sweep.
type SweepCommit struct {
	Claim    *syncing.Claim
	Audit    uuid.UUID
	Run      syncing.EndedRun
	Result   syncing.AuditedResource
	Findings []record.Finding // rules that the sweep as a whole has found broken
}

// EndSweep ends a sweep, so that the audit continues with the next resource. It does nothing if the
// sweep has ended before.
func EndSweep(ctx context.Context, db *store.DB, c SweepCommit) (err error) {
	defer store.WrapError(&err, "end sweep of integration %s", c.Claim.IntegrationID)
	text, err := json.Marshal(c.Result)
	if err != nil {
		return err
	}
	err = syncing.InLeaseTx(ctx, db, c.Claim.Lease, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE sync_audits SET sweep = NULL, resources = resources || $2::jsonb WHERE id = $1 AND sweep IS NOT NULL`, c.Audit, string(text))
		if err != nil || tag.RowsAffected() == 0 { // no rows: it was committed before, without the caller knowing
			return err
		}
		if err := syncing.EndRun(ctx, tx, c.Claim.IntegrationID, &c.Run); err != nil {
			return err
		}
		if c.Result.Ratio != nil {
			_, err := tx.Exec(ctx, `INSERT INTO sync_completeness (integration_id, resource, ratio, audited_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (integration_id, resource) DO UPDATE SET ratio = EXCLUDED.ratio, audited_at = EXCLUDED.audited_at`,
				c.Claim.IntegrationID, string(c.Result.Resource), *c.Result.Ratio, c.Result.FinishedAt)
			if err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, `DELETE FROM sync_audit_pages WHERE integration_id = $1`, c.Claim.IntegrationID); err != nil {
			return err
		}
		return postFindings(ctx, db, tx, c.Claim, c.Findings, true)
	})
	if err == nil {
		db.NoteChange(c.Claim.OrganizationID, store.TopicIntegrations, c.Claim.IntegrationID)
	}
	return err
}
