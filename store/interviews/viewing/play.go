package viewing

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
)

// ReadSharedMedia is like ReadMedia for an address from a share page. It also returns
// ErrNotFound if the link is not in force any more.
func ReadSharedMedia(ctx context.Context, db *store.DB, id uuid.UUID, version int, share uuid.UUID) (m interviews.Media, err error) {
	defer store.WrapError(&err, "find media %d of interview %s for its link %s", version, id, share)
	err = db.Bun.NewRaw(`SELECT `+interviews.MediaColumns+` FROM interview_media AS m WHERE interview_id = ? AND version = ?
    AND EXISTS (SELECT FROM interview_shares AS s WHERE s.id = ? AND s.interview_id = m.interview_id AND s.revoked_at IS NULL AND s.expires_at > now())`, id, version, share).Scan(ctx, &m)
	return m, err
}

// ReadSubtitles returns an interview's captions, a WebVTT file. It returns ErrNotFound if there is
// no such interview, and ErrNoSubtitles while there are none.
func ReadSubtitles(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (vtt string, err error) {
	defer store.WrapError(&err, "read subtitles of interview %s", id)
	var found *string
	err = db.Bun.NewRaw(`SELECT v.vtt FROM interviews AS i LEFT JOIN interview_subtitles AS v ON v.interview_id = i.id
WHERE i.id = ? AND i.organization_id = ?`, id, orgID).Scan(ctx, &found)
	if err == nil && found == nil {
		err = ErrNoSubtitles
	}
	return store.Deref(found), err
}

// ReadMedia returns the media of an interview in any organization, for a signed address that
// names it. It returns ErrNotFound if the interview or its media has been deleted, or the version
// is outdated.
func ReadMedia(ctx context.Context, db *store.DB, id uuid.UUID, version int) (m interviews.Media, err error) {
	defer store.WrapError(&err, "find media %d of interview %s", version, id)
	err = db.Bun.NewRaw(`SELECT `+interviews.MediaColumns+` FROM interview_media WHERE interview_id = ? AND version = ?`, id, version).Scan(ctx, &m)
	return m, err
}
