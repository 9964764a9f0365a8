package privacy

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/syncing"
)

// EraseTrader deletes everything about a trader: interviews with their recordings, notes, activity
// files, and the accounts, trades and payouts that platforms have sent. The row stays, archived and
// empty, so that the id remains valid. No page of the platform brings the trader back. It returns
// ErrNotFound, or ErrLegalHold if one of the interviews is under a legal hold: nothing is erased
// then.
func EraseTrader(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (err error) {
	defer store.WrapError(&err, "erase trader %s", id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		o, err := directory.FindOwner(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return none, err
		}
		if o.IntegrationID != nil {
			// The integration's row is locked before the trader's, in the order of pages. A page
			// that is being written is fenced, and the next slice knows who was erased.
			if err := syncing.FenceIntegration(ctx, tx, *o.IntegrationID); err != nil {
				return none, err
			}
		}
		// The row may belong to another platform's trader by now.
		var now directory.Owner
		err = tx.NewRaw(`SELECT integration_id, external_id FROM traders WHERE id = ? AND organization_id = ? FOR UPDATE`, id, c.OrganizationID).Scan(ctx, &now)
		if err != nil {
			return none, err
		}
		if !now.Same(o) {
			return none, fmt.Errorf("%w: the trader was just merged with another one", store.ErrConflict)
		}
		if err := eraseInterviews(ctx, tx, c.OrganizationID, id); err != nil {
			return none, err
		}
		if err := idempotency.Forget(ctx, tx, id); err != nil {
			return none, err
		}
		_, err = tx.NewRaw(`WITH gone AS (DELETE FROM activity_files WHERE trader_id = ? RETURNING id) DELETE FROM activity_trades AS t USING gone WHERE t.file_id = gone.id`, id).Exec(ctx)
		if err != nil {
			return none, err
		}
		if err := directory.EraseTrader(ctx, db, tx, c.OrganizationID, id, now); err != nil {
			return none, err
		}
		tx.Audit(action.TraderErased, id, nil, nil)
		return none, nil
	})
	return err
}

// eraseInterviews deletes the interviews of a trader whose row is locked.
func eraseInterviews(ctx context.Context, tx *store.Tx, orgID, trader uuid.UUID) error {
	var ids []uuid.UUID
	if err := tx.NewRaw(`SELECT id FROM interviews WHERE trader_id = ? ORDER BY id`, trader).Scan(ctx, &ids); err != nil {
		return err
	}
	for _, id := range ids {
		l, err := interviews.Lock(ctx, tx, orgID, id)
		if store.IsNoRows(err) {
			continue
		}
		if err != nil {
			return err
		}
		if err := deleteInterview(ctx, tx, l); err != nil {
			return err
		}
	}
	return nil
}
