package integrations

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/keyset"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// runBody is a run: the reading of one resource in one cycle. A run that finds nothing new is
// counted as a repeat of the run before it.
//
//openapi:name SyncRun
type runBody struct {
	ID      uuid.UUID `json:"id"`       // unique identifier of the run
	CycleID uuid.UUID `json:"cycle_id"` // unique identifier of the cycle, shared by all of its runs
	// Resource that was read: `traders`, `accounts`, `trades` (on a `partner_platform` both open and
	// closed ones), or `payouts`.
	Resource           string `json:"resource" api:"max=100,open" example:"trades"`
	Trigger            string `json:"trigger" api:"of=store/syncing.Trigger"`                      // why the cycle began
	Mode               string `json:"mode" api:"of=store/syncing.Mode" example:"incremental"`      // whether everything was read, or only what changed
	Status             string `json:"status" api:"of=store/syncing.RunStatus" example:"succeeded"` // how the run ended, or that it is still running
	RecordsUpserted    int64  `json:"records_upserted" example:"12"`                               // number of records that were added or changed
	RecordsSeen        int64  `json:"records_seen" example:"30"`                                   // number of records that the platform sent
	RecordsUnchanged   int64  `json:"records_unchanged" example:"17"`                              // number of records that were already stored without a difference
	RecordsQuarantined int64  `json:"records_quarantined" example:"1"`                             // number of records that could not be used
	Pages              int64  `json:"pages" example:"1"`                                           // number of pages that were read
	Requests           int64  `json:"requests" example:"1"`                                        // number of requests that were made, including retries
	ThrottledMS        int64  `json:"throttled_ms"`                                                // how long the run had to wait because the platform answered 429, in milliseconds
	Repeats            int64  `json:"repeats"`                                                     // number of subsequent runs that found nothing new
	// The run requested records that changed at or after this time. For trades of a
	// `partner_platform`, it requested trades that closed at or after this time and all open trades.
	// Null if everything was requested.
	UpdatedSince *time.Time `json:"updated_since"`
	Error        *errorBody `json:"error"`       // Why the run failed. Null if it did not fail.
	StartedAt    time.Time  `json:"started_at"`  // when the run began
	FinishedAt   *time.Time `json:"finished_at"` // When the run ended. Null while it is running.
}

func runOf(r history.Run) runBody {
	return runBody{
		ID: r.ID, CycleID: r.CycleID, Resource: r.Resource, Trigger: r.Trigger, Mode: r.Mode, Status: r.Status,
		RecordsUpserted: r.RecordsUpserted(), RecordsSeen: r.RecordsSeen, RecordsUnchanged: r.RecordsUnchanged,
		RecordsQuarantined: r.RecordsQuarantined, Pages: r.Pages, Requests: r.Requests, ThrottledMS: r.ThrottledMS,
		Repeats: r.Repeats, UpdatedSince: r.UpdatedSince, Error: errorOf(r.Error), StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
	}
}

// quarantinedBody is a record of the platform that could not be used.
//
//openapi:name QuarantinedRecord
type quarantinedBody struct {
	Resource    string    `json:"resource" api:"max=100,open" example:"trades"`                     // resource of the record: `traders`, `accounts`, `trades`, or `payouts`
	Key         string    `json:"key" api:"max=2048" example:"880123"`                              // the record's ID, if it can be determined, preceded by the ID of its account and a slash if it has one
	Raw         string    `json:"raw" api:"max=65536" example:"{\"id\": 880123, \"side\": \"up\"}"` // JSON text of the record as received, truncated to 64 KiB. Empty without the scope `traders:read`.
	Pointer     string    `json:"pointer" api:"max=65536" example:"/side"`                          // JSON pointer into `raw` to the invalid part. Empty for the entire record.
	Rule        string    `json:"rule" api:"max=100,open" example:"unknown_enum_value"`             // Rule that the record breaks. Stable.
	Detail      string    `json:"detail" api:"max=4096" example:"side must be buy or sell"`         // human-readable description of what is wrong
	Count       int64     `json:"count" api:"min=1"`                                                // how often the record was seen
	FirstSeenAt time.Time `json:"first_seen_at"`                                                    // when the record was first seen
	LastSeenAt  time.Time `json:"last_seen_at"`                                                     // when the record was last seen
}

// quarantinedFor returns the body of a record for a caller: what the platform sent may be the
// personal data of a trader.
func quarantinedFor(caller auth.Identity) func(history.Quarantined) quarantinedBody {
	return func(q history.Quarantined) quarantinedBody {
		body := quarantinedBody{
			Resource: q.Resource, Key: record.ReadableKey(q.Key), Pointer: q.Pointer, Rule: q.Rule, Detail: q.Detail, Count: q.Count, FirstSeenAt: q.FirstSeenAt, LastSeenAt: q.LastSeenAt,
		}
		if slices.Contains(caller.Scopes, auth.TradersRead) {
			body.Raw = q.Raw
		}
		return body
	}
}

// findingBody is a rule of the contract that the platform breaks in records that are usable
// nevertheless.
type findingBody struct {
	Resource    string    `json:"resource" api:"max=100,open" example:"accounts"`        // resource of the records: `traders`, `accounts`, `trades`, or `payouts`
	Rule        string    `json:"rule" api:"max=100,open" example:"numeric_string"`      // Rule that is broken. Stable.
	Count       int64     `json:"count" example:"5"`                                     // how often the rule was broken
	Samples     []string  `json:"samples" api:"max=2048,items=100" example:"[\"A-77\"]"` // IDs of a few records that break the rule
	FirstSeenAt time.Time `json:"first_seen_at"`                                         // when the rule was first broken
	LastSeenAt  time.Time `json:"last_seen_at"`                                          // when the rule was last broken
}

func findingOf(f history.Finding) findingBody { return findingBody(f) }

// listRuns answers GET /v1/integrations/{id}/runs.
func (a *API) listRuns(w http.ResponseWriter, r *http.Request, q runsQuery) error {
	read := func(ctx context.Context, reader store.Reader, orgID, id uuid.UUID, p store.Page) ([]history.Run, int, error) {
		return history.ListRuns(ctx, reader, orgID, id, q.filter, p)
	}
	return listOf(a, w, r, q.page, read, history.RunSorts().PositionIn(q.filter.Sort), runOf)
}

// listQuarantine answers GET /v1/integrations/{id}/quarantine.
func (a *API) listQuarantine(w http.ResponseWriter, r *http.Request, q quarantineQuery) error {
	read := func(ctx context.Context, reader store.Reader, orgID, id uuid.UUID, p store.Page) ([]history.Quarantined, int, error) {
		return history.ListQuarantine(ctx, reader, orgID, id, q.filter, p)
	}
	return listOf(a, w, r, q.page, read, history.QuarantineSorts().PositionIn(q.filter.Sort), quarantinedFor(auth.FromContext(r.Context())))
}

// listFindings answers GET /v1/integrations/{id}/findings.
func (a *API) listFindings(w http.ResponseWriter, r *http.Request, p store.Page) error {
	return listOf(a, w, r, p, history.ListFindings, history.Finding.Position, findingOf)
}

// listOf answers with a page of rows of the object in the path.
func listOf[Row, Body any](
	a *API, w http.ResponseWriter, r *http.Request, p store.Page,
	read func(ctx context.Context, reader store.Reader, orgID, id uuid.UUID, p store.Page) ([]Row, int, error),
	position func(Row) keyset.Position, wire func(Row) Body,
) error {
	id, err := route.ObjectID(r)
	if err != nil {
		return err
	}
	rows, total, err := read(r.Context(), a.reads, route.CallerOrganization(r), id, p)
	if err != nil {
		return err
	}
	return response.AnswerPage(w, r, a.publicURL, response.Rows[Row]{List: rows, Page: p, Total: total, Position: position}, wire)
}

// scheduleBody is the scheduling state of an integration. It explains why the integration did or
// did not run.
type scheduleBody struct {
	SlotAt      *time.Time `json:"slot_at"`      // when the next scheduled cycle begins
	ClaimableAt *time.Time `json:"claimable_at"` // When a process may next claim the integration. Null if the platform is not polled.
	// Why the integration waits for something other than its scheduled time: `throttled` means that
	// the platform answers 429. Null if it does not.
	WaitReason *string `json:"wait_reason" api:"max=100,open" example:"null"`
	// When the platform first answered 429 without a successful response since then. Null if the
	// platform is not throttling.
	ThrottledSince *time.Time `json:"throttled_since" example:"null"`
	// Current gap between requests to the platform, in milliseconds. Responses of 429 widen the gap
	// to up to ten seconds, and successful responses narrow it again within a minute. Null if no
	// request has been sent yet.
	RequestGapMS    *int64           `json:"request_gap_ms" example:"200"`
	LeaseOwner      *string          `json:"lease_owner" api:"max=300" example:"null"` // Process that holds the lease on the integration. Null if no process does.
	LeaseUntil      *time.Time       `json:"lease_until" example:"null"`               // When the lease expires unless the process renews it. Null if no process holds the lease.
	Token           int64            `json:"token" example:"42"`                       // Fencing token of the lease. It increases each time that a process claims the integration.
	PeriodMS        int64            `json:"period_ms" example:"300000"`               // time between scheduled cycles, in milliseconds
	PhaseMS         int64            `json:"phase_ms" example:"81250"`                 // offset of the scheduled times within the period, counted from the Unix epoch, in milliseconds
	ManualRequested bool             `json:"manual_requested"`                         // whether someone requested a cycle
	CycleID         *uuid.UUID       `json:"cycle_id"`                                 // Unique identifier of the current cycle. Null if no cycle is running.
	CycleStartedAt  *time.Time       `json:"cycle_started_at"`                         // When the current cycle began. Null if no cycle is running.
	Failures        int              `json:"failures"`                                 // number of consecutive cycles without any success
	Streams         []streamBody     `json:"streams" api:"items=100"`                  // progress of each stream, by name
	Transitions     []transitionBody `json:"transitions" api:"items=20"`               // the last 20 changes of schedule or health, newest first
}

// streamBody is the progress of reading a stream of records.
type streamBody struct {
	// Name of the stream: `traders`, `accounts`, `trades`, or `payouts`. A `partner_platform` has
	// `trades_open` and `trades_closed` instead of `trades`.
	Stream string `json:"stream" api:"max=100,open" example:"trades"`
	// Everything that the platform changed before this time has been read. Null if the stream has
	// never been read completely, or if it is read completely in every cycle, as `trades_open` is.
	Watermark     *time.Time `json:"watermark"`
	Backfilling   bool       `json:"backfilling"`                                                      // whether the first complete read has yet to finish
	LastStatus    *string    `json:"last_status" api:"of=store/syncing.RunStatus" example:"succeeded"` // How the last run ended. Null if there has been no run.
	LastSuccessAt *time.Time `json:"last_success_at"`                                                  // When a run last succeeded. Null if none has.
	// When assay next requests a stream that the platform does not have. Null if the stream is read
	// as usual.
	AskAgainAt *time.Time   `json:"ask_again_at" example:"null"`
	Reading    *readingBody `json:"reading" example:"null"` // The current run of the stream. Null if none is running.
}

func streamOf(s integrations.StreamState) streamBody {
	body := streamBody{
		Stream: s.Stream, Watermark: s.Watermark, Backfilling: s.Backfilling, LastStatus: s.LastStatus, LastSuccessAt: s.LastSuccessAt, AskAgainAt: s.AskAgainAt,
	}
	if s.Reading != nil {
		reading := readingOf(*s.Reading)
		body.Reading = &reading
	}
	return body
}

// readingBody is the progress of reading a list. Most platforms do not state the length of their
// lists, so the remainder is an estimate.
type readingBody struct {
	Pages       int64 `json:"pages" example:"12"`          // number of pages that were read
	RecordsSeen int64 `json:"records_seen" example:"2400"` // number of records that the platform has returned
	// Number of records in the entire list, as stated by the platform. Null if the platform does not
	// state it.
	RecordsExpected *int64 `json:"records_expected" api:"min=1" example:"null"`
	// Estimated share of the list that has been read. It is based on `records_expected`, or on how
	// far `updated_at` has advanced from that of the first record toward the current time. Null if
	// neither is known.
	Progress  *float64  `json:"progress" api:"float,min=0,max=1" example:"0.42"`
	StartedAt time.Time `json:"started_at"` // when the reading began
	// When the reading is expected to end at the current pace. Null if it is too early for an
	// estimate, or if `progress` is null.
	EstimatedEndAt *time.Time `json:"estimated_end_at" example:"\"2026-01-02T03:14:05Z\""`
}

func readingOf(r syncing.StreamReading) readingBody {
	body := readingBody{Pages: r.Pages, RecordsSeen: r.Seen, Progress: r.Share, StartedAt: r.StartedAt, EstimatedEndAt: r.EndsAt}
	if r.Total > 0 {
		body.RecordsExpected = &r.Total
	}
	return body
}

// transitionBody is one change of an integration's schedule or health.
type transitionBody struct {
	At     time.Time `json:"at"`                                                        // when the change happened
	Kind   string    `json:"kind" api:"max=100,open" example:"health"`                  // what changed: `health`, `lease`, `wait`, `request`, or `settings`
	From   *string   `json:"from" api:"max=300" example:"pending"`                      // Value before the change. Null if there was none.
	To     *string   `json:"to" api:"max=300" example:"healthy"`                        // Value after the change. Null if there is none.
	Reason string    `json:"reason" api:"max=4096" example:"the first cycle succeeded"` // why the change happened
}

func transitionOf(t syncing.Transition) transitionBody { return transitionBody(t) }

// getSchedule answers GET /v1/integrations/{id}/schedule.
func (a *API) getSchedule(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	s, err := integrations.ReadSchedule(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, scheduleBody{
		SlotAt: s.SlotAt, ClaimableAt: s.ClaimableAt, WaitReason: s.WaitReason, ThrottledSince: s.ThrottledSince, RequestGapMS: s.GapMS, LeaseOwner: s.LeaseOwner, LeaseUntil: s.LeaseUntil,
		Token: s.Token, PeriodMS: s.PeriodMS, PhaseMS: s.PhaseMS, ManualRequested: s.ManualNoted,
		CycleID: s.CycleID, CycleStartedAt: s.CycleStartedAt, Failures: s.Failures,
		Streams: response.ConvertRows(s.Streams, streamOf), Transitions: response.ConvertRows(s.Transitions, transitionOf),
	})
}
