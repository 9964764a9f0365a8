package problem

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/keyset"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
)

// retryStore is how long callers are asked to wait if the database or the store of blobs is unavailable.
const retryStore = 5 * time.Second

// retryKeyring is how long callers are asked to wait if the keyring lacks a key.
const retryKeyring = time.Minute

// From maps any error to the problem for the caller. An unknown error becomes InternalError,
// which reveals nothing about it. The error is kept as the problem's Cause, for the log.
func From(err error) *Problem {
	var p *Problem
	var tooLarge *http.MaxBytesError
	var exists *integrations.ExistsError
	switch {
	case errors.As(err, &p):
		return p
	case interviewCode(err) != "":
		return &Problem{Code: interviewCode(err), Detail: nextStep(err), Cause: err}
	case errors.As(err, &exists):
		return &Problem{Code: IntegrationExists, IntegrationID: exists.ID.String(), Cause: err}
	case errors.Is(err, integrations.ErrDifferentPlatform):
		return &Problem{Code: DifferentPlatform, Cause: err}
	case errors.Is(err, store.ErrNotFound):
		return &Problem{Code: NotFound, Cause: err}
	case errors.Is(err, keyset.ErrInvalid):
		return &Problem{Code: ValidationFailed, Detail: "The cursor is not one of this list. Begin without a cursor.", Cause: err}
	case errors.Is(err, access.ErrKeyInUse):
		return Unavailable("The key or session has ended, but a server that was using it has not confirmed that it stopped. Send the request again.", time.Second, err)
	case errors.Is(err, access.ErrLastOwner):
		return &Problem{Code: Conflict, Detail: "This person is the organization's last owner who can sign in. First make somebody else an owner, with a password or an account at the provider.", Cause: err}
	case errors.Is(err, directory.ErrErased):
		return &Problem{Code: Conflict, Detail: "This trader was erased. Only the ID is left, and nothing can be added.", Cause: err}
	case errors.Is(err, webhooks.ErrTooManyEndpoints):
		return &Problem{Code: EndpointLimitReached, Cause: err}
	case errors.Is(err, store.ErrConflict):
		return &Problem{Code: Conflict, Cause: err}
	case errors.Is(err, idempotency.ErrInProgress), errors.Is(err, store.ErrFenced):
		// Fenced means that another process has taken over the attempt and is working on it.
		return (&Problem{Code: IdempotencyInProgress, Cause: err}).With("Retry-After", "1")
	case errors.Is(err, idempotency.ErrKeyReused):
		return &Problem{Code: IdempotencyKeyReused, Cause: err}
	case errors.As(err, &tooLarge):
		return New(PayloadTooLarge, "")
	case errors.Is(err, seal.ErrUnknownKey):
		return Unavailable("A secret that this request needs is encrypted with a key that the server does not have. "+
			"The operator has to put the key back into the file that keyring_file names: the log names it by request_id. If the key is lost, secrets that it encrypted have to be entered again.", retryKeyring, err)
	case errors.Is(err, blob.ErrFull):
		return NotStored(err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, blob.ErrUnavailable), store.Transient(err):
		return Unavailable("", retryStore, err)
	}
	return &Problem{Code: InternalError, Cause: err}
}

// interviewCode returns the code of an error about interviews, or an empty code for any other
// error.
func interviewCode(err error) Code {
	for _, known := range []struct {
		err  error
		code Code
	}{ // errors that also match others come first
		{interviews.ErrStarted, InterviewAlreadyStarted},
		{invite.ErrDeclined, InterviewDeclined},
		{invite.ErrOpen, InterviewStillOpen},
		{review.ErrNothingToReport, NothingToReport},
		{viewing.ErrMediaProcessing, MediaProcessing},
		{interviews.ErrInvalidState, InvalidState},
		{invite.ErrReferenceTaken, ReferenceTaken},
		{store.ErrLegalHold, LegalHold},
		{viewing.ErrNoMedia, MediaNotAvailable},
		{viewing.ErrNoShare, ShareNotFound},
		{viewing.ErrNoSubtitles, SubtitlesNotFound},
		{review.ErrNoActivityFile, ActivityFileNotFound},
		{review.ErrUnknownClaim, ClaimNotFound},
		{review.ErrNotAuthor, NotAuthor},
		{interviews.ErrUnknownUser, ValidationFailed},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return ""
}
