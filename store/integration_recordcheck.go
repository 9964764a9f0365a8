package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// RecordCheck notes the outcome of a check of the settings as they are now, as
// RecordLiveCheck does. It serves fixtures of tests, which make no live check.
func (db *DB) RecordCheck(ctx context.Context, orgID, id uuid.UUID, o CheckOutcome, reason string, _ bool) (i Integration, err error) {
	defer wrap(&err, "record check of integration %s", id)
	err = db.inTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := lockIntegration(ctx, tx, orgID, id); err != nil {
			return err
		}
		if err := applyAskedCheck(ctx, tx, id, o, reason); err != nil {
			return err
		}
		i, err = readIntegration(ctx, tx, orgID, id)
		return err
	})
	return i, err
}
