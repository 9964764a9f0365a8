package invite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// New is an interview to create. Its values are within their limits.
type New struct {
	TraderID *uuid.UUID // nil if Trader is set
	// Trader is not created if the organization has a trader with the same email, ignoring case. Of
	// several, the first synced one is used, or the oldest if none is synced.
	Trader        *directory.NewTrader
	Reference     *string
	Reason        string
	Language      string
	AnswerModes   []interviews.AnswerMode
	WindowHours   int
	Questions     []Question // DefaultQuestions if empty
	AutoQuestions int
	// AllowUnanswered permits a trader who cannot answer a required question to submit without it.
	AllowUnanswered bool
	Activity        interviews.Scope
	Integrity       interviews.IntegrityRules
	RetentionDays   int
	AssigneeUserID  *uuid.UUID
	Metadata        json.RawMessage
}

// Made is a new interview with the token of its invite, which is only returned once.
type Made struct {
	interviews.Interview
	Token seal.Secret // of the link /i/{token}
}

// Create creates an interview and its invite. If it may have questions from the trader's data,
// Create queues their preparation, and a cycle of the trader's integration. The trader may start
// before either is done. It returns ErrUnknownTrader, directory.ErrErased, ErrUnknownAccount, ErrUnknownUser or
// ErrReferenceTaken, and ErrConflict if a trader added by hand has the new trader's external id.
func Create(ctx context.Context, db *store.DB, c store.Change, n New) (m Made, err error) {
	defer store.WrapError(&err, "create interview for organization %s", c.OrganizationID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (m Made, err error) {
		if n.AutoQuestions > 0 {
			if err := requestCycle(ctx, tx, c.OrganizationID, n); err != nil {
				return m, err
			}
		}
		trader, err := findOrCreateTrader(ctx, tx, c.OrganizationID, n)
		if err != nil {
			return m, err
		}
		return insert(ctx, tx, c, trader, n, nil)
	})
}

// requestCycle requests a cycle of the trader's integration, if it is polled. It locks the
// integration's row before any trader's, in the order of pages.
func requestCycle(ctx context.Context, tx bun.IDB, orgID uuid.UUID, n New) error {
	var integration *uuid.UUID
	var err error
	if n.TraderID != nil {
		err = tx.NewRaw(`SELECT integration_id FROM traders WHERE id = ? AND organization_id = ?`, *n.TraderID, orgID).Scan(ctx, &integration)
	} else if n.Trader.Email != nil {
		err = tx.NewRaw(`SELECT t.integration_id FROM traders AS t`+sameEmail, orgID, *n.Trader.Email).Scan(ctx, &integration)
	}
	if store.IsNoRows(err) || err == nil && integration == nil {
		return nil
	}
	if err != nil {
		return err
	}
	switch _, err = integrations.RequestCycle(ctx, tx, orgID, *integration, "an interview was created"); {
	case store.IsNoRows(err), errors.Is(err, store.ErrInactive), errors.Is(err, store.ErrBlocked):
		return nil
	}
	return err
}

// sameEmail selects the trader of the organization ? with the email ?. Of several it selects the
// first synced one, or the oldest if none is synced.
const sameEmail = ` WHERE t.organization_id = ? AND lower(coalesce(t.override_email, t.email)) = lower(?)
ORDER BY t.integration_id IS NULL, t.created_at, t.id LIMIT 1`

// findOrCreateTrader finds or creates the trader, and locks the row so that it cannot be merged
// meanwhile.
func findOrCreateTrader(ctx context.Context, tx *store.Tx, orgID uuid.UUID, n New) (id uuid.UUID, err error) {
	if n.TraderID != nil {
		_, err = directory.LockTrader(ctx, tx, orgID, *n.TraderID, "FOR KEY SHARE")
		if store.IsNoRows(err) {
			err = ErrUnknownTrader
		}
		return *n.TraderID, err
	}
	t := n.Trader
	if t.Email != nil || t.ExternalID != nil {
		if err := directory.LockEmails(ctx, tx, orgID); err != nil {
			return id, err
		}
	}
	if t.Email != nil {
		err = tx.NewRaw(`SELECT t.id FROM traders AS t`+sameEmail+` FOR KEY SHARE`, orgID, *t.Email).Scan(ctx, &id)
		if err == nil {
			return id, directory.MarkMatchedByEmail(ctx, tx, orgID, id, *t.Email)
		}
		if !store.IsNoRows(err) {
			return id, err
		}
	}
	made, err := directory.InsertTrader(ctx, tx, orgID, *t, true)
	return made.ID, err
}

// insert inserts the interview of a trader whose row is locked.
func insert(ctx context.Context, tx *store.Tx, c store.Change, trader uuid.UUID, n New, retakeOf *uuid.UUID) (m Made, err error) {
	if err := checkReferences(ctx, tx, c.OrganizationID, trader, n); err != nil {
		return m, err
	}
	id := store.NewID()
	result, err := tx.NewRaw(`INSERT INTO interviews (id, organization_id, trader_id, reference, reason, language, answer_modes, auto_questions, allow_unanswered, activity, integrity,
    metadata, retention_days, retake_of_id, created_by, window_hours, invite_expires_at, assignee_id, record_purge_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?::jsonb, ?::jsonb, ?, ?, ?, ?, now() + make_interval(hours => ?), ?, now() + make_interval(hours => ?) + ?::interval) ON CONFLICT DO NOTHING`,
		id, c.OrganizationID, trader, n.Reference, n.Reason, n.Language, store.Array(n.AnswerModes), n.AutoQuestions, n.AllowUnanswered, mustJSON(n.Activity), mustJSON(n.Integrity),
		store.TextOrNil(string(n.Metadata)), n.RetentionDays, retakeOf, c.By, n.WindowHours, n.WindowHours, n.AssigneeUserID, n.WindowHours, store.IntervalText(interviews.RecordRetention(n.RetentionDays))).Exec(ctx)
	if err != nil {
		return m, err
	}
	if store.CountAffected(result) == 0 {
		return m, ErrReferenceTaken
	}
	questions := n.Questions
	if len(questions) == 0 {
		questions = DefaultQuestions()
	}
	if err := insertQuestions(ctx, tx, id, 0, questions); err != nil {
		return m, err
	}
	token, hash := seal.NewToken()
	_, err = tx.NewRaw(`INSERT INTO interview_invites (token_hash, interview_id, expires_at) SELECT ?, id, invite_expires_at FROM interviews WHERE id = ?`, hash, id).Exec(ctx)
	if err != nil {
		return m, err
	}
	if err := steps.Insert(ctx, tx, id, n.AutoQuestions > 0); err != nil {
		return m, err
	}
	if m.Interview, err = interviews.ReadIn(ctx, tx, c.OrganizationID, id); err != nil {
		return m, err
	}
	m.Token = token
	if err := interviews.Emit(ctx, tx, event.InterviewCreated, id); err != nil {
		return m, err
	}
	tx.Audit(action.InterviewCreated, id, nil, store.AuditFields{
		"trader_id": trader, "reason": n.Reason, "window_hours": n.WindowHours, "retention_days": n.RetentionDays, "assignee_user_id": n.AssigneeUserID, "retake_of_id": retakeOf,
	})
	return m, nil
}

// checkReferences refuses an interview that refers to something that does not exist.
func checkReferences(ctx context.Context, tx bun.IDB, orgID, trader uuid.UUID, n New) error {
	if n.AssigneeUserID != nil {
		if err := interviews.CheckUser(ctx, tx, orgID, *n.AssigneeUserID); err != nil {
			return err
		}
	}
	if len(n.Activity.AccountIDs) == 0 {
		return nil
	}
	var count int
	err := tx.NewRaw(`SELECT count(*) FROM traders AS t JOIN accounts AS a ON a.integration_id = t.integration_id AND a.trader_external_id = t.external_id
WHERE t.id = ? AND a.id IN (?)`, trader, bun.List(n.Activity.AccountIDs)).Scan(ctx, &count)
	if err == nil && count < len(n.Activity.AccountIDs) {
		err = ErrUnknownAccount
	}
	return err
}

// mustJSON encodes a value that cannot fail to be encoded.
func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return string(text)
}
