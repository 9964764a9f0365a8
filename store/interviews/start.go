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

// leastTime is what a trader has from the start, at least.
const leastTime = 2 * time.Hour

// Start begins the interview: the questions from the trader's data that
// are ready are added, none changes any more, and the time runs. ErrNoConsent,
// ErrNoDevice, ErrInterviewStarted when it has begun.
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

// onlyText reports whether there is no device to be checked.
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
	// The link and the session live until what was recorded in time has arrived.
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

// addPreparedQuestions adds the questions from the trader's data that are ready
// and that there is room for, the best first.
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

// automaticRoom is how many questions from the trader's data there is room for
// beside questions whose takes may last so long together.
func automaticRoom(budget time.Duration) int {
	return max(int((MaxRecording-budget)/(DefaultMaxSeconds*DefaultMaxTakes*time.Second)), 0)
}
