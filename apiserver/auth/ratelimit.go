package auth

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/access"
)

// ratePolicy is the value of RateLimit-Policy: 600 requests in 60 seconds.
var ratePolicy = fmt.Sprintf(`"default";q=%d;w=%d`, access.RateLimit, int(access.RateWindow.Seconds()))

// RateLimitHeaders tells the caller how many requests its key has left, in the header fields of
// the IETF draft (draft-ietf-httpapi-ratelimit-headers): how many may be made at once, and in how
// many whole seconds there will be more.
func RateLimitHeaders(h http.Header, remaining int, reset time.Duration) {
	h.Set("RateLimit-Policy", ratePolicy)
	h.Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, max(0, remaining), wholeSeconds(reset)))
}

// checkLimit tells the caller how many requests are left, or returns a 429 if none is. In that
// case nobody needs to ask again for rest, starting at began.
func (a *Authenticator) checkLimit(header http.Header, l *Lease, d access.Decision, began time.Time, rest time.Duration) error {
	if d.Limited {
		a.keys.noteRefusal(l, began.Add(rest))
		return a.refuseLimited(header, d.Reset)
	}
	RateLimitHeaders(header, d.Remaining, d.Reset)
	return nil
}

// refuseLimited refuses a request over the limit, which ends after wait.
func (a *Authenticator) refuseLimited(header http.Header, wait time.Duration) error {
	a.limited.Inc()
	RateLimitHeaders(header, 0, wait)
	return limitProblem(wait)
}

// limitWait returns for how long a key over its limit need not be looked up: until requests leave
// the window, or until the key expires, which is reported first.
func limitWait(a access.Admission) time.Duration {
	if a.ExpiresAt != nil {
		return min(a.Reset, a.ExpiresAt.Sub(a.At))
	}
	return a.Reset
}

// limitProblem returns the problem for a request over its key's limit. The key may make another
// request after reset.
func limitProblem(reset time.Duration) *problem.Problem { return AskToWait("", reset) }

// throttleProblem returns the problem for an unknown key or session if the client has tried too
// many. The client may try another one after retryAfter.
func throttleProblem(retryAfter time.Duration) *problem.Problem {
	return AskToWait("Too many requests with unknown API keys or sessions came from your IP address. Check the key, or sign in again, after the time in the Retry-After header.", retryAfter)
}

// AskToWait returns a 429 that asks the client to wait 1 to 60 whole seconds.
func AskToWait(detail string, after time.Duration) *problem.Problem {
	return problem.New(problem.RateLimited, detail).With("Retry-After", strconv.Itoa(max(1, wholeSeconds(after))))
}

// wholeSeconds rounds up, so that nobody comes back too early, and does not exceed the window.
func wholeSeconds(d time.Duration) int {
	d = min(max(d, 0), access.RateWindow)
	return int((d + time.Second - 1) / time.Second)
}

// newRateLimited registers the counter of refused requests.
func newRateLimited(registry prometheus.Registerer) (prometheus.Counter, error) {
	c := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "assay_apiserver_rate_limited_total",
		Help: "Requests refused by a rate limit.",
	})
	return c, registry.Register(c)
}
