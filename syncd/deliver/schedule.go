package deliver

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/store/webhooks"
)

// delays are the waits before the scheduled attempts. The first retry comes soon,
// for a receiver that is just being deployed. Together they last three days, for an
// outage over a weekend.
var delays = [webhooks.ScheduledAttempts]time.Duration{
	0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// jitter is how much a wait may differ from its delay, as a fraction of it.
const jitter = 0.2

// nextPause returns how long the next attempt waits after that many scheduled
// attempts. ok is false when none is left. chance is from 0 to 1. A receiver that
// asked for a longer pause gets it.
func nextPause(over int, asked time.Duration, chance float64) (d time.Duration, ok bool) {
	if over < 0 || over >= len(delays) {
		return 0, false
	}
	factor := 1 - jitter + 2*jitter*chance
	return max(time.Duration(float64(delays[over])*factor), asked), true
}

// longestPause bounds what a receiver may ask for.
const longestPause = 24 * time.Hour

// retryAfter returns the pause that a receiver asks for, or 0 if it asks for none
// or its value cannot be parsed.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return longestPause // a number that is too large to parse
		}
		return min(time.Duration(seconds)*time.Second, longestPause)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longestPause)
}
