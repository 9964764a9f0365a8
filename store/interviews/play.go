package interviews

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// ReadSharedMedia is like ReadPlayedMedia for an address from a share page. It also returns
// ErrNotFound if no link to the interview is in force any more.
func ReadSharedMedia(ctx context.Context, db *store.DB, id uuid.UUID, version int) (m Media, err error) {
	defer store.WrapError(&err, "find shared media %d of interview %s", version, id)
	err = db.Bun.NewRaw(`SELECT `+mediaColumns+` FROM interview_media AS m WHERE interview_id = ? AND version = ?
    AND EXISTS (SELECT FROM interview_shares AS s WHERE s.interview_id = m.interview_id AND s.revoked_at IS NULL AND s.expires_at > now())`, id, version).Scan(ctx, &m)
	return m, err
}
