package invite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/seal"
)

// Reissued is a new invite. Its token is only returned once.
type Reissued struct {
	Token     seal.Secret
	ExpiresAt time.Time
}

// Reissue gives a trader who has not started a new link. The old link, and the session of
// anybody who has opened it, end at once. If windowHours is nil, it does not change. It returns
// ErrNotFound, or a *StateError with interviews.ErrStarted or ErrDeclined.
func Reissue(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, windowHours *int) (m Reissued, err error) {
	defer store.WrapError(&err, "reissue the invite of interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (m Reissued, err error) {
		before, err := interviews.Lock(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return m, err
		}
		switch {
		case before.Status == interviews.Declined:
			return m, before.StateError(ErrDeclined)
		case before.Started || before.Status != interviews.Invited && before.Status != interviews.Expired:
			return m, before.StateError(interviews.ErrStarted)
		}
		window := before.WindowHours
		if windowHours != nil {
			window = *windowHours
		}
		err = tx.NewRaw(`UPDATE interviews SET status = 'invited', window_hours = ?0, invite_expires_at = now() + make_interval(hours => ?0), ended_at = NULL,
    purged_at = NULL, reissue_count = reissue_count + 1, last_reissued_at = now(), updated_at = now(), record_purge_at = now() + make_interval(hours => ?0) + ?1::interval
WHERE id = ?2 AND started_at IS NULL AND status IN ('invited', 'expired') RETURNING invite_expires_at AS expires_at`,
			window, store.IntervalText(interviews.RecordRetention(before.RetentionDays)), id).Scan(ctx, &m)
		if err != nil {
			return m, err
		}
		if before.Purged {
			if err := reviveSteps(ctx, tx, id); err != nil {
				return m, err
			}
		}
		if err := End(ctx, tx, id, "reissued"); err != nil {
			return m, err
		}
		token, hash := seal.NewToken()
		m.Token = token
		_, err = tx.NewRaw(`INSERT INTO interview_invites (token_hash, interview_id, expires_at) VALUES (?, ?, ?)`, hash, id, m.ExpiresAt).Exec(ctx)
		if err != nil {
			return m, err
		}
		if err := interviews.Emit(ctx, tx, event.InterviewInviteReissued, id); err != nil {
			return m, err
		}
		tx.Audit(action.InterviewReissued, id, store.AuditFields{"status": before.Status}, store.AuditFields{"status": interviews.Invited, "window_hours": window})
		return m, nil
	})
}

// reviveSteps makes the steps wait again that were skipped when the record of an interview that nobody
// had answered was purged, and prepares its questions again.
func reviveSteps(ctx context.Context, tx *store.Tx, id uuid.UUID) error {
	p := &steps.Pipeline{Tx: tx, ID: id}
	if err := p.ResetSteps(ctx, steps.Media, steps.Transcript, steps.Subtitles, steps.Activity, steps.Report); err != nil {
		return err
	}
	var prepare bool
	if err := tx.NewRaw(`SELECT auto_questions > 0 FROM interviews WHERE id = ?`, id).Scan(ctx, &prepare); err != nil || !prepare {
		return err
	}
	return p.QueueStep(ctx, steps.Prepare)
}

// End ends the interview's links and sessions.
func End(ctx context.Context, tx bun.IDB, id uuid.UUID, reason string) error {
	_, err := tx.NewRaw(`UPDATE interview_invites SET revoked_at = now() WHERE interview_id = ? AND revoked_at IS NULL`, id).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`UPDATE interview_sessions SET ended_at = now(), ended_reason = ? WHERE interview_id = ? AND ended_at IS NULL`, reason, id).Exec(ctx)
	return err
}

// Retake is what differs when an interview is repeated. A nil field remains the same.
type Retake struct {
	WindowHours *int
	Reason      *string
	Questions   *[]Question
}

// CreateRetake creates a new interview with the trader of an interview that is over, and does not
// change the latter. It returns ErrNotFound, a *StateError with ErrOpen, or ErrConflict if
// the trader has just been merged with another.
func CreateRetake(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, r Retake) (m Made, err error) {
	defer store.WrapError(&err, "retake interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (m Made, err error) {
		trader, err := interviews.LockTrader(ctx, tx, c.OrganizationID, id, `true`, "FOR KEY SHARE")
		if err != nil {
			return m, err
		}
		before, err := interviews.Lock(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return m, err
		}
		switch before.Status {
		case interviews.Invited, interviews.InProgress, interviews.Processing:
			return m, before.StateError(ErrOpen)
		}
		if before.TraderID != trader {
			return m, fmt.Errorf("%w: the trader was just merged with another one", store.ErrConflict)
		}
		n, err := newRepeated(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return m, err
		}
		if r.WindowHours != nil {
			n.WindowHours = *r.WindowHours
		}
		if r.Reason != nil {
			n.Reason = *r.Reason
		}
		if r.Questions != nil {
			n.Questions = *r.Questions
		}
		return insert(ctx, tx, c, trader, n, &id)
	})
}

// newRepeated returns an interview to create that repeats an existing one. It does not copy the
// reference, an assignee who has been removed, and accounts that no longer belong to the trader.
func newRepeated(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (n New, err error) {
	i, err := interviews.ReadIn(ctx, tx, orgID, id)
	if err != nil {
		return n, err
	}
	n = New{
		TraderID: &i.TraderID, Reason: i.Reason, Language: i.Language, WindowHours: i.WindowHours, AutoQuestions: i.AutoQuestions, AllowUnanswered: i.AllowUnanswered,
		Activity: i.Activity, Integrity: i.Integrity, RetentionDays: i.RetentionDays, Metadata: i.Metadata,
	}
	for _, mode := range i.AnswerModes {
		n.AnswerModes = append(n.AnswerModes, interviews.AnswerMode(mode))
	}
	for _, q := range i.Questions {
		if q.Source != sourceAuto {
			n.Questions = append(n.Questions, Question{
				Prompt: q.Prompt, Topic: q.Topic, ThinkSeconds: q.ThinkSeconds, MaxSeconds: q.MaxSeconds, MaxTakes: q.MaxTakes, Required: q.Required, source: q.Source,
			})
		}
	}
	if i.AssigneeID != nil && interviews.CheckUser(ctx, tx, orgID, *i.AssigneeID) == nil {
		n.AssigneeUserID = i.AssigneeID
	}
	if len(n.Activity.AccountIDs) > 0 {
		err = tx.NewRaw(`SELECT coalesce(json_agg(a.id ORDER BY a.id), '[]') FROM traders AS t
JOIN accounts AS a ON a.integration_id = t.integration_id AND a.trader_external_id = t.external_id WHERE t.id = ? AND a.id IN (?)`,
			i.TraderID, bun.List(n.Activity.AccountIDs)).Scan(ctx, (*idList)(&n.Activity.AccountIDs))
	}
	return n, err
}

// idList scans a JSON array of ids.
type idList []uuid.UUID

// Scan implements sql.Scanner.
func (l *idList) Scan(src any) error {
	switch text := src.(type) {
	case []byte:
		return json.Unmarshal(text, (*[]uuid.UUID)(l))
	case string:
		return json.Unmarshal([]byte(text), (*[]uuid.UUID)(l))
	}
	*l = nil
	return nil
}
