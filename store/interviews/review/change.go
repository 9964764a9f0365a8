package review

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
)

// Decide records the decision of a person, or of a system on behalf of the firm. No other function
// writes a decision. It may be repeated in any status: the history keeps each decision.
func Decide(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, d interviews.Decision, reason *string) (i interviews.Interview, err error) {
	defer store.WrapError(&err, "decide on interview %s", id)
	return interviews.Change(ctx, db, c, id, func(ctx context.Context, tx *store.Tx, l interviews.Locked) error {
		_, err := tx.NewRaw(`INSERT INTO interview_decisions (id, interview_id, decision, reason, decided_by, decided_at) VALUES (?, ?, ?, ?, ?, clock_timestamp())`,
			store.NewID(), id, d, reason, c.By).Exec(ctx)
		if err != nil {
			return err
		}
		if _, err := tx.NewRaw(`UPDATE interviews SET decision = ?, decided_at = now(), updated_at = now() WHERE id = ?`, d, id).Exec(ctx); err != nil {
			return err
		}
		if err := interviews.Emit(ctx, tx, event.InterviewDecisionRecorded, id); err != nil {
			return err
		}
		tx.Audit(action.InterviewDecided, id, store.AuditFields{"decision": l.Decision}, store.AuditFields{"decision": d, "reason": store.MaskSet(reason != nil)})
		return nil
	})
}

// Assign assigns the interview to a person, or to nobody. It returns ErrUnknownUser if there is no
// such person.
func Assign(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, user *uuid.UUID) (i interviews.Interview, err error) {
	defer store.WrapError(&err, "assign interview %s", id)
	return interviews.Change(ctx, db, c, id, func(ctx context.Context, tx *store.Tx, l interviews.Locked) error {
		if user != nil {
			if err := interviews.CheckUser(ctx, tx, c.OrganizationID, *user); err != nil {
				return err
			}
		}
		if store.Deref(user) == store.Deref(l.AssigneeID) {
			return nil
		}
		if _, err := tx.NewRaw(`UPDATE interviews SET assignee_id = ?, updated_at = now() WHERE id = ?`, user, id).Exec(ctx); err != nil {
			return err
		}
		kind := event.InterviewAssigned
		if user == nil {
			kind = event.InterviewUnassigned
		}
		if err := interviews.Emit(ctx, tx, kind, id); err != nil {
			return err
		}
		tx.Audit(action.InterviewAssigned, id, store.AuditFields{"assignee_user_id": l.AssigneeID}, store.AuditFields{"assignee_user_id": user})
		return nil
	})
}

// MarkCommunicated records that the trader was informed of the outcome, or corrects such a record.
func MarkCommunicated(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, done bool) (i interviews.Interview, err error) {
	defer store.WrapError(&err, "mark interview %s communicated", id)
	return interviews.Change(ctx, db, c, id, func(ctx context.Context, tx *store.Tx, l interviews.Locked) error {
		if done == l.Communicated {
			return nil
		}
		_, err := tx.NewRaw(`UPDATE interviews SET communicated_at = CASE WHEN ?0 THEN now() END, communicated_by = CASE WHEN ?0 THEN ?1 END, updated_at = now()
WHERE id = ?2`, done, c.By, id).Exec(ctx)
		if err != nil {
			return err
		}
		if done {
			if err := interviews.Emit(ctx, tx, event.InterviewCommunicated, id); err != nil {
				return err
			}
		}
		tx.Audit(action.InterviewCommunicated, id, store.AuditFields{"done": l.Communicated}, store.AuditFields{"done": done})
		return nil
	})
}

// Hold protects an interview from deletion and purging until the hold is released. A second hold
// changes the reason.
func Hold(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, reason *string) (i interviews.Interview, err error) {
	defer store.WrapError(&err, "hold interview %s", id)
	return interviews.Change(ctx, db, c, id, func(ctx context.Context, tx *store.Tx, l interviews.Locked) error {
		_, err := tx.NewRaw(`UPDATE interviews SET hold_at = coalesce(hold_at, now()), hold_by = ?, hold_reason = ?, updated_at = now() WHERE id = ?`,
			c.By, reason, id).Exec(ctx)
		if err != nil {
			return err
		}
		tx.Audit(action.InterviewHeld, id, store.AuditFields{"held": l.Held}, store.AuditFields{"held": true, "reason": store.MaskSet(reason != nil)})
		return nil
	})
}

// Release releases a hold. It changes nothing if there is none.
func Release(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (i interviews.Interview, err error) {
	defer store.WrapError(&err, "release interview %s", id)
	return interviews.Change(ctx, db, c, id, func(ctx context.Context, tx *store.Tx, l interviews.Locked) error {
		if !l.Held {
			return nil
		}
		_, err := tx.NewRaw(`UPDATE interviews SET hold_at = NULL, hold_by = NULL, hold_reason = NULL, updated_at = now() WHERE id = ?`, id).Exec(ctx)
		if err != nil {
			return err
		}
		tx.Audit(action.InterviewReleased, id, store.AuditFields{"held": true}, store.AuditFields{"held": false})
		return nil
	})
}

// RegenerateReport queues a new version of the report, based on the trader's current activity, and
// returns the job's id, which is that of an already queued job if there is one. While the trader is
// answering, the job waits. If recording or transcript have failed, they are retried first. It
// returns a *StateError with ErrNothingToReport if the trader has not started, or has left no
// answer. It returns the zero id if the interview's record has been purged and nothing can be made
// of it.
func RegenerateReport(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (job uuid.UUID, err error) {
	defer store.WrapError(&err, "regenerate the report of interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (job uuid.UUID, err error) {
		l, err := interviews.Lock(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return job, err
		}
		if !l.Status.IsSubmitted() && l.Status != interviews.InProgress {
			return job, l.StateError(ErrNothingToReport)
		}
		if l.Purged {
			return job, nil
		}
		p := &steps.Pipeline{Tx: tx, ID: id}
		if _, err := p.RetryFailed(ctx, l.Status.IsSubmitted() && l.MediaKept); err != nil {
			return job, err
		}
		if job, err = queueReport(ctx, tx, l); err != nil {
			return job, err
		}
		tx.Audit(action.InterviewRegenerated, id, nil, store.AuditFields{"job_id": job})
		return job, nil
	})
}

// queueReport queues a new analysis of the activity and then a report.
func queueReport(ctx context.Context, tx *store.Tx, l interviews.Locked) (job uuid.UUID, err error) {
	p := &steps.Pipeline{Tx: tx, ID: l.ID}
	now, err := p.ReadSteps(ctx)
	if err != nil {
		return job, err
	}
	if l.Status.IsSubmitted() && now[steps.Report].Status != steps.Queued {
		if _, err := p.RequestStep(ctx, steps.Activity, true); err != nil {
			return job, err
		}
	}
	return p.RequestStep(ctx, steps.Report, false) // the activity step comes first, and advances the pipeline
}

// RequestSubtitles queues the making of captions, and returns the job's id, which is that of an
// already queued job if there is one. Before the recording has been made, the job waits. If
// recording or transcript have failed, they are retried first. The zero id has the same meaning as
// in RegenerateReport.
func RequestSubtitles(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (job uuid.UUID, err error) {
	defer store.WrapError(&err, "request subtitles of interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (job uuid.UUID, err error) {
		l, err := interviews.Lock(ctx, tx, c.OrganizationID, id)
		if err != nil || l.Purged {
			return job, err
		}
		p := &steps.Pipeline{Tx: tx, ID: id}
		now, err := p.RetryFailed(ctx, l.Status.IsSubmitted() && l.MediaKept)
		if err != nil {
			return job, err
		}
		ready := l.Status.IsSubmitted() && now[steps.Media].Status.IsOver() && now[steps.Transcript].Status.IsOver()
		if job, err = p.RequestStep(ctx, steps.Subtitles, ready); err != nil {
			return job, err
		}
		tx.Audit(action.InterviewSubtitlesRequested, id, nil, store.AuditFields{"job_id": job})
		return job, nil
	})
}
