package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
)

const (
	// SessionCookie is the cookie that holds a session's token. Because of its prefix, browsers
	// refuse it without Secure, for a path other than the root, or from a neighboring host.
	SessionCookie = "__Host-assay_session"
	// CSRFHeader is where the pages send the session's CSRF token.
	CSRFHeader = "X-CSRF-Token"

	tokenBytes = 32
)

// Token is what a session's cookie holds.
type Token struct{ bytes [tokenBytes]byte }

// NewToken returns a token of 256 random bits.
func NewToken() (t Token) {
	_, _ = rand.Read(t.bytes[:]) // never fails: the process crashes instead
	return t
}

// ParseToken parses a token. It returns ErrMalformed if the text cannot be a token.
func ParseToken(text string) (t Token, err error) {
	// Strict, because the unused bits of the last character would otherwise give a token two
	// spellings.
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != tokenBytes || len(text) != base64.RawURLEncoding.EncodedLen(tokenBytes) {
		return Token{}, ErrMalformed
	}
	copy(t.bytes[:], raw)
	return t, nil
}

// Secret returns the token as the cookie holds it.
func (t Token) Secret() seal.Secret {
	return seal.NewSecret(base64.RawURLEncoding.EncodeToString(t.bytes[:]))
}

// Hash returns the hash that is stored to find the token's session again.
func (t Token) Hash() [sha256.Size]byte { return sha256.Sum256(t.bytes[:]) }

// CSRF returns the token that must be sent with changes in the session. It is derived from the
// session's token, which cannot be derived from it.
func (t Token) CSRF() string {
	mac := hmac.New(sha256.New, t.bytes[:])
	mac.Write([]byte("assay CSRF token"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// String hides the token.
func (t Token) String() string { return t.Secret().String() }

// GoString hides the token.
func (t Token) GoString() string { return t.Secret().String() }

// SetCookie sends the token of a session to the browser. Browsers also keep the cookie for an
// http origin on the same machine, which they trust like https.
func (t Token) SetCookie(w http.ResponseWriter) {
	SetHostCookie(w, SessionCookie, t.Secret().Reveal(), access.SessionLife)
}

// ClearCookie removes a session's token from the browser.
func ClearCookie(w http.ResponseWriter) { ClearHostCookie(w, SessionCookie) }

// SetHostCookie sets a cookie for this host only. No script can read it and no other site's
// request carries it, unless a visitor follows a link. Its name begins with __Host-.
func SetHostCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	http.SetCookie(w, hostCookie(name, value, int(life.Seconds())))
}

// ClearHostCookie removes a cookie that SetHostCookie has set.
func ClearHostCookie(w http.ResponseWriter, name string) { http.SetCookie(w, hostCookie(name, "", -1)) }

func hostCookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}

func sessionCookies(r *http.Request) []*http.Cookie { return r.CookiesNamed(SessionCookie) }

// PresentedToken returns the session token that the request carries, whether such a session
// exists or not.
func PresentedToken(r *http.Request) (Token, bool) {
	cookies := sessionCookies(r)
	if len(cookies) != 1 {
		return Token{}, false
	}
	token, err := ParseToken(cookies[0].Value)
	return token, err == nil
}

// Origins knows from which origins browsers may change something: only from the pages of this
// server.
type Origins struct{ check *http.CrossOriginProtection }

// NewOrigins returns the check for a server that people reach at publicURL, regardless of the
// name under which a proxy forwards requests.
func NewOrigins(publicURL string) (*Origins, error) {
	check := http.NewCrossOriginProtection()
	return &Origins{check}, check.AddTrustedOrigin(publicURL)
}

// Check returns a 403 problem if a browser reports, in Sec-Fetch-Site or Origin, that another
// site's page requests a change.
func (o *Origins) Check(r *http.Request) error {
	if err := o.check.Check(r); err != nil {
		return &problem.Problem{Code: problem.CSRFFailed, Detail: "The request comes from another site.", Cause: err}
	}
	return nil
}

// beginSession is like Begin for a request with a session cookie.
func (a *Authenticator) beginSession(w http.ResponseWriter, r *http.Request, l *Lease, cookies []*http.Cookie) error {
	if len(r.Header.Values("Authorization")) > 0 {
		return requireAuthentication("The request has both an API key and a session cookie, so it is unclear who sent it. Send only one of them.")
	}
	if err := checkQuery(r); err != nil {
		return err
	}
	l.session = true
	token, err := ParseToken(cookies[0].Value)
	if err != nil || len(cookies) > 1 {
		return refuseToken(problem.InvalidSession)
	}
	if err := a.holdCredential(r, token.Hash(), l, a.findSession); err != nil {
		return err
	}
	if err := a.admitSession(r.Context(), w.Header(), token, l); err != nil {
		return err
	}
	return a.checkCSRF(r, token)
}

func (a *Authenticator) findSession(ctx context.Context, hash [32]byte) (uuid.UUID, error) {
	row, err := access.FindSession(ctx, a.store, hash)
	if err == nil && row.EndedAt != nil {
		err = store.ErrSessionEnded
	}
	return row.ID, err
}

// admitSession reads the session and counts the request as its person's. It does neither while
// the person is known to be over the limit.
func (a *Authenticator) admitSession(ctx context.Context, header http.Header, token Token, l *Lease) error {
	began := a.now()
	if wait := a.keys.refusalEnd(l).Sub(began); wait > 0 {
		return a.refuseLimited(header, wait)
	}
	admission, err := access.AdmitSession(ctx, a.store, token.Hash())
	switch {
	case errors.Is(err, store.ErrNotFound): // deleted while the process held it
		a.keys.reportRevoked(ctx, l)
		return l.unknownProblem()
	case err != nil:
		return err
	case admission.EndedAt != nil:
		a.keys.reportRevoked(ctx, l)
		return refuseToken(problem.SessionEnded)
	case admission.Expired():
		return l.expiryProblem()
	}
	rest := min(admission.Reset, admission.ExpiresAt.Sub(admission.At), admission.IdleAt.Sub(admission.At))
	if err := a.checkLimit(header, l, admission.Decision, began, rest); err != nil {
		return err
	}
	l.Identity = Identity{
		OrganizationID: admission.OrganizationID, Name: admission.Person.Name, Scopes: RoleScopes(admission.Person.Role),
		Session: &Session{admission.SignedIn, token.CSRF()},
	}
	return nil
}

// checkCSRF requires that a request that may change something has the session's CSRF token, which
// no other site's page can read, and comes from a page of this site.
func (a *Authenticator) checkCSRF(r *http.Request, token Token) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	if err := a.origins.Check(r); err != nil {
		return err
	}
	sent := r.Header.Values(CSRFHeader)
	if len(sent) != 1 || subtle.ConstantTimeCompare([]byte(sent[0]), []byte(token.CSRF())) != 1 {
		return problem.New(problem.CSRFFailed, "")
	}
	return nil
}
