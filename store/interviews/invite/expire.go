package invite

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
)

// Expire ends interviews whose trader has not started in time.
func Expire(ctx context.Context, db *store.DB) (changed int, err error) {
	defer store.WrapError(&err, "expire invites")
	return interviews.ForEachDue(ctx, db, `SELECT id, organization_id, invite_expires_at AS at FROM interviews WHERE status = 'invited' AND invite_expires_at <= now()`,
		func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error) {
			result, err := tx.NewRaw(`UPDATE interviews SET status = 'expired', ended_at = now(), updated_at = now(),
    record_purge_at = now() + `+interviews.RecordRetentionSQL()+` WHERE id = ? AND status = 'invited' AND invite_expires_at <= now()`, id).Exec(ctx)
			if err != nil {
				return false, err
			}
			if store.CountAffected(result) == 0 {
				return false, nil
			}
			if err := End(ctx, tx, id, "expired"); err != nil {
				return true, err
			}
			return true, interviews.Emit(ctx, tx, event.InterviewExpired, id)
		})
}
