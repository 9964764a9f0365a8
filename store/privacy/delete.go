package privacy

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/removals"
)

// Tables lists every table with rows of an interview, with the column that refers to it. The table
// of interviews itself is last. All of an interview's blobs are below Prefix. Responses
// for repeated requests (idempotency_keys), which are forgotten with it, and events (webhook_events), which
// the removal that its deletion leaves behind cleans up, also refer to the interview. The audit log keeps its
// id.
func Tables() []Table {
	names := []string{
		"interview_mentions", "interview_comments", "interview_views", "interview_shares", "interview_claims", "interview_decisions", "interview_reports", "interview_files",
		"interview_activities", "interview_subtitles", "interview_transcripts", "interview_media", "interview_steps", "interview_events",
		"interview_takes", "interview_devices", "interview_consents", "interview_sessions", "interview_invites", "interview_questions",
	}
	tables := []Table{{"interview_take_parts", `take_id IN (SELECT id FROM interview_takes WHERE interview_id = ?)`}}
	for _, name := range names {
		tables = append(tables, Table{name, `interview_id = ?`})
	}
	return append(tables, Table{"interviews", `id = ?`})
}

// Table is a table with rows of interviews.
type Table struct{ Name, of string }

// DeleteInterview deletes an interview with everything that belongs to it: rows at once, blobs by the
// removal that it leaves behind. Links and playback addresses become invalid at once, and workers
// drop their output. A trader whom the interview created is deleted with it, unless something else
// refers to the trader by now. It returns ErrNotFound or ErrLegalHold.
func DeleteInterview(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (err error) {
	defer store.WrapError(&err, "delete interview %s", id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		trader, err := interviews.LockTrader(ctx, tx, c.OrganizationID, id, `interview_only AND integration_id IS NULL`, "FOR UPDATE")
		if err != nil {
			return none, err
		}
		l, err := interviews.Lock(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return none, err
		}
		if err := deleteInterview(ctx, tx, l); err != nil || l.TraderID != trader {
			return none, err
		}
		return none, deleteBrought(ctx, tx, c.OrganizationID, trader)
	})
	return err
}

// deleteInterview deletes an interview that is locked.
func deleteInterview(ctx context.Context, tx *store.Tx, l interviews.Locked) error {
	if l.Held {
		return store.ErrLegalHold
	}
	if err := interviews.Emit(ctx, tx, event.InterviewDeleted, l.ID); err != nil {
		return err
	}
	if err := interviews.RemoveFile(ctx, tx, l.ID); err != nil {
		return err
	}
	if err := idempotency.Forget(ctx, tx, l.ID); err != nil {
		return err
	}
	var worked bool // steps of it have begun and not ended
	err := tx.NewRaw(`SELECT coalesce(bool_or(run > 0 AND status IN ('pending', 'queued', 'running')), false)
FROM (SELECT run, status FROM interview_steps WHERE interview_id = ? FOR UPDATE) AS s`, l.ID).Scan(ctx, &worked)
	if err != nil {
		return err
	}
	for _, table := range Tables() {
		if _, err := tx.NewRaw(`DELETE FROM `+table.Name+` WHERE `+table.of, l.ID).Exec(ctx); err != nil {
			return err
		}
	}
	if _, err := tx.NewRaw(`UPDATE interviews SET retake_of_id = NULL WHERE retake_of_id = ?`, l.ID).Exec(ctx); err != nil {
		return err
	}
	if l.Status == interviews.InProgress || worked { // uploads and workers that are still running may write after the first removal
		if err := removals.Add(ctx, tx, l.OrganizationID, l.ID, interviews.Prefix(l.ID), false, lateWrites); err != nil {
			return err
		}
	}
	if err := removals.Add(ctx, tx, l.OrganizationID, l.ID, interviews.Prefix(l.ID), true, 0); err != nil {
		return err
	}
	tx.Audit(action.InterviewDeleted, l.ID, store.AuditFields{"status": l.Status}, nil)
	return nil
}

// deleteBrought deletes a trader whom an interview created and nobody has changed since, once there
// is no interview left.
func deleteBrought(ctx context.Context, tx *store.Tx, orgID, trader uuid.UUID) error {
	var gone uuid.UUID
	err := tx.NewRaw(`DELETE FROM traders AS t WHERE t.id = ? AND t.organization_id = ? AND t.interview_only AND t.integration_id IS NULL
    AND NOT EXISTS (SELECT FROM interviews WHERE trader_id = t.id) AND NOT EXISTS (SELECT FROM activity_files WHERE trader_id = t.id)
    AND NOT EXISTS (SELECT FROM trader_notes WHERE trader_id = t.id) RETURNING t.id`,
		trader, orgID).Scan(ctx, &gone)
	if store.IsNoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	tx.Audit(action.TraderErased, trader, nil, nil)
	return directory.ForgetDismissals(ctx, tx, trader)
}

// lateWrites is longer than any request body may take to arrive, and than a worker may continue
// with a step whose lease it has lost.
const lateWrites = 5 * time.Minute
