package integrations

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// Schedule shows why an integration did or did not run.
type Schedule struct {
	SlotAt      *time.Time `bun:"slot_at"`      // when the next scheduled cycle begins
	ClaimableAt *time.Time `bun:"claimable_at"` // when a process may claim it; nil if it is not polled
	LeaseOwner  *string    `bun:"owner"`        // the process that works on it; nil if there is none
	LeaseUntil  *time.Time `bun:"lease_until"`
	Token       int64      `bun:"token"` // the fencing token; rises with each claim
	PeriodMS    int64      `bun:"period_ms"`
	PhaseMS     int64      `bun:"phase_ms"` // place of the slots within the period
	// WaitReason is why ClaimableAt is not SlotAt. It is nil if they are equal. It is "throttled"
	// from the platform's first 429 of a series to its next good response, even if a process is
	// spacing the requests or the cycle is over.
	WaitReason *string `bun:"wait_reason"`
	// ThrottledSince is when the first 429 came that no good response has followed yet. It is nil
	// if the platform does not throttle.
	ThrottledSince *time.Time `bun:"throttled_since"`
	// GapMS is the present distance between requests to the platform in milliseconds. It is nil if
	// no request was sent yet.
	GapMS          *int64               `bun:"gap_ms"`
	ManualNoted    bool                 `bun:"manual"` // the next cycle was requested
	CycleID        *uuid.UUID           `bun:"cycle_id"`
	CycleStartedAt *time.Time           `bun:"cycle_started_at"`
	Failures       int                  `bun:"failures"` // cycles in a row without any success
	Streams        []StreamState        `bun:"-"`        // in the order in which they are polled
	Transitions    []syncing.Transition `bun:"-"`        // the last twenty, newest first
}

// StreamState is the state of reading a stream.
type StreamState struct {
	Stream        string     `bun:"stream"`
	Watermark     *time.Time `bun:"watermark"` // nil if never read completely
	Backfilling   bool       `bun:"backfilling"`
	LastStatus    *string    `bun:"last_status"`
	LastSuccessAt *time.Time `bun:"last_success_at"`
	AskAgainAt    *time.Time `bun:"ask_again_at"` // until then an optional stream that does not exist is not requested
	// Reading is the stream's open run. It is nil if there is none.
	Reading *syncing.StreamReading `bun:"-"`
}

// shownTransitions is the most Schedule.Transitions.
const shownTransitions = 20

// ReadSchedule reads the schedule of an integration. It returns ErrNotFound if the organization has
// no such integration.
func ReadSchedule(ctx context.Context, reader store.Reader, orgID, integrationID uuid.UUID) (s Schedule, err error) {
	defer store.WrapError(&err, "read schedule of integration %s", integrationID)
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		s = Schedule{Streams: []StreamState{}, Transitions: []syncing.Transition{}}
		err := tx.NewRaw(`SELECT s.slot_at, nullif(s.claimable_at, 'infinity') AS claimable_at, s.owner,
    CASE WHEN s.owner IS NOT NULL THEN nullif(s.claimable_at, 'infinity') END AS lease_until,
    s.token, s.period_ms, s.phase_ms, coalesce(s.wait_reason, CASE WHEN s.throttling ->> 'since' IS NOT NULL AND s.claimable_at <> 'infinity' THEN '`+waitThrottled+`' END) AS wait_reason,
    (s.throttling->>'since')::timestamptz AS throttled_since, (SELECT round(extract(epoch FROM b.gap) * 1000) FROM request_budgets AS b WHERE b.integration_id = s.integration_id)::bigint AS gap_ms,
    s.manual, s.cycle_id, s.cycle_started_at, s.failures
FROM sync_state AS s JOIN integrations AS i ON i.id = s.integration_id
WHERE i.id = ? AND i.organization_id = ? AND i.deleted_at IS NULL`, integrationID, orgID).Scan(ctx, &s)
		if err != nil {
			return err
		}
		// A partner's open trades are read completely every time. They have no watermark, but are
		// not backfilling because of that.
		err = tx.NewRaw(`SELECT stream, watermark, watermark IS NULL AND stream <> ? AS backfilling, last_status, last_success_at, ask_again_at
FROM sync_streams WHERE integration_id = ? ORDER BY array_position(ARRAY[?]::text[], stream), stream`,
			record.StreamTradesOpen, integrationID, bun.List(record.Streams())).Scan(ctx, &s.Streams)
		if err != nil {
			return err
		}
		open, err := syncing.OpenRuns(ctx, tx, integrationID)
		if err != nil {
			return err
		}
		s.showReadings(open)
		return tx.NewRaw(`SELECT at, kind, from_status, to_status, reason FROM integration_transitions
WHERE integration_id = ? ORDER BY id DESC LIMIT ?`, integrationID, shownTransitions).Scan(ctx, &s.Transitions)
	})
	return s, err
}

// showReadings adds the open runs. A stream that is in its first run has no state of its own yet.
func (s *Schedule) showReadings(open []*syncing.OpenRun) {
	for _, run := range open {
		i := slices.IndexFunc(s.Streams, func(st StreamState) bool { return st.Stream == string(run.Stream) })
		if i < 0 {
			i = len(s.Streams)
			s.Streams = append(s.Streams, StreamState{Stream: string(run.Stream), Backfilling: run.Mode == syncing.ModeBackfill})
		}
		reading := run.Reading()
		s.Streams[i].Reading = &reading
	}
}
