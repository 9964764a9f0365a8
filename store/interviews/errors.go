package interviews

import (
	"errors"
	"fmt"
	"time"

	"github.com/assayhq/assay/store"
)

// Errors of interviews. Each says that nothing was changed.
var (
	// ErrInvalidState: the interview's status does not allow what was asked. The
	// ones below are that, too, where there is a better name for it.
	ErrInvalidState = errors.New("the interview's status does not allow it")
	// ErrInterviewStarted: the trader has started.
	ErrInterviewStarted = fmt.Errorf("%w: already started", ErrInvalidState)
	// ErrInterviewDeclined: the trader has declined.
	ErrInterviewDeclined = fmt.Errorf("%w: declined", ErrInvalidState)
	// ErrInterviewOpen: the interview is not over.
	ErrInterviewOpen = fmt.Errorf("%w: still open", ErrInvalidState)
	// ErrNothingToReport: the interview was not held, or the trader left no answer.
	ErrNothingToReport = fmt.Errorf("%w: nothing to report on", ErrInvalidState)
	// ErrMediaProcessing: the recording is being made.
	ErrMediaProcessing = fmt.Errorf("%w: media is being processed", ErrInvalidState)

	// ErrReferenceTaken: another interview of the organization has the reference.
	ErrReferenceTaken = errors.New("reference taken")
	// ErrUnknownTrader: the organization has no such trader.
	ErrUnknownTrader = errors.New("unknown trader")
	// ErrUnknownAccount: an account is not the trader's.
	ErrUnknownAccount = errors.New("unknown account")
	// ErrUnknownUser: nobody of the organization, or a person who was removed.
	ErrUnknownUser = errors.New("unknown user")
	// ErrUnknownClaim: the newest report has no such claim.
	ErrUnknownClaim = fmt.Errorf("%w: no such claim", store.ErrNotFound)
	// ErrNoShare: there is no link to revoke.
	ErrNoShare = fmt.Errorf("%w: no share link", store.ErrNotFound)
	// ErrNoSubtitles: there are no captions.
	ErrNoSubtitles = fmt.Errorf("%w: no subtitles", store.ErrNotFound)
	// ErrNoMedia: there is no recording to play.
	ErrNoMedia = fmt.Errorf("%w: no media", store.ErrNotFound)
	// ErrNoActivityFile: none was uploaded.
	ErrNoActivityFile = fmt.Errorf("%w: no activity file", store.ErrNotFound)
)

// Errors of the trader's side.
var (
	// ErrInviteOver: the link was good once: it has expired, was replaced, or
	// was used up.
	ErrInviteOver = errors.New("invite over")
	// ErrTakenOver: the trader's session has ended, or another browser has taken
	// it over.
	ErrTakenOver = errors.New("session taken over")
	// ErrNoConsent: the trader has not consented.
	ErrNoConsent = fmt.Errorf("%w: no consent", ErrInvalidState)
	// ErrNoDevice: no check of the device has passed or was overridden.
	ErrNoDevice = fmt.Errorf("%w: no device check", ErrInvalidState)
	// ErrUnanswered: a required question has no sealed answer, and the trader has
	// not said that it is to be left unanswered, or can still answer it.
	ErrUnanswered = fmt.Errorf("%w: unanswered questions", ErrInvalidState)
	// ErrMustAnswer: a required question has no sealed answer, and the firm takes no
	// interview without one.
	ErrMustAnswer = fmt.Errorf("%w: unanswered questions are not allowed", ErrInvalidState)
	// ErrNoTakes: the question's takes are used up, or it has an answer being
	// recorded.
	ErrNoTakes = fmt.Errorf("%w: no takes left", ErrInvalidState)
	// ErrTakeSealed: the take is sealed or given up.
	ErrTakeSealed = fmt.Errorf("%w: take is over", ErrInvalidState)
	// ErrTimeOver: the time for new answers is over.
	ErrTimeOver = fmt.Errorf("%w: the time is over", ErrInvalidState)
	// ErrAnswerMode: the interview does not allow this way of answering.
	ErrAnswerMode = errors.New("answer mode not allowed")
	// ErrOffset: the bytes do not follow those that are there.
	ErrOffset = errors.New("wrong offset")
	// ErrUploadIncomplete: what was uploaded is not what the browser has.
	ErrUploadIncomplete = errors.New("upload incomplete")
	// ErrTooLarge: the take, or the interview, would be larger than it may be.
	ErrTooLarge = errors.New("too large")
)

// StateError is an ErrInvalidState with the status that was in the way, so that
// the caller can be told which step leads on.
type StateError struct {
	Err        error // one of the errors above that are an ErrInvalidState
	Status     Status
	CompleteBy *time.Time // until when the trader has to submit; nil: not started
}

// Error implements error.
func (e *StateError) Error() string { return fmt.Sprintf("%v (%s)", e.Err, e.Status) }

// Unwrap returns Err.
func (e *StateError) Unwrap() error { return e.Err }
