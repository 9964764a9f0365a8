package integrations

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/audits"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// integrationAuditsBody is the current and the last audit of an integration. Audits show how
// complete the stored data is.
//
//openapi:name IntegrationAudits
type integrationAuditsBody struct {
	Open *integrationAuditBody `json:"open" example:"null"` // The audit that is queued or running. Null if there is none.
	Last *integrationAuditBody `json:"last"`                // The newest audit that has ended. Null if none has.
}

// integrationAuditBody is a comparison of everything that a platform shows with what is stored.
//
//openapi:name IntegrationAudit
type integrationAuditBody struct {
	ID uuid.UUID `json:"id"` // Unique identifier of the audit. It is also the `cycle_id` of the audit's runs.
	// Why the audit began: `schedule` for the nightly audit, or `manual` if someone requested it.
	Trigger     string                `json:"trigger" api:"max=100,open" example:"schedule"`
	Status      string                `json:"status" api:"of=store/syncing/audits.Status" example:"succeeded"` // how the audit ended, or that it has not ended
	Resources   []auditedResourceBody `json:"resources" api:"items=4"`                                         // results for each resource whose reading has ended
	Current     *auditProgressBody    `json:"current" example:"null"`                                          // The resource that is being read. Null if none is.
	RequestedAt time.Time             `json:"requested_at"`                                                    // when the audit was requested, or when its scheduled time came
	StartedAt   *time.Time            `json:"started_at"`                                                      // When the audit began. Null while it is queued.
	FinishedAt  *time.Time            `json:"finished_at"`                                                     // When the audit ended. Null if it has not ended.
}

// auditProgressBody is an audit's progress in reading a resource.
type auditProgressBody struct {
	Resource string `json:"resource" api:"max=100,open" example:"trades"` // resource that is being read: `traders`, `accounts`, `trades`, or `payouts`
	readingBody
}

// auditedResourceBody is the results of an audit for one resource.
type auditedResourceBody struct {
	// Resource that was read: `traders`, `accounts`, `trades`, or `payouts`. Of trades, only those
	// of the last 89 days.
	Resource string `json:"resource" api:"max=100,open" example:"trades"`
	Status   string `json:"status" api:"of=store/syncing.RunStatus" example:"succeeded"` // how the reading ended
	// Share of the judged records that was stored correctly before the repair. Null if the platform
	// did not show everything.
	CompletenessRatio *float64 `json:"completeness_ratio" api:"float,min=0,max=1" example:"0.9998"`
	// Why the platform did not show everything: the rule that it breaks, or `never_read`. Null if it
	// showed everything, or if `error` explains why it did not.
	Note           *string `json:"note" api:"max=100,open" example:"null"`
	RecordsSeen    int64   `json:"records_seen" example:"10002"`   // number of records that the platform has returned
	RecordsJudged  int64   `json:"records_judged" example:"10000"` // number of those records that should have been stored exactly as they are
	RecordsAbsent  int64   `json:"records_absent" example:"1"`     // Number of judged records that were not stored. They have been repaired.
	RecordsStale   int64   `json:"records_stale" example:"1"`      // Number of judged records that were stored in a different version. They have been repaired.
	RecordsUnshown int64   `json:"records_unshown" example:"1"`    // number of stored records that the platform did not show
	// Number of unshown records that were marked as missing. None is marked if more than 5 percent
	// of the resource would be marked at once.
	RecordsMissing int64 `json:"records_missing" example:"1"`
	// IDs of repaired records, up to 100. The ID of a trade is preceded by that of its account.
	RepairedIDs []string   `json:"repaired_ids" api:"max=2048,items=100" example:"[\"A-77/880123\"]"`
	MissingIDs  []string   `json:"missing_ids" api:"max=2048,items=100" example:"[\"A-77/880007\"]"` // IDs of records that were marked as missing, up to 100
	Error       *errorBody `json:"error" example:"null"`                                             // What went wrong. Null if nothing did.
	StartedAt   time.Time  `json:"started_at"`                                                       // when the reading began
	FinishedAt  time.Time  `json:"finished_at"`                                                      // when the reading ended
}

func integrationAuditOf(a *audits.Audit) *integrationAuditBody {
	if a == nil {
		return nil
	}
	body := &integrationAuditBody{
		ID: a.ID, Trigger: string(a.Trigger), Status: string(a.Status), Resources: response.ConvertRows(a.Resources, auditedResourceOf),
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
func (a *API) integrationAudits(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	found, err := audits.ReadNewest(r.Context(), a.store, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, integrationAuditsBody{Open: integrationAuditOf(found.Open), Last: integrationAuditOf(found.Last)})
}

// requestAudit answers POST /v1/integrations/{id}/audit with the audit that is now queued or
// running, or with why there can be none.
func (a *API) requestAudit(w http.ResponseWriter, r *http.Request) error {
	id, err := a.objects.WithoutBody(r, route.IntegrationsPath)
	if err != nil {
		return err
	}
	render := func(r integrations.AuditRequest) response.Reply {
		if r.Refused != "" {
			return response.Reply{Status: http.StatusOK, Body: queuedOf(r.Refused)}
		}
		return response.Reply{Status: http.StatusAccepted, Body: integrationAuditOf(&r.Audit)}
	}
	requested, err := integrations.RequestAudit(r.Context(), a.store, route.NewRepeatableChange(r, render), id)
	if err != nil {
		return err
	}
	return render(requested).Write(w)
}
