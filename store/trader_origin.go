package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
)

// TraderOrigin is where on a platform a trader is.
type TraderOrigin struct {
	IntegrationID *uuid.UUID `bun:"integration_id"` // nil: made by hand
	ExternalID    *string    `bun:"external_id"`    // the platform's id, whatever a person has set
}

// TraderOrigin returns where a trader comes from. ErrNotFound when the
// organization has no such trader.
func (db *DB) TraderOrigin(ctx context.Context, orgID, id uuid.UUID) (o TraderOrigin, err error) {
	defer wrap(&err, "find origin of trader %s", id)
	err = db.bun.NewRaw(`SELECT integration_id, external_id FROM traders WHERE id = ? AND organization_id = ?`, id, orgID).Scan(ctx, &o)
	return o, err
}

// ruleTraderMissing is broken when a platform does not know a trader any more
// that it has told of.
const ruleTraderMissing = "trader_missing"

// NoteTraderMissing counts that an integration's platform does not know a trader
// that it has told of. The trader stays.
func (db *DB) NoteTraderMissing(ctx context.Context, orgID, integrationID uuid.UUID, externalID string) (err error) {
	defer wrap(&err, "note that a trader is missing from integration %s", integrationID)
	_, err = change(ctx, db, SystemChange(orgID), func(ctx context.Context, tx bun.Tx) (none struct{}, err error) {
		return none, noteRule(ctx, tx, integrationID, record.Traders, ruleTraderMissing, []string{externalID})
	})
	return err
}
