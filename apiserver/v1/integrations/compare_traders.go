package integrations

import (
	"context"
	"errors"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
)

// mostWaits is how often a platform that answers 429 is asked for its traders, which is as often
// as for each step of a live check.
const mostWaits = 3

// What a live check's step says if the connected platform may be one that was deleted, and shows
// no traders by which to recognize it.
const (
	notCompared     = "an integration with this address was deleted, and its traders could not be compared"
	hintNotCompared = "Once the platform returns its traders, delete this integration and connect it again."
)

// uncomparable is what the caller learns if the traders could not be read although the live check
// had just listed them.
const uncomparable = "An integration with this address was deleted before, and the traders could not be read to check whether they are the same. Nothing was saved. Try again."

// firstTraders reads the first page of a platform's traders after its live check, by which the
// store recognizes a known platform. It returns none if the check could not list them. It waits
// if the platform asks for it, as the check does, so it only fails if asking later may help.
func (a *API) firstTraders(ctx context.Context, source connectors.Source, report connectors.Report) ([]record.Trader, error) {
	step := tradersStep(report)
	if step == nil || step.Status != connectors.StepPassed && step.Status != connectors.StepWarned {
		return nil, nil
	}
	ctx, cancel := outlivingContext(ctx)
	defer cancel()
	ctx, abort := a.stoppableContext(ctx)
	defer abort()
	for attempt := 1; ; attempt++ {
		page, err := source.ReadPage(ctx, connectors.PageRequest{Stream: record.StreamTraders, Backfill: true})
		if err == nil {
			defer page.Release()
			return page.Traders, nil
		}
		pe, ok := errors.AsType[*connectors.Error](err)
		if !ok || pe.Code != connectors.CodeThrottled || attempt == mostWaits || !pauseFor(ctx, pe.RetryAfter) {
			return nil, err
		}
	}
}

// pauseFor waits unless the context ends first. It returns false if the context has ended or
// would end during the wait.
func pauseFor(ctx context.Context, wait time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// compareDeleted reads the traders by which the store recognizes that a deleted integration is
// continued. If the check could not list any, the report says that nobody was compared. If they
// cannot be read after the check, nothing may be saved, because every trader would then exist
// twice.
func (a *API) compareDeleted(ctx context.Context, source connectors.Source, report connectors.Report) ([]record.Trader, error) {
	traders, err := a.firstTraders(ctx, source, report)
	if err != nil {
		if cause := auth.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, problem.Unavailable(uncomparable, retryCheck, err)
	}
	if step := tradersStep(report); len(traders) == 0 && step != nil {
		warnNotCompared(step)
	}
	return traders, nil
}

// warnNotCompared adds a warning to the step that lists the traders.
func warnNotCompared(step *connectors.Step) {
	if step.Status == connectors.StepPassed {
		step.Status, step.Code = connectors.StepWarned, connectors.CodeUnknownPlatform
	}
	if step.Message != "" {
		step.Message += "; "
	}
	step.Message += notCompared
	if step.Hint != "" {
		step.Hint += " "
	}
	step.Hint += hintNotCompared
}

// tradersStep returns the step that lists the traders, which has the same name for every kind of
// platform. It returns nil if the report has none.
func tradersStep(r connectors.Report) *connectors.Step {
	for i := range r.Steps {
		if r.Steps[i].Name == "traders" {
			return &r.Steps[i]
		}
	}
	return nil
}
