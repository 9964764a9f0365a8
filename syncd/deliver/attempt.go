package deliver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/webhooks"
)

// Limits of an attempt. A receiver has fifteen seconds to accept an event. It
// should do work that takes longer after its answer.
const (
	attemptLimit = 15 * time.Second // from the dial to the last byte of the answer
	connectLimit = 5 * time.Second
	tlsLimit     = 5 * time.Second
	maxAnswer    = 16 << 10 // bytes of the answer that are stored
	// idleLimit is how long an unused connection stays open. Servers keep
	// connections for longer, at least five seconds, so no request meets one that
	// is just being closed.
	idleLimit = 4 * time.Second
)

// userAgent of the requests.
const userAgent = "assay-webhooks/1 (+https://github.com/assayhq/assay)"

// Codes of attempts that failed although there was an answer, or before a request
// was sent. The other codes are those of connectors.Code.
const (
	codeRedirect   = "unexpected_redirect" // which is not followed
	codeGone       = "gone"                // 410: the endpoint does not want to be called again
	codeLimited    = "throttled"           // 429
	codeServer     = "server_error"        // 5xx
	codeRejected   = "rejected"            // any other status than 2xx
	codeTimeout    = "timeout"
	codeUnexpected = "unexpected_response" // not HTTP as it should be
	codeInternal   = "internal"            // the request could not be made because of a failure inside assay
	codeExpired    = "payload_expired"     // assay no longer has the payload
)

// answer is the result of an attempt.
type answer struct {
	started   time.Time // on the database's clock
	latency   time.Duration
	status    int    // 0 when there was no answer
	code      string // empty when it succeeded
	body      string // its beginning
	truncated bool   // the body was longer
	ours      bool   // a failure inside assay: the endpoint was not called
	pause     time.Duration
	span      trace.SpanContext
}

func (a answer) isGone() bool { return a.code == codeGone }

// statusCode returns the code of a status, or "" for success.
func statusCode(status int) string {
	switch {
	case status >= 200 && status < 300:
		return ""
	case status >= 300 && status < 400 && status != http.StatusNotModified:
		return codeRedirect
	case status == http.StatusGone:
		return codeGone
	case status == http.StatusTooManyRequests:
		return codeLimited
	case status >= 500:
		return codeServer
	}
	return codeRejected
}

// makeAttempt sends a delivery at the time, which is on the database's clock: receivers
// refuse a signature whose time is off, and the process's clock may be. It returns an error
// only if the context ended, which means that the attempt was broken off and says nothing
// about the endpoint.
func (d *Deliverer) makeAttempt(ctx context.Context, to *webhooks.Target, due *webhooks.DueDelivery, at time.Time) (answer, error) {
	ctx, span := d.Tracer.Start(ctx, "webhook attempt", trace.WithSpanKind(trace.SpanKindClient))
	a, err := d.sendRequest(ctx, to, due, at)
	a.span = span.SpanContext()
	endSpan(span, to, due, a)
	return a, err
}

// endSpan ends the span of an attempt. It records only the host of the endpoint,
// because the rest of a URL often contains a secret.
func endSpan(span trace.Span, to *webhooks.Target, due *webhooks.DueDelivery, a answer) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String("assay.event_id", event.ID(due.EventID)), attribute.String("http.request.method", http.MethodPost))
	if u, err := url.Parse(to.URL); err == nil {
		span.SetAttributes(attribute.String("server.address", u.Hostname()))
	}
	if a.status != 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", a.status))
	}
	if a.code != "" {
		span.SetAttributes(attribute.String("error.type", a.code))
		span.SetStatus(codes.Error, a.code)
	}
}

// sendRequest is makeAttempt without its span.
func (d *Deliverer) sendRequest(ctx context.Context, to *webhooks.Target, due *webhooks.DueDelivery, at time.Time) (answer, error) {
	began, a := d.now(), answer{started: at}
	if due.Data == nil {
		a.code, a.ours = codeExpired, true
		return a, nil
	}
	limited, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	request, err := d.newRequest(limited, to, due, at)
	if err != nil {
		a.code, a.ours = codeInternal, true
		return a, nil // the attempt itself failed
	}
	response, err := d.transport.RoundTrip(request)
	if err == nil {
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode < 100 { // no valid status, although it has three digits
			a.code = codeUnexpected
			a.latency = d.now().Sub(began)
			return a, nil
		}
		a.status, a.code = response.StatusCode, statusCode(response.StatusCode)
		a.pause = retryAfter(response.Header, at)
		a.body, a.truncated, err = readAnswer(limited, response.Body)
	}
	a.latency = d.now().Sub(began)
	switch {
	case ctx.Err() != nil:
		return a, ctx.Err()
	case err != nil && limited.Err() != nil:
		a.code = codeTimeout
	case err != nil && (a.code == "" || a.status == 0):
		a.code = string(fetch.FailureCode(err))
	}
	return a, nil
}

// newRequest makes the signed request. It is sent with RoundTrip, because a client
// would follow redirects by default.
func (d *Deliverer) newRequest(ctx context.Context, to *webhooks.Target, due *webhooks.DueDelivery, at time.Time) (*http.Request, error) {
	id := event.ID(due.EventID)
	integration, err := d.nameIntegration(ctx, to.Kind, due)
	if err != nil {
		return nil, err
	}
	body, err := writeBody(to.Kind, d.PublicURL, integration, due)
	if err != nil {
		return nil, err
	}
	signature, err := signBody(to.Secrets, id, at, body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if request.URL.Scheme != "https" || request.URL.User != nil {
		return nil, errors.New("the URL is not allowed")
	}
	// net/http then sends the request again if a kept connection ends before an answer. A header
	// without values is not sent. Receivers recognize a duplicate by webhook-id.
	request.Header["X-Idempotency-Key"] = nil
	for _, h := range to.Headers { // before assay's own, which they cannot replace
		request.Header.Set(h.Name, h.Value.Reveal())
	}
	// The names are in lower case in the standard, and in any case on the wire.
	request.Header.Set(headerID, id)
	request.Header.Set(headerTimestamp, strconv.FormatInt(at.Unix(), 10))
	request.Header.Set(headerSignature, signature)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", userAgent)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(request.Header)) // nothing without a span
	return request, nil
}

// readAnswer reads the beginning of an answer as text. It leaves the rest: closing
// the body then ends the connection. If the body ends because the context's time is
// up, the answer is incomplete. The server notices the hang-up before the read here
// returns, and some servers end their answer in between.
func readAnswer(ctx context.Context, r io.Reader) (text string, truncated bool, err error) {
	head, err := io.ReadAll(io.LimitReader(r, maxAnswer+1))
	if err == nil {
		err = ctx.Err()
	}
	if len(head) > maxAnswer {
		head, truncated, err = head[:maxAnswer], true, nil
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(head), "\uFFFD"), "\x00", "\uFFFD"), truncated, err
}
