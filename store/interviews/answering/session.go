package answering

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/seal"
)

// This file is the trader's side. The token of the link is exchanged for a session, which is stored
// in a cookie. Each of the functions below that changes something takes the session, locks the
// interview, and returns ErrTakenOver if another browser has taken over, and ErrInviteOver if the
// link is no longer valid.
//
//	OpenInvite      what the page behind the link shows; changes no status
//	BeginSession      token → session
//	FindSession     the cookie's session
//	DecideConsent   accepted, or declined, which ends it
//	CheckDevice
//	RequestAccommodation
//	Start  freezes the questions; the clock runs
//	ServeQuestion, BeginTake, AppendTake, SealTake, AbortTake, SealWritten
//	AddEvents
//	Submit

// sessionLife is how long a trader's session lives.
const sessionLife = 12 * time.Hour

// Session is a trader's browser with an interview open in it.
type Session struct {
	ID             uuid.UUID `bun:"id"`
	InterviewID    uuid.UUID `bun:"interview_id"`
	OrganizationID uuid.UUID `bun:"organization_id"`
	CreatedAt      time.Time `bun:"created_at"`
	ExpiresAt      time.Time `bun:"expires_at"`
	// Over reports that the interview was submitted, declined or has expired, or that another
	// browser has taken over. The page shows which.
	Over       bool    `bun:"over"`
	OverReason *string `bun:"ended_reason"` // nil if it expired
	// Now is when the session was read, on the database's clock.
	Now time.Time `bun:"now"`
}

// OpenedInvite is what a link leads to.
type OpenedInvite struct {
	Interview        interviews.Interview
	OrganizationName string
	Settings         access.Settings
	// Over reports that the link is no longer valid. The page then names a contact.
	Over bool
	Now  time.Time // when it was read, on the database's clock
}

// OpenInvite finds the interview of a link's token, and records that the link was opened, which may
// have been done by a program that follows links. It returns ErrNotFound if there never was such a
// link.
func OpenInvite(ctx context.Context, db *store.DB, token string) (o OpenedInvite, err error) {
	defer store.WrapError(&err, "open an invite")
	var found struct {
		InterviewID    uuid.UUID `bun:"interview_id"`
		OrganizationID uuid.UUID `bun:"organization_id"`
		Name           string    `bun:"name"`
		Over           bool      `bun:"over"`
		Opened         bool      `bun:"opened"`
		Now            time.Time `bun:"now"`
	}
	err = db.Bun.NewRaw(`SELECT v.interview_id, i.organization_id, o.name, i.opened_at IS NOT NULL AS opened,
    v.revoked_at IS NOT NULL OR v.expires_at <= now() OR i.status NOT IN ('invited', 'in_progress') AS over, now() AS now
FROM interview_invites AS v JOIN interviews AS i ON i.id = v.interview_id JOIN organizations AS o ON o.id = i.organization_id
WHERE v.token_hash = ?`, seal.HashToken(token)).Scan(ctx, &found)
	if err != nil {
		return o, err
	}
	o.Over, o.OrganizationName, o.Now = found.Over, found.Name, found.Now
	if !found.Opened && !found.Over {
		if err := noteOpened(ctx, db, found.OrganizationID, found.InterviewID); err != nil {
			return o, err
		}
	}
	if o.Interview, err = interviews.ReadIn(ctx, db.Bun, found.OrganizationID, found.InterviewID); err != nil {
		return o, err
	}
	o.Settings, err = access.ReadSettingsIn(ctx, db.Bun, found.OrganizationID)
	return o, err
}

// noteOpened records the first time that the link was opened.
func noteOpened(ctx context.Context, db *store.DB, orgID, id uuid.UUID) error {
	_, err := store.MakeChange(ctx, db, store.SystemChange(orgID), func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		result, err := tx.NewRaw(`UPDATE interviews SET opened_at = now(), updated_at = now() WHERE id = ? AND status = 'invited' AND opened_at IS NULL`, id).Exec(ctx)
		if err != nil {
			return none, err
		}
		if store.CountAffected(result) == 0 {
			return none, nil
		}
		return none, interviews.Emit(ctx, tx, event.InterviewOpened, id)
	})
	return err
}

// Browser describes the origin of a trader's request.
type Browser struct {
	DeviceHash []byte // hash of what identifies the browser, such as a cookie; nil if unknown
	IPPrefix   string // /24 or /48; empty if unknown
}

// NewSession is a session that has just begun.
type NewSession struct {
	Session
	Secret  seal.Secret // the cookie's value, only returned once
	Resumed bool        // there was an earlier session
	Evicted bool        // the earlier session was in another browser
}

// BeginSession exchanges a link's token for a session. An earlier session ends. If it was another
// browser's, an event shows that to reviewers. It returns ErrNotFound if there never was such a
// link, and ErrInviteOver if it is no longer valid.
func BeginSession(ctx context.Context, db *store.DB, token string, b Browser) (m NewSession, err error) {
	defer store.WrapError(&err, "begin a trader's session")
	err = db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		hash := seal.HashToken(token)
		var id uuid.UUID
		if err := tx.NewRaw(`SELECT interview_id FROM interview_invites WHERE token_hash = ?`, hash).Scan(ctx, &id); err != nil {
			return err
		}
		// This is a separate statement so that it sees what was committed while the lock was
		// awaited.
		var i attempt
		if err := tx.NewRaw(attemptQuery, id).Scan(ctx, &i); err != nil {
			return err
		}
		var over bool
		err := tx.NewRaw(`SELECT revoked_at IS NOT NULL OR expires_at <= now() FROM interview_invites WHERE token_hash = ?`, hash).Scan(ctx, &over)
		if err != nil {
			return err
		}
		if over || i.Status != interviews.Invited && i.Status != interviews.InProgress {
			return interviews.ErrInviteOver
		}
		secret, secretHash := seal.NewToken()
		m.Secret = secret
		if err := i.endOtherSession(ctx, tx, b, &m); err != nil {
			return err
		}
		return tx.NewRaw(`INSERT INTO interview_sessions (id, interview_id, token_hash, invite_hash, device_hash, ip_prefix, expires_at)
VALUES (?, ?, ?, ?, ?, nullif(?, ''), now() + ?::interval) RETURNING id, interview_id, ?::uuid AS organization_id, created_at, expires_at, false AS over, ended_reason, now() AS now`,
			store.NewID(), id, secretHash, hash, b.DeviceHash, b.IPPrefix, store.IntervalText(sessionLife), i.OrganizationID).Scan(ctx, &m.Session)
	})
	if err != nil {
		return NewSession{}, err
	}
	return m, nil
}

// endOtherSession ends an existing session, and records what reviewers should know.
func (i attempt) endOtherSession(ctx context.Context, tx bun.IDB, b Browser, m *NewSession) error {
	var earlier struct {
		DeviceHash []byte `bun:"device_hash"`
	}
	err := tx.NewRaw(`UPDATE interview_sessions SET ended_at = now(), ended_reason = 'taken_over' WHERE interview_id = ? AND ended_at IS NULL RETURNING device_hash`,
		i.ID).Scan(ctx, &earlier)
	if store.IsNoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	m.Resumed = true
	m.Evicted = b.DeviceHash == nil || !bytes.Equal(b.DeviceHash, earlier.DeviceHash)
	if i.Status != interviews.InProgress {
		return nil
	}
	e := interviews.NewEvent{Kind: "session_resumed", Severity: "info"}
	if m.Evicted {
		e = interviews.NewEvent{Kind: "session_taken_over", Severity: "medium"}
	}
	return interviews.AddServerEvents(ctx, tx, i.ID, []interviews.NewEvent{e})
}

// sessionOver is an SQL condition for a session s of an interview i that has ended.
const sessionOver = `(s.ended_at IS NOT NULL OR s.expires_at <= now() OR v.revoked_at IS NOT NULL OR v.expires_at <= now()
    OR i.status NOT IN ('invited', 'in_progress'))`

// sessionColumns selects a Session from sessionTables.
const sessionColumns = `s.id, s.interview_id, i.organization_id, s.created_at, s.expires_at, ` + sessionOver + ` AS over, s.ended_reason, now() AS now`

const sessionTables = ` FROM interview_sessions AS s JOIN interviews AS i ON i.id = s.interview_id JOIN interview_invites AS v ON v.token_hash = s.invite_hash`

// FindSession returns the session of a cookie, even if it is over. It returns ErrNotFound if there
// is none.
func FindSession(ctx context.Context, db *store.DB, secret string) (s Session, err error) {
	defer store.WrapError(&err, "find a trader's session")
	err = db.Bun.NewRaw(`SELECT `+sessionColumns+sessionTables+` WHERE s.token_hash = ?`, seal.HashToken(secret)).Scan(ctx, &s)
	return s, err
}

// ReadInterview returns the interview of a session.
func ReadInterview(ctx context.Context, db *store.DB, s Session) (i interviews.Interview, err error) {
	defer store.WrapError(&err, "read the interview of session %s", s.ID)
	return interviews.ReadIn(ctx, db.Bun, s.OrganizationID, s.InterviewID)
}

// attempt is an interview, locked for an action of its trader.
type attempt struct {
	ID             uuid.UUID         `bun:"id"`
	OrganizationID uuid.UUID         `bun:"organization_id"`
	Status         interviews.Status `bun:"status"`
	AnswerModes    []string          `bun:"answer_modes,array"`
	AutoQuestions  int               `bun:"auto_questions"`
	Prepared       json.RawMessage   `bun:"prepared"`
	Late           bool              `bun:"late"` // complete_by has passed
}

const attemptQuery = `SELECT id, organization_id, status, answer_modes, auto_questions, prepared, coalesce(complete_by <= now(), false) AS late
FROM interviews WHERE id = ? FOR NO KEY UPDATE`

// requireInProgress returns an error unless the interview is in progress.
func (i attempt) requireInProgress() error {
	if i.Status != interviews.InProgress {
		return interviews.ErrInvalidState
	}
	return nil
}

// allowsMode reports whether questions may be answered in this mode.
func (i attempt) allowsMode(m interviews.AnswerMode) bool {
	return slices.Contains(i.AnswerModes, string(m))
}

// inSession runs fn on behalf of the trader's session, with the interview locked.
func inSession(ctx context.Context, db *store.DB, s Session, fn func(ctx context.Context, tx *store.Tx, i attempt) error) error {
	_, err := store.MakeChange(ctx, db, store.SystemChange(s.OrganizationID), func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		var i attempt
		if err := tx.NewRaw(attemptQuery, s.InterviewID).Scan(ctx, &i); err != nil {
			return none, err
		}
		var now struct {
			Over   bool    `bun:"over"`
			Reason *string `bun:"ended_reason"`
		}
		err = tx.NewRaw(`UPDATE interview_sessions AS s SET used_at = now() FROM interviews AS i, interview_invites AS v
WHERE s.id = ? AND i.id = s.interview_id AND v.token_hash = s.invite_hash RETURNING `+sessionOver+` AS over, s.ended_reason`, s.ID).Scan(ctx, &now)
		switch {
		case err != nil:
			return none, err
		case now.Over && store.Deref(now.Reason) == "taken_over":
			return none, ErrTakenOver
		case now.Over:
			return none, interviews.ErrInviteOver
		}
		return none, fn(ctx, tx, i)
	})
	return err
}

// NewConsent is what the trader was asked, and the answer.
type NewConsent struct {
	Accepted    bool
	TextVersion string
	Text        string // as shown
}

// DecideConsent records that the trader agrees or declines. Declining ends the interview, and the
// link. Agreeing again keeps the first time, unless the text differs. It returns
// interviews.ErrStarted if the trader has started.
func DecideConsent(ctx context.Context, db *store.DB, s Session, n NewConsent) (err error) {
	defer store.WrapError(&err, "record consent to interview %s", s.InterviewID)
	return inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, i attempt) error {
		if i.Status != interviews.Invited {
			return interviews.ErrStarted
		}
		_, err := tx.NewRaw(`INSERT INTO interview_consents AS c (interview_id, accepted, text_version, text, sha256) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (interview_id) DO UPDATE SET accepted = excluded.accepted, text_version = excluded.text_version, text = excluded.text, sha256 = excluded.sha256,
    decided_at = CASE WHEN c.accepted = excluded.accepted AND c.sha256 = excluded.sha256 THEN c.decided_at ELSE now() END`,
			s.InterviewID, n.Accepted, n.TextVersion, n.Text, seal.HashToken(n.Text)).Exec(ctx)
		tx.TouchInterview(i.ID)
		if err != nil || n.Accepted {
			return err
		}
		_, err = interviews.ChangeStatus(ctx, tx, s.InterviewID, interviews.Invited,
			`status = 'declined', ended_at = now(), record_purge_at = now() + `+interviews.RecordRetentionSQL())
		if err != nil {
			return err
		}
		if err := invite.End(ctx, tx, s.InterviewID, "declined"); err != nil {
			return err
		}
		return interviews.Emit(ctx, tx, event.InterviewDeclined, s.InterviewID)
	})
}

// CheckDevice records the newest check of the trader's device. Once the trader has started it is
// only permitted to report changes.
func CheckDevice(ctx context.Context, db *store.DB, s Session, d interviews.Device) (err error) {
	defer store.WrapError(&err, "record a device of interview %s", s.InterviewID)
	return inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, i attempt) error {
		_, err := tx.NewRaw(`INSERT INTO interview_devices (interview_id, outcome, browser, os, camera, microphone, screen, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?::jsonb)
ON CONFLICT (interview_id) DO UPDATE SET outcome = excluded.outcome, browser = excluded.browser, os = excluded.os, camera = excluded.camera,
    microphone = excluded.microphone, screen = excluded.screen, result = excluded.result, checked_at = now()`,
			s.InterviewID, d.Outcome, d.Browser, d.OS, d.Camera, d.Microphone, d.Screen, store.TextOrNil(string(d.Result))).Exec(ctx)
		tx.TouchInterview(i.ID)
		if err != nil || i.Status != interviews.InProgress {
			return err
		}
		e := interviews.NewEvent{Kind: "device_changed", Severity: "medium"}
		if d.Outcome == interviews.DeviceOverridden {
			e = interviews.NewEvent{Kind: "devices_not_working", Severity: "info"} // the trader says so
		}
		return interviews.AddServerEvents(ctx, tx, i.ID, []interviews.NewEvent{e})
	})
}

// RequestAccommodation records that the trader requests another way to answer, for the firm to
// read.
func RequestAccommodation(ctx context.Context, db *store.DB, s Session, note string) (err error) {
	defer store.WrapError(&err, "note a request of the trader of interview %s", s.InterviewID)
	return inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, i attempt) error {
		tx.TouchInterview(i.ID)
		_, err := tx.NewRaw(`UPDATE interviews SET accommodation_at = now(), accommodation_note = ?, updated_at = now() WHERE id = ?`, note, i.ID).Exec(ctx)
		return err
	})
}
