package interviews

import (
	"net/http"
	"strconv"
	"time"

	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/apiserver/v1/table"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/privacy"
)

// exportInterviews answers GET /v1/interviews/export with all interviews that match the filter.
func (a *API) exportInterviews(w http.ResponseWriter, r *http.Request, f review.Filter) error {
	columns := []string{
		"id", "reference", "trader_id", "trader_name", "trader_email", "trader_external_id", "reason", "status", "partial", "attention_level", "review_priority",
		"high_findings", "decision", "decision_reason", "decided_by", "decided_at", "communicated_at", "assignee", "created_by", "created_at", "started_at",
		"submitted_at", "completed_at",
	}
	return table.Answer(w, r, a.store, privacy.ListExport{List: "interviews"}, columns, func(add func(...string) error) error {
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
		i.ID.String(), table.Text(i.Reference), i.TraderID.String(), table.Text(i.TraderName), table.Text(i.TraderEmail), table.Text(i.TraderExternalID),
		i.Reason, string(i.Status), strconv.FormatBool(i.Partial), table.Text(i.AttentionLevel), priority, strconv.Itoa(i.HighFindings),
		string(d.Decision), table.Text(d.Reason), table.Safe(d.DecidedBy), table.Time(decidedAt), table.Time(i.CommunicatedAt), table.Text(i.AssigneeName), table.Safe(i.CreatedBy),
		table.Time(&i.CreatedAt), table.Time(i.StartedAt), table.Time(i.SubmittedAt), table.Time(i.CompletedAt),
	}
}
