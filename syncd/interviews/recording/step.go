package recording

import (
	"context"
	"errors"
	"strings"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// isPermanent reports whether an error is permanent.
func isPermanent(err error) bool {
	return step.IsPermanent(err) || errors.Is(err, media.ErrUnreadable) || errors.Is(err, speech.ErrLanguage)
}

// doStep does a step. It implements step.Do.
func (p *Pipeline) doStep(ctx context.Context, claim worker.Claim) (outcome string, err error) {
	switch claim.Step {
	case steps.Media:
		outcome, err = p.makeMedia(ctx, claim)
	case steps.Transcript:
		outcome, err = p.makeTranscript(ctx, claim)
	case steps.Subtitles:
		outcome, err = p.makeSubtitles(ctx, claim)
	case steps.Prepare, steps.Activity, steps.Report:
		return "", step.Permanentf("step %s is not a step of recordings", claim.Step)
	default:
		return "", step.Permanentf("this version of assay has no step %q", claim.Step)
	}
	switch {
	case isPermanent(err):
		err = step.Permanent(err)
	case media.IsFull(err):
		err = step.Outage(err)
	}
	return outcome, err
}

// withoutPath removes a folder's path from an error's text, because people see the
// text.
func withoutPath(err error, path string) error {
	if err == nil || !strings.Contains(err.Error(), path) {
		return err
	}
	return &cleaned{strings.ReplaceAll(err.Error(), path+"/", ""), err}
}

// cleaned is an error with another text.
type cleaned struct {
	text string
	error
}

// Error implements error.
func (c *cleaned) Error() string { return c.text }

// Unwrap returns the error.
func (c *cleaned) Unwrap() error { return c.error }
