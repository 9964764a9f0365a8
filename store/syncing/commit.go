package syncing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// EndedRun is a run that has ended.
type EndedRun struct {
	Run        OpenRun
	Status     RunStatus
	Error      *Error
	FinishedAt time.Time
	// RepeatOf is the row to which this run is added, because both were scheduled and neither
	// changed anything. Zero makes a new row.
	RepeatOf uuid.UUID
}

// HealthChange is a change of an integration's health.
type HealthChange struct {
	From, To Health
	Reason   string    // a readable sentence
	At       time.Time // when it was found in the middle of a cycle; zero at its end
}

// Due says when an integration is claimed next.
type Due struct {
	// Mode chooses the moment.
	Mode DueMode
	// After is the wait from now, on the database's clock (DueAfter).
	After time.Duration
	// Reason is stored as the wait's reason. It is empty for DueAtSlot and DueHold.
	Reason string
}

// DueMode chooses when an integration is claimed next.
type DueMode int

// The modes of Due.
const (
	DueHold   DueMode = iota // now: the lease is kept
	DueAtSlot                // at the next slot, or at once if a sync was requested meanwhile
	DueAfter                 // after a wait, at once with a wait of 0
	DueNever                 // not until a live check passes
)

// CycleCommit is everything that changes when runs end or a cycle pauses. It is written in one
// statement, under the lease.
type CycleCommit struct {
	Ended   []EndedRun
	Streams map[record.Stream]*Stream // new state of the named streams
	Cycle   *Cycle                    // the cycle to continue; nil if it is over
	Run     *OpenRun                  // open run of the running stream; nil if there is none
	Due     Due
	// NewSlot moves the slot to the next one on the grid after now, because a cycle begins in the
	// middle of a claim.
	NewSlot bool
	// TakeManual clears the flag of a requested sync, because this cycle is the requested one.
	TakeManual bool
	// Backoff postpones the next slot to at least this long from now. 0 means the grid's next slot.
	Backoff time.Duration
	// Failures is the number of cycles in a row without any success.
	Failures int
	// Throttling is the platform's throttling. Zero means that it does not throttle.
	Throttling Throttling
	// StartedAt, FinishedAt and SuccessAt are the integration's sync timestamps. Zero means no
	// change.
	StartedAt, FinishedAt, SuccessAt time.Time
	Health                           *HealthChange
	// Transitions are added to the integration's history.
	Transitions []Transition
	// Over is a finished cycle that may deserve an event: it was requested, read something for the
	// first time, or changed something.
	Over *Cycle
}

// CommitCycle writes a commit, and emits its events once: a commit that is written again,
// because it is unknown whether it was committed, is recognized by its FinishedAt. ErrFenced means
// that the lease is no longer held and nothing was written.
func CommitCycle(ctx context.Context, db *store.DB, lease Lease, s CycleCommit) error {
	args, err := s.commitArguments(lease)
	if err != nil {
		return fmt.Errorf("commit cycle of integration %s: %w", lease.IntegrationID, err)
	}
	var orgID uuid.UUID
	if s.Health == nil && s.Over == nil {
		orgID, err = runCommit(ctx, db, db.Pool, args)
	} else {
		err = pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
			if orgID, err = runCommit(ctx, db, tx, args); err != nil {
				return err
			}
			events, err := s.eventsOf(ctx, tx, lease)
			if err != nil {
				return err
			}
			return db.PostEvents(ctx, tx, orgID, uuid.Nil, events)
		})
	}
	if err != nil {
		return fmt.Errorf("commit cycle of integration %s: %w", lease.IntegrationID, err)
	}
	if s.isNotable() {
		db.NoteChange(orgID, store.TopicIntegrations, lease.IntegrationID)
	}
	return nil
}

// isNotable reports whether the commit shows people more than another scheduled cycle without
// changes.
func (s *CycleCommit) isNotable() bool {
	return s.Health != nil || s.Over != nil || s.TakeManual || len(s.Transitions) > 0 ||
		slices.ContainsFunc(s.Ended, func(e EndedRun) bool { return e.RepeatOf == uuid.Nil })
}

// querier is implemented by pools and transactions.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// runCommit runs commitSQL and returns the integration's organization.
func runCommit(ctx context.Context, db *store.DB, in querier, args []any) (orgID uuid.UUID, err error) {
	err = in.QueryRow(ctx, commitSQL, store.Prepared(db, args...)...).Scan(&orgID)
	if errors.Is(err, pgx.ErrNoRows) {
		err = store.ErrFenced
	}
	return orgID, err
}

// commitSQL updates the integration's row under its token and, only when that
// succeeds, everything else.
const commitSQL = `WITH fence AS (
    UPDATE sync_state s SET
        owner = CASE WHEN $5::int = 0 THEN s.owner END,
        claimable_at = CASE $5::int WHEN 0 THEN s.claimable_at WHEN 1 THEN CASE WHEN s.manual THEN now() ELSE greatest(` + slotOrBackoff + `, now()) END
            WHEN 2 THEN now() + $6::interval ELSE 'infinity' END,
        slot_at = ` + slotOrBackoff + `,
        wait_reason = CASE WHEN $5::int = 1 AND s.manual THEN '` + WaitRequested + `' ELSE $7::text END,
        cycle_id = $8::uuid, cycle_trigger = $9::text, cycle_started_at = $10::timestamptz, throttling = $11::jsonb,
        run = $12::jsonb, failures = $13, manual = s.manual AND NOT $22::boolean,
        last_started_at = coalesce($14::timestamptz, s.last_started_at), last_finished_at = coalesce($15::timestamptz, s.last_finished_at), last_success_at = coalesce($16::timestamptz, s.last_success_at)
    WHERE s.integration_id = $1 AND s.token = $2
    RETURNING s.organization_id
), runs AS (
    INSERT INTO sync_runs AS r (` + runColumns + `)
    SELECT ` + runSelection + ` FROM jsonb_to_recordset($17::jsonb) AS e(` + runRecord + `), fence
    ON CONFLICT (id) DO UPDATE SET trigger = EXCLUDED.trigger, mode = EXCLUDED.mode, status = EXCLUDED.status, updated_since = EXCLUDED.updated_since, pages = EXCLUDED.pages, requests = EXCLUDED.requests,
        records_seen = EXCLUDED.records_seen, records_inserted = EXCLUDED.records_inserted, records_updated = EXCLUDED.records_updated,
        records_unchanged = EXCLUDED.records_unchanged, records_quarantined = EXCLUDED.records_quarantined,
        throttled_ms = EXCLUDED.throttled_ms, error = EXCLUDED.error, finished_at = EXCLUDED.finished_at
), repeats AS (
    UPDATE sync_runs r SET repeats = r.repeats + 1, cycle_id = e.cycle_id, finished_at = e.finished_at, updated_since = e.updated_since,
        pages = e.pages, requests = e.requests, records_seen = e.records_seen, records_unchanged = e.records_unchanged, throttled_ms = e.throttled_ms
    FROM jsonb_to_recordset($18::jsonb) AS e(` + runRecord + `), fence
    WHERE r.id = e.id AND r.cycle_id <> e.cycle_id -- not again when a commit is repeated
), known AS ( -- by an UPDATE, because ON CONFLICT locks each row in a log record of its own
    UPDATE sync_streams s SET watermark = e.watermark, run = e.run, last_cycle_id = e.last_cycle_id, last_run_id = e.last_run_id,
        last_status = e.last_status, last_error = e.last_error, last_success_at = e.last_success_at, ask_again_at = e.ask_again_at
    FROM jsonb_to_recordset($19::jsonb) AS e(` + streamRecord + `), fence
    WHERE s.integration_id = $1 AND s.stream = e.stream
    RETURNING s.stream
), streams AS ( -- where one is there by now, an attempt at this same commit has come through
    INSERT INTO sync_streams (integration_id, stream, watermark, run, last_cycle_id, last_run_id, last_status, last_error, last_success_at, ask_again_at)
    SELECT $1, e.stream, e.watermark, e.run, e.last_cycle_id, e.last_run_id, e.last_status, e.last_error, e.last_success_at, e.ask_again_at
    FROM jsonb_to_recordset($19::jsonb) AS e(` + streamRecord + `), fence
    WHERE NOT EXISTS (SELECT FROM known AS k WHERE k.stream = e.stream)
    ON CONFLICT (integration_id, stream) DO NOTHING
), health AS (
    UPDATE integrations i SET health_status = $20::text FROM fence WHERE i.id = $1 AND $20::text IS NOT NULL
), transitions AS (
    INSERT INTO integration_transitions (integration_id, kind, from_status, to_status, reason)
    SELECT $1, e.kind, e.from_status, e.to_status, e.reason
    FROM jsonb_to_recordset($21::jsonb) AS e(kind text, from_status text, to_status text, reason text), fence
)
SELECT organization_id FROM fence`

// slotOrBackoff is the next slot: on the grid after now if $3 requests a new one, and no sooner
// than the backoff $4.
const slotOrBackoff = `greatest(CASE WHEN $3::boolean THEN ` + NextSlotSQL + ` ELSE s.slot_at END, CASE WHEN $4::interval > interval '0' THEN now() + $4::interval END)`

func (s *CycleCommit) commitArguments(lease Lease) ([]any, error) {
	run, err := EncodeRun(s.Run)
	if err != nil {
		return nil, err
	}
	ended, repeats, err := encodeEnded(s.Ended)
	if err != nil {
		return nil, err
	}
	streams, err := encodeStreams(s.Streams)
	if err != nil {
		return nil, err
	}
	transitions, err := s.encodeTransitions()
	if err != nil {
		return nil, err
	}
	throttling, err := encodeThrottling(s.Throttling)
	if err != nil {
		return nil, err
	}
	var (
		cycleID    *uuid.UUID
		trigger    *string
		startedAt  *time.Time
		waitReason *string
		health     *string
	)
	if s.Cycle != nil {
		cycleID, startedAt = &s.Cycle.ID, &s.Cycle.StartedAt
		trigger = (*string)(&s.Cycle.Trigger)
	}
	if s.Due.Reason != "" {
		waitReason = &s.Due.Reason
	}
	if s.Health != nil {
		health = (*string)(&s.Health.To)
	}
	return []any{
		lease.IntegrationID, lease.Token, s.NewSlot, s.Backoff, int32(s.Due.Mode), s.Due.After, waitReason,
		cycleID, trigger, startedAt, throttling, run, s.Failures,
		store.OrNil(s.StartedAt), store.OrNil(s.FinishedAt), store.OrNil(s.SuccessAt),
		ended, repeats, streams, health, transitions, s.TakeManual,
	}, nil
}

func (s *CycleCommit) encodeTransitions() (string, error) {
	type row struct {
		Kind   string  `json:"kind"`
		From   *string `json:"from_status"`
		To     *string `json:"to_status"`
		Reason string  `json:"reason"`
	}
	rows := []row{}
	if s.Health != nil {
		rows = append(rows, row{"health", (*string)(&s.Health.From), (*string)(&s.Health.To), s.Health.Reason})
	}
	for _, t := range s.Transitions {
		rows = append(rows, row{t.Kind, t.From, t.To, t.Reason})
	}
	text, err := json.Marshal(rows)
	return string(text), err
}
