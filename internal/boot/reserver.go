package boot

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// reserver shares the integrations' request budgets through the store.
type reserver struct{ db *store.DB }

// ReserveRequests implements fetch.Reserver.
func (r reserver) ReserveRequests(ctx context.Context, integrationID string, n int, base time.Duration, f fetch.Feedback) (fetch.Grant, error) {
	id, err := uuid.Parse(integrationID)
	if err != nil {
		return fetch.Grant{}, err
	}
	delay, gap, err := syncing.ReserveSlots(ctx, r.db, id, n, base, f.Throttled, f.Succeeded)
	return fetch.Grant{Delay: delay, Gap: gap}, err
}
