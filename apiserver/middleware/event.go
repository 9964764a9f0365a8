package middleware

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"
)

// Keys of a request's log event.
const (
	keyRequestID    = "request_id"
	keyClient       = "client"
	keyMethod       = "method"
	keyRoute        = "route"
	keyStatus       = "status"
	keyDuration     = "duration_ms"
	keyBytes        = "bytes"
	keyAPIKey       = "api_key_id"
	keyPerson       = "person_id"
	keyOrganization = "organization_id"
	keyObject       = "object_id"
	keyIdempotency  = "idempotency"
	keyProblem      = "problem"
	keyFaults       = "faults"
	keyCause        = "cause"
	keyStack        = "stack"
)

// Unmatched is the route of requests that no route serves.
const Unmatched = "unmatched"

// Event is what is noted about a request while it is served, and logged when
// it is done. It is used by the goroutine of the request only. It never holds
// a header, a query, a body or a path: any of them may hold a secret or a
// person's data. What it takes of them is the client's address.
type Event struct {
	RequestID      string
	Client         netip.Addr // where the request comes from; zero when that is not known
	Route          string     // path template, or Unmatched
	Read           bool       // a list or an item is read, which has a latency objective
	KeyID          uuid.UUID  // zero when no key was recognized
	PersonID       uuid.UUID  // zero when no person was
	OrganizationID uuid.UUID
	ObjectID       uuid.UUID // that the path names; zero when it names none, or by no UUID
	// Idempotency says what the request was to its Idempotency-Key: first,
	// replayed, in_progress or reused; empty when it has none.
	Idempotency string
	Problem     string   // code of the problem that was answered
	Faults      []string // codes of the problem's faults, each once
	Cause       error    // why; for 5xx answers the only place where it shows
	ClientGone  bool     // nobody waited for the answer any more
	stack       string   // of a panic
	brokenOff   int      // status of a problem that came when the answer had begun; 0: none
}

type eventKey struct{}

// EventFrom returns the request's event. Outside of Wrap it returns one that
// nobody reads.
func EventFrom(ctx context.Context) *Event {
	if e, ok := ctx.Value(eventKey{}).(*Event); ok {
		return e
	}
	return &Event{Route: Unmatched}
}

// statusClientGone is what logs and metrics call a request whose client has
// gone before the answer; no client sees it.
const statusClientGone = 499

// logEvent writes the event. Server errors are errors that a person must look at;
// a server that is away for a while is a warning.
func (e *Event) logEvent(ctx context.Context, logger *slog.Logger, r *http.Request, status int, bytes int64, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case status == http.StatusServiceUnavailable:
		level = slog.LevelWarn
	case status >= http.StatusInternalServerError:
		level = slog.LevelError
	}
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 15)
	attrs = append(attrs,
		slog.String(keyRequestID, e.RequestID),
		slog.String(keyMethod, methodLabel(r.Method)),
		slog.String(keyRoute, e.Route),
		slog.Int(keyStatus, status),
		slog.Float64(keyDuration, float64(took.Microseconds())/1000),
		slog.Int64(keyBytes, bytes),
	)
	if e.Client.IsValid() {
		attrs = append(attrs, slog.String(keyClient, e.Client.String()))
	}
	if e.KeyID != uuid.Nil {
		attrs = append(attrs, slog.String(keyAPIKey, e.KeyID.String()))
	}
	if e.PersonID != uuid.Nil {
		attrs = append(attrs, slog.String(keyPerson, e.PersonID.String()))
	}
	if e.OrganizationID != uuid.Nil {
		attrs = append(attrs, slog.String(keyOrganization, e.OrganizationID.String()))
	}
	if e.ObjectID != uuid.Nil {
		attrs = append(attrs, slog.String(keyObject, e.ObjectID.String()))
	}
	if e.Idempotency != "" {
		attrs = append(attrs, slog.String(keyIdempotency, e.Idempotency))
	}
	if e.Problem != "" {
		attrs = append(attrs, slog.String(keyProblem, e.Problem))
	}
	if len(e.Faults) > 0 {
		attrs = append(attrs, slog.Any(keyFaults, e.Faults))
	}
	if e.Cause != nil {
		attrs = append(attrs, slog.String(keyCause, e.Cause.Error()))
	}
	if e.stack != "" {
		attrs = append(attrs, slog.String(keyStack, e.stack))
	}
	logger.LogAttrs(ctx, level, "request served", attrs...)
}
