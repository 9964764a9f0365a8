package interviews

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
)

// leastTime is the minimum time that a trader has from the start.
const leastTime = 2 * time.Hour

// Start begins the interview: it adds the questions from the trader's data that are ready, freezes
// the questions, and starts the clock. It returns ErrNoConsent, ErrNoDevice, or ErrInterviewStarted
// if it has begun already.
func Start(ctx context.Context, db *store.DB, s TraderSession) (i Interview, err error) {
	defer store.WrapError(&err, "start interview %s", s.InterviewID)
	err = inTrial(ctx, db, s, func(ctx context.Context, tx *store.Tx, t trial) error {
		if t.Status != Invited {
			return ErrInterviewStarted
		}
		var ready struct {
			Consent bool `bun:"consent"`
			Device  bool `bun:"device"`
		}
		err := tx.NewRaw(`SELECT EXISTS (SELECT FROM interview_consents WHERE interview_id = ?0 AND accepted) AS consent,
    EXISTS (SELECT FROM interview_devices WHERE interview_id = ?0 AND outcome IN ('ok', 'overridden')) AS device`, t.ID).Scan(ctx, &ready)
		switch {
		case err != nil:
			return err
		case !ready.Consent:
			return ErrNoConsent
		case !ready.Device && !t.onlyText():
			return ErrNoDevice
		}
		if err := t.addPreparedQuestions(ctx, tx); err != nil {
			return err
		}
		if err := t.startClock(ctx, tx); err != nil {
			return err
		}
		i, err = readInterview(ctx, tx, t.OrganizationID, t.ID)
		return err
	})
	return i, err
}

// onlyText reports whether there is no device to check.
func (i trial) onlyText() bool { return len(i.AnswerModes) == 1 && i.allowsMode(AnswerText) }

// startClock sets the clock.
func (i trial) startClock(ctx context.Context, tx *store.Tx) error {
	var seconds int64
	err := tx.NewRaw(`SELECT coalesce(sum(think_seconds + max_seconds * max_takes), 0) FROM interview_questions WHERE interview_id = ?`, i.ID).Scan(ctx, &seconds)
	if err != nil {
		return err
	}
	allowed := max(leastTime, 2*time.Duration(seconds)*time.Second)
	moved, err := changeStatus(ctx, tx, i.ID, Invited, `status = 'in_progress', started_at = now(), complete_by = greatest(invite_expires_at, now() + ?::interval)`, store.IntervalText(allowed))
	if err != nil || !moved {
		return cmp.Or(err, ErrInterviewStarted)
	}
	// The link and the session live long enough for what was recorded in time to arrive.
	for _, statement := range []string{
		`UPDATE interview_invites AS v SET expires_at = i.complete_by + ?::interval FROM interviews AS i WHERE i.id = v.interview_id AND i.id = ? AND v.revoked_at IS NULL`,
		`UPDATE interview_sessions AS s SET expires_at = greatest(s.expires_at, i.complete_by + ?::interval) FROM interviews AS i
WHERE i.id = s.interview_id AND i.id = ? AND s.ended_at IS NULL`,
	} {
		if _, err := tx.NewRaw(statement, store.IntervalText(sealGrace), i.ID).Exec(ctx); err != nil {
			return err
		}
	}
	return emitInterview(ctx, tx, event.InterviewStarted, i.ID)
}

// addPreparedQuestions adds the questions from the trader's data that are ready, the best first, as
// far as there is room.
func (i trial) addPreparedQuestions(ctx context.Context, tx bun.IDB) error {
	var prepared []AutoQuestion
	if i.Prepared != nil {
		if err := json.Unmarshal(i.Prepared, &prepared); err != nil {
			return fmt.Errorf("read prepared questions: %w", err)
		}
	}
	var there struct {
		Count   int   `bun:"count"`
		Seconds int64 `bun:"seconds"`
	}
	err := tx.NewRaw(`SELECT count(*) AS count, coalesce(sum(max_seconds * max_takes), 0) AS seconds FROM interview_questions WHERE interview_id = ?`, i.ID).Scan(ctx, &there)
	if err != nil {
		return err
	}
	var added []NewQuestion
	for _, q := range prepared[:min(len(prepared), i.AutoQuestions, automaticRoom(time.Duration(there.Seconds)*time.Second))] {
		added = append(added, NewQuestion{
			Prompt: q.Prompt, Topic: q.Topic, ThinkSeconds: DefaultThinkSeconds, MaxSeconds: DefaultMaxSeconds, MaxTakes: DefaultMaxTakes,
			Required: true, source: sourceAuto, findingKind: store.TextOrNil(q.FindingKind),
		})
	}
	return insertQuestions(ctx, tx, i.ID, there.Count, added)
}

// automaticRoom returns how many questions from the trader's data fit in addition to questions with
// the given total length of takes.
func automaticRoom(budget time.Duration) int {
	return max(int((MaxRecording-budget)/(DefaultMaxSeconds*DefaultMaxTakes*time.Second)), 0)
}
