package v1

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/store"
)

// runBody is a sync run (service API; the members beyond it are in sync.md).
type runBody struct {
	ID                 uuid.UUID  `json:"id"`
	CycleID            uuid.UUID  `json:"cycle_id"`
	Resource           string     `json:"resource"`
	Trigger            string     `json:"trigger"`
	Mode               string     `json:"mode"`
	Status             string     `json:"status"`
	RecordsUpserted    int64      `json:"records_upserted"`
	RecordsSeen        int64      `json:"records_seen"`
	RecordsUnchanged   int64      `json:"records_unchanged"`
	RecordsQuarantined int64      `json:"records_quarantined"`
	Pages              int64      `json:"pages"`
	Requests           int64      `json:"requests"`
	ThrottledMS        int64      `json:"throttled_ms"`
	Repeats            int64      `json:"repeats"`
	UpdatedSince       *time.Time `json:"updated_since"` // null: everything was read
	Error              *errorBody `json:"error"`
	StartedAt          time.Time  `json:"started_at"`
	FinishedAt         *time.Time `json:"finished_at"` // null: running
}

func runOf(r store.SyncRun) runBody {
	return runBody{
		ID: r.ID, CycleID: r.CycleID, Resource: r.Resource, Trigger: r.Trigger, Mode: r.Mode, Status: r.Status,
		RecordsUpserted: r.RecordsUpserted(), RecordsSeen: r.RecordsSeen, RecordsUnchanged: r.RecordsUnchanged,
		RecordsQuarantined: r.RecordsQuarantined, Pages: r.Pages, Requests: r.Requests, ThrottledMS: r.ThrottledMS,
		Repeats: r.Repeats, UpdatedSince: r.UpdatedSince, Error: errorOf(r.Error), StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
	}
}

// quarantinedBody is a record that could not be used.
type quarantinedBody struct {
	Resource    string    `json:"resource"`
	Key         string    `json:"key"`
	Raw         string    `json:"raw"`     // JSON text as received, cut at 64 KiB
	Pointer     string    `json:"pointer"` // into raw
	Rule        string    `json:"rule"`
	Detail      string    `json:"detail"`
	Count       int64     `json:"count"`
	FirstSeenAt time.Time `json:"first_seen_at"`
	LastSeenAt  time.Time `json:"last_seen_at"`
}

func quarantinedOf(q store.Quarantined) quarantinedBody { return quarantinedBody(q) }

// findingBody is a rule of the contract that the platform breaks.
type findingBody struct {
	Resource    string    `json:"resource"`
	Rule        string    `json:"rule"`
	Count       int64     `json:"count"`
	Samples     []string  `json:"samples"` // ids of a few records
	FirstSeenAt time.Time `json:"first_seen_at"`
	LastSeenAt  time.Time `json:"last_seen_at"`
}

func findingOf(f store.Finding) findingBody { return findingBody(f) }

// listRuns answers GET /v1/integrations/{id}/runs, newest first.
func (a *API) listRuns(w http.ResponseWriter, r *http.Request) error {
	return listOf(a, w, r, decode.NewQuery(r).Page(), a.store.SyncRuns, runOf)
}

// listQuarantine answers GET /v1/integrations/{id}/quarantine, last seen first.
func (a *API) listQuarantine(w http.ResponseWriter, r *http.Request) error {
	return listOf(a, w, r, decode.NewQuery(r).Page(), a.store.Quarantine, quarantinedOf)
}

// listFindings answers GET /v1/integrations/{id}/findings.
func (a *API) listFindings(w http.ResponseWriter, r *http.Request) error {
	return listOf(a, w, r, decode.NewQuery(r).Page(), a.store.Findings, findingOf)
}

// listOf answers with a page of rows that belong to the object in the path.
func listOf[Row, Body any](
	a *API, w http.ResponseWriter, r *http.Request, p store.Page,
	read func(ctx context.Context, orgID, id uuid.UUID, p store.Page) ([]Row, int, error), body func(Row) Body,
) error {
	id, err := objectID(r)
	if err != nil {
		return err
	}
	rows, total, err := read(r.Context(), caller(r), id, p)
	if err != nil {
		return err
	}
	return answerPage(a, w, r, convert(rows, body), p, total)
}

// scheduleBody tells why an integration did or did not run.
type scheduleBody struct {
	SlotAt          *time.Time       `json:"slot_at"`
	ClaimableAt     *time.Time       `json:"claimable_at"` // null: not polled
	WaitReason      *string          `json:"wait_reason"`  // null: waits for its slot
	LeaseOwner      *string          `json:"lease_owner"`  // null: no process has it in hand
	LeaseUntil      *time.Time       `json:"lease_until"`
	Token           int64            `json:"token"`
	PeriodMS        int64            `json:"period_ms"`
	PhaseMS         int64            `json:"phase_ms"`
	ManualRequested bool             `json:"manual_requested"`
	CycleID         *uuid.UUID       `json:"cycle_id"`
	CycleStartedAt  *time.Time       `json:"cycle_started_at"`
	Failures        int              `json:"failures"` // cycles in a row without any success
	Streams         []streamBody     `json:"streams"`
	Transitions     []transitionBody `json:"transitions"` // the last twenty, newest first
}

// streamBody is how far a stream has been read.
type streamBody struct {
	Stream        string     `json:"stream"`
	Watermark     *time.Time `json:"watermark"` // null: never read completely
	Backfilling   bool       `json:"backfilling"`
	LastStatus    *string    `json:"last_status"`
	LastSuccessAt *time.Time `json:"last_success_at"`
	AskAgainAt    *time.Time `json:"ask_again_at"`
}

func streamOf(s store.StreamState) streamBody { return streamBody(s) }

// transitionBody is one change of the schedule or of the health.
type transitionBody struct {
	At     time.Time `json:"at"`
	Kind   string    `json:"kind"`
	From   *string   `json:"from"`
	To     *string   `json:"to"`
	Reason string    `json:"reason"`
}

func transitionOf(t store.Transition) transitionBody { return transitionBody(t) }

// schedule answers GET /v1/integrations/{id}/schedule.
func (a *API) schedule(w http.ResponseWriter, r *http.Request) error {
	id, err := objectID(r)
	if err != nil {
		return err
	}
	s, err := a.store.Schedule(r.Context(), caller(r), id)
	if err != nil {
		return err
	}
	return answerItem(w, r, scheduleBody{
		SlotAt: s.SlotAt, ClaimableAt: s.ClaimableAt, WaitReason: s.WaitReason, LeaseOwner: s.LeaseOwner, LeaseUntil: s.LeaseUntil,
		Token: s.Token, PeriodMS: s.PeriodMS, PhaseMS: s.PhaseMS, ManualRequested: s.ManualNoted,
		CycleID: s.CycleID, CycleStartedAt: s.CycleStartedAt, Failures: s.Failures,
		Streams: convert(s.Streams, streamOf), Transitions: convert(s.Transitions, transitionOf),
	})
}
