package livecheck

import (
	"context"
	"errors"
	"fmt"

	"github.com/assayhq/assay/connectors"
)

// attempts is how often fetch.CheckPolicy tries a request. An answer that asks for
// a wait, or a timeout, ends it earlier only if the check's deadline leaves no room
// for another attempt.
const attempts = 3

// Hints for cases in which a code's own hint would mislead.
const (
	hintSlow      = "Make the endpoint faster, for example with an index on updated_at. Requests time out after 20 seconds."
	hintStopped   = "Run the check again."
	hintNoPayouts = "No action is needed if the platform has no payouts. They are skipped."
)

// failStep completes a step whose request failed. over means that the check has no
// time for another step.
func failStep(ctx context.Context, step *connectors.Step, err error) (over bool) {
	step.Status = connectors.StepFailed
	var e *connectors.Error
	switch {
	case errors.As(err, &e):
		step.Code, step.Message, step.Hint = e.Code, e.Message, e.Code.Hint()
		waits := e.Code == connectors.CodeThrottled || e.Code == connectors.CodeTimeout
		over = waits && e.Stats.Requests < attempts
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		step.Code, step.Hint = connectors.CodeTimeout, connectors.CodeTimeout.Hint()
		step.Message = "the live check timed out before the answer was complete"
	case ctx.Err() != nil:
		step.Code, step.Message, step.Hint = connectors.CodeTimeout, "the live check was stopped before the answer was complete", hintStopped
	default:
		step.Code, step.Hint = connectors.CodeInternal, connectors.CodeInternal.Hint()
		step.Message = "the request could not be sent"
	}
	return over || ctx.Err() != nil
}

// Warn lets a step pass with a warning.
func Warn(step *connectors.Step, code connectors.Code, message, hint string) {
	step.Status, step.Code, step.Message, step.Hint = connectors.StepWarned, code, message, hint
}

// Reject fails a step whose answer is not what the contract describes.
func Reject(step *connectors.Step, message string) {
	code := connectors.CodeUnexpectedResponse
	step.Status, step.Code, step.Message, step.Hint = connectors.StepFailed, code, message, code.Hint()
}

// PayoutsMissing is the Failed of the step that asks for payouts. A platform need
// not expose them, so a 404 becomes a warning.
func PayoutsMissing(step *connectors.Step) {
	if step.Code == connectors.CodeNotFound {
		Warn(step, step.Code, "the platform has no payouts: the endpoint answered 404", hintNoPayouts)
	}
}

// Unusable says how many of a page's records cannot be used, and why the first of
// them cannot. It returns "" if all can.
func Unusable(page *connectors.Page) string {
	bad := page.Rejected
	if len(bad) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d records cannot be used: %s", len(bad), page.Seen, bad[0].Describe())
}
