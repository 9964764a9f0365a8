package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
)

const (
	// SessionCookie is the cookie that holds a session's token. Its prefix keeps
	// browsers from taking it without Secure, for another path than the root, or
	// from a neighbouring host.
	SessionCookie = "__Host-assay_session"
	// CSRFHeader is where the pages send the session's CSRF token.
	CSRFHeader = "X-CSRF-Token"

	tokenBytes = 32
)

// Token is what a session's cookie holds.
type Token struct{ bytes [tokenBytes]byte }

// NewToken returns a token of 256 random bits.
func NewToken() (t Token) {
	_, _ = rand.Read(t.bytes[:]) // never fails: the process dies instead
	return t
}

// ParseToken reads a token; ErrMalformed when it cannot be one.
func ParseToken(text string) (t Token, err error) {
	// Strict: bits that a shorter text leaves over would give a token two spellings.
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

// Hash is what is stored of the token to find its session again.
func (t Token) Hash() [sha256.Size]byte { return sha256.Sum256(t.bytes[:]) }

// CSRF is the token that goes with changes in the session. It follows from the
// session's, and does not lead back to it.
func (t Token) CSRF() string {
	mac := hmac.New(sha256.New, t.bytes[:])
	mac.Write([]byte("assay CSRF token"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// String hides the token.
func (t Token) String() string { return t.Secret().String() }

// GoString hides the token.
func (t Token) GoString() string { return t.Secret().String() }

// SetCookie gives the browser the token of a session. Browsers hold the cookie
// of an http origin on this machine as well, which they trust like https.
func (t Token) SetCookie(w http.ResponseWriter) {
	SetHostCookie(w, SessionCookie, t.Secret().Reveal(), access.SessionLife)
}

// ClearCookie takes the token of a session from the browser.
func ClearCookie(w http.ResponseWriter) { ClearHostCookie(w, SessionCookie) }

// SetHostCookie sets a cookie for this host alone that no script reads and no
// other site's request carries, but for a visitor's who follows a link. Its name
// begins with __Host-.
func SetHostCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	http.SetCookie(w, hostCookie(name, value, int(life.Seconds())))
}

// ClearHostCookie takes a cookie that SetHostCookie has set from the browser.
func ClearHostCookie(w http.ResponseWriter, name string) { http.SetCookie(w, hostCookie(name, "", -1)) }

func hostCookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}

func sessionCookies(r *http.Request) []*http.Cookie { return r.CookiesNamed(SessionCookie) }

// PresentedToken returns the token of the session that the request comes with,
// whether there is such a session or not.
func PresentedToken(r *http.Request) (Token, bool) {
	cookies := sessionCookies(r)
	if len(cookies) != 1 {
		return Token{}, false
	}
	token, err := ParseToken(cookies[0].Value)
	return token, err == nil
}

// Origins knows from where browsers may change something: the pages of this
// server alone.
type Origins struct{ check *http.CrossOriginProtection }

// NewOrigins returns the check for a server that people reach at publicURL,
// whatever the name under which a proxy passes requests on.
func NewOrigins(publicURL string) (*Origins, error) {
	check := http.NewCrossOriginProtection()
	return &Origins{check}, check.AddTrustedOrigin(publicURL)
}

// Check returns a 403 problem when a browser says, by Sec-Fetch-Site or Origin,
// that another site's page asks for a change.
func (o *Origins) Check(r *http.Request) error {
	if err := o.check.Check(r); err != nil {
		return &problem.Problem{Code: problem.CSRFFailed, Detail: "The request comes from a page of another site.", Cause: err}
	}
	return nil
}

// beginSession is begin for a request with the cookie of a session.
func (a *Authenticator) beginSession(w http.ResponseWriter, r *http.Request, l *Lease, cookies []*http.Cookie) error {
	if len(r.Header.Values("Authorization")) > 0 {
		return requireAuthentication("The request comes with an API key and with the cookie of a session. Send one of them: whose request it is must not be in doubt.")
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

// admitSession reads the session and counts the request as its person's. While
// the person is known to be over the limit it does neither.
func (a *Authenticator) admitSession(ctx context.Context, header http.Header, token Token, l *Lease) error {
	began := a.now()
	if wait := a.keys.refusalEnd(l).Sub(began); wait > 0 {
		return a.refuseLimited(header, wait)
	}
	admission, err := access.AdmitSession(ctx, a.store, token.Hash())
	if err != nil {
		return err
	}
	switch {
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

// checkCSRF asks a request that may change something for the session's CSRF
// token, which no other site's page can read, and for a page of this site.
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
