package directory

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// Origin is a trader's place on a platform.
type Origin struct {
	IntegrationID *uuid.UUID `bun:"integration_id"` // nil if added by hand
	ExternalID    *string    `bun:"external_id"`    // the platform's id, regardless of what a person has set
}

// FindOrigin returns the origin of a trader. It returns ErrNotFound if the organization has no such
// trader.
func FindOrigin(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (o Origin, err error) {
	defer store.WrapError(&err, "find origin of trader %s", id)
	err = db.Bun.NewRaw(`SELECT integration_id, external_id FROM traders WHERE id = ? AND organization_id = ?`, id, orgID).Scan(ctx, &o)
	return o, err
}
