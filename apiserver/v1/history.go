package v1

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// runBody is a run: the reading of one resource in one cycle. Runs that found
// nothing new are added to the run before as repeats.
//
//openapi:name SyncRun
type runBody struct {
	ID                 uuid.UUID  `json:"id"`                                                          // of the run
	CycleID            uuid.UUID  `json:"cycle_id"`                                                    // the same for all runs of one cycle
	Resource           string     `json:"resource" api:"max=100,open" example:"trades"`                // what was read: traders, accounts, trades (on a partner_platform open and closed ones), payouts
	Trigger            string     `json:"trigger" api:"of=store/syncing.Trigger"`                      // why the cycle began
	Mode               string     `json:"mode" api:"of=store/syncing.Mode" example:"incremental"`      // whether everything was read, or what has changed
	Status             string     `json:"status" api:"of=store/syncing.RunStatus" example:"succeeded"` // how the run ended, or that it has not
	RecordsUpserted    int64      `json:"records_upserted" example:"12"`                               // records that were added or changed
	RecordsSeen        int64      `json:"records_seen" example:"30"`                                   // records that the platform sent
	RecordsUnchanged   int64      `json:"records_unchanged" example:"17"`                              // records that were there already, the same
	RecordsQuarantined int64      `json:"records_quarantined" example:"1"`                             // records that could not be used
	Pages              int64      `json:"pages" example:"1"`                                           // pages that were read
	Requests           int64      `json:"requests" example:"1"`                                        // requests that were made, retries among them
	ThrottledMS        int64      `json:"throttled_ms"`                                                // how long the platform made it wait by 429, in milliseconds
	Repeats            int64      `json:"repeats"`                                                     // how many runs after this one found nothing new
	UpdatedSince       *time.Time `json:"updated_since"`                                               // what changed at this time or later was asked for, of trades of a partner_platform what closed since and all open ones; null: everything was
	Error              *errorBody `json:"error"`                                                       // why it failed; null: it did not
	StartedAt          time.Time  `json:"started_at"`                                                  // when it began
	FinishedAt         *time.Time `json:"finished_at"`                                                 // when it ended; null: it is running
}

func runOf(r syncing.SyncRun) runBody {
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
	Resource    string    `json:"resource" api:"max=100,open" example:"trades"`                     // traders, accounts, trades or payouts
	Key         string    `json:"key" api:"max=2048" example:"880123"`                              // the record's id as far as it can be told, that of its account before it where it has one
	Raw         string    `json:"raw" api:"max=65536" example:"{\"id\": 880123, \"side\": \"up\"}"` // JSON text as received, cut at 64 KiB
	Pointer     string    `json:"pointer" api:"max=65536" example:"/side"`                          // a JSON pointer into raw, to what is wrong; empty: all of it
	Rule        string    `json:"rule" api:"max=100,open" example:"unknown_enum_value"`             // the rule that the record breaks; stable
	Detail      string    `json:"detail" api:"max=4096" example:"side must be buy or sell"`         // what is wrong, for a person
	Count       int64     `json:"count" api:"min=1"`                                                // how often it was seen
	FirstSeenAt time.Time `json:"first_seen_at"`                                                    // when it was first seen
	LastSeenAt  time.Time `json:"last_seen_at"`                                                     // when it was last seen
}

func quarantinedOf(q syncing.Quarantined) quarantinedBody { return quarantinedBody(q) }

// findingBody is a rule of the contract that the platform breaks in records
// which can be used all the same.
type findingBody struct {
	Resource    string    `json:"resource" api:"max=100,open" example:"accounts"`        // traders, accounts, trades or payouts
	Rule        string    `json:"rule" api:"max=100,open" example:"numeric_string"`      // the rule; stable
	Count       int64     `json:"count" example:"5"`                                     // how often it was broken
	Samples     []string  `json:"samples" api:"max=2048,items=100" example:"[\"A-77\"]"` // ids of a few records that break it
	FirstSeenAt time.Time `json:"first_seen_at"`                                         // when it was first seen
	LastSeenAt  time.Time `json:"last_seen_at"`                                          // when it was last seen
}

func findingOf(f syncing.Finding) findingBody { return findingBody(f) }

// listRuns answers GET /v1/integrations/{id}/runs, newest first.
func (a *API) listRuns(w http.ResponseWriter, r *http.Request, p store.Page) error {
	return listOf(a, w, r, p, syncing.ListRuns, runOf)
}

// listQuarantine answers GET /v1/integrations/{id}/quarantine, last seen first.
func (a *API) listQuarantine(w http.ResponseWriter, r *http.Request, p store.Page) error {
	return listOf(a, w, r, p, syncing.ListQuarantine, quarantinedOf)
}

// listFindings answers GET /v1/integrations/{id}/findings.
func (a *API) listFindings(w http.ResponseWriter, r *http.Request, p store.Page) error {
	return listOf(a, w, r, p, syncing.ListFindings, findingOf)
}

// listOf answers with a page of rows of the object in the path.
func listOf[Row, Body any](
	a *API, w http.ResponseWriter, r *http.Request, p store.Page,
	read func(ctx context.Context, db *store.DB, orgID, id uuid.UUID, p store.Page) ([]Row, int, error), body func(Row) Body,
) error {
	id, err := objectID(r)
	if err != nil {
		return err
	}
	rows, total, err := read(r.Context(), a.store, callerOrganization(r), id, p)
	if err != nil {
		return err
	}
	return answerPage(a, w, r, convertRows(rows, body), p, total)
}

// scheduleBody is why an integration did or did not run.
type scheduleBody struct {
	SlotAt          *time.Time       `json:"slot_at"`                                       // when the next scheduled cycle begins
	ClaimableAt     *time.Time       `json:"claimable_at"`                                  // when a process may take it in hand; null: it is not polled
	WaitReason      *string          `json:"wait_reason" api:"max=100,open" example:"null"` // why it waits for something else than its slot; "throttled": the platform answers 429; null: it does not wait
	ThrottledSince  *time.Time       `json:"throttled_since" example:"null"`                // when the platform first answered 429 without a good answer since; null: it does not throttle
	RequestGapMS    *int64           `json:"request_gap_ms" example:"200"`                  // how far apart requests to the platform are at present, in milliseconds: 429 widens the gap up to ten seconds, good answers bring it back within a minute; null: none was sent yet
	LeaseOwner      *string          `json:"lease_owner" api:"max=300" example:"null"`      // the process that has it in hand; null: none has
	LeaseUntil      *time.Time       `json:"lease_until" example:"null"`                    // until when, unless it says that it goes on; null: none has it in hand
	Token           int64            `json:"token" example:"42"`                            // rises each time that a process takes it in hand
	PeriodMS        int64            `json:"period_ms" example:"300000"`                    // from slot to slot, in milliseconds
	PhaseMS         int64            `json:"phase_ms" example:"81250"`                      // where the slots lie within the period, counted from 1970, in milliseconds
	ManualRequested bool             `json:"manual_requested"`                              // whether a cycle was asked for
	CycleID         *uuid.UUID       `json:"cycle_id"`                                      // the cycle that goes on; null: none does
	CycleStartedAt  *time.Time       `json:"cycle_started_at"`                              // when it began; null: none goes on
	Failures        int              `json:"failures"`                                      // cycles in a row without any success
	Streams         []streamBody     `json:"streams" api:"items=100"`                       // how far each stream has been read, by name
	Transitions     []transitionBody `json:"transitions" api:"items=20"`                    // the last twenty changes, newest first
}

// streamBody is how far a stream of records has been read.
type streamBody struct {
	Stream        string       `json:"stream" api:"max=100,open" example:"trades"`                       // its name: traders, accounts, trades or payouts; on a partner_platform trades_open and trades_closed instead of trades
	Watermark     *time.Time   `json:"watermark"`                                                        // what the platform changed before this time has been read; null: it was never read completely, or is read whole in every cycle, as trades_open is
	Backfilling   bool         `json:"backfilling"`                                                      // whether everything is still to be read
	LastStatus    *string      `json:"last_status" api:"of=store/syncing.RunStatus" example:"succeeded"` // how its last run ended; null: there was none
	LastSuccessAt *time.Time   `json:"last_success_at"`                                                  // when a run last succeeded; null: none has
	AskAgainAt    *time.Time   `json:"ask_again_at" example:"null"`                                      // a stream that the platform does not have is left alone until then; null: it is not left alone
	Reading       *readingBody `json:"reading" example:"null"`                                           // the run of it that goes on; null: none does
}

func streamOf(s syncing.StreamState) streamBody {
	body := streamBody{
		Stream: s.Stream, Watermark: s.Watermark, Backfilling: s.Backfilling, LastStatus: s.LastStatus, LastSuccessAt: s.LastSuccessAt, AskAgainAt: s.AskAgainAt,
	}
	if s.Reading != nil {
		reading := readingOf(*s.Reading)
		body.Reading = &reading
	}
	return body
}

// readingBody is how far a list is being read. Most platforms do not say how long
// their lists are, so that what is left is an estimate.
type readingBody struct {
	Pages           int64      `json:"pages" example:"12"`                                  // pages that were read
	RecordsSeen     int64      `json:"records_seen" example:"2400"`                         // records that the platform has shown
	RecordsExpected *int64     `json:"records_expected" api:"min=1" example:"null"`         // records that the whole list has, as the platform tells; null: it does not
	Progress        *float64   `json:"progress" api:"float,min=0,max=1" example:"0.42"`     // the share of the list that was read, as an estimate: by records_expected, or by how far `updated_at` has come from the first record's on its way to now; null: neither is known
	StartedAt       time.Time  `json:"started_at"`                                          // when its reading began
	EstimatedEndAt  *time.Time `json:"estimated_end_at" example:"\"2026-01-02T03:14:05Z\""` // when it will have been read, if it goes on at its pace so far; null: too early to say, or progress is not known
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
	At     time.Time `json:"at"`                                                        // when
	Kind   string    `json:"kind" api:"max=100,open" example:"health"`                  // what changed: health, lease, wait, request or settings
	From   *string   `json:"from" api:"max=300" example:"pending"`                      // what it was; null: nothing
	To     *string   `json:"to" api:"max=300" example:"healthy"`                        // what it is; null: nothing
	Reason string    `json:"reason" api:"max=4096" example:"the first cycle succeeded"` // why
}

func transitionOf(t syncing.Transition) transitionBody { return transitionBody(t) }

// getSchedule answers GET /v1/integrations/{id}/schedule.
func (a *API) getSchedule(w http.ResponseWriter, r *http.Request) error {
	id, err := objectID(r)
	if err != nil {
		return err
	}
	s, err := syncing.ReadSchedule(r.Context(), a.store, callerOrganization(r), id)
	if err != nil {
		return err
	}
	return answerItem(w, r, scheduleBody{
		SlotAt: s.SlotAt, ClaimableAt: s.ClaimableAt, WaitReason: s.WaitReason, ThrottledSince: s.ThrottledSince, RequestGapMS: s.GapMS, LeaseOwner: s.LeaseOwner, LeaseUntil: s.LeaseUntil,
		Token: s.Token, PeriodMS: s.PeriodMS, PhaseMS: s.PhaseMS, ManualRequested: s.ManualNoted,
		CycleID: s.CycleID, CycleStartedAt: s.CycleStartedAt, Failures: s.Failures,
		Streams: convertRows(s.Streams, streamOf), Transitions: convertRows(s.Transitions, transitionOf),
	})
}
