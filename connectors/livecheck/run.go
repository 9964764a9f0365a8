package livecheck

import (
	"context"
	"fmt"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
)

// Probe is one step of a live check.
type Probe struct {
	// Name is the step's stable identifier.
	Name string
	// Required makes a failure of the step fail the whole check.
	Required bool
	// Gate skips all later steps when this one fails.
	Gate bool
	// Request returns the request of the step. ok is false if there is nothing to
	// request, which skips the step. It is called when the earlier steps are over.
	Request func() (req fetch.Request, ok bool)
	// Decode reads the answer, as for fetch.Platform.Get; nil ignores the body.
	Decode func(fetch.Answer) error
	// Judge completes the step, which has passed so far, from the answer that
	// Decode has read; nil leaves it passed.
	Judge func(*connectors.Step)
	// Failed amends the step after its request has failed; nil leaves it failed.
	Failed func(*connectors.Step)
}

// Always is the Request of a step that does not depend on another.
func Always(req fetch.Request) func() (fetch.Request, bool) {
	return func() (fetch.Request, bool) { return req, true }
}

// Check is the live check of one platform.
type Check struct {
	Platform *fetch.Platform
	Kind     record.Kind
	// Slow is the latency above which a step that has passed warns.
	Slow time.Duration
	// Probes are the steps in their order.
	Probes []Probe
	// OnStep is called with each step that is over, including those that are skipped.
	// Nil means that there are no such calls.
	OnStep func(connectors.Step)
}

// Run makes the requests one after the other, each with fetch.CheckPolicy. The
// report always has all steps, also if ctx ends first.
func (c Check) Run(ctx context.Context) connectors.Report {
	report := connectors.Report{OK: true, Kind: c.Kind, StartedAt: time.Now()}
	ctx, cancel := context.WithTimeout(ctx, connectors.CheckDeadline)
	defer cancel()
	over := false // the rest is skipped
	for _, p := range c.Probes {
		step := connectors.Step{Name: p.Name, Required: p.Required, Status: connectors.StepSkipped}
		if !over {
			over = c.runStep(ctx, p, &step)
		}
		if p.Required && step.Status == connectors.StepFailed {
			report.OK = false
		}
		report.Steps = append(report.Steps, step)
		if c.OnStep != nil {
			c.OnStep(step)
		}
	}
	report.Duration = time.Since(report.StartedAt)
	return report
}

// runStep makes the request of a step. over means that no other step is begun.
func (c Check) runStep(ctx context.Context, p Probe, step *connectors.Step) (over bool) {
	req, ok := p.Request()
	if !ok {
		return false
	}
	req.Policy = fetch.CheckPolicy
	result, err := c.Platform.Get(ctx, req, p.Decode)
	result.Release()
	step.Endpoint, step.HTTPStatus, step.Latency = result.Endpoint, result.Status, result.Latency
	switch {
	case err != nil:
		over = failStep(ctx, step, err)
		if p.Failed != nil {
			p.Failed(step)
		}
	default:
		step.Status = connectors.StepPassed
		if p.Judge != nil {
			p.Judge(step)
		}
		if step.Status == connectors.StepPassed && step.Latency > c.Slow {
			Warn(step, connectors.CodeTimeout, fmt.Sprintf("the answer took %s; the contract asks for less than %s",
				step.Latency.Round(time.Millisecond), c.Slow), hintSlow)
		}
	}
	return over || p.Gate && step.Status == connectors.StepFailed
}
