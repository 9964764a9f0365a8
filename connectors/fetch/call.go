package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
)

// call is one Get: the state that go-retryablehttp's hooks share. The hooks run one
// after the other in the goroutine of the Get.
//
// Each attempt goes through RoundTrip, checkRetry, handleResponse and checkRetry
// again, or just RoundTrip and checkRetry if there was no answer. It is over when
// outcome is set.
type call struct {
	platform *Platform
	client   *Client
	req      Request
	decode   func(Answer) error
	endpoint string
	budget   *budget

	attempt  *attempt
	traced   context.Context //nolint:containedctx // of the attempt's span, for what is told of it
	span     trace.Span      // of the attempt
	outcome  *outcome
	location string // of the current redirect
	body     *body  // of the successful answer
	pause    time.Duration

	began  time.Time     // first attempt
	idle   time.Duration // waited since then for budget and memory, and because the platform asked to
	paused time.Time     // when the wait that the platform asked for began; zero outside of such a wait
	stats  connectors.Stats
	result Result
}

// outcome is the result of an attempt.
type outcome struct {
	err   error  // nil on success
	label string // Event.Code
	retry connectors.Code
	wait  time.Duration // when throttled: how long the platform asks to wait
	sent  bool          // false if it failed before anything was sent
}

func (o *outcome) isThrottled() bool { return o.wait > 0 }

// RoundTrip sends one attempt when the budget allows. It is the transport of the
// call's own http.Client. Because it has no CloseIdleConnections, go-retryablehttp
// cannot close the shared pool.
func (c *call) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	c.outcome, c.location = nil, ""
	c.endWait()
	asked := time.Now()
	if err := c.budget.takeSlot(ctx, c.req.Policy == CheckPolicy); err != nil {
		c.outcome = &outcome{err: err}
		return nil, err
	}
	if c.began.IsZero() {
		c.began = time.Now()
	} else {
		c.idle += time.Since(asked)
	}
	c.stats.Requests++
	c.traced, c.span = c.startSpan(ctx)
	attemptCtx, a := startAttempt(c.traced)
	c.attempt = a
	resp, err := c.client.transport.RoundTrip(req.WithContext(attemptCtx))
	if err == nil && a.late.Load() { // what a server answers to the end of the connection is no answer
		_ = resp.Body.Close()
		err = context.Cause(attemptCtx)
	}
	if err != nil {
		a.stopClock()
		c.result.Status, c.result.Date = 0, time.Time{}
		c.outcome = c.noAnswer(ctx, err)
		return nil, err
	}
	c.result.Status = resp.StatusCode
	c.result.Date, _ = http.ParseTime(resp.Header.Get("Date"))
	// Without Location there is nothing that http.Client could follow or fail on.
	c.location = resp.Header.Get("Location")
	resp.Header.Del("Location")
	return resp, nil
}

// handleResponse reads, judges and decodes the answer to an attempt.
func (c *call) handleResponse(ctx context.Context, resp *http.Response) error {
	b := c.client.bodies.takeBody()
	defer func() {
		_ = resp.Body.Close()
		c.attempt.stopClock()
		c.idle += c.attempt.idle
		b.recycleBuffer()
		if c.outcome == nil || c.outcome.err != nil {
			b.releaseToken() // also when the decoder panics
		}
	}()
	if c.location != "" {
		resp.Header.Set("Location", c.location)
	}
	c.outcome = c.judgeStatus(ctx, resp, b)
	c.body = b
	return c.outcome.err
}

// judgeStatus maps a status to an outcome. It asks the decoder where that may
// decide.
func (c *call) judgeStatus(ctx context.Context, resp *http.Response, b *body) *outcome {
	o := &outcome{sent: true, label: statusLabel(resp.StatusCode)}
	if resp.StatusCode == http.StatusOK {
		return c.readBody(ctx, resp, b, o)
	}
	if raw, done, err := c.client.bodies.decodeContent(resp.Header, &wire{r: resp.Body}); err == nil {
		b.readHead(raw)
		done()
	}
	if ctx.Err() != nil {
		return canceledOutcome(ctx)
	}
	e := c.statusError(resp, b.buf)
	if e.Code == connectors.CodeThrottled {
		o.wait = e.RetryAfter
	}
	switch e.Code {
	case connectors.CodeThrottled:
		if c.req.Policy == CheckPolicy {
			o.retry = e.Code
		}
	case connectors.CodeServerError:
		o.retry = e.Code
	}
	if c.req.Anonymous && (o.retry == "" || c.isLastAttempt()) {
		return c.runDecoder(resp, b, o)
	}
	o.err = e
	return o
}

// isLastAttempt reports whether the current attempt is the last one.
func (c *call) isLastAttempt() bool { return c.stats.Requests >= maxAttempts }

// readBody reads the body of an answer with status 200 and decodes it.
func (c *call) readBody(ctx context.Context, resp *http.Response, b *body, o *outcome) *outcome {
	w := &wire{r: resp.Body}
	err := errTooLarge
	if resp.ContentLength <= maxPacked {
		var raw io.Reader
		var done func()
		if raw, done, err = c.client.bodies.decodeContent(resp.Header, w); err == nil {
			err = b.readAll(ctx, c.attempt, raw)
			done()
		}
	}
	if err != nil {
		return c.badBody(ctx, b.buf, w, err)
	}
	c.stats.Bytes = len(b.buf)
	return c.runDecoder(resp, b, o)
}

// runDecoder passes a complete answer to the decoder.
func (c *call) runDecoder(resp *http.Response, b *body, o *outcome) *outcome {
	o.retry = ""
	if c.decode == nil {
		return o
	}
	err := c.decode(Answer{Status: resp.StatusCode, Header: resp.Header, Body: b.buf})
	if errors.Is(err, alias.ErrSyntax) {
		return c.brokenOutcome(b.buf, err)
	}
	err = decodeError(err)
	o.err = err
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		o.label = string(e.Code)
		o.err = c.appendQuote(err, b.buf)
	} else if err != nil {
		o.label = string(connectors.CodeInternal)
	}
	return o
}

// checkRetry is called with the headers and once more with the outcome.
func (c *call) checkRetry(ctx context.Context, _ *http.Response, _ error) (bool, error) {
	o := c.outcome
	if o == nil || !o.sent {
		return false, nil // not over yet, or nothing was sent
	}
	retry := o.err != nil && o.retry != "" && !c.isLastAttempt()
	if retry {
		retry = c.planRetry(ctx, o)
	}
	spent := c.attempt.elapsedTime()
	slow := spent > slowAnswer
	c.budget.reportAnswer(o.isThrottled() || slow, c.result.Status != 0 && c.result.Status < 500 && !o.isThrottled() && !slow)
	c.endSpan(o)
	if c.client.observe != nil {
		e := Event{Kind: c.platform.kind, Resource: c.req.Resource, Code: o.label, Duration: spent}
		if retry {
			e.Retry = string(o.retry)
		}
		c.client.observe(c.traced, e)
	}
	if retry {
		c.outcome = nil
		if o.isThrottled() {
			c.stats.Throttled += c.pause
			c.paused = time.Now()
		}
	}
	return retry, nil
}

// endWait ends a wait that the platform has asked for.
func (c *call) endWait() {
	if !c.paused.IsZero() {
		c.idle += time.Since(c.paused)
		c.paused = time.Time{}
	}
}

// planRetry sets the pause before the next attempt. It returns false, and explains
// that in the outcome's error, if the pause would exceed the deadline of a check.
func (c *call) planRetry(ctx context.Context, o *outcome) bool {
	c.pause = backoffWait(c.client.backoff, c.stats.Requests)
	if o.isThrottled() {
		c.pause = stretchWait(o.wait)
	}
	deadline, ok := ctx.Deadline()
	if c.req.Policy != CheckPolicy || !ok || time.Now().Add(c.pause).Before(deadline) {
		return true
	}
	if !o.isThrottled() {
		o.err = &connectors.Error{
			Code:       connectors.CodeTimeout,
			HTTPStatus: c.result.Status,
			Message:    fmt.Sprintf("no time is left to try again after %s", o.retry),
			Err:        o.err,
		}
	}
	return false
}

// releaseOnce returns a function that releases the body's token, once.
func releaseOnce(b *body) func() { return sync.OnceFunc(b.releaseToken) }

// statusLabel returns the status as a label with a bounded number of values.
func statusLabel(status int) string {
	if http.StatusText(status) == "" {
		return "other"
	}
	return strconv.Itoa(status)
}
