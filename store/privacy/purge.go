package privacy

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/removals"
	"github.com/assayhq/assay/store/interviews/steps"
)

// These functions make the changes of interviews that are due by time. Any number of processes may
// call each function at once: each change happens once, by a guarded update in its own transaction.
// Each function returns how many interviews it has changed.

// isAbandoned is the condition on a take t of an interview i that was begun, and will not be sealed.
const isAbandoned = `t.status <> 'sealed' AND t.updated_at <= now() - interval '24 hours' AND (t.received > 0 OR t.status = 'recording')
    AND i.status <> 'in_progress' AND i.hold_at IS NULL`

// PurgeUploads removes takes that were begun but not sealed, a day after their last write. Those of
// an interview in progress stay.
func PurgeUploads(ctx context.Context, db *store.DB) (changed int, err error) {
	defer store.WrapError(&err, "purge uploads")
	return interviews.ForEachDue(ctx, db, `SELECT i.id, i.organization_id, min(t.updated_at) AS at FROM interview_takes AS t JOIN interviews AS i ON i.id = t.interview_id
WHERE `+isAbandoned+` GROUP BY i.id`,
		func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) {
			var gone []struct {
				ID             uuid.UUID `bun:"id"`
				OrganizationID uuid.UUID `bun:"organization_id"`
			}
			err := tx.NewRaw(`UPDATE interview_takes AS t SET status = 'aborted', received = 0 FROM interviews AS i
WHERE i.id = t.interview_id AND t.interview_id = ? AND `+isAbandoned+` RETURNING t.id, i.organization_id`, id).Scan(ctx, &gone)
			for _, t := range gone {
				if _, err := tx.NewRaw(`DELETE FROM interview_take_parts WHERE take_id = ?`, t.ID).Exec(ctx); err != nil {
					return false, err
				}
				if err := removals.Add(ctx, tx, t.OrganizationID, id, interviews.TakePrefix(id, t.ID), false, 0); err != nil {
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
	return interviews.ForEachDue(ctx, db, `SELECT id, organization_id, media_purge_at AS at FROM interviews WHERE media_purge_at <= now() AND hold_at IS NULL`,
		func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) {
			var orgID uuid.UUID
			var status interviews.Status
			err := tx.NewRaw(`UPDATE interviews SET media_purge_at = NULL, updated_at = now() WHERE id = ? AND media_purge_at <= now() AND hold_at IS NULL RETURNING organization_id, status`,
				id).Scan(ctx, &orgID, &status)
			if err != nil {
				return false, store.IgnoreNoRows(err)
			}
			if err := interviews.RemoveFile(ctx, tx, id); err != nil {
				return false, err
			}
			for _, statement := range []string{
				`DELETE FROM interview_media WHERE interview_id = ?`,
				`DELETE FROM interview_take_parts WHERE take_id IN (SELECT id FROM interview_takes WHERE interview_id = ?)`,
				`UPDATE interview_takes SET received = 0, updated_at = now() WHERE interview_id = ?`,
			} {
				if _, err := tx.NewRaw(statement, id).Exec(ctx); err != nil {
					return false, err
				}
			}
			p := &steps.Pipeline{Tx: tx, ID: id}
			if err := p.SkipStep(ctx, steps.Media); err != nil {
				return false, err
			}
			if status == interviews.Processing { // steps that waited for the recording continue without it
				if err := p.BeginReady(ctx); err != nil {
					return false, err
				}
			}
			return true, removeRecordings(ctx, tx, orgID, id, "media")
		})
}

// removeRecordings schedules the removal of the blobs of an interview's takes and media, at once and
// after late writes, and audits what was purged: media or record.
func removeRecordings(ctx context.Context, tx *store.Tx, orgID, id uuid.UUID, purged string) error {
	for _, prefix := range interviews.RecordingPrefixes(id) {
		for _, after := range []time.Duration{0, lateWrites} {
			if err := removals.Add(ctx, tx, orgID, id, prefix, false, after); err != nil {
				return err
			}
		}
	}
	tx.Audit(action.InterviewPurged, id, nil, store.AuditFields{"purged": purged})
	return nil
}

// PurgeRecords removes the other data of interviews whose longer retention is over: transcript,
// captions, report, events, written answers, device and views. The interview stays with its
// decision but without any text.
func PurgeRecords(ctx context.Context, db *store.DB) (changed int, err error) {
	defer store.WrapError(&err, "purge records of interviews")
	return interviews.ForEachDue(ctx, db, `SELECT id, organization_id, record_purge_at AS at FROM interviews WHERE record_purge_at <= now() AND hold_at IS NULL
    AND status NOT IN ('invited', 'in_progress')`,
		func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) {
			var orgID uuid.UUID
			err := tx.NewRaw(`UPDATE interviews SET record_purge_at = NULL, media_purge_at = NULL, purged_at = now(), updated_at = now(), prepared = NULL, accommodation_note = NULL,
    finding_kinds = '{}', high_findings = 0, medium_findings = 0, low_findings = 0 WHERE id = ? AND record_purge_at <= now() AND hold_at IS NULL AND status NOT IN ('invited', 'in_progress') RETURNING organization_id`,
				id).Scan(ctx, &orgID)
			if err != nil {
				return false, store.IgnoreNoRows(err)
			}
			if err := interviews.RemoveFile(ctx, tx, id); err != nil {
				return false, err
			}
			for _, table := range []string{
				"interview_mentions", "interview_comments", "interview_views", "interview_shares", "interview_claims", "interview_reports", "interview_activities", "interview_subtitles",
				"interview_transcripts", "interview_media", "interview_events", "interview_takes", "interview_devices", "interview_sessions",
			} {
				if _, err := tx.NewRaw(`DELETE FROM `+table+` WHERE interview_id = ?`, id).Exec(ctx); err != nil {
					return false, err
				}
			}
			if err := (&steps.Pipeline{Tx: tx, ID: id}).SkipAll(ctx); err != nil {
				return false, err
			}
			// An interview that has not been processed in all that time gets no report any more.
			failed, err := interviews.ChangeStatus(ctx, tx, id, interviews.Processing, `status = 'failed'`)
			if err == nil && failed {
				err = interviews.Emit(ctx, tx, event.InterviewFailed, id)
			}
			if err != nil {
				return true, err
			}
			return true, removeRecordings(ctx, tx, orgID, id, "record")
		})
}
