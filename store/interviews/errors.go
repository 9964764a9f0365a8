package interviews

import (
	"errors"
	"fmt"
	"time"

	"github.com/assayhq/assay/store"
)

// Errors of interviews. If one is returned, nothing was changed.
var (
	// ErrInvalidState means that the interview's status does not permit the request. More specific
	// errors below wrap it.
	ErrInvalidState = errors.New("the interview's status does not allow it")
	// ErrInterviewStarted means that the trader has started.
	ErrInterviewStarted = fmt.Errorf("%w: already started", ErrInvalidState)
	// ErrInterviewDeclined means that the trader has declined.
	ErrInterviewDeclined = fmt.Errorf("%w: declined", ErrInvalidState)
	// ErrInterviewOpen means that the interview is not over.
	ErrInterviewOpen = fmt.Errorf("%w: still open", ErrInvalidState)
	// ErrNothingToReport means that the interview was not held, or that the trader left no answer.
	ErrNothingToReport = fmt.Errorf("%w: nothing to report on", ErrInvalidState)
	// ErrMediaProcessing means that the recording is being made.
	ErrMediaProcessing = fmt.Errorf("%w: media is being processed", ErrInvalidState)

	// ErrReferenceTaken means that another interview of the organization has the reference.
	ErrReferenceTaken = errors.New("reference taken")
	// ErrUnknownTrader means that the organization has no such trader.
	ErrUnknownTrader = errors.New("unknown trader")
	// ErrUnknownAccount means that an account does not belong to the trader.
	ErrUnknownAccount = errors.New("unknown account")
	// ErrUnknownUser means that the organization has no such person, or that the person was
	// removed.
	ErrUnknownUser = errors.New("unknown user")
	// ErrUnknownClaim means that the newest report has no such claim.
	ErrUnknownClaim = fmt.Errorf("%w: no such claim", store.ErrNotFound)
	// ErrNoShare means that there is no link to revoke.
	ErrNoShare = fmt.Errorf("%w: no share link", store.ErrNotFound)
	// ErrNoSubtitles means that there are no captions.
	ErrNoSubtitles = fmt.Errorf("%w: no subtitles", store.ErrNotFound)
	// ErrNoMedia means that there is no recording to play.
	ErrNoMedia = fmt.Errorf("%w: no media", store.ErrNotFound)
	// ErrNoActivityFile means that no activity file was uploaded.
	ErrNoActivityFile = fmt.Errorf("%w: no activity file", store.ErrNotFound)
)

// Errors of the trader's side.
var (
	// ErrInviteOver means that the link was valid once, but has expired, was replaced, or was used
	// up.
	ErrInviteOver = errors.New("invite over")
	// ErrTakenOver means that the trader's session has ended, or that another browser has taken
	// over.
	ErrTakenOver = errors.New("session taken over")
	// ErrNoConsent means that the trader has not consented.
	ErrNoConsent = fmt.Errorf("%w: no consent", ErrInvalidState)
	// ErrNoDevice means that no check of the device has passed or was overridden.
	ErrNoDevice = fmt.Errorf("%w: no device check", ErrInvalidState)
	// ErrUnanswered means that a required question has no sealed answer, and that the trader has
	// not asked to leave it unanswered, or can still answer it.
	ErrUnanswered = fmt.Errorf("%w: unanswered questions", ErrInvalidState)
	// ErrMustAnswer means that a required question has no sealed answer, and that the firm accepts
	// no interview without one.
	ErrMustAnswer = fmt.Errorf("%w: unanswered questions are not allowed", ErrInvalidState)
	// ErrNoTakes means that the question's takes are used up, or that an answer is being recorded.
	ErrNoTakes = fmt.Errorf("%w: no takes left", ErrInvalidState)
	// ErrTakeSealed means that the take is sealed or was given up.
	ErrTakeSealed = fmt.Errorf("%w: take is over", ErrInvalidState)
	// ErrTimeOver means that the time for new answers is over.
	ErrTimeOver = fmt.Errorf("%w: the time is over", ErrInvalidState)
	// ErrAnswerMode means that the interview does not permit this way of answering.
	ErrAnswerMode = errors.New("answer mode not allowed")
	// ErrOffset means that the bytes do not follow the stored ones.
	ErrOffset = errors.New("wrong offset")
	// ErrUploadIncomplete means that the uploaded bytes are not those of the browser.
	ErrUploadIncomplete = errors.New("upload incomplete")
	// ErrTooLarge means that the take, or the interview, would exceed its size limit.
	ErrTooLarge = errors.New("too large")
)

// StateError is an ErrInvalidState with the status that caused it, so that the caller learns what
// to do next.
type StateError struct {
	Err        error // one of the errors above that wrap ErrInvalidState
	Status     Status
	CompleteBy *time.Time // until when the trader has to submit; nil if not started
}

// Error implements error.
func (e *StateError) Error() string { return fmt.Sprintf("%v (%s)", e.Err, e.Status) }

// Unwrap returns Err.
func (e *StateError) Unwrap() error { return e.Err }
