package v1

import (
	"context"
	"errors"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
)

// mostWaits is how often a platform that answers 429 is asked for its traders, as
// often as for each step of a live check.
const mostWaits = 3

// What a live check's step says where a platform that was deleted may be the one
// that is connected, and shows nobody by whom that could be told.
const (
	notCompared     = "an integration of this address was deleted, and its traders could not be compared"
	hintNotCompared = "When the platform shows them, delete this integration and connect again."
)

// uncomparable is what the caller is told when the traders could not be read
// although the live check had just listed them.
const uncomparable = "An integration of this address was deleted before, and its traders could not be read to tell whether they are the same. Nothing was saved. Try again."

// firstTraders reads the first page of a platform's traders after its live
// check, by which the store tells whether it is one that is known; none when the
// check could not list them. It waits where the platform asks for it, as the
// check does, so it fails only where asking later may help.
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

// pauseFor waits, unless the context ends before. It returns false if the context
// did, or would have.
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

// compareDeleted reads the traders by which the store tells whether a deleted
// integration goes on. Where the check could not list any, the report says that
// nobody was compared; where they cannot be read after it, nothing may be saved,
// since everybody would be there twice.
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

// warnNotCompared adds to what the step of the traders says.
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

// tradersStep is the step that lists the traders, which has the same name on
// every kind of platform; nil when the report has none.
func tradersStep(r connectors.Report) *connectors.Step {
	for i := range r.Steps {
		if r.Steps[i].Name == "traders" {
			return &r.Steps[i]
		}
	}
	return nil
}
