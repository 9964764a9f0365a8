package interviews

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// tickBatch limits the changes of one call.
const tickBatch = 200

// dueInterview identifies an interview that is due.
type dueInterview struct {
	ID             uuid.UUID `bun:"id"`
	OrganizationID uuid.UUID `bun:"organization_id"`
}

// ForEachDue calls fn for each result of the query. An interview that fails does not prevent the
// others from being processed. The errors are joined.
func ForEachDue(ctx context.Context, db *store.DB, query string, fn func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error)) (changed int, err error) {
	var due []dueInterview
	if err := db.Bun.NewRaw(query, tickBatch).Scan(ctx, &due); err != nil {
		return 0, err
	}
	var failed []error
	for _, d := range due {
		did, err := store.MakeChange(ctx, db, store.SystemChange(d.OrganizationID), func(ctx context.Context, tx *store.Tx) (bool, error) {
			return fn(ctx, tx, d.ID)
		})
		if err != nil {
			if failed = append(failed, fmt.Errorf("interview %s: %w", d.ID, err)); ctx.Err() != nil {
				break
			}
		}
		if did {
			changed++
		}
	}
	return changed, errors.Join(failed...)
}
