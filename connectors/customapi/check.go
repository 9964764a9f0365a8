package customapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
)

// Names of the steps of the live check, in the contract's order (platform
// contract, Live check).
const (
	StepHealth             = "health"
	StepWithoutCredentials = "traders_without_credentials"
	StepTraders            = "traders"
	StepNextPage           = "traders_next_page"
	StepAccounts           = "accounts"
	StepTrades             = "trades"
	StepPayouts            = "payouts"
)

// checkAttempts is how often fetch.CheckPolicy tries a request. Being told to
// wait, or a timeout, ends it after fewer attempts only when the check's
// deadline leaves no room for another.
const checkAttempts = 3

// Hints of steps for which a code's own hint would mislead.
const (
	hintWithoutCredentials = "Refuse requests without the API key with 401 or 403: otherwise anybody can read the traders."
	hintSlow               = "Make the endpoint faster, for instance with an index on updated_at: requests are given up after 20 seconds."
	hintNoPayouts          = "Nothing has to be done if the platform exposes no payouts; they are skipped."
	hintStopped            = "Run the check again."
)

// probe is one step of the live check.
type probe struct {
	name string
	// request returns the request; ok is false when there is nothing to ask.
	request func() (req fetch.Request, ok bool)
	decode  func(fetch.Answer) error
	// judge completes the step from an answer that was decoded.
	judge func(*connectors.Step)
}

// Check implements connectors.Source.
func (s *source) Check(ctx context.Context) connectors.Report {
	report := connectors.Report{OK: true, Kind: record.CustomAPI, StartedAt: time.Now()}
	ctx, cancel := context.WithTimeout(ctx, connectors.CheckDeadline)
	defer cancel()
	over := false // the rest is skipped
	for _, p := range s.probes() {
		step := connectors.Step{Name: p.name, Required: true, Status: connectors.StepSkipped}
		if req, ok := p.request(); ok && !over {
			over = s.run(ctx, p, req, &step)
			over = over || p.name == StepHealth && step.Status == connectors.StepFailed
		}
		if step.Status == connectors.StepFailed {
			report.OK = false
		}
		report.Steps = append(report.Steps, step)
	}
	report.Duration = time.Since(report.StartedAt)
	return report
}

// run makes the request of a step. It returns true when the check's time is over.
func (s *source) run(ctx context.Context, p probe, req fetch.Request, step *connectors.Step) (over bool) {
	req.Policy = fetch.CheckPolicy
	result, err := s.platform.Get(ctx, req, p.decode)
	result.Release()
	step.Endpoint, step.HTTPStatus, step.Latency = result.Endpoint, result.Status, result.Latency
	if err != nil {
		return fail(ctx, step, err)
	}
	step.Status = connectors.StepPassed
	p.judge(step)
	if step.Status == connectors.StepPassed && step.Latency > s.slow {
		warn(step, connectors.CodeTimeout, fmt.Sprintf("the answer took %s; the contract asks for less than %s",
			step.Latency.Round(time.Millisecond), s.slow), hintSlow)
	}
	return false
}

// fail completes a step whose request failed.
func fail(ctx context.Context, step *connectors.Step, err error) (over bool) {
	step.Status = connectors.StepFailed
	var e *connectors.Error
	switch {
	case errors.As(err, &e):
		step.Code, step.Message, step.Hint = e.Code, e.Message, e.Code.Hint()
		waits := e.Code == connectors.CodeThrottled || e.Code == connectors.CodeTimeout
		over = waits && e.Stats.Requests < checkAttempts
		if step.Name == StepPayouts && e.Code == connectors.CodeNotFound {
			step.Status = connectors.StepWarned
			step.Message, step.Hint = "the platform exposes no payouts: the endpoint answers 404", hintNoPayouts
		}
		if step.Name == StepWithoutCredentials && step.HTTPStatus == http.StatusOK {
			refuse(step)
		}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		step.Code, step.Hint = connectors.CodeTimeout, connectors.CodeTimeout.Hint()
		step.Message = "the time for the live check ran out before the answer was complete"
	case ctx.Err() != nil:
		step.Code, step.Message, step.Hint = connectors.CodeTimeout, "the live check was stopped before the answer was complete", hintStopped
	default:
		step.Code, step.Hint = connectors.CodeInternal, connectors.CodeInternal.Hint()
		step.Message = "the request could not be made"
	}
	return over || ctx.Err() != nil
}

func warn(step *connectors.Step, code connectors.Code, message, hint string) {
	step.Status, step.Code, step.Message, step.Hint = connectors.StepWarned, code, message, hint
}

// reject fails a step whose answer is not what the contract describes.
func reject(step *connectors.Step, message string) {
	code := connectors.CodeUnexpectedResponse
	step.Status, step.Code, step.Message, step.Hint = connectors.StepFailed, code, message, code.Hint()
}

// refuse fails the step without credentials, whose request was answered.
func refuse(step *connectors.Step) {
	reject(step, "a request without an API key was answered with status 200")
	step.Hint = hintWithoutCredentials
}

// probes returns the steps in their order.
func (s *source) probes() []probe {
	traders := &listProbe{codec: s.codec, stream: record.StreamTraders}
	next := &listProbe{codec: s.codec, stream: record.StreamTraders}
	nextRequest := func() (fetch.Request, bool) {
		cursor := traders.cursor()
		return listRequest(record.StreamTraders, checkLimit, time.Time{}, cursor), cursor != ""
	}
	return []probe{
		s.healthProbe(),
		withoutCredentials(),
		traders.probe(StepTraders),
		{StepNextPage, nextRequest, next.decode, func(step *connectors.Step) { judgeNextPage(step, traders, next) }},
		(&listProbe{codec: s.codec, stream: record.StreamAccounts}).probe(StepAccounts),
		(&listProbe{codec: s.codec, stream: record.StreamTrades}).probe(StepTrades),
		(&listProbe{codec: s.codec, stream: record.StreamPayouts}).probe(StepPayouts),
	}
}

// always is the request of a step that does not depend on another.
func always(req fetch.Request) func() (fetch.Request, bool) {
	return func() (fetch.Request, bool) { return req, true }
}

// healthProbe checks that the status is the string "ok", no other spelling.
func (s *source) healthProbe() probe {
	decode := func(a fetch.Answer) error {
		text, err := alias.ReadObject(a.Body)
		if err != nil {
			return decodeError(err)
		}
		raw := alias.NewDecoder(s.codec.tables.health, "").Next(text).Raw(healthStatus)
		if status, err := jsontext.AppendUnquote(nil, raw); err != nil || string(status) != "ok" {
			return &connectors.Error{Code: connectors.CodeUnexpectedResponse, Message: `the member status is not the string "ok"`}
		}
		return nil
	}
	return probe{StepHealth, always(fetch.Request{Path: "/health", Resource: "health"}), decode, func(*connectors.Step) {}}
}

// withoutCredentials checks that the platform does not answer strangers.
func withoutCredentials() probe {
	req := listRequest(record.StreamTraders, 1, time.Time{}, "")
	req.Anonymous = true
	return probe{StepWithoutCredentials, always(req), nil, func(step *connectors.Step) {
		switch step.HTTPStatus {
		case http.StatusUnauthorized, http.StatusForbidden:
		case http.StatusOK:
			refuse(step)
		default:
			warn(step, statusCode(step.HTTPStatus), "a request without an API key was answered with status "+
				strconv.Itoa(step.HTTPStatus)+" instead of 401", hintWithoutCredentials)
		}
	}}
}

// statusCode is the code of an answer whose status means nothing better.
func statusCode(status int) connectors.Code {
	switch {
	case status == http.StatusNotFound:
		return connectors.CodeNotFound
	case status == http.StatusTooManyRequests:
		return connectors.CodeThrottled
	case status >= 300 && status < 400:
		return connectors.CodeUnexpectedRedirect
	case status >= 500:
		return connectors.CodeServerError
	}
	return connectors.CodeUnexpectedResponse
}

// listProbe reads the first records of a list.
type listProbe struct {
	codec  *codec
	stream record.Stream
	page   *connectors.Page // nil until it has been read
}

func (l *listProbe) probe(name string) probe {
	return probe{name, always(listRequest(l.stream, checkLimit, time.Time{}, "")), l.decode, l.judge}
}

func (l *listProbe) decode(a fetch.Answer) error {
	page, err := l.codec.decodePage(a.Body, pageRequest{stream: l.stream, limit: checkLimit})
	l.page = page
	return decodeError(err)
}

// cursor is the cursor of the next page; empty when there is none or the page
// has not been read.
func (l *listProbe) cursor() string {
	if l.page == nil {
		return ""
	}
	return l.page.Next
}

// judge fails the step when a record cannot be used: a field that the contract
// requires is missing, null or unreadable. An empty list is fine.
func (l *listProbe) judge(step *connectors.Step) {
	if bad := l.page.Rejected; len(bad) > 0 {
		reject(step, fmt.Sprintf("%d of %d records cannot be used: %s", len(bad), l.page.Seen, describe(bad[0])))
	}
}

// judgeNextPage passes any list, but fails one that leads back to itself: a
// sync would never get past it.
func judgeNextPage(step *connectors.Step, first, next *listProbe) {
	if next.cursor() == first.cursor() {
		code := connectors.CodeCursorLoop
		step.Status, step.Code, step.Hint = connectors.StepFailed, code, code.Hint()
		step.Message = "the next page gives the same next_cursor that it was asked for with"
	}
}
