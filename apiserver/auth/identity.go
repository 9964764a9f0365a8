package auth

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/access"
)

// Identity identifies the caller: an API key, or a person in a session.
type Identity struct {
	KeyID          uuid.UUID // zero if a person calls
	OrganizationID uuid.UUID
	Name           string // name of the key or the person, for people
	Scopes         []Scope
	// ExpiresAt is when the key expires. It is nil if the key never expires, and if a person
	// calls.
	ExpiresAt *time.Time
	// Session is the person's session; nil if a key calls.
	Session *Session
}

// Session is a person's sign-in.
type Session struct {
	access.SignedIn
	// CSRFToken must be sent with every change requested in the session.
	CSRFToken string
}

// MustChangePassword reports whether the session only permits changing the initial password.
func (s *Session) MustChangePassword() bool {
	return s.Method == access.ByPassword && s.Person.PasswordTemporary
}

// Caller returns the id of the key or of the person, by which the caller's requests are counted
// and remembered. It is zero if the caller was not recognized.
func (id Identity) Caller() uuid.UUID {
	if id.Session != nil {
		return id.Session.PersonID
	}
	return id.KeyID
}

// Require returns a 403 problem when the identity lacks the scope.
func (id Identity) Require(scope Scope) error {
	if err := id.RequireCaller(); err != nil {
		return err
	}
	if slices.Contains(id.Scopes, scope) {
		return nil
	}
	who := "The API key"
	if id.Session != nil {
		who = "Your role, " + string(id.Session.Person.Role) + ","
	}
	return &problem.Problem{
		Code:          problem.InsufficientScope,
		Detail:        who + " lacks the scope " + string(scope) + ".",
		RequiredScope: string(scope),
	}
}

// RequireCaller returns a 403 problem if a person calls who must first choose another password.
// All other callers may pass.
func (id Identity) RequireCaller() error {
	if id.Session != nil && id.Session.MustChangePassword() {
		return problem.New(problem.PasswordChangeRequired, "")
	}
	return nil
}

// RequireSession returns a 401 problem unless a person calls.
func (id Identity) RequireSession() error {
	if id.Session == nil {
		return requireAuthentication("Only a person who is signed in can do this. Send a session cookie and no API key.")
	}
	return nil
}

type contextKey struct{}

// NewContext returns a context that carries the caller's identity.
func NewContext(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, contextKey{}, id)
}

// FromContext returns the caller's identity, which is zero on a public route.
func FromContext(ctx context.Context) Identity {
	id, _ := ctx.Value(contextKey{}).(Identity)
	return id
}
