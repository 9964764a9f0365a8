package viewing

import (
	"context"
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

// MadeShare is a link to a read-only page. Its token is only returned once.
type MadeShare struct {
	interviews.Share
	Token seal.Secret // of the page /s/{token}
}

// CreateShare creates a link to a read-only page, replacing an existing one.
func CreateShare(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, hours int, includeDecision bool) (m MadeShare, err error) {
	defer store.WrapError(&err, "share interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (m MadeShare, err error) {
		if _, err := interviews.Lock(ctx, tx, c.OrganizationID, id); err != nil {
			return m, err
		}
		if _, err := tx.NewRaw(`UPDATE interview_shares SET revoked_at = now() WHERE interview_id = ? AND revoked_at IS NULL`, id).Exec(ctx); err != nil {
			return m, err
		}
		token, hash := seal.NewToken()
		m.Token = token
		err = tx.NewRaw(`INSERT INTO interview_shares AS s (id, interview_id, token_hash, include_decision, created_by, created_at, expires_at)
VALUES (?, ?, ?, ?, ?, clock_timestamp(), now() + make_interval(hours => ?)) RETURNING `+interviews.ShareColumns, store.NewID(), id, hash, includeDecision, c.By, hours).Scan(ctx, &m.Share)
		if err != nil {
			return m, err
		}
		if err := interviews.Emit(ctx, tx, event.InterviewShareCreated, id); err != nil {
			return m, err
		}
		tx.Audit(action.InterviewShared, id, nil, store.AuditFields{"share_id": m.ID, "expires_at": m.ExpiresAt, "include_decision": includeDecision})
		return m, nil
	})
}

// RevokeShare revokes the existing link. It returns ErrNoShare if none is in force.
func RevokeShare(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (err error) {
	defer store.WrapError(&err, "revoke the share link of interview %s", id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		if _, err := interviews.Lock(ctx, tx, c.OrganizationID, id); err != nil {
			return none, err
		}
		var share uuid.UUID
		err = tx.NewRaw(`UPDATE interview_shares SET revoked_at = now() WHERE interview_id = ? AND revoked_at IS NULL AND expires_at > now() RETURNING id`, id).Scan(ctx, &share)
		if store.IsNoRows(err) {
			return none, ErrNoShare
		}
		if err != nil {
			return none, err
		}
		if err := interviews.Emit(ctx, tx, event.InterviewShareRevoked, id); err != nil {
			return none, err
		}
		tx.Audit(action.InterviewShareRevoked, id, store.AuditFields{"share_id": share}, nil)
		return none, nil
	})
	return err
}

// Shared is what a share link leads to.
type Shared struct {
	interviews.Detail
	Share            interviews.Share
	OrganizationName string
}

// sharedLink is a share link with its organization.
type sharedLink struct {
	interviews.Share
	OrganizationID   uuid.UUID `bun:"organization_id"`
	OrganizationName string    `bun:"organization_name"`
}

// findShare finds the link of a token. It returns sql.ErrNoRows if there never was such a link, and
// ErrInviteOver if it has expired or was revoked.
func findShare(ctx context.Context, tx bun.IDB, token string) (l sharedLink, err error) {
	err = tx.NewRaw(`SELECT `+interviews.ShareColumns+`, i.organization_id, o.name AS organization_name
FROM interview_shares AS s JOIN interviews AS i ON i.id = s.interview_id JOIN organizations AS o ON o.id = i.organization_id WHERE s.token_hash = ?`,
		seal.HashToken(token)).Scan(ctx, &l)
	if err == nil && !l.Active {
		err = interviews.ErrInviteOver
	}
	return l, err
}

// noteSharedView records a view by somebody with the link.
func noteSharedView(ctx context.Context, tx bun.IDB, l sharedLink, kind, ipPrefix string) error {
	_, err := tx.NewRaw(`INSERT INTO interview_views (id, interview_id, share_id, kind, ip_prefix) VALUES (?, ?, ?, ?, nullif(?, ''))`,
		store.NewID(), l.InterviewID, l.ID, kind, ipPrefix).Exec(ctx)
	return err
}

// CheckShare checks whether a share link is valid, without recording a view. It returns ErrNotFound
// if there never was such a link, and ErrInviteOver if it has expired or was revoked.
func CheckShare(ctx context.Context, db *store.DB, token string) (err error) {
	defer store.WrapError(&err, "find a share link")
	_, err = findShare(ctx, db.Bun, token)
	return err
}

// ReadShared finds the interview of a share link's token, and records the view. It returns the
// errors of CheckShare.
func ReadShared(ctx context.Context, db *store.DB, token, ipPrefix string) (s Shared, err error) {
	defer store.WrapError(&err, "open a share link")
	var l sharedLink
	err = db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if l, err = findShare(ctx, tx, token); err != nil {
			return err
		}
		return noteSharedView(ctx, tx, l, "share", ipPrefix)
	})
	if err != nil {
		return Shared{}, err
	}
	db.NoteChange(l.OrganizationID, store.TopicInterviews, l.InterviewID)
	s.Share, s.OrganizationName = l.Share, l.OrganizationName
	s.Detail, err = interviews.Read(ctx, db, l.OrganizationID, l.InterviewID)
	return s, err
}

// PlayShared records that somebody with the link gets addresses to play its interview, and returns
// the media and the link's id. It returns the errors of CheckShare, ErrNoMedia and
// ErrMediaProcessing.
func PlayShared(ctx context.Context, db *store.DB, token, ipPrefix string) (i interviews.Interview, share uuid.UUID, err error) {
	defer store.WrapError(&err, "play a shared interview")
	err = db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		l, err := findShare(ctx, tx, token)
		if err != nil {
			return err
		}
		share = l.ID
		if i, err = interviews.ReadIn(ctx, tx, l.OrganizationID, l.InterviewID); err != nil {
			return err
		}
		if err := requirePlayable(ctx, tx, i.ID, i.Status); err != nil {
			return err
		}
		return noteSharedView(ctx, tx, l, "playback", ipPrefix)
	})
	return i, share, err
}

// ReadSharedSubtitles returns the captions of a share link's interview, a WebVTT file. It returns
// the errors of CheckShare, and ErrNoSubtitles.
func ReadSharedSubtitles(ctx context.Context, db *store.DB, token string) (vtt string, err error) {
	defer store.WrapError(&err, "read subtitles of a shared interview")
	l, err := findShare(ctx, db.Bun, token)
	if err != nil {
		return "", err
	}
	return ReadSubtitles(ctx, db, l.OrganizationID, l.InterviewID)
}

// requirePlayable refuses an interview without playable media, with ErrNoMedia or
// ErrMediaProcessing.
func requirePlayable(ctx context.Context, tx bun.IDB, id uuid.UUID, status interviews.Status) error {
	var there struct {
		Status steps.Status `bun:"status"`
		Media  bool         `bun:"media"`
	}
	err := tx.NewRaw(`SELECT s.status, EXISTS (SELECT FROM interview_media WHERE interview_id = s.interview_id) AS media
FROM interview_steps AS s WHERE s.interview_id = ? AND s.step = 'media'`, id).Scan(ctx, &there)
	switch {
	case err != nil || there.Media:
		return err
	case status.IsSubmitted() && !there.Status.IsOver():
		return ErrMediaProcessing
	}
	return ErrNoMedia
}

// RecordPlayback records that somebody of the organization gets addresses to play an interview, and
// returns the media. It returns ErrNotFound, ErrNoMedia if there is nothing to play, and
// ErrMediaProcessing while the recording is being made.
func RecordPlayback(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, ipPrefix string) (i interviews.Interview, err error) {
	defer store.WrapError(&err, "play interview %s", id)
	return interviews.Change(ctx, db, c, id, func(ctx context.Context, tx *store.Tx, l interviews.Locked) error {
		if err := requirePlayable(ctx, tx, id, l.Status); err != nil {
			return err
		}
		_, err := tx.NewRaw(`INSERT INTO interview_views (id, interview_id, kind, viewer, ip_prefix) VALUES (?, ?, 'playback', ?, nullif(?, ''))`, store.NewID(), id, c.By, ipPrefix).Exec(ctx)
		if err != nil {
			return err
		}
		tx.Audit(action.InterviewPlayed, id, nil, nil)
		return nil
	})
}

// View is one view of a share page or a recording.
type View struct {
	Kind     string     `bun:"kind"`      // share, playback
	Viewer   *string    `bun:"viewer"`    // key or person; nil for somebody with the link
	IPPrefix *string    `bun:"ip_prefix"` // /24 or /48
	At       time.Time  `bun:"at"`
	ShareID  *uuid.UUID `bun:"share_id"`
}
