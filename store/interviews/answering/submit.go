package answering

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/steps"
)

// questionUnanswered is the kind of the event about a required question without an answer.
const questionUnanswered = "question_unanswered"

// Submit submits the answers, ends the link and the session, and begins the pipeline. unanswered
// are the required questions that the trader leaves unanswered: they are marked if the interview
// permits it and the trader cannot answer them (Interview.Unanswerable). It returns ErrUnanswered
// if another one has no sealed answer, and ErrMustAnswer if the interview does not permit it.
func Submit(ctx context.Context, db *store.DB, s Session, unanswered ...uuid.UUID) (err error) {
	defer store.WrapError(&err, "submit interview %s", s.InterviewID)
	return inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, i attempt) error {
		if i.Status == interviews.Processing || i.Status == interviews.Completed {
			return nil
		}
		if err := i.requireInProgress(); err != nil {
			return err
		}
		if err := i.markUnanswered(ctx, tx, unanswered); err != nil {
			return err
		}
		return startProcessing(ctx, tx, s.InterviewID, false)
	})
}

// markUnanswered marks the required questions without an answer, if all of them may be left.
func (i attempt) markUnanswered(ctx context.Context, tx bun.IDB, unanswered []uuid.UUID) error {
	whole, err := interviews.ReadIn(ctx, tx, i.OrganizationID, i.ID)
	if err != nil {
		return err
	}
	for _, q := range whole.Questions {
		if t := whole.Answered(q.ID); !q.Required || t != nil && t.Status == interviews.TakeSealed {
			continue
		}
		switch {
		case !slices.Contains(unanswered, q.ID):
			return ErrUnanswered
		case !whole.AllowUnanswered:
			return ErrMustAnswer
		case !whole.Unanswerable(q):
			return ErrUnanswered
		}
		if _, err := tx.NewRaw(`UPDATE interview_questions SET unanswered_at = now() WHERE id = ?`, q.ID).Exec(ctx); err != nil {
			return err
		}
		// The report has a separate finding about it. The event records the time.
		if err := interviews.AddServerEvents(ctx, tx, i.ID, []interviews.NewEvent{{Kind: questionUnanswered, Severity: "info", QuestionID: &q.ID}}); err != nil {
			return err
		}
	}
	return nil
}

// startProcessing hands an interview that is in progress to the pipeline.
func startProcessing(ctx context.Context, tx *store.Tx, id uuid.UUID, partial bool) error {
	moved, err := interviews.ChangeStatus(ctx, tx, id, interviews.InProgress, `status = 'processing', partial = ?, submitted_at = CASE WHEN ? THEN NULL ELSE now() END, ended_at = now(),
    media_purge_at = now() + make_interval(days => retention_days), record_purge_at = now() + `+interviews.RecordRetentionSQL(), partial, partial)
	if err != nil || !moved {
		return cmp.Or(err, interviews.ErrInvalidState)
	}
	if err := invite.End(ctx, tx, id, "submitted"); err != nil {
		return err
	}
	if err := interviews.Emit(ctx, tx, event.InterviewSubmitted, id); err != nil {
		return err
	}
	p := &steps.Pipeline{Tx: tx, ID: id}
	return p.BeginReady(ctx)
}
