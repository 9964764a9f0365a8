package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
)

// signIn answers POST /session with a Session and its cookie. It ends the browser's previous
// session.
func (a *API) signIn(w http.ResponseWriter, r *http.Request) error {
	if err := a.origins.Check(r); err != nil {
		return err
	}
	p, err := decode.BodyOf(r, readSignIn)
	if err != nil {
		return err
	}
	event := middleware.EventFrom(r.Context())
	people, err := access.ListCandidates(r.Context(), a.store, p.Email, p.Organization)
	if err != nil {
		return err
	}
	attempt, people, err := a.beginSignIn(r, p.Email, people)
	if err != nil {
		return err
	}
	matching, err := a.recognizePeople(r, p, people)
	if err != nil {
		return err
	}
	if len(matching) > 1 {
		attempt.Succeed(r.Context())
		return whichOrganization(response.ConvertRows(matching, func(c access.Candidate) string { return c.OrganizationName }))
	}
	who := matching[0]
	token := auth.NewToken()
	s, err := access.BeginSession(r.Context(), a.store, store.Change{
		OrganizationID: who.OrganizationID, PersonID: who.PersonID, By: who.Name, Client: event.Client, RequestID: event.RequestID,
	}, who.PasswordHash, access.NewSession{TokenHash: token.Hash(), Method: access.ByPassword})
	if errors.Is(err, access.ErrPasswordChanged) {
		return wrongPassword(err)
	}
	if err != nil {
		return err
	}
	attempt.Succeed(r.Context())
	a.setSession(w, r, token, s)
	a.rememberDevice(w, r, who)
	return response.Reply{Status: http.StatusCreated, Body: sessionBegun(token, s)}.Write(w)
}

// leastTries is the minimum number of people whose password is checked if no organization is
// named. It prevents an organization that adds an address from finding out, by the response time,
// whether another organization has it, too.
const leastTries = 2

// recognizePeople returns those of the people with the address who have the password. It checks all
// of them, so that other organizations' people do not get in anybody's way. It does the same work
// whether there is such a person or not, and gives the same response.
func (a *API) recognizePeople(r *http.Request, p signInParams, all []access.Candidate) (matching []access.Candidate, err error) {
	behalf := auth.Behalf(middleware.EventFrom(r.Context()).Client)
	people := slices.DeleteFunc(slices.Clone(all), func(c access.Candidate) bool { return c.PasswordHash == "" })
	for _, who := range people {
		match, err := a.passwords.Match(r.Context(), behalf, p.Password, who.PasswordHash)
		if err != nil {
			return nil, err
		}
		if match {
			matching = append(matching, who)
		}
	}
	least := leastTries
	if p.Organization != "" {
		least = 1
	}
	for range least - len(people) {
		if _, err := a.passwords.Match(r.Context(), behalf, p.Password, ""); err != nil {
			return nil, err
		}
	}
	if len(matching) == 0 {
		a.noteWrongPassword(r, all)
		return nil, wrongPassword(nil)
	}
	return matching, nil
}

// beginSignIn counts an attempt to sign in and returns the people whose password it may try. If
// there were too many attempts, a browser in which one of the people has signed in before has
// attempts of its own, for that person alone. So neither can an organization guess at another one's
// person, nor does it learn that another one knows the address.
func (a *API) beginSignIn(r *http.Request, email string, people []access.Candidate) (*auth.Attempt, []access.Candidate, error) {
	client := middleware.EventFrom(r.Context()).Client
	attempt, err := a.auth.BeginAttempt(r.Context(), email, client, "")
	if !isLimited(err) {
		return attempt, people, err
	}
	device, who := a.knownDevice(r, people)
	if device == "" {
		a.failures.Count(auth.TooMany)
		return nil, nil, err
	}
	attempt, err = a.beginAttempt(r, email, device)
	return attempt, []access.Candidate{who}, err
}

// beginAttempt counts an attempt with a person's password from a device.
func (a *API) beginAttempt(r *http.Request, email, device string) (*auth.Attempt, error) {
	attempt, err := a.auth.BeginAttempt(r.Context(), email, middleware.EventFrom(r.Context()).Client, device)
	if isLimited(err) {
		a.failures.Count(auth.TooMany)
	}
	return attempt, err
}

func isLimited(err error) bool {
	p, ok := errors.AsType[*problem.Problem](err)
	return ok && p.Code == problem.RateLimited
}

// noteWrongPassword records a wrong password for an address.
func (a *API) noteWrongPassword(r *http.Request, people []access.Candidate) {
	a.failures.Count(auth.WrongPassword)
	a.noteFailure(r, people)
}

// noteFailure records a failed attempt with the address of the people. If several people have the
// address and only one of them was meant, none of their organizations learns where the attempt came
// from.
func (a *API) noteFailure(r *http.Request, people []access.Candidate) {
	event := middleware.EventFrom(r.Context())
	client, requestID := event.Client, event.RequestID
	if len(people) > 1 {
		client, requestID = netip.Addr{}, ""
	}
	for _, p := range people {
		a.failures.Note(p.PersonID, p.OrganizationID, client, requestID)
	}
}

// whichOrganization asks a recognized person which organization is meant.
func whichOrganization(names []string) error {
	return &problem.Problem{Code: problem.OrganizationRequired, Organizations: names}
}

// wrongPassword is the only response to an address and a password that do not match.
func wrongPassword(cause error) error {
	p := &problem.Problem{Code: problem.InvalidCredentials, Cause: cause}
	return p.With("WWW-Authenticate", `Bearer realm="svc"`)
}

// setSession sends the browser the cookie of a new session, which replaces its previous one.
func (a *API) setSession(w http.ResponseWriter, r *http.Request, token auth.Token, s access.SignedIn) {
	a.dropPresented(r)
	token.SetCookie(w)
	event := middleware.EventFrom(r.Context())
	event.PersonID, event.OrganizationID = s.PersonID, s.OrganizationID
}

// sessionBegun returns what the page learns about a new session.
func sessionBegun(token auth.Token, s access.SignedIn) sessionBody {
	return sessionOf(&auth.Session{SignedIn: s, CSRFToken: token.CSRF()})
}

// dropPresented ends the browser's previous session. If that fails, the session expires by
// itself, because the browser no longer has its cookie.
func (a *API) dropPresented(r *http.Request) {
	old, ok := auth.PresentedToken(r)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), route.LookupLimit)
	defer cancel()
	if err := access.DropSession(ctx, a.store, old.Hash()); err != nil {
		event := middleware.EventFrom(r.Context())
		event.Cause = cmp.Or(event.Cause, err)
	}
}

// signInMethods answers GET /session/methods with the SignInMethods of the server.
func (a *API) signInMethods(w http.ResponseWriter, r *http.Request) error {
	methods := []string{string(access.ByPassword)}
	if a.oidc != nil {
		methods = append(methods, string(access.ByOIDC))
	}
	return response.AnswerItem(w, r, signInMethodsBody{methods})
}

// getSession answers GET /session with the Session of the request.
func (a *API) getSession(w http.ResponseWriter, r *http.Request) error {
	return response.AnswerItem(w, r, sessionOf(auth.FromContext(r.Context()).Session))
}

// readSignOut returns whether all sessions of the person are to end.
func readSignOut(q *decode.Query) (everywhere bool) {
	everywhere = q.Choice("everywhere", "true", "false") == "true"
	q.Note("everywhere", decode.Note{About: "Whether to end all sessions of the user, including those in other browsers. By default, only this session ends."})
	return everywhere
}

// signOut answers DELETE /session with 204 once no request in the session, or in any of the
// person's sessions, can work or respond any more.
func (a *API) signOut(w http.ResponseWriter, r *http.Request, everywhere bool) error {
	auth.Exempt(r.Context())
	var err error
	if everywhere {
		err = access.EndSessions(r.Context(), a.store, route.NewChange(r))
	} else {
		err = access.EndSession(r.Context(), a.store, route.NewChange(r))
	}
	if err != nil {
		return err
	}
	auth.ClearCookie(w)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// changePassword answers PUT /session/password with the Session that replaces all of the person's
// sessions, and its cookie.
func (a *API) changePassword(w http.ResponseWriter, r *http.Request) error {
	session := auth.FromContext(r.Context()).Session
	p, err := decode.BodyOf(r, readPasswordChange(session.Person.Email, session.Person.Name, session.OrganizationName))
	if err != nil {
		return err
	}
	attempt, err := a.beginAttempt(r, session.Person.Email, session.PersonID.String())
	if err != nil {
		return err
	}
	oldHash, err := access.ReadPasswordHash(r.Context(), a.store, session.OrganizationID, session.PersonID)
	if err != nil {
		return err
	}
	match, err := a.passwords.Match(r.Context(), session.PersonID.String(), p.Current, oldHash)
	if err != nil {
		return err
	}
	if !match {
		a.noteWrongPassword(r, []access.Candidate{{PersonID: session.PersonID, OrganizationID: session.OrganizationID}})
		return problem.Validation(problem.Fault{Pointer: "#/current_password", Code: problem.InvalidFormat, Detail: "Is not your current password."})
	}
	attempt.Succeed(r.Context())
	return a.replacePassword(w, r, oldHash, p.New)
}

// retryConfirmed is the time after which the old sessions have certainly ended.
const retryConfirmed = 5 * time.Second

func (a *API) replacePassword(w http.ResponseWriter, r *http.Request, oldHash string, password seal.Secret) error {
	newHash, err := a.passwords.Hash(r.Context(), auth.FromContext(r.Context()).Session.PersonID.String(), password)
	if err != nil {
		return err
	}
	auth.Exempt(r.Context())
	token := auth.NewToken()
	s, err := access.ChangePassword(r.Context(), a.store, route.NewChange(r), oldHash, newHash, access.NewSession{TokenHash: token.Hash(), Method: access.ByPassword})
	if errors.Is(err, access.ErrPasswordChanged) {
		return fmt.Errorf("%w: %w", store.ErrSessionEnded, err) // by whatever changed it
	}
	if errors.Is(err, access.ErrKeyInUse) && s.ID != uuid.Nil {
		return problem.Unavailable("Your password was changed, so sign in with the new one. A server that was using your session has not confirmed that it stopped.", retryConfirmed, err)
	}
	if err != nil {
		return err
	}
	token.SetCookie(w)
	return response.AnswerJSON(w, sessionBegun(token, s))
}
