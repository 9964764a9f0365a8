package v1

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
)

// errStopping is the cause of a live check's end when the process stops.
var errStopping = errors.New("the process is stopping")

// retryCheck is what callers are asked to wait when a live check cannot be made now.
const retryCheck = 5 * time.Second

// runCheck runs a live check, and tells each step as soon as it is over; told may be
// nil. Its errors say that there was none, or not to the
// end: the process is stopping or busy, or the caller has gone.
func (a *API) runCheck(ctx context.Context, kind record.Kind, cfg connectors.Config, told func(connectors.Step)) (connectors.Report, error) {
	source, err := a.openSource(kind, cfg)
	if err != nil {
		return connectors.Report{}, err
	}
	return a.checkSource(ctx, source, told)
}

// openSource returns a source. Requests of an integration that is not saved keep
// their pace only as long as they are sent by the same one.
func (a *API) openSource(kind record.Kind, cfg connectors.Config) (connectors.Source, error) {
	connector, ok := a.connectors.Connector(kind)
	if !ok {
		return nil, fmt.Errorf("no connector for kind %q", kind)
	}
	return connector.Open(cfg), nil
}

// checkSource is check of a source that is open.
func (a *API) checkSource(ctx context.Context, source connectors.Source, told func(connectors.Step)) (connectors.Report, error) {
	select {
	case a.checks <- struct{}{}:
		defer func() { <-a.checks }()
	default:
		return connectors.Report{}, problem.Unavailable("Too many live checks are under way. Try again later.", retryCheck, nil)
	}
	ctx, end := context.WithTimeout(ctx, connectors.CheckDeadline)
	defer end()
	ctx, abort := a.stoppableContext(ctx)
	defer abort()
	report := source.Check(ctx, told)
	// A check that was cut short tells nothing of the platform.
	switch cause := context.Cause(ctx); {
	case !report.OK && errors.Is(cause, errStopping):
		return report, problem.Unavailable("The server is stopping, so the live check was broken off and nothing was changed. Try again.", retryCheck, cause)
	case !report.OK && (errors.Is(cause, context.Canceled) || auth.Cause(ctx) != nil):
		return report, cause
	}
	a.metrics.countCheck(report)
	return report, nil
}

// stoppableContext returns a context that also ends when the process stops or the caller
// may not go on.
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

// checkOutliving runs a live check whose result is kept: also when the client
// does not wait for it, and early enough for saving it within the route's time.
func (a *API) checkOutliving(ctx context.Context, source connectors.Source, told func(connectors.Step)) (connectors.Report, error) {
	detached, cancel := outlivingContext(ctx)
	defer cancel()
	return a.checkSource(detached, source, told)
}

// outlivingContext returns a context that ends early enough for saving within the
// route's time, and not with the client.
func outlivingContext(ctx context.Context) (context.Context, context.CancelFunc) {
	detached := context.WithoutCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(detached, deadline.Add(-savingLimit))
	}
	return detached, func() {}
}

// savingLimit bounds the writing of what a live check found.
const savingLimit = 8 * time.Second

// savingContext returns a context for writing what a live check found: the check has
// been made, so a client that has gone must not lose it.
func savingContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), savingLimit)
}

// outcomeOf returns what the store keeps of a report.
func outcomeOf(r connectors.Report) syncing.CheckOutcome {
	if r.OK {
		return syncing.CheckOutcome{OK: true}
	}
	step, denied := failedStep(r)
	return syncing.CheckOutcome{
		Denied: denied,
		Err: &syncing.SyncError{
			Code: string(step.Code), Message: step.Message, HTTPStatus: step.HTTPStatus,
			Endpoint: step.Endpoint, Hint: step.Hint,
		},
	}
}

// failedStep returns the step that made a check fail. A refused credential stops
// the integration until somebody acts.
func failedStep(r connectors.Report) (step connectors.Step, denied bool) {
	if step, ok := r.FirstFailure(); ok {
		return step, step.Denied()
	}
	// The time was up before any required step had failed by itself.
	return connectors.Step{Code: connectors.CodeTimeout, Message: "the live check was not completed", Hint: connectors.CodeTimeout.Hint()}, false
}

// reportBody is what a live check found.
//
//openapi:name ConnectionReport
type reportBody struct {
	OK         bool        `json:"ok"`                                         // whether every required step passed
	Kind       record.Kind `json:"kind"`                                       // what sort of platform was checked
	StartedAt  time.Time   `json:"started_at"`                                 // when the check began
	DurationMS int64       `json:"duration_ms" api:"max=600000" example:"840"` // how long it took, in milliseconds
	Steps      []stepBody  `json:"steps" api:"items=100"`                      // all steps of the kind, in their order
}

// stepBody is one request of a live check.
//
//openapi:name ConnectionStep
type stepBody struct {
	Name       string                `json:"name" api:"max=100,open" example:"traders"`              // which step it is; stable. On a partner_platform: authentication, traders, trading_accounts, closed_trades, payouts
	Required   bool                  `json:"required"`                                               // whether the check fails when the step does
	Status     connectors.StepStatus `json:"status"`                                                 // how the step ended
	LatencyMS  *int64                `json:"latency_ms" api:"max=600000" example:"42"`               // how long it took with its retries, in milliseconds; null: it was skipped
	HTTPStatus *int                  `json:"http_status" api:"min=100,max=999" example:"200"`        // the platform's status; null: there was no answer
	Endpoint   *string               `json:"endpoint" api:"max=8192" example:"GET /traders?limit=5"` // method, path and query of the request; null: there was none
	Code       *connectors.Code      `json:"code" api:"open" example:"null"`                         // what went wrong; null: nothing
	Message    *string               `json:"message" api:"max=4096" example:"null"`                  // what was seen; null: nothing worth a word
	Hint       *string               `json:"hint" api:"max=4096" example:"null"`                     // who must do what; null: nobody must
}

func reportOf(r connectors.Report) reportBody {
	return reportBody{
		OK: r.OK, Kind: r.Kind, StartedAt: shownTime(r.StartedAt), DurationMS: millisecondsOf(r.Duration),
		Steps: convertRows(r.Steps, stepOf),
	}
}

func stepOf(s connectors.Step) stepBody {
	body := stepBody{
		Name: s.Name, Required: s.Required, Status: s.Status, HTTPStatus: orNull(s.HTTPStatus),
		Endpoint: orNull(s.Endpoint), Code: orNull(s.Code), Message: orNull(s.Message), Hint: orNull(s.Hint),
	}
	if s.Status != connectors.StepSkipped {
		latency := millisecondsOf(s.Latency)
		body.LatencyMS = &latency
	}
	return body
}

// millisecondsOf returns how long something took that was done: at least 1,
// because 0 reads as if it had not been.
func millisecondsOf(d time.Duration) int64 { return max(1, d.Milliseconds()) }

// shownTime returns a time as answers hold it: in UTC, and in microseconds like
// the database's.
func shownTime(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
