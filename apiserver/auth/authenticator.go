// Package auth authenticates callers: it defines the form of API keys and sessions, what they
// permit, and the errors for callers without a valid one.
package auth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// Authenticator checks the key or the session of a request.
type Authenticator struct {
	store    *store.DB
	find     func(ctx context.Context, db *store.DB, hash [32]byte) (access.APIKey, error) // access.FindAPIKey, except in tests that act after it
	keys     *Keys
	now      func() time.Time
	origins  *Origins
	strays   *Throttle // of unknown keys and sessions
	failures *prometheus.CounterVec
	limited  prometheus.Counter
}

// New returns an authenticator that leases the keys. Changes in sessions are accepted from pages
// of the origins. It registers assay_apiserver_auth_failures_total and assay_apiserver_rate_limited_total.
func New(db *store.DB, keys *Keys, origins *Origins, now func() time.Time, registry prometheus.Registerer) (*Authenticator, error) {
	failures, err := newFailures(registry)
	if err != nil {
		return nil, err
	}
	limited, err := newRateLimited(registry)
	return &Authenticator{
		store: db, find: access.FindAPIKey, keys: keys, now: now, origins: origins, strays: NewThrottle(), failures: failures, limited: limited,
	}, err
}

// Begin authenticates the request and gives it a lease on the key or the session, which must be
// released. It returns a 401 problem with its challenge, a 429 if the key or the person has used
// up its requests, or a 403 if a session requests a change from another site's page. A request
// with both a key and a session is refused. Text that cannot be a key or a session is refused
// without a database read.
func (a *Authenticator) Begin(w http.ResponseWriter, r *http.Request) (*Lease, error) {
	l := newLease(a.keys, w)
	if err := a.beginLease(w, r, l); err != nil {
		l.Release()
		a.countRefusal(err)
		return nil, err
	}
	return l, nil
}

// Authorize returns a 403 problem when the identity lacks the scope.
func (a *Authenticator) Authorize(id Identity, scope Scope) error {
	err := id.Require(scope)
	a.countRefusal(err)
	return err
}

// InForceUntil returns when the key or the session of a request ends as things stand, for work
// that may outlast it. The time is on the process's clock, and zero if there is no end. Other
// requests extend a session. The error is a 401 problem if it has ended already.
func (a *Authenticator) InForceUntil(ctx context.Context) (until time.Time, err error) {
	l, ok := ctx.Value(leaseKey{}).(*Lease)
	switch {
	case !ok:
		return until, nil
	case !l.session:
		until = l.expires
	default:
		s, err := access.FindSession(ctx, a.store, l.key.hash)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return until, l.unknownProblem()
		case err != nil:
			return until, err
		}
		until = a.now().Add(min(s.ExpiresAt.Sub(s.Now), s.IdleAt.Sub(s.Now)))
	}
	if !until.IsZero() && !a.now().Before(until) {
		return until, l.expiryProblem()
	}
	return until, nil
}

// countRefusal counts refused keys and missing scopes. Neither a limit nor an unavailable
// database counts as a refusal.
func (a *Authenticator) countRefusal(err error) {
	p, ok := errors.AsType[*problem.Problem](err)
	if ok && (p.Status() == http.StatusUnauthorized || p.Status() == http.StatusForbidden) {
		a.failures.WithLabelValues(string(p.Code)).Inc()
	}
}

func (a *Authenticator) beginLease(w http.ResponseWriter, r *http.Request, l *Lease) error {
	if cookies := sessionCookies(r); len(cookies) > 0 {
		return a.beginSession(w, r, l, cookies)
	}
	if err := checkQuery(r); err != nil {
		return err
	}
	token, err := bearerOf(r)
	if err != nil {
		return err
	}
	key, err := ParseKey(token)
	if err != nil {
		return refuseToken(problem.InvalidAPIKey)
	}
	if err := a.holdCredential(r, key.Hash(), l, a.findKey); err != nil {
		return err
	}
	return a.admitKey(r.Context(), w.Header(), key.Hash(), l)
}

// finder returns the id of the key or the session with a hash: store.ErrNotFound if there is
// none, store.ErrKeyRevoked or store.ErrSessionEnded if it has ended.
type finder func(ctx context.Context, hash [32]byte) (uuid.UUID, error)

func (a *Authenticator) findKey(ctx context.Context, hash [32]byte) (uuid.UUID, error) {
	row, err := a.find(ctx, a.store, hash)
	if err == nil && row.RevokedAt != nil {
		err = store.ErrKeyRevoked
	}
	return row.ID, err
}

// holdCredential makes the process hold the key or the session that find finds. Holding it comes
// before the reading that decides, so that if the key or session ends without this reading
// noticing, the process already holds it.
func (a *Authenticator) holdCredential(r *http.Request, hash [32]byte, l *Lease, find finder) error {
	if a.keys.joinKey(hash, l) {
		return nil
	}
	id, err := find(r.Context(), hash)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return a.refuseUnknown(r, l)
	case isOver(err):
		return l.refusalFor(err)
	case err != nil:
		return err
	}
	if err := a.keys.holdKey(r.Context(), id, hash, l); err != nil {
		return l.refusalFor(err)
	}
	return nil
}

// refuseUnknown refuses a well-formed key or session that does not exist. It returns a 429 if the
// client has tried too many.
func (a *Authenticator) refuseUnknown(r *http.Request, l *Lease) error {
	retryAfter, ok := a.strays.Allow(middleware.EventFrom(r.Context()).Client, a.now())
	if !ok {
		a.limited.Inc()
		return throttleProblem(retryAfter)
	}
	return l.unknownProblem()
}

// admitKey reads the key and counts the request. It does neither while the key is known to be
// over its limit.
func (a *Authenticator) admitKey(ctx context.Context, header http.Header, hash [32]byte, l *Lease) error {
	began := a.now()
	if wait := a.keys.refusalEnd(l).Sub(began); wait > 0 {
		return a.refuseLimited(header, wait)
	}
	admission, err := access.AdmitAPIKey(ctx, a.store, hash)
	switch {
	case errors.Is(err, store.ErrNotFound): // deleted while the process held it
		a.keys.reportRevoked(ctx, l)
		return l.unknownProblem()
	case err != nil:
		return err
	case admission.RevokedAt != nil:
		a.keys.reportRevoked(ctx, l)
		return refuseToken(problem.APIKeyRevoked)
	case !admission.InForce():
		return l.expiryProblem()
	}
	a.keys.noteUse(l)
	if err := a.checkLimit(header, l, admission.Decision, began, limitWait(admission)); err != nil {
		return err
	}
	l.Identity = Identity{
		KeyID: admission.ID, OrganizationID: admission.OrganizationID, Name: admission.Name,
		Scopes: make([]Scope, len(admission.Scopes)), ExpiresAt: admission.ExpiresAt,
	}
	if admission.ExpiresAt != nil {
		l.expires = began.Add(admission.ExpiresAt.Sub(admission.At))
	}
	for i, scope := range admission.Scopes {
		l.Scopes[i] = Scope(scope)
	}
	return nil
}

// bearerOf returns the token of the Authorization header.
func bearerOf(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", requireAuthentication("")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", requireAuthentication("")
	}
	return token, nil
}

// checkQuery refuses a key in the query, even next to a valid header or a session, because it has
// been written to logs on the way.
func checkQuery(r *http.Request) error {
	if keyInQuery(r) {
		return requireAuthentication("API keys are not accepted in the URL, because logs keep it. Send the key in the header Authorization: Bearer <API_KEY>, and replace this one.")
	}
	return nil
}

// keyInQuery reports whether the query holds a key: as a value, as a name, or under one of the
// names that APIs use for keys. Pairs that cannot be decoded are checked as they are.
func keyInQuery(r *http.Request) bool {
	if r.URL.RawQuery == "" {
		return false
	}
	for pair := range strings.FieldsFuncSeq(r.URL.RawQuery, func(c rune) bool { return c == '&' || c == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		name = unescapeQuery(name)
		if name == "access_token" || name == "api_key" || isKey(name) || isKey(unescapeQuery(value)) {
			return true
		}
	}
	return false
}

func isKey(text string) bool {
	_, err := ParseKey(strings.TrimSpace(text))
	return err == nil
}

func unescapeQuery(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

func requireAuthentication(detail string) error {
	return problem.New(problem.AuthenticationRequired, detail).With("WWW-Authenticate", `Bearer realm="svc"`)
}

func refuseToken(code problem.Code) error {
	return problem.New(code, "").With("WWW-Authenticate", `Bearer realm="svc", error="invalid_token"`)
}
