package fetch

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// Waits after 429, or 503 with Retry-After (platform contract, Errors).
const (
	minRetryAfter     = 1 * time.Second
	maxRetryAfter     = 60 * time.Second
	defaultRetryAfter = 10 * time.Second // header absent or unusable
)

// retryAfter returns the wait that the header asks for: whole seconds, clamped
// to 1–60 s however many digits they have. Everything else (dates, fractions,
// signs, several values) is unusable and means 10 s.
func retryAfter(h http.Header) time.Duration {
	value := strings.Trim(h.Get("Retry-After"), " \t")
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return defaultRetryAfter
	}
	digits := strings.TrimLeft(value, "0")
	if len(digits) > 2 {
		return maxRetryAfter
	}
	seconds := 0
	for _, d := range digits {
		seconds = seconds*10 + int(d-'0')
	}
	return min(max(time.Duration(seconds)*time.Second, minRetryAfter), maxRetryAfter)
}

// asksForPause reports whether the answer asks for a pause.
func asksForPause(status int, h http.Header) bool {
	_, stated := h["Retry-After"]
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && stated
}

// stretchWait adds up to a tenth to a wait that a platform asked for, so that
// clients with the same wait do not return at the same instant, and none returns
// too early.
func stretchWait(d time.Duration) time.Duration {
	return d + rand.N(d/10+1) //nolint:gosec // jitter is no secret
}

// backoffWait returns the wait before the given retry (1 or 2): full jitter around
// the first mean and twice that, so anything between nothing and twice the mean.
func backoffWait(first time.Duration, retry int) time.Duration {
	mean := first << (retry - 1)
	return rand.N(2 * mean) //nolint:gosec // jitter is no secret
}
