package interviews

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
)

// These functions make the changes of interviews that are due by time. Any number of processes may
// call each function at once: each change happens once, by a guarded update in its own transaction.
// Each function returns how many interviews it has changed.

// tickBatch limits the changes of one call.
const tickBatch = 200

// dueInterview identifies an interview that is due.
type dueInterview struct {
	ID             uuid.UUID `bun:"id"`
	OrganizationID uuid.UUID `bun:"organization_id"`
}

// eachDue calls fn for each result of the query. An interview that fails does not prevent the
// others from being processed. The errors are joined.
func eachDue(ctx context.Context, db *store.DB, query string, fn func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error)) (changed int, err error) {
	var due []dueInterview
	if err := db.Bun.NewRaw(query, tickBatch).Scan(ctx, &due); err != nil {
		return 0, err
	}
	var failed []error
	for _, d := range due {
		did, err := store.MakeChange(ctx, db, store.SystemChange(d.OrganizationID), func(ctx context.Context, tx *store.Tx) (bool, error) {
			return fn(ctx, tx, d.ID)
		})
		if err != nil {
			if failed = append(failed, fmt.Errorf("interview %s: %w", d.ID, err)); ctx.Err() != nil {
				break
			}
		}
		if did {
			changed++
		}
	}
	return changed, errors.Join(failed...)
}

// ExpireInvites ends interviews whose trader has not started in time.
func ExpireInvites(ctx context.Context, db *store.DB) (changed int, err error) {
	defer store.WrapError(&err, "expire invites")
	return eachDue(ctx, db, `SELECT id, organization_id FROM interviews WHERE status = 'invited' AND invite_expires_at <= now() ORDER BY invite_expires_at, id LIMIT ?`,
		func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) {
			result, err := tx.NewRaw(`UPDATE interviews SET status = 'expired', ended_at = now(), updated_at = now(),
    record_purge_at = now() + make_interval(days => least(2 * retention_days, 1095)) WHERE id = ? AND status = 'invited' AND invite_expires_at <= now()`, id).Exec(ctx)
			if err != nil {
				return false, err
			}
			if n, err := result.RowsAffected(); err != nil || n == 0 {
				return false, err
			}
			if err := killInvites(ctx, tx, id, "expired"); err != nil {
				return true, err
			}
			return true, emitInterview(ctx, tx, event.InterviewExpired, id)
		})
}

// timeUp is an SQL condition for an interview i whose time is over. It allows a little more time
// for what is being recorded to arrive.
const timeUp = `i.status = 'in_progress' AND i.complete_by <= now() AND (i.complete_by + interval '15 minutes' <= now()
    OR NOT EXISTS (SELECT FROM interview_takes AS t WHERE t.interview_id = i.id AND t.status = 'recording'))`

// CloseOverdue ends interviews whose time is over: those with answers are reported on, the others
// are incomplete.
func CloseOverdue(ctx context.Context, db *store.DB) (changed int, err error) {
	defer store.WrapError(&err, "close interviews")
	return eachDue(ctx, db, `SELECT i.id, i.organization_id FROM interviews AS i WHERE `+timeUp+` ORDER BY i.complete_by, i.id LIMIT ?`,
		func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) { return closeOne(ctx, tx, id) })
}

func closeOne(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) {
	var locked uuid.UUID
	if err := tx.NewRaw(`SELECT id FROM interviews WHERE id = ? FOR NO KEY UPDATE`, id).Scan(ctx, &locked); err != nil {
		return false, ignoreNoRows(err)
	}
	// This is a separate statement because the previous holder of the lock may have sealed an
	// answer.
	var answered bool
	err := tx.NewRaw(`SELECT EXISTS (SELECT FROM interview_takes AS t WHERE t.interview_id = i.id AND t.status = 'sealed') FROM interviews AS i
WHERE i.id = ? AND `+timeUp, id).Scan(ctx, &answered)
	if err != nil {
		return false, ignoreNoRows(err)
	}
	if answered {
		return true, startProcessing(ctx, tx, id, true)
	}
	moved, err := changeStatus(ctx, tx, id, InProgress,
		`status = 'incomplete', ended_at = now(), record_purge_at = now() + make_interval(days => least(2 * retention_days, 1095))`)
	if err != nil || !moved {
		return false, err
	}
	if err := killInvites(ctx, tx, id, "time_over"); err != nil {
		return true, err
	}
	if err := dropReportRequest(ctx, tx, id); err != nil {
		return true, err
	}
	return true, emitInterview(ctx, tx, event.InterviewIncomplete, id)
}

// dropReportRequest drops a report request that was made while the trader was answering, because
// there is no answer to report on.
func dropReportRequest(ctx context.Context, tx bun.IDB, id uuid.UUID) error {
	_, err := tx.NewRaw(`UPDATE interview_steps SET requested = false, job_id = NULL WHERE interview_id = ? AND step = 'report' AND status = 'pending'`, id).Exec(ctx)
	return err
}

// ignoreNoRows returns nil if the error is that a row no longer exists.
func ignoreNoRows(err error) error {
	if store.IsNoRows(err) {
		return nil
	}
	return err
}

// PurgeUploads removes takes that were begun but not sealed, a day after their last write. Those of
// an interview in progress stay.
func PurgeUploads(ctx context.Context, db *store.DB) (changed int, err error) {
	defer store.WrapError(&err, "purge uploads")
	return eachDue(ctx, db, `SELECT DISTINCT i.id, i.organization_id FROM interview_takes AS t JOIN interviews AS i ON i.id = t.interview_id
WHERE t.status <> 'sealed' AND t.updated_at <= now() - interval '24 hours' AND i.status <> 'in_progress' AND i.hold_at IS NULL AND (t.received > 0 OR t.status = 'recording') LIMIT ?`,
		func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) {
			var gone []struct {
				ID             uuid.UUID `bun:"id"`
				OrganizationID uuid.UUID `bun:"organization_id"`
			}
			err := tx.NewRaw(`UPDATE interview_takes AS t SET status = 'aborted', received = 0 FROM interviews AS i
WHERE i.id = t.interview_id AND t.interview_id = ? AND t.status <> 'sealed' AND t.updated_at <= now() - interval '24 hours' AND i.status <> 'in_progress' AND i.hold_at IS NULL
    AND (t.received > 0 OR t.status = 'recording') RETURNING t.id, i.organization_id`, id).Scan(ctx, &gone)
			for _, t := range gone {
				if _, err := tx.NewRaw(`DELETE FROM interview_take_parts WHERE take_id = ?`, t.ID).Exec(ctx); err != nil {
					return false, err
				}
				if err := addRemoval(ctx, tx, t.OrganizationID, id, TakePrefix(id, t.ID), false, 0); err != nil {
					return false, err
				}
			}
			return len(gone) > 0, err
		})
}

// PurgeMedia removes recordings whose retention is over: the media, the takes, and the uploaded
// activity file. Transcript and report stay.
func PurgeMedia(ctx context.Context, db *store.DB) (changed int, err error) {
	defer store.WrapError(&err, "purge media")
	return eachDue(ctx, db, `SELECT id, organization_id FROM interviews WHERE media_purge_at <= now() AND hold_at IS NULL ORDER BY media_purge_at, id LIMIT ?`,
		func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) {
			var orgID uuid.UUID
			var status Status
			err := tx.NewRaw(`UPDATE interviews SET media_purge_at = NULL, updated_at = now() WHERE id = ? AND media_purge_at <= now() AND hold_at IS NULL RETURNING organization_id, status`,
				id).Scan(ctx, &orgID, &status)
			if err != nil {
				return false, ignoreNoRows(err)
			}
			if err := removeFile(ctx, tx, id); err != nil {
				return false, err
			}
			for _, statement := range []string{
				`DELETE FROM interview_media WHERE interview_id = ?`,
				`DELETE FROM interview_take_parts WHERE take_id IN (SELECT id FROM interview_takes WHERE interview_id = ?)`,
				`UPDATE interview_takes SET received = 0, updated_at = now() WHERE interview_id = ?`,
				`UPDATE interview_steps SET status = 'skipped', token = token + 1, leased_until = NULL, job_at = NULL, job_id = NULL, requested = false, finished_at = now()
WHERE interview_id = ? AND step = 'media' AND status NOT IN ('failed', 'skipped')`,
			} {
				if _, err := tx.NewRaw(statement, id).Exec(ctx); err != nil {
					return false, err
				}
			}
			if status == Processing { // steps that waited for the recording continue without it
				p := &pipeline{tx: tx, id: id}
				if err := p.beginReady(ctx); err != nil {
					return false, err
				}
			}
			return true, removeRecordings(ctx, tx, orgID, id, "media")
		})
}

// removeRecordings schedules the removal of the blobs of an interview's takes and media, and audits
// what was purged: media or record.
func removeRecordings(ctx context.Context, tx *store.Tx, orgID, id uuid.UUID, purged string) error {
	for _, prefix := range []string{takesPrefix(id), mediaPrefix(id)} {
		if err := addRemoval(ctx, tx, orgID, id, prefix, false, 0); err != nil {
			return err
		}
	}
	tx.Audit(store.AuditInterviewPurged, id, nil, store.AuditFields{"purged": purged})
	return nil
}

// PurgeRecords removes the other data of interviews whose longer retention is over: transcript,
// captions, report, events, written answers, device and views. The interview stays with its
// decision but without any text.
func PurgeRecords(ctx context.Context, db *store.DB) (changed int, err error) {
	defer store.WrapError(&err, "purge records of interviews")
	return eachDue(ctx, db, `SELECT id, organization_id FROM interviews WHERE record_purge_at <= now() AND hold_at IS NULL
    AND status NOT IN ('invited', 'in_progress') ORDER BY record_purge_at, id LIMIT ?`,
		func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) {
			var orgID uuid.UUID
			err := tx.NewRaw(`UPDATE interviews SET record_purge_at = NULL, media_purge_at = NULL, purged_at = now(), updated_at = now(), prepared = NULL, accommodation_note = NULL,
    finding_kinds = '{}', high_findings = 0 WHERE id = ? AND record_purge_at <= now() AND hold_at IS NULL AND status NOT IN ('invited', 'in_progress') RETURNING organization_id`,
				id).Scan(ctx, &orgID)
			if err != nil {
				return false, ignoreNoRows(err)
			}
			if err := removeFile(ctx, tx, id); err != nil {
				return false, err
			}
			for _, table := range []string{
				"interview_views", "interview_shares", "interview_claims", "interview_reports", "interview_activities", "interview_subtitles",
				"interview_transcripts", "interview_media", "interview_events", "interview_takes", "interview_devices", "interview_sessions",
			} {
				if _, err := tx.NewRaw(`DELETE FROM `+table+` WHERE interview_id = ?`, id).Exec(ctx); err != nil {
					return false, err
				}
			}
			_, err = tx.NewRaw(`UPDATE interview_steps SET status = 'skipped', token = token + 1, leased_until = NULL, job_at = NULL, job_id = NULL, requested = false,
    finished_at = now(), last_error = NULL WHERE interview_id = ?`, id).Exec(ctx)
			if err != nil {
				return false, err
			}
			// An interview that has not been processed in all that time gets no report any more.
			failed, err := changeStatus(ctx, tx, id, Processing, `status = 'failed'`)
			if err == nil && failed {
				err = emitInterview(ctx, tx, event.InterviewFailed, id)
			}
			if err != nil {
				return true, err
			}
			return true, removeRecordings(ctx, tx, orgID, id, "record")
		})
}
