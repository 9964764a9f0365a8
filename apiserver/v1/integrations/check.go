package integrations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// errStopping is the cause that ends a live check when the process stops.
var errStopping = errors.New("the process is stopping")

// retryCheck is how long callers are asked to wait if no live check can run at present.
const retryCheck = 5 * time.Second

// runCheck runs a live check and reports each step to onStep, which may be nil, as soon as it has
// finished. An error means that the check did not run completely: the process is stopping or
// busy, or the caller has gone.
func (a *API) runCheck(ctx context.Context, kind record.Kind, cfg connectors.Config, onStep func(connectors.Step)) (connectors.Report, error) {
	source, err := a.openSource(kind, cfg)
	if err != nil {
		return connectors.Report{}, err
	}
	return a.checkSource(ctx, source, onStep)
}

// openSource returns a source. The requests of an unsaved integration are paced only within one
// source.
func (a *API) openSource(kind record.Kind, cfg connectors.Config) (connectors.Source, error) {
	connector, ok := a.connectors.Connector(kind)
	if !ok {
		return nil, fmt.Errorf("no connector for kind %q", kind)
	}
	return connector.Open(cfg), nil
}

// checkSource is like runCheck for a source that is already open.
func (a *API) checkSource(ctx context.Context, source connectors.Source, onStep func(connectors.Step)) (connectors.Report, error) {
	leave, ok := a.checks.TryTake(auth.FromContext(ctx).OrganizationID.String())
	if !ok {
		return connectors.Report{}, problem.Unavailable("Too many live checks are in progress. Try again later.", retryCheck, nil)
	}
	defer leave()
	ctx, end := context.WithTimeout(ctx, connectors.CheckDeadline)
	defer end()
	ctx, abort := a.stoppableContext(ctx)
	defer abort()
	report := source.Check(ctx, onStep)
	// A check that was cut short says nothing about the platform.
	switch cause := context.Cause(ctx); {
	case !report.OK && errors.Is(cause, errStopping):
		return report, problem.Unavailable("The server is stopping, so the live check was canceled and nothing was changed. Try again.", retryCheck, cause)
	case !report.OK && (errors.Is(cause, context.Canceled) || auth.Cause(ctx) != nil):
		return report, cause
	}
	a.countCheck(report)
	return report, nil
}

// stoppableContext returns a context that also ends if the process stops or the caller loses its
// permission.
func (a *API) stoppableContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, abort := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-a.stopping:
			abort(errStopping)
		case <-auth.Ended(ctx):
			abort(auth.Cause(ctx))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { abort(nil) }
}

// checkOutliving runs a live check whose result is saved, even if the client does not wait for
// it. The check ends early enough to save the result within the route's time limit.
func (a *API) checkOutliving(ctx context.Context, source connectors.Source, onStep func(connectors.Step)) (connectors.Report, error) {
	detached, cancel := outlivingContext(ctx)
	defer cancel()
	return a.checkSource(detached, source, onStep)
}

// outlivingContext returns a context that ends early enough to save a result within the route's
// time limit, and does not end with the client.
func outlivingContext(ctx context.Context) (context.Context, context.CancelFunc) {
	detached := context.WithoutCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(detached, deadline.Add(-savingLimit))
	}
	return detached, func() {}
}

// liveCheckLimit is the time limit of routes with a live check, which may take two minutes.
const liveCheckLimit = 130 * time.Second

// savingLimit limits the time for saving the result of a live check.
const savingLimit = 8 * time.Second

// savingContext returns a context for saving the result of a live check, which must not be lost
// if the client has gone.
func savingContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), savingLimit)
}

// outcomeOf returns the part of a report that the store keeps.
func outcomeOf(r connectors.Report) integrations.CheckOutcome {
	if r.OK {
		return integrations.CheckOutcome{OK: true}
	}
	step, denied := failedStep(r)
	return integrations.CheckOutcome{
		Denied: denied,
		Err: &syncing.Error{
			Code: string(step.Code), Message: step.Message, HTTPStatus: step.HTTPStatus,
			Endpoint: step.Endpoint, Hint: step.Hint,
		},
	}
}

// failedStep returns the step that made a check fail. Refused credentials stop the integration
// until somebody acts.
func failedStep(r connectors.Report) (step connectors.Step, denied bool) {
	if step, ok := r.FirstFailure(); ok {
		return step, step.Denied()
	}
	// Time ran out before any required step failed by itself.
	return connectors.Step{Code: connectors.CodeTimeout, Message: "the live check was not completed", Hint: connectors.CodeTimeout.Hint()}, false
}

// reportBody is the result of a live check.
//
//openapi:name ConnectionReport
type reportBody struct {
	OK         bool        `json:"ok"`                                         // whether every required step passed
	Kind       record.Kind `json:"kind"`                                       // kind of platform that was checked
	StartedAt  time.Time   `json:"started_at"`                                 // when the check began
	DurationMS int64       `json:"duration_ms" api:"max=600000" example:"840"` // duration of the check in milliseconds
	Steps      []stepBody  `json:"steps" api:"items=100"`                      // all steps for this kind of platform, in order
}

// stepBody is one request of a live check.
//
//openapi:name ConnectionStep
type stepBody struct {
	// Name of the step. Stable. On a `partner_platform`: `authentication`, `traders`,
	// `trading_accounts`, `closed_trades`, `payouts`.
	Name     string                `json:"name" api:"max=100,open" example:"traders"`
	Required bool                  `json:"required"` // whether the check fails if this step fails
	Status   connectors.StepStatus `json:"status"`   // outcome of the step
	// Duration of the step including retries, in milliseconds. Null if the step was skipped.
	LatencyMS  *int64           `json:"latency_ms" api:"max=600000" example:"42"`
	HTTPStatus *int             `json:"http_status" api:"min=100,max=999" example:"200"`        // HTTP status of the platform's response. Null if there was no response.
	Endpoint   *string          `json:"endpoint" api:"max=8192" example:"GET /traders?limit=5"` // Method, path, and query of the request. Null if no request was made.
	Code       *connectors.Code `json:"code" api:"open" example:"null"`                         // Machine-readable code of what went wrong. Null if nothing did.
	Message    *string          `json:"message" api:"max=4096" example:"null"`                  // Human-readable description of what was observed. Null if there is nothing to report.
	Hint       *string          `json:"hint" api:"max=4096" example:"null"`                     // Who must do what to fix the problem. Null if nothing needs to be done.
}

func reportOf(r connectors.Report) reportBody {
	return reportBody{
		OK: r.OK, Kind: r.Kind, StartedAt: shownTime(r.StartedAt), DurationMS: millisecondsOf(r.Duration),
		Steps: response.ConvertRows(r.Steps, stepOf),
	}
}

func stepOf(s connectors.Step) stepBody {
	body := stepBody{
		Name: s.Name, Required: s.Required, Status: s.Status, HTTPStatus: store.OrNil(s.HTTPStatus),
		Endpoint: store.OrNil(s.Endpoint), Code: store.OrNil(s.Code), Message: store.OrNil(s.Message), Hint: store.OrNil(s.Hint),
	}
	if s.Status != connectors.StepSkipped {
		latency := millisecondsOf(s.Latency)
		body.LatencyMS = &latency
	}
	return body
}

// millisecondsOf returns the duration of something that was done. It returns at least 1, because
// 0 looks as if nothing had been done.
func millisecondsOf(d time.Duration) int64 { return max(1, d.Milliseconds()) }

// shownTime returns a time in the form of responses: in UTC, and in microseconds like the
// database.
func shownTime(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
