package fetch

import (
	"net/http"
	"net/url"
	"time"

	"github.com/assayhq/assay/connectors"
)

// Policy says what a Get does if an attempt fails. Either way a request is
// attempted at most three times.
type Policy int

const (
	// SyncPolicy retries connection errors, timeouts, 5xx and broken bodies after a
	// random wait around 1 s, then 2 s. A 429, or a 503 with Retry-After, ends the
	// Get at once as CodeThrottled with the wait in RetryAfter, clamped but without
	// jitter, because the caller adds jitter, upwards only.
	SyncPolicy Policy = iota
	// CheckPolicy also waits out 429 and Retry-After itself. A wait that would
	// exceed the context's deadline is not begun: the Get ends at once with
	// CodeThrottled, or CodeTimeout for any other wait.
	CheckPolicy
)

// Request is one GET, relative to the platform's base URL.
type Request struct {
	// Path is appended to the base URL. It begins with "/", is already escaped
	// where needed, and has no query.
	Path string
	// Query is sent sorted by key; nil sends none.
	Query url.Values
	// Resource labels the request in events: "health", "traders", "accounts",
	// "trades" or "payouts".
	Resource string
	// Anonymous sends no Authorization header, and passes answers of any status to
	// the decoder instead of mapping them to errors.
	Anonymous bool
	// Policy decides about retries.
	Policy Policy
}

// Timestamp writes a time as a query parameter: RFC 3339 in UTC, cut off after
// the microseconds, as times are stored, and without trailing zeros.
func Timestamp(t time.Time) string {
	return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}

// Answer is an answer of the platform.
type Answer struct {
	// Status is 200, unless the request was anonymous.
	Status int
	Header http.Header
	// Body is decompressed and, with status 200, complete. With another status it
	// is at most the first 4 KiB. It is valid only until the decoder returns.
	Body []byte
}

// Result describes a Get. After an error, too, its fields are set as far as the Get
// came.
type Result struct {
	Status   int       // of the last answer; 0 when there was none
	Date     time.Time // the last answer's Date header; zero when absent or unreadable
	Endpoint string    // as connectors.Error.Endpoint
	// Latency is the time from the first attempt to the last byte, including
	// retries and their waits. It does not include waits for budget and memory, nor
	// those that a throttling platform asks for, because they say nothing about its
	// speed.
	Latency time.Duration
	Stats   connectors.Stats
	// Release releases the memory that is reserved for the answer. It is never nil
	// and must be called once, when the decoded data has been written or dropped.
	Release func()
}
