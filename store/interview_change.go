package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/event"
)

// changeInterview runs fn on an interview of the organization whose row is
// locked, and returns the interview as it is then. ErrNotFound.
func (db *DB) changeInterview(ctx context.Context, c Change, id uuid.UUID, fn func(ctx context.Context, tx *Tx, l lockedInterview) error) (Interview, error) {
	return change(ctx, db, c, func(ctx context.Context, tx *Tx) (Interview, error) {
		l, err := lockInterview(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return Interview{}, err
		}
		if err := fn(ctx, tx, l); err != nil {
			return Interview{}, err
		}
		return readInterview(ctx, tx, c.OrganizationID, id)
	})
}

// DecideInterview records what a person, or a system in the firm's name, has
// decided. Nothing else writes a decision. It may be repeated in any status: the
// history keeps each.
func (db *DB) DecideInterview(ctx context.Context, c Change, id uuid.UUID, d InterviewDecision, reason *string) (i Interview, err error) {
	defer wrap(&err, "decide on interview %s", id)
	return db.changeInterview(ctx, c, id, func(ctx context.Context, tx *Tx, l lockedInterview) error {
		_, err := tx.NewRaw(`INSERT INTO interview_decisions (id, interview_id, decision, reason, decided_by, decided_at) VALUES (?, ?, ?, ?, ?, clock_timestamp())`,
			newID(), id, d, reason, c.By).Exec(ctx)
		if err != nil {
			return err
		}
		if _, err := tx.NewRaw(`UPDATE interviews SET decision = ?, decided_at = now(), updated_at = now() WHERE id = ?`, d, id).Exec(ctx); err != nil {
			return err
		}
		if err := emitInterview(ctx, tx, event.InterviewDecisionRecorded, id); err != nil {
			return err
		}
		tx.audit(AuditInterviewDecided, id, auditFields{"decision": l.Decision}, auditFields{"decision": d, "reason": mask(reason != nil)})
		return nil
	})
}

// AssignInterview gives the interview to a person, or to nobody. ErrUnknownUser.
func (db *DB) AssignInterview(ctx context.Context, c Change, id uuid.UUID, user *uuid.UUID) (i Interview, err error) {
	defer wrap(&err, "assign interview %s", id)
	return db.changeInterview(ctx, c, id, func(ctx context.Context, tx *Tx, l lockedInterview) error {
		if user != nil {
			if err := knownUser(ctx, tx, c.OrganizationID, *user); err != nil {
				return err
			}
		}
		if value(user) == value(l.AssigneeID) {
			return nil
		}
		if _, err := tx.NewRaw(`UPDATE interviews SET assignee_id = ?, updated_at = now() WHERE id = ?`, user, id).Exec(ctx); err != nil {
			return err
		}
		kind := event.InterviewAssigned
		if user == nil {
			kind = event.InterviewUnassigned
		}
		if err := emitInterview(ctx, tx, kind, id); err != nil {
			return err
		}
		tx.audit(AuditInterviewAssigned, id, auditFields{"assignee_user_id": l.AssigneeID}, auditFields{"assignee_user_id": user})
		return nil
	})
}

// MarkCommunicated notes that the trader was told the outcome, or corrects such
// a note.
func (db *DB) MarkCommunicated(ctx context.Context, c Change, id uuid.UUID, done bool) (i Interview, err error) {
	defer wrap(&err, "mark interview %s communicated", id)
	return db.changeInterview(ctx, c, id, func(ctx context.Context, tx *Tx, l lockedInterview) error {
		if done == l.Communicated {
			return nil
		}
		_, err := tx.NewRaw(`UPDATE interviews SET communicated_at = CASE WHEN ?0 THEN now() END, communicated_by = CASE WHEN ?0 THEN ?1 END, updated_at = now()
WHERE id = ?2`, done, c.By, id).Exec(ctx)
		if err != nil {
			return err
		}
		if done {
			if err := emitInterview(ctx, tx, event.InterviewCommunicated, id); err != nil {
				return err
			}
		}
		tx.audit(AuditInterviewCommunicated, id, auditFields{"done": l.Communicated}, auditFields{"done": done})
		return nil
	})
}

// HoldInterview keeps an interview from being deleted and purged, until the hold
// is released. A second hold changes the reason.
func (db *DB) HoldInterview(ctx context.Context, c Change, id uuid.UUID, reason *string) (i Interview, err error) {
	defer wrap(&err, "hold interview %s", id)
	return db.changeInterview(ctx, c, id, func(ctx context.Context, tx *Tx, l lockedInterview) error {
		_, err := tx.NewRaw(`UPDATE interviews SET hold_at = coalesce(hold_at, now()), hold_by = ?, hold_reason = ?, updated_at = now() WHERE id = ?`,
			c.By, reason, id).Exec(ctx)
		if err != nil {
			return err
		}
		tx.audit(AuditInterviewHeld, id, auditFields{"held": l.Held}, auditFields{"held": true, "reason": mask(reason != nil)})
		return nil
	})
}

// ReleaseInterview ends a hold. Without one it changes nothing.
func (db *DB) ReleaseInterview(ctx context.Context, c Change, id uuid.UUID) (i Interview, err error) {
	defer wrap(&err, "release interview %s", id)
	return db.changeInterview(ctx, c, id, func(ctx context.Context, tx *Tx, l lockedInterview) error {
		if !l.Held {
			return nil
		}
		_, err := tx.NewRaw(`UPDATE interviews SET hold_at = NULL, hold_by = NULL, hold_reason = NULL, updated_at = now() WHERE id = ?`, id).Exec(ctx)
		if err != nil {
			return err
		}
		tx.audit(AuditInterviewReleased, id, auditFields{"held": true}, auditFields{"held": false})
		return nil
	})
}

// RegenerateReport queues a new version of the report, with a fresh look at the
// trader's activity, and returns the job's id: that of the one which is queued
// already, if there is one. While the trader is answering it waits; what has
// failed of recording and transcript is tried again before. A *StateError with
// ErrNothingToReport when the trader has not started, or has left no answer. The
// zero id: its record is kept no longer, and nothing can be made of it.
func (db *DB) RegenerateReport(ctx context.Context, c Change, id uuid.UUID) (job uuid.UUID, err error) {
	defer wrap(&err, "regenerate the report of interview %s", id)
	return change(ctx, db, c, func(ctx context.Context, tx *Tx) (job uuid.UUID, err error) {
		l, err := lockInterview(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return job, err
		}
		if !l.submitted() && l.Status != InterviewInProgress {
			return job, l.refuse(ErrNothingToReport)
		}
		if l.Purged {
			return job, nil
		}
		p := &pipeline{db: db, tx: tx, id: id}
		if _, err := p.revive(ctx, l); err != nil {
			return job, err
		}
		if err := p.send(ctx); err != nil {
			return job, err
		}
		if job, err = db.queueReport(ctx, tx, l, true); err != nil {
			return job, err
		}
		tx.audit(AuditInterviewRegenerated, id, nil, auditFields{"job_id": job})
		return job, nil
	})
}

// queueReport queues a report, after a new analysis of the activity if wanted.
func (db *DB) queueReport(ctx context.Context, tx *Tx, l lockedInterview, activity bool) (job uuid.UUID, err error) {
	p := &pipeline{db: db, tx: tx, id: l.ID}
	steps, err := p.steps(ctx)
	if err != nil {
		return job, err
	}
	ready := l.submitted() && steps[StepMedia].Status.over() && steps[StepTranscript].Status.over()
	if activity && l.submitted() && steps[StepReport].Status != StepQueued {
		if _, err := p.ask(ctx, StepActivity, true); err != nil {
			return job, err
		}
		ready = false // the activity comes first, and moves the pipeline on
	}
	if job, err = p.ask(ctx, StepReport, ready); err != nil {
		return job, err
	}
	return job, p.send(ctx)
}

// RequestSubtitles queues the making of captions, and returns the job's id: that
// of the one which is queued already, if there is one. Before the recording has
// been made it waits; where recording or transcript have failed, they are tried
// again before. The zero id: as in RegenerateReport.
func (db *DB) RequestSubtitles(ctx context.Context, c Change, id uuid.UUID) (job uuid.UUID, err error) {
	defer wrap(&err, "request subtitles of interview %s", id)
	return change(ctx, db, c, func(ctx context.Context, tx *Tx) (job uuid.UUID, err error) {
		l, err := lockInterview(ctx, tx, c.OrganizationID, id)
		if err != nil || l.Purged {
			return job, err
		}
		p := &pipeline{db: db, tx: tx, id: id}
		steps, err := p.revive(ctx, l)
		if err != nil {
			return job, err
		}
		ready := l.submitted() && steps[StepMedia].Status.over() && steps[StepTranscript].Status.over()
		if job, err = p.ask(ctx, StepSubtitles, ready); err != nil {
			return job, err
		}
		if err := p.send(ctx); err != nil {
			return job, err
		}
		tx.audit(AuditInterviewSubtitlesRequested, id, nil, auditFields{"job_id": job})
		return job, nil
	})
}
