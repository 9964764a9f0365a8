package interviews

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/review"
)

// Limits of filters, in characters.
const (
	maxInterviewSearch = 100
	maxFilterWords     = 200
)

// noneWord is the filter value for objects without a value.
const noneWord = "none"

// interviewsQuery is the query of GET /v1/interviews.
type interviewsQuery struct {
	page   store.Page
	filter review.Filter
	window review.KPIWindow
}

func readInterviewsQuery(q *decode.Query) interviewsQuery {
	in := interviewsQuery{page: q.Page(), filter: readInterviewFilter(q)}
	in.window.From = decode.NoteParameter(q, "kpi_from", "Limits `kpis` to interviews created at or after this time. The default is 30 days before `kpi_to`.", q.Time("kpi_from"))
	in.window.To = decode.NoteParameter(q, "kpi_to", "Limits `kpis` to interviews created before this time. The default is now.", q.Time("kpi_to"))
	return in
}

// readInterviewFilter reads the query of GET /v1/interviews without its page and figures.
func readInterviewFilter(q *decode.Query) review.Filter {
	f := review.Filter{
		TraderID:      decode.NoteParameter(q, "trader_id", "Only interviews of this trader.", q.UUID("trader_id")),
		Email:         decode.NoteParameter(q, "email", "Only interviews of traders with this email, case-insensitive.", q.Text("email", decode.MaxEmail)),
		Reference:     decode.NoteParameter(q, "reference", "Only the interview with this reference.", q.Text("reference", maxReference)),
		Finding:       decode.NoteParameter(q, "finding", "Only interviews whose report has a finding of this kind.", q.Text("finding", maxWord)),
		Reason:        decode.NoteParameter(q, "reason", "Only interviews with this reason.", q.Choice("reason", invite.Reasons()...)),
		CreatedFrom:   decode.NoteParameter(q, "created_from", "Only interviews created at or after this time.", q.Time("created_from")),
		CreatedTo:     decode.NoteParameter(q, "created_to", "Only interviews created before this time.", q.Time("created_to")),
		CompletedFrom: decode.NoteParameter(q, "completed_from", "Only interviews whose first report was completed at or after this time.", q.Time("completed_from")),
		CompletedTo:   decode.NoteParameter(q, "completed_to", "Only interviews whose first report was completed before this time.", q.Time("completed_to")),
		Communicated:  readBool(q, "communicated", "Whether the trader has been informed of the outcome."),
		Partial:       readBool(q, "partial", "Whether time ran out before all questions were answered."),
		Overdue:       readBool(q, "overdue", "Whether a completed interview has been waiting for a decision for more than 48 hours."),
		Search:        decode.ReadSearch(q, maxInterviewSearch, "Part of the trader's name or email, or of the reference, case-insensitive.", "smith"),
		Attention:     readWordList(q, "attention", "How much attention the report calls for.", interviews.AttentionLevels()),
		Severities:    readWordList(q, "severity", "Only interviews whose report has a finding of this severity.", review.Severities()),
		Sort:          review.Sort(q.Choice("sort", decode.TextsOf(review.Sorts())...)),
	}
	q.Note("sort", decode.Note{
		About:   "The sort order; `-` means descending. Interviews without the value come last. `trader`, `assignee` and `created_by` sort by name, `status` by stage. Orders other than `created_at` sort all interviews that match for each page.",
		Default: string(review.Newest),
	})
	for _, s := range readWordList(q, "status", "The status of the interview.", decode.TextsOf(interviews.Statuses())) {
		f.Statuses = append(f.Statuses, interviews.Status(s))
	}
	for _, d := range readWordList(q, "decision", "The current decision, or `none` for undecided interviews.", append(decode.TextsOf(interviews.Decisions()), noneWord)) {
		if d == noneWord {
			f.Undecided = true
		} else {
			f.Decisions = append(f.Decisions, interviews.Decision(d))
		}
	}
	f.MentionedID = decode.NoteParameter(q, "mentioned", "Only interviews where a comment mentions the user with this id, who has not responded or dismissed it.", q.UUID("mentioned"))
	f.AssigneeID, f.Unassigned = readAssignee(q)
	return f
}

// readBool reads a boolean. It returns nil if the parameter is absent.
func readBool(q *decode.Query, name, about string) *bool {
	text := decode.NoteParameter(q, name, about, q.Choice(name, "true", "false"))
	if text == "" {
		return nil
	}
	v := text == "true"
	return &v
}

// readWordList reads one or more words separated by commas. It returns nil if the parameter is
// absent.
func readWordList(q *decode.Query, name, about string, known []string) []string {
	text := q.Text(name, maxFilterWords)
	one := "(" + strings.Join(known, "|") + ")"
	q.Note(name, decode.Note{About: about + " Takes one value or several, comma-separated.", Example: known[0], Pattern: "^" + one + "(," + one + ")*$"})
	if text == "" {
		return nil
	}
	list := strings.Split(text, ",")
	for _, w := range list {
		if !slices.Contains(known, w) {
			q.Parameter(name, problem.InvalidFormat, "Must be one or more of "+strings.Join(known, ", ")+", comma-separated.")
			return nil
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// readAssignee reads a person's id, or noneWord.
func readAssignee(q *decode.Query) (id *uuid.UUID, nobody bool) {
	text := decode.NoteParameter(q, "assignee", "Only interviews assigned to the user with this id, or `none` for unassigned interviews.", q.Text("assignee", uuidLength))
	if text == "" || text == noneWord {
		return nil, text == noneWord
	}
	parsed, err := decode.UUID(text)
	if err != nil {
		q.Parameter("assignee", problem.InvalidFormat, "Must be a UUID, or none.")
		return nil, false
	}
	return &parsed, false
}
