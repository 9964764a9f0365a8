package interviews

import (
	"errors"
	"fmt"
	"time"
)

// Errors of interviews. If one is returned, nothing was changed.
var (
	// ErrInvalidState means that the interview's status does not permit the request. More specific
	// errors wrap it.
	ErrInvalidState = errors.New("the interview's status does not allow it")
	// ErrStarted means that the trader has started.
	ErrStarted = fmt.Errorf("%w: already started", ErrInvalidState)
	// ErrUnknownUser means that the organization has no such person, or that the person was
	// removed.
	ErrUnknownUser = errors.New("unknown user")
	// ErrInviteOver means that the link was valid once, but has expired, was replaced, or was used
	// up.
	ErrInviteOver = errors.New("invite over")
)

// StateError is an ErrInvalidState with the status that caused it, so that the caller learns what
// to do next.
type StateError struct {
	Err        error // one of the errors that wrap ErrInvalidState
	Status     Status
	CompleteBy *time.Time // until when the trader has to submit; nil if not started
}

// Error implements error.
func (e *StateError) Error() string { return fmt.Sprintf("%v (%s)", e.Err, e.Status) }

// Unwrap returns Err.
func (e *StateError) Unwrap() error { return e.Err }
