package answering

import (
	"errors"
	"fmt"

	"github.com/assayhq/assay/store/interviews"
)

// Errors of the trader's side. If one is returned, nothing was changed.
var (
	// ErrTakenOver means that the trader's session has ended, or that another browser has taken
	// over.
	ErrTakenOver = errors.New("session taken over")
	// ErrNoConsent means that the trader has not consented.
	ErrNoConsent = fmt.Errorf("%w: no consent", interviews.ErrInvalidState)
	// ErrNoDevice means that no check of the device has passed or was overridden.
	ErrNoDevice = fmt.Errorf("%w: no device check", interviews.ErrInvalidState)
	// ErrUnanswered means that a required question has no sealed answer, and that the trader has
	// not asked to leave it unanswered, or can still answer it.
	ErrUnanswered = fmt.Errorf("%w: unanswered questions", interviews.ErrInvalidState)
	// ErrMustAnswer means that a required question has no sealed answer, and that the firm accepts
	// no interview without one.
	ErrMustAnswer = fmt.Errorf("%w: unanswered questions are not allowed", interviews.ErrInvalidState)
	// ErrNoTakes means that the question's takes are used up, or that an answer is being recorded.
	ErrNoTakes = fmt.Errorf("%w: no takes left", interviews.ErrInvalidState)
	// ErrTakeSealed means that the take is sealed or was given up.
	ErrTakeSealed = fmt.Errorf("%w: take is over", interviews.ErrInvalidState)
	// ErrTimeOver means that the time for new answers is over.
	ErrTimeOver = fmt.Errorf("%w: the time is over", interviews.ErrInvalidState)
	// ErrAnswerMode means that the interview does not permit this way of answering.
	ErrAnswerMode = errors.New("answer mode not allowed")
	// ErrOffset means that the bytes do not follow the stored ones.
	ErrOffset = errors.New("wrong offset")
	// ErrLength means that the upload has another length, or more bytes than the length given now.
	ErrLength = errors.New("wrong length")
	// ErrUploadIncomplete means that the uploaded bytes are not those of the browser.
	ErrUploadIncomplete = errors.New("upload incomplete")
	// ErrTooLarge means that the take, or the interview, would exceed its size limit.
	ErrTooLarge = errors.New("too large")
)
