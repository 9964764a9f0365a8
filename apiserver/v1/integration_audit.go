package v1

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/syncing"
)

// integrationAuditsBody is how complete what was read from a platform is.
//
//openapi:name IntegrationAudits
type integrationAuditsBody struct {
	Open *integrationAuditBody `json:"open" example:"null"` // the audit that waits or goes on; null: none does
	Last *integrationAuditBody `json:"last"`                // the newest that is over; null: there was none
}

// integrationAuditBody is a comparison of all that a platform shows with what is
// stored.
//
//openapi:name IntegrationAudit
type integrationAuditBody struct {
	ID          uuid.UUID             `json:"id"`                                                                // of the audit, and the cycle_id of its runs
	Trigger     string                `json:"trigger" api:"max=100,open" example:"schedule"`                     // why it began: schedule, every night, or manual, asked for
	Status      string                `json:"status" api:"of=store/syncing.SyncAuditStatus" example:"succeeded"` // how it ended, or that it has not
	Resources   []auditedResourceBody `json:"resources" api:"items=4"`                                           // what it has found, of each resource that is over
	Current     *auditProgressBody    `json:"current" example:"null"`                                            // the resource that is being read; null: none is
	RequestedAt time.Time             `json:"requested_at"`                                                      // when it was asked for, or its time came
	StartedAt   *time.Time            `json:"started_at"`                                                        // when it began; null: it waits
	FinishedAt  *time.Time            `json:"finished_at"`                                                       // when it ended; null: it has not
}

// auditProgressBody is how far an audit has read a resource.
type auditProgressBody struct {
	Resource string `json:"resource" api:"max=100,open" example:"trades"` // traders, accounts, trades or payouts
	readingBody
}

// auditedResourceBody is what an audit has found of one resource.
type auditedResourceBody struct {
	Resource          string     `json:"resource" api:"max=100,open" example:"trades"`                      // traders, accounts, trades or payouts; of trades those of the last 89 days
	Status            string     `json:"status" api:"of=store/syncing.RunStatus" example:"succeeded"`       // how its reading has ended
	CompletenessRatio *float64   `json:"completeness_ratio" api:"float,min=0,max=1" example:"0.9998"`       // the share of the judged records that was stored as it should be, before the repair; null: not everything was shown
	Note              *string    `json:"note" api:"max=100,open" example:"null"`                            // why not everything was shown: the rule that is broken, or never_read; null: it was, or error says why
	RecordsSeen       int64      `json:"records_seen" example:"10002"`                                      // records that the platform has shown
	RecordsJudged     int64      `json:"records_judged" example:"10000"`                                    // those that should have been stored as they are
	RecordsAbsent     int64      `json:"records_absent" example:"1"`                                        // those of the judged that were not stored; repaired
	RecordsStale      int64      `json:"records_stale" example:"1"`                                         // those of the judged that were stored in another version; repaired
	RecordsUnshown    int64      `json:"records_unshown" example:"1"`                                       // stored records that the platform has not shown
	RecordsMissing    int64      `json:"records_missing" example:"1"`                                       // those of the unshown that are marked as missing; none where they are more than 5 percent of the resource at once
	RepairedIDs       []string   `json:"repaired_ids" api:"max=2048,items=100" example:"[\"A-77/880123\"]"` // ids of repaired records, at most 100; of a trade with the account's before it
	MissingIDs        []string   `json:"missing_ids" api:"max=2048,items=100" example:"[\"A-77/880007\"]"`  // ids of records that were marked as missing, at most 100
	Error             *errorBody `json:"error" example:"null"`                                              // what went wrong; null: nothing
	StartedAt         time.Time  `json:"started_at"`                                                        // when its reading began
	FinishedAt        time.Time  `json:"finished_at"`                                                       // when it ended
}

func integrationAuditOf(a *syncing.SyncAudit) *integrationAuditBody {
	if a == nil {
		return nil
	}
	body := &integrationAuditBody{
		ID: a.ID, Trigger: string(a.Trigger), Status: string(a.Status), Resources: convertRows(a.Resources, auditedResourceOf),
		RequestedAt: a.RequestedAt, StartedAt: a.StartedAt, FinishedAt: a.FinishedAt,
	}
	if s := a.Current; s != nil {
		body.Current = &auditProgressBody{string(s.Run.Stream.Resource()), readingOf(s.Run.Reading())}
	}
	return body
}

func auditedResourceOf(r syncing.AuditedResource) auditedResourceBody {
	return auditedResourceBody{
		Resource: string(r.Resource), Status: string(r.Status), CompletenessRatio: r.Ratio, Note: r.Note, RecordsSeen: r.Seen, RecordsJudged: r.Judged,
		RecordsAbsent: r.Absent, RecordsStale: r.Stale, RecordsUnshown: r.Unshown, RecordsMissing: r.Missing,
		RepairedIDs: r.RepairedIDs, MissingIDs: r.MissingIDs, Error: errorOf(r.Error), StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
	}
}

// integrationAudits answers GET /v1/integrations/{id}/audit.
func (a *API) integrationAudits(w http.ResponseWriter, r *http.Request) error {
	id, err := objectID(r)
	if err != nil {
		return err
	}
	found, err := syncing.ListAudits(r.Context(), a.store, callerOrganization(r), id)
	if err != nil {
		return err
	}
	return answerItem(w, r, integrationAuditsBody{Open: integrationAuditOf(found.Open), Last: integrationAuditOf(found.Last)})
}

// requestAudit answers POST /v1/integrations/{id}/audit with the audit that is now queued or
// running, or with why there can be none.
func (a *API) requestAudit(w http.ResponseWriter, r *http.Request) error {
	id, err := a.objectWithoutBody(r, integrationsPath)
	if err != nil {
		return err
	}
	told := func(r syncing.SyncAuditRequest) reply {
		if r.Refused != "" {
			return reply{status: http.StatusOK, body: queuedOf(r.Refused)}
		}
		return reply{status: http.StatusAccepted, body: integrationAuditOf(&r.Audit)}
	}
	requested, err := syncing.RequestAudit(r.Context(), a.store, changeBy(r, told), id)
	if err != nil {
		return err
	}
	return told(requested).write(w)
}

func integrationAuditsOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "getIntegrationAudits", Tag: tagIntegrations, Summary: "Retrieve the latest audits",
		Description: "Returns the audit that is queued or in progress, and the latest one that has ended. An audit reads everything that the platform shows, except trades " +
			"older than 89 days, and compares it with what is stored. Records that are absent or stale are repaired, records that the platform no longer shows get " +
			"a `missing_since`, and nothing is ever deleted. An audit begins every night, at a time that differs between integrations.",
		Answers: []Answer{{Status: http.StatusOK, About: "The audits.", Body: integrationAuditsBody{}}},
	}
}

func requestAuditOperation() Operation {
	return Operation{
		ID: "requestIntegrationAudit", Tag: tagIntegrations, Summary: "Audit an integration now",
		Description: "Requests an audit immediately. A cycle runs first, and then the audit runs alongside the cycles that follow, within the platform's request budget. If " +
			"an audit is already queued or in progress, it is returned. An integration that is not polled cannot be audited: `queued` is then false and `reason` " +
			"says why: `inactive` (enable the integration first), or `check_failed` or `blocked` (a live check has to pass first; see `last_error`).",
		Answers: []Answer{
			{Status: http.StatusAccepted, About: "The audit that is queued or in progress.", Body: integrationAuditBody{}},
			{Status: http.StatusOK, About: "No audit was queued, because the integration is not polled.", Body: queuedBody{}},
		},
	}
}
