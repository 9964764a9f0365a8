// Package interview serves the pages behind the links that assay hands out: the trader's page
// under /i/{token} with all its requests, and the shared report under /s/{token}.
//
// A link is all that its holder needs. The trader's first request exchanges the link for a
// session, a cookie of this host that no script can read. A second browser that opens the link
// ends the session of the first. Changes are accepted only from pages of this origin.
package interview

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/web"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
)

// Path variables of the routes.
const (
	TokenVariable    = "token"
	QuestionVariable = "question"
	UploadVariable   = "upload"
)

// Config configures the pages. All fields except LawfulBasis and SharedTTL are required.
type Config struct {
	Store   *store.DB
	Blobs   *blob.Bucket
	Pages   *web.Pages
	Origins *auth.Origins
	Now     func() time.Time
	// PublicURL is the origin of the addresses at which recordings are played.
	PublicURL string
	// LawfulBasis is why recording is lawful, for organizations that give no reason.
	LawfulBasis string
	// SharedTTL is how long the addresses of a shared recording are valid; default 10 minutes.
	SharedTTL time.Duration
}

// Handler serves the pages. Its methods are handlers of public routes.
type Handler struct {
	Config
	strays  *auth.Throttle // clients that try unknown links
	batches *auth.Throttle // sessions that send events
	links   *auth.Throttle // links whose requests store something
	writers turns          // uploads that are written to
}

// strayLimit is how many unknown links a client may try within a minute: enough for an office
// behind one address in which several people mistype a link.
const strayLimit = 20

// linkLimit is how many requests that store something a link allows within a minute: enough for an
// office in which everybody opens a shared report at once.
const linkLimit = 60

// New returns a Handler.
func New(c Config) *Handler {
	if c.SharedTTL <= 0 {
		c.SharedTTL = defaultSharedTTL
	}
	within := func(limit int) *auth.Throttle { return auth.NewThrottleWithin(limit, time.Minute) }
	return &Handler{Config: c, strays: within(strayLimit), batches: within(batchLimit), links: within(linkLimit)}
}

// tokenOf returns the link's token from the path.
func tokenOf(r *http.Request) string { return mux.Vars(r)[TokenVariable] }

// refuseUnknown refuses a link that never existed. It returns a 429 if the client has tried too
// many.
func (h *Handler) refuseUnknown(r *http.Request) *problem.Problem {
	if after, ok := h.strays.Allow(middleware.EventFrom(r.Context()).Client, h.Now()); !ok {
		return auth.AskToWait("Too many unknown links were opened from your IP address. Wait, then open the link that you were sent.", after)
	}
	return problem.New(problem.NotFound, "This link does not exist. Open the full link that you were sent.")
}

// limitLink counts a request that stores something. It returns a 429 if there were too many with the
// link.
func (h *Handler) limitLink(r *http.Request) error {
	if after, ok := h.links.Allow(addressOf([]byte(tokenOf(r))), h.Now()); !ok {
		return auth.AskToWait("There were too many requests with this link. Wait, then try again.", after)
	}
	return nil
}

// linkError converts the store's error about a link or a session to the error for its holder.
func (h *Handler) linkError(r *http.Request, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return h.refuseUnknown(r)
	case errors.Is(err, answering.ErrTakenOver):
		return problem.New(problem.InterviewTakenOver, "")
	case errors.Is(err, interviews.ErrInviteOver):
		return problem.New(problem.LinkOver, "")
	}
	return err
}

// cookieName returns the name of the session's cookie. Each link has its own, so that two
// interviews in one browser do not end each other's session.
func cookieName(token string) string {
	sum := sha256.Sum256([]byte(token))
	return "__Host-assay_interview_" + hex.EncodeToString(sum[:6])
}

// deviceCookie identifies a browser, for as long as a link can be valid. It is not the cookie of a
// browser in which a person has signed in.
const (
	deviceCookie = "__Host-assay_interview_device"
	deviceLife   = 31 * 24 * time.Hour
)

// sessionSecret returns the content of the session's cookie.
func sessionSecret(r *http.Request) (string, error) {
	cookie, err := r.Cookie(cookieName(tokenOf(r)))
	if err != nil {
		return "", problem.New(problem.AuthenticationRequired, "This browser has no session for the interview. Open its link.")
	}
	return cookie.Value, nil
}

// readSession returns the request's trader session.
func (h *Handler) readSession(r *http.Request) (answering.Session, error) {
	secret, err := sessionSecret(r)
	if err != nil {
		return answering.Session{}, err
	}
	s, err := answering.FindSession(r.Context(), h.Store, secret)
	return s, admitSession(r, s, err)
}

// admitSession refuses a session that has ended or could not be found.
func admitSession(r *http.Request, s answering.Session, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return problem.New(problem.InterviewTakenOver, "")
	case err != nil:
		return err
	case s.Over && s.OverReason != nil && *s.OverReason == "taken_over":
		return problem.New(problem.InterviewTakenOver, "")
	case s.Over && !s.Now.Before(s.ExpiresAt): // the link itself may well be valid
		return problem.New(problem.AuthenticationRequired, "This browser's session for the interview has expired. Open the link again.")
	case s.Over:
		return problem.New(problem.LinkOver, "")
	}
	event := middleware.EventFrom(r.Context())
	event.OrganizationID, event.ObjectID = s.OrganizationID, s.InterviewID
	return nil
}

// readForChange is like readSession for a request that changes something.
func (h *Handler) readForChange(r *http.Request) (answering.Session, error) {
	if err := h.Origins.Check(r); err != nil {
		return answering.Session{}, err
	}
	return h.readSession(r)
}

// readInterview reads the interview of a session.
func (h *Handler) readInterview(r *http.Request, s answering.Session) (interviews.Interview, error) {
	return answering.ReadInterview(r.Context(), h.Store, s)
}

// answerJSON writes a JSON answer.
func answerJSON(w http.ResponseWriter, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writePrivate(w, "application/json", body)
}

// writePrivate answers with bytes of a media type that belong to a link and must not be cached or
// indexed.
func writePrivate(w http.ResponseWriter, mediaType string, body []byte) error {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	// An error means that the client has gone.
	_, _ = w.Write(body)
	return nil
}
