package syncing

import (
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
)

// Lease is the right to work on one integration: the holder of its newest token may write for it.
// Every write checks the token, so that a process that was frozen and wakes up writes nothing.
type Lease struct {
	IntegrationID uuid.UUID
	Token         int64
}

// Trigger says why a cycle runs.
type Trigger string

// The triggers of a run.
const (
	TriggerSchedule Trigger = "schedule" // The scheduled time came.
	TriggerManual   Trigger = "manual"   // Someone requested it.
	TriggerBackfill Trigger = "backfill" // Only on runs: the stream has never been read completely.
	TriggerAudit    Trigger = "audit"    // Only on runs: an audit reads everything to compare it with what is stored.
)

// Mode says how far back a run reads.
type Mode string

// The modes of a run.
const (
	ModeBackfill    Mode = "backfill"    // Everything is read, because the stream has never been read completely.
	ModeIncremental Mode = "incremental" // Records that changed since the watermark are read.
)

// RunStatus is the state or outcome of a run.
type RunStatus string

// The statuses of a run. Only RunSucceeded moves the watermark.
const (
	RunRunning     RunStatus = "running"     // The run has not ended.
	RunSucceeded   RunStatus = "succeeded"   // The run read everything it had to.
	RunPartial     RunStatus = "partial"     // The run stopped at the page limit. The next run continues from the checkpoint.
	RunThrottled   RunStatus = "throttled"   // The platform answered 429 for an entire sync interval.
	RunSkipped     RunStatus = "skipped"     // The resource is optional, and the platform does not expose it.
	RunFailed      RunStatus = "failed"      // The run failed. See its error.
	RunBlocked     RunStatus = "blocked"     // The platform refused the API key.
	RunInterrupted RunStatus = "interrupted" // The process ended or polling was stopped. Another run continues from the checkpoint.
)

// RunStatuses lists the statuses.
func RunStatuses() []RunStatus {
	return []RunStatus{RunRunning, RunSucceeded, RunPartial, RunThrottled, RunSkipped, RunFailed, RunBlocked, RunInterrupted}
}

// OpenRun is a run in progress with its checkpoint. It is stored as JSON in
// sync_state while its stream is the running one and in sync_streams while it
// is parked.
type OpenRun struct {
	ID           uuid.UUID     `json:"id"`
	CycleID      uuid.UUID     `json:"cycle_id"`
	Stream       record.Stream `json:"stream"`
	Trigger      Trigger       `json:"trigger"`
	Mode         Mode          `json:"mode"`
	UpdatedSince time.Time     `json:"updated_since,omitzero"` // zero means everything
	StartedAt    time.Time     `json:"started_at"`             // database time at which the row began
	ReadFrom     time.Time     `json:"read_from"`              // database time of the run's first request, corrected for the platform's clock: the next watermark
	Skew         time.Duration `json:"skew,omitempty"`         // platform's clock minus the database's; 0 until the first response
	Cursor       string        `json:"cursor,omitempty"`       // of the next page, or after the last page its own; empty for the first
	Anchor       string        `json:"anchor,omitempty"`       // an earlier cursor, to detect a loop
	CursorPages  int64         `json:"cursor_pages,omitempty"` // pages read since the first, over all runs that shared the checkpoint
	EmptyPages   int           `json:"empty_pages,omitempty"`  // pages without records since the last one that had some
	SavedAt      time.Time     `json:"saved_at,omitzero"`      // database time of the newest page
	Attempt      int           `json:"attempt,omitempty"`      // postponed retries of the next page
	Listed       bool          `json:"listed,omitempty"`       // has its row in sync_runs
	Replaying    bool          `json:"replaying,omitempty"`    // rows exist already, so COPY is of no use
	Restarted    bool          `json:"restarted,omitempty"`    // the platform refused a cursor, so the list was restarted
	Doubted      *OpenRun      `json:"doubted,omitempty"`      // the run as it was before its checkpoint was doubted; nil if it was not
	Doubtless    bool          `json:"doubtless,omitempty"`    // the checkpoint follows one that was doubted, and is not doubted again
	Unproven     bool          `json:"unproven,omitempty"`     // no record of the list could be used so far, over all runs that shared the checkpoint; false if that is not known
	Unusable     int64         `json:"unusable,omitempty"`     // records of the list seen while it is unproven
	LastAt       time.Time     `json:"last_at,omitzero"`       // updated_at of the last record, to check the next page
	Earlier      *RunPart      `json:"earlier,omitempty"`      // what another stream has brought into the same run; nil if the run has one stream
	ListProgress
	RunTotals
}

// RunPart is the part of a run that was read from another stream of the same
// resource.
type RunPart struct {
	Stream     record.Stream `json:"stream"`
	Status     RunStatus     `json:"status"`
	Error      *Error        `json:"error,omitempty"`
	FinishedAt time.Time     `json:"finished_at"`
	Pages      int64         `json:"pages"`
}

// StreamPages returns the number of pages that the run has read of its current stream.
func (r *OpenRun) StreamPages() int64 {
	if r.Earlier == nil {
		return r.Pages
	}
	return r.Pages - r.Earlier.Pages
}

// RunTotals counts what a run did.
type RunTotals struct {
	Pages       int64 `json:"pages"`
	Requests    int64 `json:"requests"`
	Seen        int64 `json:"seen"`
	Inserted    int64 `json:"inserted"`
	Updated     int64 `json:"updated"`
	Unchanged   int64 `json:"unchanged"`
	Stale       int64 `json:"stale"` // older than the stored version, and therefore not written
	Quarantined int64 `json:"quarantined"`
	ThrottledMS int64 `json:"throttled_ms"`
}

// Changed reports whether the run wrote anything.
func (t RunTotals) Changed() bool { return t.Inserted+t.Updated+t.Quarantined > 0 }

// Claim is a claimed integration, with what was left of its last cycle.
type Claim struct {
	Lease
	OrganizationID uuid.UUID
	Kind           record.Kind
	Now            time.Time     // database time of the claim
	DueAt          time.Time     // when it had become claimable
	Period         time.Duration // sync interval
	SlotAt         time.Time     // when the next scheduled cycle begins
	PriorOwner     string        // process whose lease expired; empty if it was released
	Cycle          Cycle
	Run            *OpenRun  // open run of the stream that was running; nil if there is none
	Failures       int       // cycles in a row without any success
	Hindered       bool      // its platform failed in the last cycle, or just now, and may hold a slot for long
	Quarantined    int64     // rows in quarantine
	ManualNoted    bool      // a sync was requested while the cycle ran
	FinishedAt     time.Time // when a cycle was last over, except for its backfills; zero if never
	Throttling     Throttling
	ConnectedAt    time.Time // when the integration was created. ReadSettings sets it
	// Suppressing reports that somebody of the integration was erased, so that pages leave out that
	// person's records. ReadSettings sets it.
	Suppressing bool
}

// Cycle is one pass over an integration's streams.
type Cycle struct {
	ID        uuid.UUID
	Trigger   Trigger
	StartedAt time.Time
}

// Stream is the stored state of a stream between cycles.
type Stream struct {
	Watermark     time.Time // zero if never read completely
	Run           *OpenRun  // parked; nil if there is none
	LastCycleID   uuid.UUID
	LastRunID     uuid.UUID
	LastStatus    RunStatus
	LastError     *Error
	LastSuccessAt time.Time
	AskAgainAt    time.Time
}
