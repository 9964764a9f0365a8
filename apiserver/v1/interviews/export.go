package interviews

import (
	"net/http"
	"strconv"
	"time"

	"github.com/assayhq/assay/apiserver/csvexport"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/privacy"
)

// exportInterviews answers GET /v1/interviews/export with all interviews that match the filter.
func (a *API) exportInterviews(w http.ResponseWriter, r *http.Request, f review.Filter) error {
	columns := []string{
		"id", "reference", "trader_id", "trader_name", "trader_email", "trader_external_id", "reason", "status", "partial", "attention_level", "review_priority",
		"high_findings", "decision", "decision_reason", "decided_by", "decided_at", "communicated_at", "assignee", "created_by", "created_at", "started_at",
		"submitted_at", "completed_at", "medium_findings", "low_findings",
	}
	return csvexport.WriteFile(w, r, a.store, privacy.ListExport{List: "interviews"}, columns, func(add func(...string) error) error {
		return review.Each(r.Context(), a.store, route.CallerOrganization(r), f, func(i interviews.Interview) error { return add(interviewCells(i)...) })
	})
}

// interviewCells returns the cells of an interview in an export.
func interviewCells(i interviews.Interview) []string {
	var d interviews.Verdict
	var decidedAt *time.Time
	if len(i.Decisions) > 0 {
		d = i.Decisions[0]
		decidedAt = &d.DecidedAt
	}
	priority := ""
	if i.ReviewPriority != nil {
		priority = strconv.Itoa(*i.ReviewPriority)
	}
	return []string{
		i.ID.String(), csvexport.Text(i.Reference), i.TraderID.String(), csvexport.Text(i.TraderName), csvexport.Text(i.TraderEmail), csvexport.Text(i.TraderExternalID),
		i.Reason, string(i.Status), strconv.FormatBool(i.Partial), csvexport.Text(i.AttentionLevel), priority, strconv.Itoa(i.Findings.High),
		string(d.Decision), csvexport.Text(d.Reason), csvexport.Safe(d.DecidedBy), csvexport.Time(decidedAt), csvexport.Time(i.CommunicatedAt), csvexport.Text(i.AssigneeName), csvexport.Safe(i.CreatedBy),
		csvexport.Time(&i.CreatedAt), csvexport.Time(i.StartedAt), csvexport.Time(i.SubmittedAt), csvexport.Time(i.CompletedAt),
		strconv.Itoa(i.Findings.Medium), strconv.Itoa(i.Findings.Low),
	}
}
