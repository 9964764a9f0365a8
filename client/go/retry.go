package assay

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Pauses before a request is sent again, unless the server says how long: up to firstPause, then
// twice as long each time, up to longestPause.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = 10 * time.Second
)

// retryPolicy says how often and after which pauses a request is sent again.
type retryPolicy struct {
	retries int
	longest time.Duration
}

// sendRepeatedly sends a request of the method until there is an answer that another attempt would not
// change. Each request may be repeated: a POST has an Idempotency-Key, and the API's other methods leave
// the same state when they are carried out twice. A conditional request, which has If-Match, is not
// repeated if it may have been carried out: the second attempt would be refused because of what the first
// has changed. For the same reason, the 404 of a DELETE that is repeated is its success.
func (p retryPolicy) sendRepeatedly(ctx context.Context, method string, conditional bool, send func() (*http.Response, error)) (*http.Response, error) {
	uncertain := false
	deadline := time.Now().Add(slowestAnswer)
	for attempt := 0; ; attempt++ {
		res, err := send()
		if uncertain && method == http.MethodDelete && err == nil && res.StatusCode == http.StatusNotFound && isProblem(res.Header) {
			res.StatusCode = http.StatusNoContent
		}
		if isInProgress(res) && time.Now().Before(deadline) {
			attempt = 0 // nothing has failed: the server is carrying out an earlier attempt
		}
		uncertain = uncertain || isUncertain(res, err)
		wait, again := p.nextPause(attempt, conditional, res, err)
		if !again || ctx.Err() != nil {
			return res, err
		}
		if res != nil {
			_, _ = io.CopyN(io.Discard, res.Body, maxProblem) // so that the connection can be used again
			_ = res.Body.Close()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// isUncertain reports whether the server may have carried out a request with the outcome. A connection that
// was refused counts, too, as in the client for browsers, which do not tell it from one that was lost.
func isUncertain(res *http.Response, err error) bool {
	return err != nil || res.StatusCode == http.StatusBadGateway || res.StatusCode == http.StatusGatewayTimeout
}

// isInProgress reports whether the server is carrying out another request with the same Idempotency-Key.
// Only that conflict says how long to wait.
func isInProgress(res *http.Response) bool {
	return res != nil && res.StatusCode == http.StatusConflict && res.Header.Get("Retry-After") != ""
}

// nextPause returns how long to wait before the next attempt, and whether there is one.
func (p retryPolicy) nextPause(attempt int, conditional bool, res *http.Response, err error) (time.Duration, bool) {
	if attempt >= p.retries || conditional && isUncertain(res, err) {
		return 0, false
	}
	wait := rand.N(min(firstPause<<min(attempt, 10), longestPause)) //nolint:gosec // spreads clients, and hides nothing
	if err != nil {
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err) // it would be shown again
		return wait, !untrusted
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		if !isInProgress(res) {
			return 0, false
		}
	}
	asked := retryAfter(res, time.Now())
	return asked + wait, asked <= p.longest
}

// retryAfter reads how long the server asks to wait.
func retryAfter(res *http.Response, now time.Time) time.Duration {
	value := res.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
