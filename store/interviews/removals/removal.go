package removals

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// Removal is the pending removal of data outside of the database's reach: the blobs below a prefix.
type Removal struct {
	ID             uuid.UUID `bun:"id"`
	OrganizationID uuid.UUID `bun:"organization_id"`
	InterviewID    uuid.UUID `bun:"interview_id"`
	Prefix         string    `bun:"prefix"`     // ends in a slash
	Whole          bool      `bun:"whole"`      // the interview is gone
	BlobsGone      bool      `bun:"blobs_gone"` // only traces in events are left to remove
	Attempts       int       `bun:"attempts"`   // this one included; fences earlier ones
}

// Add schedules the removal of the blobs below the prefix.
func Add(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID, prefix string, whole bool, after time.Duration) error {
	_, err := tx.NewRaw(`INSERT INTO removals (id, organization_id, interview_id, prefix, whole, due_at) VALUES (?, ?, ?, ?, ?, now() + ?::interval)`,
		store.NewID(), orgID, id, prefix, whole, store.IntervalText(after)).Exec(ctx)
	return err
}

// ClaimDue claims up to limit due removals for as long as the lease. Their ids are collected in an array, because a planner that takes the
// table for empty would run a subquery again for each removal, and claim more than the limit.
func ClaimDue(ctx context.Context, db *store.DB, limit int, lease time.Duration) (list []Removal, err error) {
	defer store.WrapError(&err, "claim removals")
	err = db.Bun.NewRaw(`UPDATE removals SET due_at = now() + ?::interval, attempts = attempts + 1
WHERE id = ANY (ARRAY(SELECT id FROM removals WHERE due_at <= now() ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED))
RETURNING id, organization_id, interview_id, prefix, whole, blobs_gone, attempts`, store.IntervalText(lease), limit).Scan(ctx, &list)
	return list, err
}

// Extend extends the lease of a claimed removal, or ends it if lease is 0. It returns ErrFenced if
// another process has claimed the removal.
func Extend(ctx context.Context, db *store.DB, r Removal, lease time.Duration) (err error) {
	defer store.WrapError(&err, "extend removal %s", r.ID)
	result, err := db.Bun.NewRaw(`UPDATE removals SET due_at = now() + ?::interval WHERE id = ? AND attempts = ?`, store.IntervalText(lease), r.ID, r.Attempts).Exec(ctx)
	if err == nil && store.CountAffected(result) == 0 {
		return store.ErrFenced
	}
	return err
}

// ErrStillUsed means that events about the removed interview have not been delivered yet.
var ErrStillUsed = errors.New("still in use")

// Finish records that no blobs are left below the removal's prefix. For a deleted interview
// it also removes its traces in events. It returns ErrStillUsed while events of the interview are
// still to be delivered. In that case the removal is due again in a minute.
func Finish(ctx context.Context, db *store.DB, r Removal) (err error) {
	defer store.WrapError(&err, "finish removal %s", r.ID)
	used := false
	err = db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if r.Whole {
			if used, err = removeTraces(ctx, tx, r); err != nil {
				return err
			}
		}
		statement := `DELETE FROM removals WHERE id = ? AND attempts = ?`
		if used {
			statement = `UPDATE removals SET due_at = now() + interval '1 minute', blobs_gone = true, last_error = NULL WHERE id = ? AND attempts = ?`
		}
		_, err := tx.NewRaw(statement, r.ID, r.Attempts).Exec(ctx)
		return err
	})
	if err == nil && used {
		err = ErrStillUsed
	}
	return err
}

// ofInterview selects events e of an organization ? that refer to the interview ?, and ofEvent deliveries d
// of an event of an interview. Both have the conditions of an index (webhook_events_interview,
// webhook_deliveries_interview).
const (
	ofInterview = `e.organization_id = ? AND e.type LIKE 'interview.%' AND e.data IS NOT NULL AND e.data ->> 'interview_id' = ?`
	ofEvent     = `d.event_type LIKE 'interview.%' AND d.event_id`
)

// emptyEventsSQL empties the events that have been delivered, and the responses of their receivers. The arrays keep it
// to look-ups by id, whatever the planner expects.
const emptyEventsSQL = `WITH gone AS (UPDATE webhook_events AS e SET data = NULL WHERE ` + ofInterview + `
    AND 'pending' <> ALL (ARRAY(SELECT d.status FROM webhook_deliveries AS d WHERE ` + ofEvent + ` = e.id)) RETURNING e.id)
UPDATE webhook_attempts SET response_body = NULL WHERE response_body IS NOT NULL
    AND delivery_id = ANY (ARRAY(SELECT d.id FROM webhook_deliveries AS d WHERE ` + ofEvent + ` = ANY (ARRAY(SELECT id FROM gone))))`

const stillUsedSQL = `SELECT EXISTS (SELECT FROM webhook_events AS e WHERE ` + ofInterview + `)`

// removeTraces removes references to a deleted interview in events. Those that webhooks have not
// received yet are delivered first, because they contain only ids. Afterwards the
// webhooks' history shows that they received events of an interview, but not of which one.
// Responses of receivers are removed, too, because they may repeat the events.
func removeTraces(ctx context.Context, tx bun.IDB, r Removal) (used bool, err error) {
	if _, err := tx.NewRaw(emptyEventsSQL, r.OrganizationID, r.InterviewID.String()).Exec(ctx); err != nil {
		return false, err
	}
	err = tx.NewRaw(stillUsedSQL, r.OrganizationID, r.InterviewID.String()).Scan(ctx, &used)
	return used, err
}

// Postpone records why a removal failed. It is retried later without a limit.
func Postpone(ctx context.Context, db *store.DB, r Removal, cause error) (err error) {
	defer store.WrapError(&err, "put off removal %s", r.ID)
	_, err = db.Bun.NewRaw(`UPDATE removals SET due_at = now() + least(interval '1 minute' * attempts * attempts, interval '1 hour'), last_error = ? WHERE id = ? AND attempts = ?`,
		store.ErrorText(cause), r.ID, r.Attempts).Exec(ctx)
	return err
}

// CountDue returns how many removals wait for a process, and how long the oldest has been due, which
// is 0 if there is none.
func CountDue(ctx context.Context, db *store.DB) (count int64, oldest time.Duration, err error) {
	defer store.WrapError(&err, "count due removals")
	return countWhere(ctx, db, `min(due_at)`, `due_at <= now()`)
}

// Count returns how many removals have not removed their blobs yet, and how long the oldest has been
// waiting, which is 0 if there is none.
func Count(ctx context.Context, db *store.DB) (count int64, oldest time.Duration, err error) {
	defer store.WrapError(&err, "count removals")
	return countWhere(ctx, db, `min(created_at)`, `NOT blobs_gone`)
}

// countWhere counts the removals that meet the condition, and returns the time since the oldest.
func countWhere(ctx context.Context, db *store.DB, oldest, condition string) (count int64, age time.Duration, err error) {
	var seconds float64
	err = db.Bun.NewRaw(`SELECT count(*), coalesce(extract(epoch FROM now() - `+oldest+`), 0)::float8 FROM removals WHERE `+condition).Scan(ctx, &count, &seconds)
	return count, time.Duration(seconds * float64(time.Second)), err
}
