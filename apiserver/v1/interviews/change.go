package interviews

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/viewing"
)

// renderInterview returns the response for a changed interview.
func renderInterview(i interviews.Interview) response.Reply {
	return response.Reply{Status: http.StatusOK, Body: interviewOf(i)}
}

// readRequired reads the id in the path and a required body.
func readRequired[T any](a *API, r *http.Request, read func(*decode.Object) T) (id uuid.UUID, v T, err error) {
	if id, err = route.ObjectID(r); err != nil {
		return id, v, err
	}
	if v, err = decode.BodyOf(r, read); err == nil {
		return id, v, nil
	}
	if missing := a.objects.Check(r, route.InterviewsPath, id); missing != nil {
		err = missing
	}
	return id, v, err
}

// decideInterview answers POST /v1/interviews/{id}/decision with the interview. Decisions are
// made nowhere else.
func (a *API) decideInterview(w http.ResponseWriter, r *http.Request) error {
	id, p, err := readRequired(a, r, readDecision)
	if err != nil {
		return err
	}
	i, err := review.Decide(r.Context(), a.store, route.NewRepeatableChange(r, renderInterview), id, p.decision, p.reason)
	if err != nil {
		return err
	}
	return renderInterview(i).Write(w)
}

// assignInterview answers POST /v1/interviews/{id}/assign with the interview.
func (a *API) assignInterview(w http.ResponseWriter, r *http.Request) error {
	id, user, err := readRequired(a, r, readAssignment)
	if err != nil {
		return err
	}
	i, err := review.Assign(r.Context(), a.store, route.NewRepeatableChange(r, renderInterview), id, user)
	if err != nil {
		return unknownUser(err)
	}
	return renderInterview(i).Write(w)
}

// unknownUser returns the problem for a user_id that does not exist.
func unknownUser(err error) error { return unknownUserAt(err, "user_id") }

// unknownUserAt returns the problem for a user who does not exist and is named by a member.
func unknownUserAt(err error, member string) error {
	if problem.From(err).Code == problem.ValidationFailed {
		p := problem.Validation(problem.Fault{Pointer: problem.Pointer{}.Member(member).String(), Code: problem.UnknownUser, Detail: "The organization has no such user."})
		p.Cause = err
		return p
	}
	return err
}

// markCommunicated answers PATCH /v1/interviews/{id}/communication with the interview.
func (a *API) markCommunicated(w http.ResponseWriter, r *http.Request) error {
	id, done, err := readRequired(a, r, readCommunication)
	if err != nil {
		return err
	}
	i, err := review.MarkCommunicated(r.Context(), a.store, route.NewRepeatableChange(r, renderInterview), id, done)
	if err != nil {
		return err
	}
	return renderInterview(i).Write(w)
}

// holdInterview answers PUT /v1/interviews/{id}/legal-hold with the interview.
func (a *API) holdInterview(w http.ResponseWriter, r *http.Request) error {
	id, reason, err := bodyAbout(a, r, readHold)
	if err != nil {
		return err
	}
	i, err := review.Hold(r.Context(), a.store, route.NewRepeatableChange(r, renderInterview), id, reason)
	if err != nil {
		return err
	}
	return renderInterview(i).Write(w)
}

// releaseInterview answers DELETE /v1/interviews/{id}/legal-hold with 204, even if there is no
// hold.
func (a *API) releaseInterview(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	if _, err := review.Release(r.Context(), a.store, route.NewChange(r), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// sharedBody is a new link to a read-only page.
//
//openapi:name ShareCreated
type sharedBody struct {
	// The link. It is returned only once: it is null if the request is repeated.
	URL             *string   `json:"url" api:"max=2048,format=uri" example:"https://assay.example/s/k3V0aGluZyB0byBzZWUgaGVyZSwgZ28gb24gcmVhZGluZw"`
	SecretAvailable bool      `json:"secret_available"` // whether the link is returned
	ExpiresAt       time.Time `json:"expires_at"`       // when the link expires
}

// shareInterview answers POST /v1/interviews/{id}/share.
func (a *API) shareInterview(w http.ResponseWriter, r *http.Request) error {
	id, p, err := bodyAbout(a, r, readShare)
	if err != nil {
		return err
	}
	render := func(m viewing.MadeShare) response.Reply {
		url := a.publicURL + "/s/" + m.Token.Reveal()
		return response.Reply{Status: http.StatusCreated, Body: sharedBody{&url, true, m.ExpiresAt}, Again: sharedBody{nil, false, m.ExpiresAt}}
	}
	m, err := viewing.CreateShare(r.Context(), a.store, route.NewRepeatableChange(r, render), id, p.hours, p.includeDecision)
	if err != nil {
		return err
	}
	return render(m).Write(w)
}

// unshareInterview answers DELETE /v1/interviews/{id}/share with 204.
func (a *API) unshareInterview(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	if err := viewing.RevokeShare(r.Context(), a.store, route.NewChange(r), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// jobBody is a queued job.
//
//openapi:name QueuedJob
type jobBody struct {
	Queued bool       `json:"queued"` // whether the job is queued
	JobID  *uuid.UUID `json:"job_id"` // Unique identifier of the job. All requests for the same job get the same ID until it is done. Null if there was nothing to do.
}

// renderJob returns the response for a job. The zero id means that there is none.
func renderJob(job uuid.UUID) response.Reply {
	return response.Reply{Status: http.StatusAccepted, Body: jobBody{job != uuid.Nil, store.OrNil(job)}}
}

// regenerateReport answers POST /v1/interviews/{id}/regenerate with 202.
func (a *API) regenerateReport(w http.ResponseWriter, r *http.Request) error {
	id, _, err := bodyAbout(a, r, decode.ReadNothing)
	if err != nil {
		return err
	}
	job, err := review.RegenerateReport(r.Context(), a.store, route.NewRepeatableChange(r, renderJob), id)
	if err != nil {
		return err
	}
	return renderJob(job).Write(w)
}

// requestSubtitles answers POST /v1/interviews/{id}/subtitles with 202.
func (a *API) requestSubtitles(w http.ResponseWriter, r *http.Request) error {
	id, _, err := bodyAbout(a, r, decode.ReadNothing)
	if err != nil {
		return err
	}
	job, err := review.RequestSubtitles(r.Context(), a.store, route.NewRepeatableChange(r, renderJob), id)
	if err != nil {
		return err
	}
	return renderJob(job).Write(w)
}

// claimVariable is the path variable that names a claim.
const claimVariable = "claimId"

// confirmClaim answers POST /v1/interviews/{id}/claims/{claimId}/confirm with 202.
func (a *API) confirmClaim(w http.ResponseWriter, r *http.Request) error {
	id, _, err := bodyAbout(a, r, decode.ReadNothing)
	if err != nil {
		return err
	}
	job, err := review.ConfirmClaim(r.Context(), a.store, route.NewRepeatableChange(r, renderJob), id, route.PathText(r, claimVariable))
	if err != nil {
		return err
	}
	return renderJob(job).Write(w)
}

// getSubtitles answers GET /v1/interviews/{id}/subtitles with a file of WebVTT.
func (a *API) getSubtitles(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	vtt, err := viewing.ReadSubtitles(r.Context(), a.store, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerTagged(w, r, response.Representation{Body: []byte(vtt), Tag: response.EntityTag([]byte(vtt))}, func() error {
		response.WriteBody(w, http.StatusOK, mediaVTT+"; charset=utf-8", []byte(vtt))
		return nil
	})
}

// mediaVTT is the media type of captions.
const mediaVTT = "text/vtt"
