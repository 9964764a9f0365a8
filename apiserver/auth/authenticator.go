// Package auth says who calls: it knows the form of API keys and sessions, what
// they allow, and the answers that a caller without a usable one gets.
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
	find     func(ctx context.Context, db *store.DB, hash [32]byte) (access.APIKey, error) // access.FindAPIKey, but for what tests do after it
	keys     *Keys
	now      func() time.Time
	origins  *Origins
	strays   *Throttle // of unknown keys and sessions
	failures *prometheus.CounterVec
	limited  prometheus.Counter
}

// New returns an authenticator that leases the keys. Changes in sessions are
// taken from pages of the origins. It registers apiserver_auth_failures_total
// and apiserver_rate_limited_total.
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

// Begin finds out who sent the request and gives it a lease on the key or the
// session, which must be released. The error is a 401 problem with its
// challenge, a 429 when the key or the person has used up its requests, or a 403
// when a change comes in a session and not from its page. A request with both a
// key and a session is neither's. What cannot be a key or a session is refused
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

// InForceUntil returns until when the key or the session of a request is in force
// as it stands now, for work that may outlast it; the zero time when it has no
// end. Other requests put the end of a session off. The error is a 401 problem
// when it is over.
func (a *Authenticator) InForceUntil(ctx context.Context) (until time.Time, err error) {
	l, ok := ctx.Value(leaseKey{}).(*Lease)
	switch {
	case !ok:
		return until, nil
	case !l.session && l.ExpiresAt == nil:
		return until, nil
	case !l.session:
		until = *l.ExpiresAt
	default:
		s, err := access.FindSession(ctx, a.store, l.key.hash)
		if err != nil {
			return until, err
		}
		until = s.ExpiresAt
		if s.IdleAt.Before(until) {
			until = s.IdleAt
		}
	}
	if !a.now().Before(until) {
		return until, l.expiryProblem()
	}
	return until, nil
}

// countRefusal counts refusals of keys and those for missing scopes. Neither a
// limit nor a database that is away is a refusal.
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

// finder returns the id of the key or the session with a hash:
// store.ErrNotFound when there is none, store.ErrKeyRevoked or
// store.ErrSessionEnded when it has ended.
type finder func(ctx context.Context, hash [32]byte) (uuid.UUID, error)

func (a *Authenticator) findKey(ctx context.Context, hash [32]byte) (uuid.UUID, error) {
	row, err := a.find(ctx, a.store, hash)
	if err == nil && row.RevokedAt != nil {
		err = store.ErrKeyRevoked
	}
	return row.ID, err
}

// holdCredential makes the process hold the key or the session that find finds.
// It comes before the reading that counts, so that an end which this reading does
// not see finds the key or the session held.
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

// refuseUnknown refuses a well-formed key or session that nobody has. It answers
// with 429 when the client has tried too many.
func (a *Authenticator) refuseUnknown(r *http.Request, l *Lease) error {
	retryAfter, ok := a.strays.Allow(middleware.EventFrom(r.Context()).Client, a.now())
	if !ok {
		a.limited.Inc()
		return throttleProblem(retryAfter)
	}
	if l.session {
		return refuseToken(problem.InvalidSession)
	}
	return refuseToken(problem.InvalidAPIKey)
}

// admitKey reads the key and counts the request. While the key is known to be
// over its limit it does neither.
func (a *Authenticator) admitKey(ctx context.Context, header http.Header, hash [32]byte, l *Lease) error {
	began := a.now()
	if wait := a.keys.refusalEnd(l).Sub(began); wait > 0 {
		return a.refuseLimited(header, wait)
	}
	admission, err := access.AdmitAPIKey(ctx, a.store, hash)
	if err != nil {
		return err
	}
	switch {
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
	for i, scope := range admission.Scopes {
		l.Scopes[i] = Scope(scope)
	}
	return nil
}

// checkLimit says to the caller how many requests are left, or returns a 429 when
// none is: for rest from began on, nobody needs to ask again.
func (a *Authenticator) checkLimit(header http.Header, l *Lease, d access.Decision, began time.Time, rest time.Duration) error {
	if d.Limited {
		a.keys.noteRefusal(l, began.Add(rest))
		return a.refuseLimited(header, d.Reset)
	}
	RateLimitHeaders(header, d.Remaining, d.Reset)
	return nil
}

// refuseLimited answers a request over the limit, which ends after wait.
func (a *Authenticator) refuseLimited(header http.Header, wait time.Duration) error {
	a.limited.Inc()
	RateLimitHeaders(header, 0, wait)
	return limitProblem(wait)
}

// limitWait returns for how long a key over its limit need not be asked for:
// until requests leave the window, or until the key expires, which is reported
// first.
func limitWait(a access.Admission) time.Duration {
	if a.ExpiresAt != nil {
		return min(a.Reset, a.ExpiresAt.Sub(a.At))
	}
	return a.Reset
}

// bearerOf returns the token from the Authorization header.
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

// checkQuery refuses a key in the query, even beside a good header or a session:
// it has been written to logs on its way.
func checkQuery(r *http.Request) error {
	if keyInQuery(r) {
		return requireAuthentication("An API key must not stand in the URL, where logs keep it: send it in the header Authorization: Bearer <API_KEY>, and replace the key.")
	}
	return nil
}

// keyInQuery reports whether the query holds a key: as a value, as a name, or
// under one of the names under which APIs take them. Pairs that cannot be
// decoded are looked at as they stand.
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
