package deliver

import (
	"net/http"
	"time"
)

// Wait is wait.
func Wait(over int, asked time.Duration, chance float64) (time.Duration, bool) {
	return wait(over, asked, chance)
}

// RetryAfter is retryAfter.
func RetryAfter(h http.Header, now time.Time) time.Duration { return retryAfter(h, now) }

// AttemptLimit is how long an attempt may take.
const AttemptLimit = attemptLimit
