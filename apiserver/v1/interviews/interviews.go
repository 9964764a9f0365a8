package interviews

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/apiserver/v1/traders"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/privacy"
)

// interviewListBody is one page of interviews with key figures of the organization.
//
//openapi:name InterviewPage
type interviewListBody struct {
	Data     []interviewBody   `json:"data" api:"items=100"` // Items of the page. Empty past the end of the list.
	Meta     response.Meta     `json:"meta"`                 // position of the page in the list
	Findings findingCountsBody `json:"findings"`             // number of findings in the reports of all interviews that match the filter, by severity
	KPIs     kpisBody          `json:"kpis"`                 // key figures of the entire organization, regardless of the filters and the page
}

// kpisBody is key figures of an organization's interviews that were created in a time window,
// regardless of the filters of the list.
//
//openapi:name InterviewKPIs
type kpisBody struct {
	From     time.Time      `json:"from"`                                                          // start of the window, inclusive
	To       time.Time      `json:"to"`                                                            // end of the window, exclusive
	Total    int            `json:"total"`                                                         // number of interviews
	ByStatus map[string]int `json:"by_status" api:"nonnull,items=20" example:"{\"completed\": 3}"` // number of interviews with each status
	// Number of interviews with each decision. `none` counts those without a decision.
	ByDecision           map[string]int  `json:"by_decision" api:"nonnull,items=20" example:"{\"none\": 3}"`
	AwaitingReview       int             `json:"awaiting_review"`                // number of completed interviews that are undecided or marked for review
	OverdueReview        int             `json:"overdue_review"`                 // number of those that have waited for more than 48 hours
	Unassigned           int             `json:"unassigned"`                     // number of interviews that are not assigned to anyone
	CommunicationPending int             `json:"communication_pending"`          // number of approved or rejected interviews whose trader has not been informed
	CompletionRate       response.Number `json:"completion_rate" example:"0.82"` // Share of the ended interviews that were submitted, from 0 to 1. Null if none has ended.
	// Median time from the invite to the submission, in hours. Null if none was submitted.
	MedianHoursToSubmit response.Number `json:"median_hours_invite_to_submit" example:"20.5"`
	// Median time from the submission to the first decision, in hours. Null if none was decided.
	MedianHoursToDecision response.Number `json:"median_hours_submit_to_decision" example:"3.25"`
	Retakes               int             `json:"retakes"`            // number of interviews that are retakes of another one
	WithHighFindings      int             `json:"with_high_findings"` // number of interviews whose report has a finding of high severity
	ReportFailures        int             `json:"report_failures"`    // number of interviews whose report could not be made
	// Interviews that await a review, by assignee, whenever they were created. Most first.
	Queues []queueBody `json:"queues" api:"items=50"`
}

// queueBody is the interviews that await a review by one person.
//
//openapi:name InterviewQueue
type queueBody struct {
	Assignee assigneeBody `json:"assignee"`                        // whom the interviews are assigned to
	Waiting  int          `json:"waiting" api:"min=1" example:"4"` // number of interviews
}

func queueOf(q review.Queue) queueBody {
	return queueBody{Assignee: assigneeBody{q.PersonID, q.Name}, Waiting: q.Waiting}
}

func kpisOf(k review.KPIs) kpisBody {
	b := kpisBody{
		From: k.From, To: k.To, Total: k.Total, ByStatus: make(map[string]int), ByDecision: make(map[string]int), AwaitingReview: k.AwaitingReview,
		OverdueReview: k.OverdueReview, Unassigned: k.Unassigned, CommunicationPending: k.CommunicationDue, CompletionRate: formatFigure(k.CompletionRate),
		MedianHoursToSubmit: formatFigure(k.HoursToSubmit), MedianHoursToDecision: formatFigure(k.HoursToDecision), Retakes: k.Retakes,
		WithHighFindings: k.WithHighFindings, ReportFailures: k.ReportFailures, Queues: response.ConvertRows(k.Queues, queueOf),
	}
	for status, n := range k.ByStatus {
		b.ByStatus[string(status)] = n
	}
	for decision, n := range k.ByDecision {
		if decision == "" {
			decision = noneWord
		}
		b.ByDecision[string(decision)] = n
	}
	return b
}

// formatFigure formats a figure with four decimals. nil stays nil.
func formatFigure(f *float64) response.Number {
	if f == nil {
		return ""
	}
	d, err := record.ParseDecimal(strconv.FormatFloat(*f, 'f', 4, 64))
	if err != nil {
		return ""
	}
	return response.Number(d)
}

// listInterviews answers GET /v1/interviews with a page and the figures.
func (a *API) listInterviews(w http.ResponseWriter, r *http.Request, in interviewsQuery) error {
	l, err := review.List(r.Context(), a.reads, route.CallerOrganization(r), in.filter, in.page, in.window)
	if err != nil {
		return err
	}
	m := response.LinkPage(w, r, a.publicURL, response.Rows[interviews.Interview]{List: l.List, Page: in.page, Total: l.Total, Position: in.filter.Sort.PositionOf})
	return response.AnswerJSON(w, interviewListBody{response.ConvertRows(l.List, interviewOf), m, findingCountsBody(l.Findings), kpisOf(l.KPIs)})
}

// getInterview answers GET /v1/interviews/{id} with everything that was made of it.
func (a *API) getInterview(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	d, err := interviews.Read(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, DetailOf(d))
}

// madeInterviewBody is a new interview with the link for its trader.
//
//openapi:name InterviewCreated
type madeInterviewBody struct {
	Interview interviewBody `json:"interview"` // the interview
	// Link for the trader. It is returned only once: it is null if the request is repeated.
	InviteURL       *string   `json:"invite_url" api:"max=2048,format=uri" example:"https://assay.example/i/k3V0aGluZyB0byBzZWUgaGVyZSwgZ28gb24gcmVhZGluZw"`
	SecretAvailable bool      `json:"secret_available"`  // whether the link is returned
	InviteExpiresAt time.Time `json:"invite_expires_at"` // When the invite expires. The trader can start until then.
}

// interviewMade returns the response for a new interview, which contains its link only once.
func (a *API) interviewMade(m invite.Made) response.Reply {
	shown, url := interviewOf(m.Interview), a.publicURL+"/i/"+m.Token.Reveal()
	return response.Reply{
		Status: http.StatusCreated, Location: a.publicURL + route.InterviewsPath + m.ID.String(),
		Body:  madeInterviewBody{shown, &url, true, m.InviteExpiresAt},
		Again: madeInterviewBody{shown, nil, false, m.InviteExpiresAt},
	}
}

// createInterview answers POST /v1/interviews.
func (a *API) createInterview(w http.ResponseWriter, r *http.Request) error {
	n, err := decode.BodyOf(r, a.newInterviewFrom)
	if err != nil {
		return err
	}
	m, err := invite.Create(r.Context(), a.store, route.NewRepeatableChange(r, a.interviewMade), n)
	if err != nil {
		return problem.ExplainTaken(interviewProblem(err), traders.TakenExternalID, "trader", "external_id")
	}
	return a.interviewMade(m).Write(w)
}

// retakeInterview answers POST /v1/interviews/{id}/retake as createInterview does.
func (a *API) retakeInterview(w http.ResponseWriter, r *http.Request) error {
	id, retake, err := bodyAbout(a, r, readRetake)
	if err != nil {
		return err
	}
	m, err := invite.CreateRetake(r.Context(), a.store, route.NewRepeatableChange(r, a.interviewMade), id, retake)
	if err != nil {
		return problem.ExplainConflict(interviewProblem(err), "The trader was just merged with another one. Read the interview again.")
	}
	return a.interviewMade(m).Write(w)
}

// deleteInterview answers DELETE /v1/interviews/{id} with 204.
func (a *API) deleteInterview(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	if err := privacy.DeleteInterview(r.Context(), a.store, route.NewChange(r), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// reissuedBody is a new invite link.
//
//openapi:name InviteReissued
type reissuedBody struct {
	// Link for the trader. It is returned only once: it is null if the request is repeated.
	InviteURL       *string   `json:"invite_url" api:"max=2048,format=uri" example:"https://assay.example/i/k3V0aGluZyB0byBzZWUgaGVyZSwgZ28gb24gcmVhZGluZw"`
	SecretAvailable bool      `json:"secret_available"`  // whether the link is returned
	InviteExpiresAt time.Time `json:"invite_expires_at"` // When the invite expires. The trader can start until then.
}

// reissueInvite answers POST /v1/interviews/{id}/reissue.
func (a *API) reissueInvite(w http.ResponseWriter, r *http.Request) error {
	id, hours, err := bodyAbout(a, r, windowHours)
	if err != nil {
		return err
	}
	render := func(m invite.Reissued) response.Reply {
		url := a.publicURL + "/i/" + m.Token.Reveal()
		return response.Reply{Status: http.StatusOK, Body: reissuedBody{&url, true, m.ExpiresAt}, Again: reissuedBody{nil, false, m.ExpiresAt}}
	}
	m, err := invite.Reissue(r.Context(), a.store, route.NewRepeatableChange(r, render), id, hours)
	if err != nil {
		return err
	}
	return render(m).Write(w)
}

// bodyAbout reads the id in the path and an optional body. A missing interview is reported before
// a faulty body.
func bodyAbout[T any](a *API, r *http.Request, read func(*decode.Object) T) (id uuid.UUID, v T, err error) {
	if id, err = route.ObjectID(r); err != nil {
		return id, v, err
	}
	if v, err = decode.OptionalBodyOf(r, read); err == nil {
		return id, v, nil
	}
	if missing := a.objects.Check(r, route.InterviewsPath, id); missing != nil {
		err = missing
	}
	return id, v, err
}

// interviewProblem explains a reference of an interview to something that does not exist, and a reference that is taken.
func interviewProblem(err error) error {
	fault := func(code problem.FaultCode, detail string, members ...string) error {
		p := problem.Validation(problem.Fault{Pointer: problem.PointerTo(members...).String(), Code: code, Detail: detail})
		p.Cause = err
		return p
	}
	switch {
	case errors.Is(err, invite.ErrUnknownTrader):
		return fault(problem.UnknownTrader, "The organization has no such trader.", "trader_id")
	case errors.Is(err, invite.ErrUnknownAccount):
		return fault(problem.UnknownAccount, "Not all of the accounts belong to the trader.", "activity", "account_ids")
	case errors.Is(err, interviews.ErrUnknownUser):
		return fault(problem.UnknownUser, "The organization has no such user.", "assignee_user_id")
	case errors.Is(err, invite.ErrReferenceTaken):
		return problem.NewTaken(problem.ReferenceTaken, err, "Another interview has this reference.", "reference")
	}
	return err
}
