package syncing

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// NextSlotSQL is the first slot after now on the epoch's grid of a row of sync_state s. The
// database computes it because its clock is the only one that all processes share.
const NextSlotSQL = `to_timestamp((floor((extract(epoch FROM now()) * 1000 - s.phase_ms) / s.period_ms) + 1) * s.period_ms / 1000 + s.phase_ms / 1000.0)`

// SlotPhase spreads integrations over their interval. It does not change with restarts or
// processes, so that a slot never moves by itself.
func SlotPhase(id uuid.UUID, period time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write(id[:]) // never fails
	return time.Duration(h.Sum64()%uint64(period.Milliseconds())) * time.Millisecond
}

// The integrations that ClaimDue takes. The order is the index's own: breaking ties would sort all
// that have become due at the same moment each time.
const (
	anyDueSQL   = `claimable_at <= now() ORDER BY claimable_at`
	newlyDueSQL = `claimable_at >= now() - $5::interval AND ` + anyDueSQL
)

// soundSQL leaves out integrations whose platforms have failed, in the last cycle or just now.
const soundSQL = `failures = 0 AND wait_reason IS DISTINCT FROM '` + WaitRetry + `' AND `

// Selection says which due integrations ClaimDue claims.
type Selection struct {
	Limit  int           // the most integrations
	Within time.Duration // only those that became due in this time; 0: however long ago
	Sound  bool          // leaves out those whose platforms have failed, in the last cycle or just now
}

// writeCondition returns the selection as SQL, with its arguments.
func (s Selection) writeCondition() (due string, args []any) {
	due = anyDueSQL
	if s.Within > 0 {
		due, args = newlyDueSQL, []any{s.Within}
	}
	if s.Sound {
		due = soundSQL + due
	}
	return due, args
}

// ClaimDue claims the leases of the selected integrations, in the order in which they became due.
// Concurrent callers never get the same one.
func ClaimDue(ctx context.Context, db *store.DB, owner string, lease time.Duration, selected Selection) (claims []Claim, err error) {
	defer store.WrapError(&err, "claim due integrations")
	due, args := selected.writeCondition()
	return claimRows(ctx, db, due, owner, selected.Limit, lease, args...)
}

// ClaimOne claims the lease of one integration whether or not it is due. It returns ErrNotFound if
// there is none, ErrBlocked if it is not polled, and ErrConflict if another process holds it.
func ClaimOne(ctx context.Context, db *store.DB, owner string, id uuid.UUID, lease time.Duration) (claim Claim, err error) {
	defer store.WrapError(&err, "claim integration %s", id)
	claims, err := claimRows(ctx, db, `integration_id = $5 AND claimable_at < 'infinity' AND (owner IS NULL OR claimable_at <= now())`, owner, 1, lease, id)
	if err != nil {
		return Claim{}, err
	}
	if len(claims) == 1 {
		return claims[0], nil
	}
	var polled bool
	err = db.Bun.NewRaw(`SELECT claimable_at < 'infinity' FROM sync_state WHERE integration_id = ?`, id).Scan(ctx, &polled)
	switch {
	case err != nil:
		return Claim{}, err
	case !polled:
		return Claim{}, store.ErrBlocked
	}
	return Claim{}, store.ErrConflict
}

// claimRows claims the leases of the rows that the condition selects, and begins a cycle for those
// without one.
func claimRows(ctx context.Context, db *store.DB, due, owner string, limit int, lease time.Duration, args ...any) ([]Claim, error) {
	cycles := make([]uuid.UUID, limit)
	for i := range cycles {
		cycles[i] = store.NewID()
	}
	rows, err := db.Pool.Query(ctx, claimSQL(due), store.Prepared(db, append([]any{owner, limit, lease, cycles}, args...)...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanClaim)
}

// claimSQL is the statement of claimRows. Its parameters are the owner, the limit, the lease, and
// the ids of new cycles. It compares the rows' ids twice so that they are looked up by key. With
// the join alone, a thousand of them made the planner read all of sync_state.
func claimSQL(due string) string {
	return `WITH due AS (
    SELECT integration_id, claimable_at, owner, wait_reason FROM sync_state WHERE ` + due + ` LIMIT $2 FOR UPDATE SKIP LOCKED
), d AS (
    SELECT *, row_number() OVER () AS n FROM due
)
UPDATE sync_state s SET
    owner = $1, token = s.token + 1, claimable_at = now() + $3::interval, wait_reason = NULL,
    slot_at = CASE WHEN s.cycle_id IS NULL THEN ` + NextSlotSQL + ` ELSE s.slot_at END,
    manual = s.manual AND s.cycle_id IS NOT NULL,
    cycle_id = coalesce(s.cycle_id, ($4::uuid[])[d.n]),
    cycle_trigger = CASE WHEN s.cycle_id IS NOT NULL THEN s.cycle_trigger WHEN s.manual THEN 'manual' ELSE 'schedule' END,
    cycle_started_at = CASE WHEN s.cycle_id IS NULL THEN now() ELSE s.cycle_started_at END
FROM d WHERE s.integration_id = d.integration_id AND s.integration_id = ANY (ARRAY(SELECT integration_id FROM due))
RETURNING s.integration_id, s.token, s.organization_id, s.kind, now(), d.claimable_at, coalesce(d.owner, ''),
    s.period_ms, s.slot_at, s.cycle_id, s.cycle_trigger, s.cycle_started_at, s.throttling, s.run, s.failures, s.quarantined,
    s.manual, s.last_finished_at, s.failures > 0 OR d.wait_reason IS NOT DISTINCT FROM '` + WaitRetry + `'`
}

func scanClaim(row pgx.CollectableRow) (Claim, error) {
	var (
		c               Claim
		periodMS        int64
		throttling, run []byte
		finished        *time.Time
	)
	err := row.Scan(&c.IntegrationID, &c.Token, &c.OrganizationID, &c.Kind, &c.Now, &c.DueAt, &c.PriorOwner,
		&periodMS, &c.SlotAt, &c.Cycle.ID, &c.Cycle.Trigger, &c.Cycle.StartedAt, &throttling, &run, &c.Failures, &c.Quarantined,
		&c.ManualNoted, &finished, &c.Hindered)
	if err != nil {
		return Claim{}, err
	}
	c.Period = time.Duration(periodMS) * time.Millisecond
	c.FinishedAt = store.Deref(finished)
	if c.Throttling, err = decodeThrottling(throttling); err != nil {
		return Claim{}, err
	}
	c.Run, err = DecodeRun(run)
	return c, err
}

// DecodeRun decodes an open run that EncodeRun has encoded.
func DecodeRun(text []byte) (*OpenRun, error) {
	if len(text) == 0 {
		return nil, nil //nolint:nilnil // no run is not an error
	}
	run := new(OpenRun)
	if err := json.Unmarshal(text, run); err != nil {
		return nil, fmt.Errorf("decode run state: %w", err)
	}
	return run, nil
}

// EncodeRun returns the column's value. Nil is SQL null.
func EncodeRun(run *OpenRun) (*string, error) {
	if run == nil {
		return nil, nil //nolint:nilnil // null is the encoding of no run
	}
	text, err := json.Marshal(run)
	if err != nil {
		return nil, fmt.Errorf("encode run state: %w", err)
	}
	s := string(text)
	return &s, nil
}

// ExtendLease extends a lease. It returns ErrFenced if the lease was lost: another process has claimed
// the integration, or a change of settings has fenced it. It leaves a locked row as it is, because a
// process that writes a page extends the lease itself.
func ExtendLease(ctx context.Context, db *store.DB, l Lease, lease time.Duration) (err error) {
	defer store.WrapError(&err, "extend lease of integration %s", l.IntegrationID)
	tag, err := db.Pool.Exec(ctx, `WITH free AS (
    SELECT integration_id FROM sync_state WHERE integration_id = $1 AND token = $2 AND owner IS NOT NULL FOR UPDATE SKIP LOCKED
), beat AS (
    UPDATE sync_state SET claimable_at = now() + $3::interval WHERE integration_id = (SELECT integration_id FROM free)
)
SELECT FROM sync_state WHERE integration_id = $1 AND token = $2 AND owner IS NOT NULL`, store.Prepared(db, l.IntegrationID, l.Token, lease)...)
	if err == nil && tag.RowsAffected() == 0 {
		return store.ErrFenced
	}
	return err
}

// ReleaseLease releases a lease with its cycle as it is, so that another process can continue at
// once. Work that still runs under it is fenced from then on. It does nothing if the lease is no
// longer held.
func ReleaseLease(ctx context.Context, db *store.DB, l Lease) (err error) {
	defer store.WrapError(&err, "release lease of integration %s", l.IntegrationID)
	_, err = db.Pool.Exec(ctx, `UPDATE sync_state SET token = token + 1, owner = NULL, claimable_at = now(), wait_reason = 'handed_back'
WHERE integration_id = $1 AND token = $2 AND owner IS NOT NULL`, store.Prepared(db, l.IntegrationID, l.Token)...)
	return err
}

// FenceIntegration fences work on an integration that is under way: its page cannot be written any more,
// and the integration can be claimed at once.
func FenceIntegration(ctx context.Context, tx *store.Tx, id uuid.UUID) error {
	_, err := tx.NewRaw(`UPDATE sync_state SET token = token + 1, claimable_at = CASE WHEN owner IS NULL THEN claimable_at ELSE now() END,
    wait_reason = CASE WHEN owner IS NULL THEN wait_reason ELSE 'handed_back' END, owner = NULL WHERE integration_id = ?`, id).Exec(ctx)
	return err
}
