package interview

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
)

// Page answers GET /i/{token} with the trader's page: with status 404 if the link never existed,
// and 410 if it has ended, which the page then explains.
func (h *Handler) Page(w http.ResponseWriter, r *http.Request) error {
	opened, err := answering.OpenInvite(r.Context(), h.Store, tokenOf(r))
	if err == nil && opened.Over {
		err = interviews.ErrInviteOver
	}
	return h.answerLinkPage(w, r, err, func(status int) error { return h.Pages.Interview(w, status) })
}

// landing is what everybody with the link may see.
type landing struct {
	Firm          firm      `json:"firm"`
	Status        string    `json:"status"`
	Language      string    `json:"language"`
	AnswerModes   []string  `json:"answer_modes"`
	QuestionCount int       `json:"question_count"` // upper limit: before the start, includes the most questions that may be added from the trader's data
	Minutes       int       `json:"minutes"`        // upper limit: the time to think and for one take of each question
	RetentionDays int       `json:"retention_days"`
	ExpiresAt     time.Time `json:"expires_at"`
	Consent       consent   `json:"consent"`
	Session       bool      `json:"session"` // this browser already has the interview open, so it need not begin
}

type firm struct {
	Name        string  `json:"name"`
	Contact     *string `json:"contact"`
	LawfulBasis *string `json:"lawful_basis"`
}

type consent struct {
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
	Text    string `json:"text"`
}

// Landing answers GET /i/{token}/interview.
func (h *Handler) Landing(w http.ResponseWriter, r *http.Request) error {
	opened, err := h.openInvite(r)
	if err != nil {
		return err
	}
	i := opened.Interview
	questions, length := invite.MostQuestions(i)
	expires := i.InviteExpiresAt
	if i.CompleteBy != nil {
		expires = *i.CompleteBy
	}
	text := h.consentText(opened)
	shown := landing{
		Firm: firm{Name: opened.OrganizationName, Contact: opened.Settings.Contact}, Status: string(i.Status), Language: i.Language, AnswerModes: i.AnswerModes,
		QuestionCount: questions, Minutes: int((length + time.Minute - 1) / time.Minute), RetentionDays: i.RetentionDays, ExpiresAt: expires.UTC(),
		Consent: consent{consentVersion, hashOf(text), text},
	}
	if basis := h.lawfulBasis(opened.Settings, ""); basis != "" {
		shown.Firm.LawfulBasis = &basis
	}
	_, err = h.readSession(r)
	shown.Session = err == nil
	return answerJSON(w, shown)
}

// openInvite returns the interview behind a valid link.
func (h *Handler) openInvite(r *http.Request) (answering.OpenedInvite, error) {
	opened, err := answering.OpenInvite(r.Context(), h.Store, tokenOf(r))
	if err != nil {
		return opened, h.linkError(r, err)
	}
	if opened.Over {
		return opened, problem.New(problem.LinkOver, whyOver(opened))
	}
	return opened, nil
}

// whyOver explains why a link has ended and whom its holder can ask.
func whyOver(o answering.OpenedInvite) string {
	name, ask := o.OrganizationName, o.OrganizationName
	if o.Settings.Contact != nil {
		ask += " (" + *o.Settings.Contact + ")"
	}
	questions := " If you have questions, contact " + ask + "."
	switch i := o.Interview; i.Status {
	case interviews.Declined:
		return "You declined this interview. To answer another way, contact " + ask + "."
	case interviews.Expired:
		return "The deadline to start this interview has passed. For a new link, contact " + ask + "."
	case interviews.Incomplete:
		return "The time for this interview ran out before you sent an answer. For help, contact " + ask + "."
	case interviews.Processing, interviews.Completed, interviews.Failed:
		if i.Partial {
			return "The time for this interview is over. Your answers were submitted for you." + questions
		}
		return "Your answers have been submitted. A person at " + name + " will review them and tell you the outcome." + questions
	default:
		if i.InviteExpiresAt.Before(o.Now) && i.StartedAt == nil {
			return "The deadline to start this interview has passed. For a new link, contact " + ask + "."
		}
		return "This link was replaced. Use the latest link that " + name + " sent you." + questions
	}
}

// Begin answers POST /i/{token}/session with the State and the session's cookie. It ends a
// session in another browser.
func (h *Handler) Begin(w http.ResponseWriter, r *http.Request) error {
	if err := h.Origins.Check(r); err != nil {
		return err
	}
	if err := h.limitLink(r); err != nil {
		return err
	}
	device := ""
	if cookie, err := r.Cookie(deviceCookie); err == nil && len(cookie.Value) <= 64 {
		device = cookie.Value
	}
	if device == "" {
		device = uuid.NewString()
	}
	made, err := answering.BeginSession(r.Context(), h.Store, tokenOf(r), answering.Browser{DeviceHash: []byte(hashOf(device)), IPPrefix: middleware.EventFrom(r.Context()).ClientPrefix()})
	if err != nil {
		return h.linkError(r, err)
	}
	auth.SetHostCookie(w, deviceCookie, device, deviceLife)
	auth.SetHostCookie(w, cookieName(tokenOf(r)), made.Secret.Reveal(), made.ExpiresAt.Sub(made.CreatedAt))
	return h.answerState(w, r, made.Session)
}

// readConsent reads the body of POST consent: the hash of the text that the trader has read.
func readConsent(o *decode.Object) string {
	accepted, hash := o.Bool("accepted"), o.Text("sha256", 64)
	o.Require("accepted", accepted.State)
	o.Require("sha256", hash.State)
	if accepted.State == decode.Set && !accepted.Value {
		o.Fault("accepted", problem.InvalidFormat, "Must be true. To refuse, decline the interview.")
	}
	return hash.Value
}

// Consent answers POST /i/{token}/consent. It refuses a text that has changed since it was shown,
// so that the trader reads the new one.
func (h *Handler) Consent(w http.ResponseWriter, r *http.Request) error {
	s, err := h.readForChange(r)
	if err != nil {
		return err
	}
	hash, err := decode.BodyOf(r, readConsent)
	if err != nil {
		return err
	}
	opened, err := h.openInvite(r)
	if err != nil {
		return err
	}
	text := h.consentText(opened)
	if hash != hashOf(text) {
		return problem.New(problem.Conflict, "The text has changed since it was shown. Reload the page and read it again.")
	}
	if err := answering.DecideConsent(r.Context(), h.Store, s, answering.NewConsent{Accepted: true, TextVersion: consentVersion, Text: text}); err != nil {
		return h.linkError(r, err)
	}
	return h.answerState(w, r, s)
}

// Decline answers POST /i/{token}/decline with 204 and ends the interview.
func (h *Handler) Decline(w http.ResponseWriter, r *http.Request) error {
	s, err := h.readForChange(r)
	if err != nil {
		return err
	}
	if err := decode.NoBody(r); err != nil {
		return err
	}
	opened, err := h.openInvite(r)
	if err != nil {
		return err
	}
	err = answering.DecideConsent(r.Context(), h.Store, s, answering.NewConsent{TextVersion: consentVersion, Text: h.consentText(opened)})
	if err != nil {
		return h.linkError(r, err)
	}
	auth.ClearHostCookie(w, cookieName(tokenOf(r)))
	w.WriteHeader(http.StatusNoContent)
	return nil
}
