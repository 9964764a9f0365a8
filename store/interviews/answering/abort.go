package answering

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
)

// abortedCounts is the length from which on an interrupted take counts.
const abortedCounts = 5 * time.Second

// brokenOff is the kind of the event about an interrupted take.
const brokenOff = "take_broken_off"

// AbortTake gives up a take whose recording was interrupted by a reload, a lost network, or a
// device that stopped. recorded is its length as reported by the browser. The server uses the time
// until the last bytes arrived if that is longer. A take of at most five seconds uses up nothing.
// The first longer one of a question uses up nothing either, so that the question is offered again.
// Each further one uses up one of the question's takes, because otherwise reloading the page would
// give any number of tries. Reviewers see each as an event. Giving up a take again changes nothing.
// It returns ErrNotFound, ErrTakeSealed or ErrInvalidState.
func AbortTake(ctx context.Context, db *store.DB, s Session, take uuid.UUID, recorded time.Duration) (t interviews.Take, err error) {
	defer store.WrapError(&err, "abort take %s", take)
	err = inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, i attempt) error {
		if err := i.requireInProgress(); err != nil {
			return err
		}
		err := tx.NewRaw(`SELECT `+interviews.TakeColumns+` FROM interview_takes AS t WHERE t.id = ? AND t.interview_id = ? FOR UPDATE`, take, s.InterviewID).Scan(ctx, &t)
		switch {
		case err != nil:
			return err
		case t.Status == interviews.TakeAborted:
			return nil
		case t.Status != interviews.TakeRecording:
			return ErrTakeSealed
		}
		return i.breakOff(ctx, tx, &t, max(recorded, t.UpdatedAt.Sub(t.RecordedAt)))
	})
	return t, err
}

// breakOff ends a take that is being recorded, and records that it was interrupted.
func (i attempt) breakOff(ctx context.Context, tx *store.Tx, t *interviews.Take, lasted time.Duration) error {
	var spared bool // an earlier one of the question used up nothing
	err := tx.NewRaw(`SELECT EXISTS (SELECT FROM interview_takes WHERE question_id = ? AND status = 'aborted' AND NOT counts AND duration_ms > ?)`,
		t.QuestionID, abortedCounts.Milliseconds()).Scan(ctx, &spared)
	if err != nil {
		return err
	}
	counts := spared && lasted.Milliseconds() > abortedCounts.Milliseconds()
	err = tx.NewRaw(`UPDATE interview_takes AS t SET status = 'aborted', counts = ?, duration_ms = ?, updated_at = now() WHERE id = ? RETURNING `+interviews.TakeColumns,
		counts, lasted.Milliseconds(), t.ID).Scan(ctx, t)
	if err != nil {
		return err
	}
	data, err := json.Marshal(map[string]any{"take": t.Take, "offered_again": !counts})
	if err != nil {
		return err
	}
	tx.TouchInterview(i.ID)
	return interviews.AddServerEvents(ctx, tx, i.ID, []interviews.NewEvent{{
		Kind: brokenOff, Severity: "info", QuestionID: &t.QuestionID, DurationMS: new(lasted.Milliseconds()), Data: data,
	}})
}
