package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/syncd/media"
	"github.com/assayhq/assay/syncd/media/speech"
)

// hopeless is an error that no other try will mend.
type hopeless struct{ text string }

// Error implements error.
func (h *hopeless) Error() string { return h.text }

// hopelessf makes an error that no other try will mend.
func hopelessf(format string, args ...any) error { return &hopeless{fmt.Sprintf(format, args...)} }

// isHopeless reports whether the step is to be given up at once.
func isHopeless(err error) bool {
	_, marked := errors.AsType[*hopeless](err)
	return marked || errors.Is(err, media.ErrUnreadable) || errors.Is(err, speech.ErrLanguage)
}

// work does a step, if it is still to be done, and writes what came of it. Its
// error means that the queue should call again.
func (p *Pipeline) work(ctx context.Context, job store.StepJob) error {
	claim, err := p.Store.ClaimStep(ctx, job, p.Lease)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrFenced) {
		return nil // the interview is gone, or the step is another job's
	}
	if err != nil {
		if context.Cause(ctx) != nil {
			return context.Cause(ctx)
		}
		p.Log.WarnContext(ctx, "step of an interview not claimed, will be tried again", "interview_id", job.InterviewID, "step", job.Step, "error", err)
		return err
	}
	began := p.Now()
	held, release := p.hold(ctx, claim)
	outcome, err := p.do(held, claim)
	if err != nil && context.Cause(held) != nil {
		err = context.Cause(held) // and not what its end has broken
	}
	release()
	p.settle(ctx, claim, began, outcome, err)
	return nil
}

// hold keeps the claim until release is called. The context ends with
// store.ErrFenced when it is lost.
func (p *Pipeline) hold(ctx context.Context, claim store.StepClaim) (held context.Context, release func()) {
	held, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(p.Lease / beats)
		defer tick.Stop()
		for last := time.Now(); ; {
			select {
			case <-held.Done():
				return
			case <-tick.C:
			}
			asked := time.Now()
			err := p.Store.HeartbeatStep(held, claim, p.Lease)
			switch {
			case err == nil:
				last = asked
			case errors.Is(err, store.ErrFenced), time.Since(last) > p.Lease:
				cancel(store.ErrFenced)
			}
		}
	}()
	return held, func() {
		cancel(nil)
		<-done
	}
}

// do does a step: "done", or "skipped" when there was nothing to do.
func (p *Pipeline) do(ctx context.Context, claim store.StepClaim) (outcome string, err error) {
	switch claim.Step {
	case store.StepMedia:
		return p.makeMedia(ctx, claim)
	case store.StepTranscript:
		return p.makeTranscript(ctx, claim)
	case store.StepSubtitles:
		return p.makeSubtitles(ctx, claim)
	}
	return "", hopelessf("this version of assay knows no step %q", claim.Step)
}

// settle writes what came of a step that has not ended by itself.
func (p *Pipeline) settle(ctx context.Context, claim store.StepClaim, began time.Time, outcome string, err error) {
	log := p.Log.With("interview_id", claim.InterviewID, "organization_id", claim.OrganizationID, "step", claim.Step,
		"attempt", claim.Attempts, "duration", p.Now().Sub(began).Round(time.Millisecond))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit) // also when the process stops
	defer cancel()
	var written error
	switch {
	case err == nil:
		log.InfoContext(ctx, "step of an interview ended", "outcome", outcome)
	case errors.Is(err, store.ErrFenced), errors.Is(err, store.ErrNotFound):
		outcome = "lost"
		log.InfoContext(ctx, "step of an interview dropped: it is another process's, or the interview is gone")
	case errors.Is(err, errStopping), errors.Is(err, context.Canceled):
		outcome = "stopped"
		written = p.Store.ReleaseStep(ctx, claim)
	default:
		outcome = "failed"
		log.WarnContext(ctx, "step of an interview failed", "error", err, "final", isHopeless(err) || claim.Attempts >= store.StepTries)
		written = p.again(ctx, func() error { return p.Store.FailStep(ctx, claim, err, isHopeless(err)) })
	}
	if written != nil && !errors.Is(written, store.ErrFenced) {
		// The lease runs out, and the step is begun anew.
		log.WarnContext(ctx, "outcome of a step of an interview not written", "error", written)
	}
	p.metrics.steps.WithLabelValues(string(claim.Step), outcome).Inc()
}

// again calls fn until the database has it, or the time is over.
func (p *Pipeline) again(ctx context.Context, fn func() error) error {
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		err := fn()
		if err == nil || !store.Transient(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// without removes a folder's path from an error's text, which people are told.
func without(err error, path string) error {
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
