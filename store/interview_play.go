package store

import (
	"context"

	"github.com/google/uuid"
)

// SharedMedia is PlayedMedia for an address that came from a share page: it is
// also ErrNotFound when no link to the interview is in force any more.
func (db *DB) SharedMedia(ctx context.Context, id uuid.UUID, version int) (m Media, err error) {
	defer wrap(&err, "find shared media %d of interview %s", version, id)
	err = db.bun.NewRaw(`SELECT `+mediaColumns+` FROM interview_media AS m WHERE interview_id = ? AND version = ?
    AND EXISTS (SELECT FROM interview_shares AS s WHERE s.interview_id = m.interview_id AND s.revoked_at IS NULL AND s.expires_at > now())`, id, version).Scan(ctx, &m)
	return m, err
}

// PlayedSubtitles returns the captions of an interview in whatever organization,
// for a signed address that names it. ErrNoSubtitles.
func (db *DB) PlayedSubtitles(ctx context.Context, id uuid.UUID) (vtt string, err error) {
	defer wrap(&err, "read subtitles to play of interview %s", id)
	err = db.bun.NewRaw(`SELECT vtt FROM interview_subtitles WHERE interview_id = ?`, id).Scan(ctx, &vtt)
	if isNoRows(err) {
		err = ErrNoSubtitles
	}
	return vtt, err
}
