// Package auth says who calls: it knows the form of API keys, their scopes,
// and the answers that a caller without a usable key gets.
package auth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
)

// KeyStore finds keys. *store.DB is one.
type KeyStore interface {
	// APIKeyBySecret returns the key with the hash, also when it has expired
	// or was revoked; store.ErrNotFound when there is none.
	APIKeyBySecret(ctx context.Context, hash [32]byte) (store.APIKey, error)
}

// Identity is who calls.
type Identity struct {
	KeyID          uuid.UUID
	OrganizationID uuid.UUID
	Name           string // of the key, for people
	Scopes         []Scope
}

// Require returns a 403 problem when the identity lacks the scope.
func (id Identity) Require(scope Scope) error {
	if slices.Contains(id.Scopes, scope) {
		return nil
	}
	return &problem.Problem{
		Code:          problem.InsufficientScope,
		Detail:        "The API key lacks the scope " + string(scope) + ".",
		RequiredScope: string(scope),
	}
}

// Authenticator checks the key of a request.
type Authenticator struct {
	keys     KeyStore
	now      func() time.Time
	failures *prometheus.CounterVec
}

// New returns an authenticator. It registers apiserver_auth_failures_total.
func New(keys KeyStore, now func() time.Time, registry prometheus.Registerer) (*Authenticator, error) {
	failures := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "apiserver_auth_failures_total",
		Help: "Requests refused for want of a usable API key or of a scope, by problem code.",
	}, []string{"code"})
	if err := registry.Register(failures); err != nil {
		return nil, err
	}
	for _, code := range []problem.Code{
		problem.AuthenticationRequired, problem.InvalidAPIKey, problem.APIKeyExpired,
		problem.APIKeyRevoked, problem.InsufficientScope,
	} {
		failures.WithLabelValues(string(code))
	}
	return &Authenticator{keys: keys, now: now, failures: failures}, nil
}

// Authenticate returns who sent the request, or a 401 problem with its
// challenge. A key that cannot be one is refused without a database read.
func (a *Authenticator) Authenticate(r *http.Request) (Identity, error) {
	id, err := a.identify(r)
	a.count(err)
	return id, err
}

// Authorize returns a 403 problem when the identity lacks the scope.
func (a *Authenticator) Authorize(id Identity, scope Scope) error {
	err := id.Require(scope)
	a.count(err)
	return err
}

// count counts refusals; a database that is away is none.
func (a *Authenticator) count(err error) {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		a.failures.WithLabelValues(string(p.Code)).Inc()
	}
}

func (a *Authenticator) identify(r *http.Request) (Identity, error) {
	token, err := bearer(r)
	if err != nil {
		return Identity{}, err
	}
	key, err := ParseKey(token)
	if err != nil {
		return Identity{}, refuseToken(problem.InvalidAPIKey)
	}
	row, err := a.keys.APIKeyBySecret(r.Context(), key.Hash())
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Identity{}, refuseToken(problem.InvalidAPIKey)
	case err != nil:
		return Identity{}, err
	case row.RevokedAt != nil:
		return Identity{}, refuseToken(problem.APIKeyRevoked)
	case row.ExpiresAt != nil && !a.now().Before(*row.ExpiresAt):
		return Identity{}, refuseToken(problem.APIKeyExpired)
	}
	id := Identity{KeyID: row.ID, OrganizationID: row.OrganizationID, Name: row.Name, Scopes: make([]Scope, len(row.Scopes))}
	for i, scope := range row.Scopes {
		id.Scopes[i] = Scope(scope)
	}
	return id, nil
}

// bearer takes the token from the Authorization header. A key in the query is
// refused even beside a good header: it has been written to logs on its way.
func bearer(r *http.Request) (string, error) {
	if keyInQuery(r) {
		return "", requireAuthentication("An API key must not stand in the URL, where logs keep it: send it in the header Authorization: Bearer <API_KEY>, and replace the key.")
	}
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

// keyInQuery reports whether the query holds a key, by its value or by one of
// the names under which APIs take them.
func keyInQuery(r *http.Request) bool {
	if r.URL.RawQuery == "" {
		return false
	}
	for name, values := range r.URL.Query() {
		if name == "access_token" || name == "api_key" {
			return true
		}
		for _, value := range values {
			if _, err := ParseKey(strings.TrimSpace(value)); err == nil {
				return true
			}
		}
	}
	return false
}

func requireAuthentication(detail string) error {
	return problem.New(problem.AuthenticationRequired, detail).With("WWW-Authenticate", `Bearer realm="svc"`)
}

func refuseToken(code problem.Code) error {
	return problem.New(code, "").With("WWW-Authenticate", `Bearer realm="svc", error="invalid_token"`)
}

type contextKey struct{}

// NewContext returns a context that carries who calls.
func NewContext(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, contextKey{}, id)
}

// FromContext returns who calls; the zero Identity on a public route.
func FromContext(ctx context.Context) Identity {
	id, _ := ctx.Value(contextKey{}).(Identity)
	return id
}
