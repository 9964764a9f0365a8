package interviews

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing"
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
	AnswerModes   []AnswerMode
	WindowHours   int
	Questions     []NewQuestion // DefaultQuestions if empty
	AutoQuestions int
	// AllowUnanswered permits a trader who cannot answer a required question to submit without it.
	AllowUnanswered bool
	Activity        Scope
	Integrity       IntegrityRules
	RetentionDays   int
	AssigneeUserID  *uuid.UUID
	Metadata        json.RawMessage
}

// NewQuestion is a question to ask.
type NewQuestion struct {
	Prompt       string
	Topic        string
	ThinkSeconds int
	MaxSeconds   int
	MaxTakes     int
	Required     bool
	source       string // custom if empty
	findingKind  *string
}

// AutoQuestion describes how a question was made from the trader's data.
type AutoQuestion struct {
	Prompt      string `json:"prompt"`
	Topic       string `json:"topic"`
	FindingKind string `json:"finding_kind"`
}

// The sources of questions.
const (
	sourceTemplate = "template"
	sourceCustom   = "custom"
	sourceAuto     = "auto"
)

// Default times of a question, in seconds.
const (
	DefaultThinkSeconds = 30
	DefaultMaxSeconds   = 120
	DefaultMaxTakes     = 1
)

// MaxRecording limits the length of all takes of an interview together.
const MaxRecording = 3 * time.Hour

// DefaultQuestions are the questions of an interview that is created without any.
func DefaultQuestions() []NewQuestion {
	list := []NewQuestion{
		{Topic: "strategy_length", Prompt: "How do you trade, in your own words, and since when have you traded like this?"},
		{Topic: "instruments", Prompt: "Which instruments do you trade, and why these?"},
		{Topic: "holding_time", Prompt: "How long do you usually keep a position open, and what makes you close it?"},
		{Topic: "risk_per_trade", Prompt: "How much do you risk on a single trade, and how do you choose its size?"},
		{Topic: "stop_loss_use", Prompt: "How do you use stop losses, and what do you do when a trade goes against you?"},
		{Topic: "hours_timezone", Prompt: "At which hours do you trade, in which time zone, and what do you do around news?"},
		{Topic: "ea_use", Prompt: "Which tools take part in your trading, such as expert advisors, copiers or signals?"},
		{Topic: "account_sharing", Prompt: "Which accounts do you trade, here and elsewhere, and does anybody else trade them or trade alike?"},
	}
	for i := range list {
		q := &list[i]
		q.ThinkSeconds, q.MaxSeconds, q.MaxTakes, q.Required, q.source = DefaultThinkSeconds, DefaultMaxSeconds, DefaultMaxTakes, true, sourceTemplate
	}
	return list
}

// Budget returns the longest total length of all takes of the questions.
func Budget(questions []NewQuestion) (d time.Duration) {
	for _, q := range questions {
		d += time.Duration(q.MaxSeconds*q.MaxTakes) * time.Second
	}
	return d
}

// Made is a new interview with the token of its invite, which is only returned once.
type Made struct {
	Interview
	Token seal.Secret // of the link /i/{token}
}

// newToken returns a new token of a link, 32 random bytes in base64url, and the hash to store.
func newToken() (token seal.Secret, hash []byte) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	text := base64.RawURLEncoding.EncodeToString(random)
	return seal.NewSecret(text), tokenHash(text)
}

// tokenHash returns the hash of a token, which is stored.
func tokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Create creates an interview and its invite. If it may have questions from the trader's data,
// Create queues their preparation, and a cycle of the trader's integration. The trader may start
// before either is done. It returns ErrUnknownTrader, ErrUnknownAccount, ErrUnknownUser or
// ErrReferenceTaken, and ErrConflict if a trader added by hand has the new trader's external id.
func Create(ctx context.Context, db *store.DB, c store.Change, n New) (m Made, err error) {
	defer store.WrapError(&err, "create interview for organization %s", c.OrganizationID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (m Made, err error) {
		if n.AutoQuestions > 0 {
			if err := requestForInterview(ctx, tx, c.OrganizationID, n); err != nil {
				return m, err
			}
		}
		trader, err := interviewTrader(ctx, tx, c.OrganizationID, n)
		if err != nil {
			return m, err
		}
		return insertInterview(ctx, tx, c, trader, n, nil)
	})
}

// requestForInterview requests a cycle of the trader's integration, if it is polled. It locks the
// integration's row before any trader's, in the order of pages.
func requestForInterview(ctx context.Context, tx bun.IDB, orgID uuid.UUID, n New) error {
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
	switch _, err = syncing.RequestCycle(ctx, tx, orgID, *integration, "an interview was created"); {
	case store.IsNoRows(err), errors.Is(err, store.ErrInactive), errors.Is(err, store.ErrBlocked):
		return nil
	}
	return err
}

// sameEmail selects the trader of the organization ? with the email ?. Of several it selects the
// first synced one, or the oldest if none is synced.
const sameEmail = ` WHERE t.organization_id = ? AND lower(coalesce(t.override_email, t.email)) = lower(?)
ORDER BY t.integration_id IS NULL, t.created_at, t.id LIMIT 1`

// interviewTrader finds or creates the trader, and locks the row so that it cannot be merged
// meanwhile.
func interviewTrader(ctx context.Context, tx *store.Tx, orgID uuid.UUID, n New) (id uuid.UUID, err error) {
	if n.TraderID != nil {
		err = tx.NewRaw(`SELECT id FROM traders WHERE id = ? AND organization_id = ? FOR KEY SHARE`, *n.TraderID, orgID).Scan(ctx, &id)
		if store.IsNoRows(err) {
			err = ErrUnknownTrader
		}
		return id, err
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

// insertInterview inserts the interview of a trader whose row is locked.
func insertInterview(ctx context.Context, tx *store.Tx, c store.Change, trader uuid.UUID, n New, retakeOf *uuid.UUID) (m Made, err error) {
	if err := checkInterview(ctx, tx, c.OrganizationID, trader, n); err != nil {
		return m, err
	}
	id := store.NewID()
	result, err := tx.NewRaw(`INSERT INTO interviews (id, organization_id, trader_id, reference, reason, language, answer_modes, auto_questions, allow_unanswered, activity, integrity,
    metadata, retention_days, retake_of_id, created_by, window_hours, invite_expires_at, assignee_id, record_purge_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?::jsonb, ?::jsonb, ?, ?, ?, ?, now() + make_interval(hours => ?), ?, now() + make_interval(hours => ?) + ?::interval) ON CONFLICT DO NOTHING`,
		id, c.OrganizationID, trader, n.Reference, n.Reason, n.Language, store.Array(n.AnswerModes), n.AutoQuestions, n.AllowUnanswered, mustJSON(n.Activity), mustJSON(n.Integrity),
		jsonOrNil(n.Metadata), n.RetentionDays, retakeOf, c.By, n.WindowHours, n.WindowHours, n.AssigneeUserID, n.WindowHours, store.IntervalText(recordRetention(n.RetentionDays))).Exec(ctx)
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
	token, hash := newToken()
	_, err = tx.NewRaw(`INSERT INTO interview_invites (token_hash, interview_id, expires_at) SELECT ?, id, invite_expires_at FROM interviews WHERE id = ?`, hash, id).Exec(ctx)
	if err != nil {
		return m, err
	}
	if err := insertSteps(ctx, tx, id, n.AutoQuestions > 0); err != nil {
		return m, err
	}
	if m.Interview, err = readInterview(ctx, tx, c.OrganizationID, id); err != nil {
		return m, err
	}
	m.Token = token
	if err := emitInterview(ctx, tx, event.InterviewCreated, id); err != nil {
		return m, err
	}
	tx.Audit(store.AuditInterviewCreated, id, nil, store.AuditFields{
		"trader_id": trader, "reason": n.Reason, "window_hours": n.WindowHours, "retention_days": n.RetentionDays, "assignee_user_id": n.AssigneeUserID, "retake_of_id": retakeOf,
	})
	return m, nil
}

// checkInterview refuses an interview that refers to something that does not exist.
func checkInterview(ctx context.Context, tx bun.IDB, orgID, trader uuid.UUID, n New) error {
	if n.AssigneeUserID != nil {
		if err := knownUser(ctx, tx, orgID, *n.AssigneeUserID); err != nil {
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

// knownUser refuses a user who is not an active person of the organization.
func knownUser(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) error {
	_, err := access.FindPerson(ctx, tx, orgID, id, "FOR KEY SHARE")
	if store.IsNoRows(err) {
		return ErrUnknownUser
	}
	return err
}

// insertQuestions adds questions from an index on.
func insertQuestions(ctx context.Context, tx bun.IDB, id uuid.UUID, from int, questions []NewQuestion) error {
	for i, q := range questions {
		_, err := tx.NewRaw(`INSERT INTO interview_questions (id, interview_id, index, prompt, topic, think_seconds, max_seconds, max_takes, required, source, finding_kind)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, store.NewID(), id, from+i, q.Prompt, q.Topic, q.ThinkSeconds, q.MaxSeconds, q.MaxTakes, q.Required,
			cmp.Or(q.source, sourceCustom), q.findingKind).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// insertSteps adds the steps. The first one is due at once if there is something to prepare.
func insertSteps(ctx context.Context, tx *store.Tx, id uuid.UUID, prepare bool) error {
	for _, step := range Steps() {
		status := StepPending
		if step == StepPrepare {
			status = StepSkipped
		}
		if _, err := tx.NewRaw(`INSERT INTO interview_steps (interview_id, step, status) VALUES (?, ?, ?)`, id, step, status).Exec(ctx); err != nil {
			return err
		}
	}
	if !prepare {
		return nil
	}
	p := &pipeline{tx: tx, id: id}
	return p.queueStep(ctx, StepPrepare, 0, true)
}

// mustJSON encodes a value that cannot fail to be encoded.
func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return string(text)
}

// day is the unit of retention.
const day = 24 * time.Hour

// maxRetentionDays limits how long anything of an interview is kept.
const maxRetentionDays = 1095

// recordRetention returns how long transcript, report and events are kept: twice as long as the
// recording.
func recordRetention(days int) time.Duration {
	return time.Duration(min(2*days, maxRetentionDays)) * day
}
