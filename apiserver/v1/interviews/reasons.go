package interviews

import (
	"net/http"
	"strings"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/review"
)

// maxReasons is the most reasons that an organization offers. More would not be chosen from.
const maxReasons = 50

// reasonsBody is the reasons for decisions that the organization offers to its reviewers.
//
//openapi:name DecisionReasons
type reasonsBody struct {
	Reasons []reasonBody `json:"reasons" api:"items=50"` // reasons in the order in which they are offered
}

// reasonBody is a text that reviewers can begin the reason for a decision with.
//
//openapi:name DecisionReason
type reasonBody struct {
	Decision *interviews.Decision `json:"decision" example:"rejected"`                                            // The decision that the reason is for. Null for every decision.
	Text     string               `json:"text" api:"max=4000" example:"Trades were copied from another account."` // text of the reason
}

func reasonsOf(reasons []review.Reason) reasonsBody {
	return reasonsBody{response.ConvertRows(reasons, func(r review.Reason) reasonBody { return reasonBody(r) })}
}

// getDecisionReasons answers GET /v1/decision-reasons.
func (a *API) getDecisionReasons(w http.ResponseWriter, r *http.Request) error {
	reasons, err := review.ReadReasons(r.Context(), a.store, route.CallerOrganization(r))
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, reasonsOf(reasons))
}

// replaceDecisionReasons answers PUT /v1/decision-reasons with the new reasons.
func (a *API) replaceDecisionReasons(w http.ResponseWriter, r *http.Request) error {
	condition, err := response.IfMatch(r, reasonsOf)
	if err != nil {
		return err
	}
	reasons, err := decode.BodyOf(r, readReasons)
	if err != nil {
		return err
	}
	if err := review.ReplaceReasons(r.Context(), a.store, route.NewChange(r), reasons, condition); err != nil {
		return err
	}
	return response.Reply{Status: http.StatusOK, Body: reasonsOf(reasons), Item: true}.Write(w)
}

// readReasons reads the body of PUT /v1/decision-reasons.
func readReasons(o *decode.Object) []review.Reason {
	reasons := decode.Objects(o, "reasons", maxReasons, readReason)
	o.Note("reasons", decode.Note{About: "Reasons in the order in which they are offered. They replace all earlier ones; omit them to offer none."})
	return append([]review.Reason{}, reasons.Value...)
}

func readReason(o *decode.Object) review.Reason {
	text := o.Text("text", maxReason)
	o.Note("text", decode.Note{About: "Text of the reason. It must have a visible character.", Example: "Trades were copied from another account.", Least: 1})
	o.Require("text", text.State)
	if text.State == decode.Set && (decode.Blank(text.Value) || strings.ContainsFunc(text.Value, decode.LineControl)) {
		o.Fault("text", problem.InvalidFormat, "Must have a visible character, and no control characters except line feeds and tabs.")
	}
	reason := review.Reason{Text: text.Value}
	decision := decode.ReadWord(o, "decision", decode.TextsOf(interviews.Decisions()), "", "Decision that the reason is for. Omit it, or send null, for every decision.")
	if decision.State == decode.Set && decision.Value != "" {
		reason.Decision = (*interviews.Decision)(&decision.Value)
	}
	return reason
}
