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

// sendRepeatedly sends until there is an answer that another attempt would not change. Each request may be
// repeated: a POST has an Idempotency-Key, and the API's other methods have the same effect twice. A
// conditional request, which has If-Match, is not repeated if it may have been carried out: the second
// attempt would be refused because of what the first has changed.
func (p retryPolicy) sendRepeatedly(ctx context.Context, conditional bool, send func() (*http.Response, error)) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		res, err := send()
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

// nextPause returns how long to wait before the next attempt, and whether there is one.
func (p retryPolicy) nextPause(attempt int, conditional bool, res *http.Response, err error) (time.Duration, bool) {
	uncertain := err != nil || res.StatusCode == http.StatusBadGateway || res.StatusCode == http.StatusGatewayTimeout
	if attempt >= p.retries || conditional && uncertain {
		return 0, false
	}
	wait := rand.N(min(firstPause<<min(attempt, 10), longestPause)) //nolint:gosec // spreads clients, and hides nothing
	if err != nil {
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err) // it would be shown again
		return wait, !untrusted
	}
	asked, given := retryAfter(res, time.Now())
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	case http.StatusConflict: // another request with the same key is in progress
		if !given {
			return 0, false
		}
	default:
		return 0, false
	}
	return asked + wait, asked <= p.longest
}

// retryAfter reads how long the server asks to wait.
func retryAfter(res *http.Response, now time.Time) (time.Duration, bool) {
	value := res.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
