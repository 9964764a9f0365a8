package access

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/docs"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/oidc"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// The path at which people sign in with the OpenID Connect provider, and the path to which it
// redirects them.
const (
	oidcStartPath    = "/oidc/start"
	oidcCallbackPath = "/oidc/callback"
)

// OIDCRedirectURL returns the redirect URI that assay must be registered with at the provider.
func OIDCRedirectURL(publicURL string) string { return publicURL + oidcCallbackPath }

// The browser remembers a sign-in in progress in a cookie that nobody else can read or create.
const (
	oidcCookie  = "__Host-assay_oidc"
	oidcPurpose = "the cookie of a sign-in with OpenID Connect"
	oidcLife    = 10 * time.Minute
	maxReturnTo = 1024
)

// oidcSignIn is a sign-in in progress.
type oidcSignIn struct {
	State        string `json:"s"`
	Nonce        string `json:"n"`
	Verifier     string `json:"v"`
	Organization string `json:"o"` // the requested organization; empty for any
	ReturnTo     string `json:"r"` // path to continue at
	// Account is the person who returned from the provider and has to choose an organization. It
	// is nil until somebody has returned.
	Account *access.ExternalAccount `json:"a,omitempty"`
	Until   time.Time               `json:"u"`
}

// oidcStart is the query with which a sign-in begins.
type oidcStart struct {
	organization string // the name of the requested one
	returnTo     string // the path to continue at
}

func readOIDCStart(q *decode.Query) oidcStart {
	values := q.Values()
	return oidcStart{organization: values.Get("organization"), returnTo: values.Get("return_to")}
}

// startOIDC answers GET /oidc/start with a redirect to the provider.
func (a *API) startOIDC(w http.ResponseWriter, r *http.Request, in oidcStart) error {
	return a.answerReadable(w, r, a.beginOIDC(w, r, in))
}

func (a *API) beginOIDC(w http.ResponseWriter, r *http.Request, in oidcStart) error {
	if a.oidc == nil {
		return withoutOIDC()
	}
	if shown, err := a.askToGoOn(w, r, in); err != nil || shown {
		return err
	}
	s := oidcSignIn{
		State: rand.Text(), Nonce: rand.Text(), Verifier: rand.Text() + rand.Text(),
		Organization: organizationName(in.organization), ReturnTo: localPath(in.returnTo), Until: time.Now().Add(oidcLife),
	}
	to, err := a.oidc.Start(r.Context(), s.State, s.Nonce, s.Verifier)
	if err != nil {
		return providerAway(err)
	}
	if err := a.rememberOIDC(w, s); err != nil {
		return err
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// askToGoOn asks a person who comes from another site whether to sign in, which would replace the
// browser's session, and reports whether it asked. It refuses programs.
func (a *API) askToGoOn(w http.ResponseWriter, r *http.Request, in oidcStart) (shown bool, err error) {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
	default:
		return false, nil
	}
	again := url.Values{"organization": {in.organization}, "return_to": {in.returnTo}}
	to := docs.Link{Text: "Continue to sign in", To: oidcStartPath + "?" + again.Encode()}
	shown, err = a.docs.Choose(w, r, "Sign in?", "Another site sent you here to sign in. Continue only if you meant to.", []docs.Link{to})
	if err == nil && !shown {
		err = problem.New(problem.CSRFFailed, "The request comes from another site.")
	}
	return shown, err
}

// organizationName returns the organization name that somebody entered, shortened to a possible
// length so that an overlong one matches nothing.
func organizationName(text string) string {
	clean := []rune(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return unicode.ReplacementChar
		}
		return c
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar))))
	return string(clean[:min(len(clean), access.MaxOrganizationName+1)])
}

func withoutOIDC() error {
	return problem.New(problem.NotFound, "This server has no OpenID Connect provider. Sign in with a password.")
}

// localPath returns a path of this site to continue at. It returns the root for anything that a
// browser could interpret as another site.
func localPath(to string) string {
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || len(to) > maxReturnTo ||
		strings.ContainsFunc(to, func(c rune) bool { return c == '\\' || unicode.IsControl(c) || c == unicode.ReplacementChar }) {
		return "/"
	}
	return to
}

func (a *API) rememberOIDC(w http.ResponseWriter, s oidcSignIn) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	sealed, err := a.store.SealFor(oidcPurpose, text)
	if err != nil {
		return err
	}
	auth.SetHostCookie(w, oidcCookie, base64.RawURLEncoding.EncodeToString(sealed), oidcLife)
	return nil
}

// oidcReturn is the query with which the provider, or the page that asks for an organization, returns.
type oidcReturn struct {
	state        string
	code, issuer string // of the provider
	failure      string // the provider's error
	organization string // the id of the one that was chosen
}

func readOIDCReturn(q *decode.Query) oidcReturn {
	values := q.Values()
	return oidcReturn{
		state: values.Get("state"), code: values.Get("code"), issuer: values.Get("iss"), failure: values.Get("error"), organization: values.Get("organization"),
	}
}

// finishOIDC answers GET /oidc/callback, to which the provider redirects the browser. It
// redirects the browser and sets a session cookie.
func (a *API) finishOIDC(w http.ResponseWriter, r *http.Request, in oidcReturn) error {
	return a.answerReadable(w, r, a.completeOIDC(w, r, in))
}

func (a *API) completeOIDC(w http.ResponseWriter, r *http.Request, in oidcReturn) error {
	if a.oidc == nil {
		return withoutOIDC()
	}
	s, err := a.recallOIDC(r, in.state)
	if err != nil {
		return err
	}
	auth.ClearHostCookie(w, oidcCookie) // it can be used only once
	if s.Account != nil {
		return a.chooseOIDC(w, r, s, in.organization)
	}
	visit, err := a.auth.BeginVisit(r.Context(), middleware.EventFrom(r.Context()).Client)
	if err != nil {
		return err
	}
	account, err := a.finishAtProvider(r, s, in)
	if err != nil {
		return err
	}
	visit.Succeed(r.Context())
	found, err := access.ListMemberships(r.Context(), a.store, account, s.Organization)
	if errors.Is(err, access.ErrLinkedElsewhere) {
		people, err := access.ListCandidates(r.Context(), a.store, account.Email, s.Organization)
		if err != nil {
			return err
		}
		a.noteFailure(r, people)
	}
	if err != nil {
		return whyRefused(err, account)
	}
	if len(found) > 1 {
		return a.askOrganization(w, r, s, account, found)
	}
	return a.beginExternal(w, r, s, account, found[0])
}

// finishAtProvider asks the provider who has returned.
func (a *API) finishAtProvider(r *http.Request, s oidcSignIn, in oidcReturn) (account access.ExternalAccount, err error) {
	if in.failure != "" || in.code == "" {
		return account, refusedSignIn("The provider did not sign you in.", errors.New("the provider's error: "+shortenText(in.failure)))
	}
	if in.issuer != "" && in.issuer != a.oidc.Issuer() { // RFC 9207
		return account, refusedSignIn("", errors.New("the answer came from another issuer"))
	}
	id, err := a.oidc.Finish(r.Context(), in.code, s.Nonce, s.Verifier)
	if err != nil {
		return account, providerAway(err)
	}
	account = access.ExternalAccount{Issuer: id.Issuer, Subject: id.Subject, Email: id.Email}
	for _, group := range id.Groups {
		account.Role = access.Higher(account.Role, a.groupRoles[group])
	}
	if len(a.groupRoles) > 0 && account.Role == "" {
		if id.ManyGroups {
			return account, refusedSignIn("You are in more groups than the provider sends. Ask whoever manages your account there to let it send only those that are assigned to assay.", errors.New("the provider has left out the groups"))
		}
		return account, refusedSignIn("None of your groups at the provider gives access to assay. Ask whoever manages your account there.", fmt.Errorf("no role for any of %d groups", len(id.Groups)))
	}
	return account, nil
}

// askOrganization shows the organizations to choose from in a person's browser. Each link leads
// to the callback, with a state that only this page contains.
func (a *API) askOrganization(w http.ResponseWriter, r *http.Request, s oidcSignIn, account access.ExternalAccount, found []access.Membership) error {
	next := oidcSignIn{State: rand.Text(), Account: &account, ReturnTo: s.ReturnTo, Until: s.Until}
	if err := a.rememberOIDC(w, next); err != nil {
		return err
	}
	links := response.ConvertRows(found, func(m access.Membership) docs.Link {
		query := url.Values{"state": {next.State}, "organization": {m.OrganizationID.String()}}
		return docs.Link{Text: m.OrganizationName, To: oidcCallbackPath + "?" + query.Encode()}
	})
	shown, err := a.docs.Choose(w, r, "Which organization?", "Your account belongs to several organizations. Choose one.", links)
	if err != nil || shown {
		return err
	}
	auth.ClearHostCookie(w, oidcCookie)
	return whichOrganization(response.ConvertRows(found, func(m access.Membership) string { return m.OrganizationName }))
}

// chooseOIDC signs in to the organization that the person has chosen, by its id.
func (a *API) chooseOIDC(w http.ResponseWriter, r *http.Request, s oidcSignIn, chosen string) error {
	found, err := access.ListMemberships(r.Context(), a.store, *s.Account, "")
	if err != nil {
		return whyRefused(err, *s.Account)
	}
	i := slices.IndexFunc(found, func(m access.Membership) bool { return m.OrganizationID.String() == chosen })
	if i < 0 {
		return refusedSignIn("You can no longer sign in to that organization.", errors.New("the account has no such organization"))
	}
	return a.beginExternal(w, r, s, *s.Account, found[i])
}

// beginExternal begins the session and redirects the browser.
func (a *API) beginExternal(w http.ResponseWriter, r *http.Request, s oidcSignIn, account access.ExternalAccount, m access.Membership) error {
	token, event := auth.NewToken(), middleware.EventFrom(r.Context())
	signedIn, err := access.BeginExternalSession(r.Context(), a.store, store.Change{Client: event.Client, RequestID: event.RequestID},
		account, m, access.NewSession{TokenHash: token.Hash(), Method: access.ByOIDC})
	if err != nil {
		return whyRefused(err, account)
	}
	a.setSession(w, r, token, signedIn)
	http.Redirect(w, r, s.ReturnTo, http.StatusSeeOther)
	return nil
}

// recallOIDC returns the browser's sign-in in progress.
func (a *API) recallOIDC(r *http.Request, state string) (s oidcSignIn, err error) {
	expired := func(cause error) error { return &problem.Problem{Code: problem.SignInExpired, Cause: cause} }
	cookie, err := r.Cookie(oidcCookie)
	if err != nil {
		return s, expired(err)
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return s, expired(errors.New("the cookie does not match the one that was set"))
	}
	text, err := a.store.OpenFor(oidcPurpose, sealed)
	if err != nil {
		return s, expired(err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, expired(err)
	}
	if time.Now().After(s.Until) || subtle.ConstantTimeCompare([]byte(state), []byte(s.State)) != 1 {
		return s, expired(errors.New("the sign-in has expired, or the state belongs to another one"))
	}
	return s, nil
}

// shortenText limits how much of a provider's text, which may be forged, is logged.
func shortenText(text string) string {
	const longest = 100
	return strings.ToValidUTF8(text[:min(len(text), longest)], "?")
}

func refusedSignIn(detail string, cause error) error {
	return &problem.Problem{Code: problem.SignInRefused, Detail: detail, Cause: cause}
}

// providerAway describes an error between assay and the provider.
func providerAway(err error) error {
	if errors.Is(err, oidc.ErrUnavailable) {
		return problem.Unavailable("The OpenID Connect provider did not respond. Try again in a moment.", retryProvider, err)
	}
	return refusedSignIn("", err)
}

const retryProvider = 5 * time.Second

// whyRefused explains why a person was not signed in although the provider knows them.
func whyRefused(err error, account access.ExternalAccount) error {
	switch {
	case errors.Is(err, store.ErrNotFound) && account.Email == "":
		return refusedSignIn("The provider has not verified your email address, and your account there is not linked to a person here.", err)
	case errors.Is(err, store.ErrNotFound):
		return refusedSignIn("Nobody here has the email address of your account at the provider. Ask an owner of your organization to add it.", err)
	case errors.Is(err, access.ErrLinkedElsewhere):
		return refusedSignIn("The person with your email address is linked to another account at the provider. Ask an owner of your organization.", err)
	}
	return err
}

// answerReadable answers people's browsers with a page that explains the error.
func (a *API) answerReadable(w http.ResponseWriter, r *http.Request, err error) error {
	if err == nil {
		return nil
	}
	a.failures.Count(auth.OIDCFailed)
	event := middleware.EventFrom(r.Context())
	p := problem.From(err)
	if !a.docs.SignInFailed(w, r, p, event.RequestID) {
		return err
	}
	event.Problem, event.Cause = string(p.Code), p.Cause
	return nil
}
