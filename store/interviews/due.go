package interviews

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// dueBatch limits the interviews of one query.
const dueBatch = 200

// maxReported limits the errors that one call reports.
const maxReported = 10

// dueInterview identifies an interview that is due.
type dueInterview struct {
	ID             uuid.UUID `bun:"id"`
	OrganizationID uuid.UUID `bun:"organization_id"`
	At             time.Time `bun:"at"`
}

// ForEachDue calls fn once for each interview that is due, the longest due first, until ctx ends. The
// query selects them as id, organization_id and at, since when they are due. An interview that fails
// does not prevent the others from being processed. The first errors are joined.
func ForEachDue(ctx context.Context, db *store.DB, query string, fn func(ctx context.Context, tx *store.Tx, id uuid.UUID) (bool, error)) (changed int, err error) {
	var last dueInterview
	var failed []error
	more := 0
	for batch := dueBatch; batch == dueBatch; {
		var due []dueInterview
		err := db.Bun.NewRaw(`SELECT id, organization_id, at FROM (`+query+`) AS due WHERE (at, id) > (?, ?) ORDER BY at, id LIMIT ?`, last.At, last.ID, dueBatch).Scan(ctx, &due)
		if err != nil {
			return changed, errors.Join(append(failed, err)...)
		}
		for _, d := range due {
			did, err := store.MakeChange(ctx, db, store.SystemChange(d.OrganizationID), func(ctx context.Context, tx *store.Tx) (bool, error) {
				return fn(ctx, tx, d.ID)
			})
			switch {
			case err == nil:
			case len(failed) < maxReported:
				failed = append(failed, fmt.Errorf("interview %s: %w", d.ID, err))
			default:
				more++
			}
			if did {
				changed++
			}
			if ctx.Err() != nil {
				return changed, errors.Join(failed...)
			}
			last = d
		}
		batch = len(due)
	}
	if more > 0 {
		failed = append(failed, fmt.Errorf("and %d more interviews", more))
	}
	return changed, errors.Join(failed...)
}
