package answering

import (
	"cmp"
	"context"
	"time"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
)

// leastTime is the minimum time that a trader has from the start.
const leastTime = 2 * time.Hour

// Start begins the interview: it adds the questions from the trader's data that are ready, freezes
// the questions, and starts the clock. It returns ErrNoConsent, ErrNoDevice, or interviews.ErrStarted
// if it has begun already.
func Start(ctx context.Context, db *store.DB, s Session) (i interviews.Interview, err error) {
	defer store.WrapError(&err, "start interview %s", s.InterviewID)
	err = inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, t attempt) error {
		if t.Status != interviews.Invited {
			return interviews.ErrStarted
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
		if err := invite.AddPrepared(ctx, tx, t.ID, t.Prepared, t.AutoQuestions); err != nil {
			return err
		}
		if err := t.startClock(ctx, tx); err != nil {
			return err
		}
		i, err = interviews.ReadIn(ctx, tx, t.OrganizationID, t.ID)
		return err
	})
	return i, err
}

// onlyText reports whether there is no device to check.
func (i attempt) onlyText() bool {
	return len(i.AnswerModes) == 1 && i.allowsMode(interviews.AnswerText)
}

// startClock sets the clock.
func (i attempt) startClock(ctx context.Context, tx *store.Tx) error {
	var seconds int64
	err := tx.NewRaw(`SELECT coalesce(sum(think_seconds + max_seconds * max_takes), 0) FROM interview_questions WHERE interview_id = ?`, i.ID).Scan(ctx, &seconds)
	if err != nil {
		return err
	}
	allowed := max(leastTime, 2*time.Duration(seconds)*time.Second)
	moved, err := interviews.ChangeStatus(ctx, tx, i.ID, interviews.Invited, `status = 'in_progress', started_at = now(), complete_by = greatest(invite_expires_at, now() + ?::interval)`, store.IntervalText(allowed))
	if err != nil || !moved {
		return cmp.Or(err, interviews.ErrStarted)
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
	return interviews.Emit(ctx, tx, event.InterviewStarted, i.ID)
}
