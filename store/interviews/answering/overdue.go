package answering

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/steps"
)

// timeUp is an SQL condition for an interview i whose time is over. It allows a little more time
// for what is being recorded to arrive.
const timeUp = timeOver + ` AND (i.complete_by + interval '15 minutes' <= now()
    OR NOT EXISTS (SELECT FROM interview_takes AS t WHERE t.interview_id = i.id AND t.status = 'recording'))`

const timeOver = `i.status = 'in_progress' AND i.complete_by <= now()`

// CloseOverdue ends interviews whose time is over: those with answers are reported on, the others
// are incomplete.
func CloseOverdue(ctx context.Context, db *store.DB) (changed int, err error) {
	defer store.WrapError(&err, "close interviews")
	return interviews.ForEachDue(ctx, db, `SELECT i.id, i.organization_id, i.complete_by AS at FROM interviews AS i WHERE `+timeUp,
		func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) { return closeOne(ctx, tx, id) })
}

func closeOne(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) {
	var locked uuid.UUID
	if err := tx.NewRaw(`SELECT id FROM interviews WHERE id = ? FOR NO KEY UPDATE`, id).Scan(ctx, &locked); err != nil {
		return false, store.IgnoreNoRows(err)
	}
	// These are separate statements because the previous holder of the lock may have sealed an
	// answer. A recording that arrived whole counts, even if the browser was closed before it could
	// seal it.
	_, err := tx.NewRaw(`UPDATE interview_takes AS t SET status = 'sealed', sealed_at = now(), updated_at = now() FROM interviews AS i
WHERE i.id = ? AND t.interview_id = i.id AND t.status = 'recording' AND t.received = t.length AND t.received > 0 AND `+timeOver, id).Exec(ctx)
	if err != nil {
		return false, err
	}
	var answered bool
	err = tx.NewRaw(`SELECT EXISTS (SELECT FROM interview_takes AS t WHERE t.interview_id = i.id AND t.status = 'sealed') FROM interviews AS i
WHERE i.id = ? AND `+timeUp, id).Scan(ctx, &answered)
	if err != nil {
		return false, store.IgnoreNoRows(err)
	}
	if answered {
		return true, startProcessing(ctx, tx, id, true)
	}
	moved, err := interviews.ChangeStatus(ctx, tx, id, interviews.InProgress,
		`status = 'incomplete', ended_at = now(), record_purge_at = now() + `+interviews.RecordRetentionSQL())
	if err != nil || !moved {
		return false, err
	}
	if err := invite.End(ctx, tx, id, "time_over"); err != nil {
		return true, err
	}
	// There is no answer to report on.
	if err := (&steps.Pipeline{Tx: tx, ID: id}).DropRequest(ctx, steps.Report); err != nil {
		return true, err
	}
	return true, interviews.Emit(ctx, tx, event.InterviewIncomplete, id)
}
