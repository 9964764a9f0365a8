package middleware

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Keys of a request's log event.
const (
	keyRequestID    = "request_id"
	keyMethod       = "method"
	keyRoute        = "route"
	keyStatus       = "status"
	keyDuration     = "duration_ms"
	keyBytes        = "bytes"
	keyAPIKey       = "api_key_id"
	keyOrganization = "organization_id"
	keyProblem      = "problem"
	keyCause        = "cause"
	keyStack        = "stack"
)

// Unmatched is the route of requests that no route serves.
const Unmatched = "unmatched"

// Event is what is noted about a request while it is served, and logged when
// it is done. It is used by the goroutine of the request only. It never holds
// a header, a query, a body or a path: any of them may hold a secret or a
// person's data.
type Event struct {
	RequestID      string
	Route          string    // path template, or Unmatched
	KeyID          uuid.UUID // zero when nobody was recognized
	OrganizationID uuid.UUID
	Problem        string // code of the problem that was answered
	Cause          error  // why; for 5xx answers the only place where it shows
	ClientGone     bool   // nobody waited for the answer any more
	stack          string // of a panic
	brokenOff      int    // status of a problem that came when the answer had begun; 0: none
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

// log writes the event. Server errors are errors that a person must look at;
// a server that is away for a while is a warning.
func (e *Event) log(ctx context.Context, logger *slog.Logger, r *http.Request, status int, bytes int64, took time.Duration) {
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
	attrs := make([]slog.Attr, 0, 11)
	attrs = append(attrs,
		slog.String(keyRequestID, e.RequestID),
		slog.String(keyMethod, methodLabel(r.Method)),
		slog.String(keyRoute, e.Route),
		slog.Int(keyStatus, status),
		slog.Float64(keyDuration, float64(took.Microseconds())/1000),
		slog.Int64(keyBytes, bytes),
	)
	if e.KeyID != uuid.Nil {
		attrs = append(attrs, slog.String(keyAPIKey, e.KeyID.String()), slog.String(keyOrganization, e.OrganizationID.String()))
	}
	if e.Problem != "" {
		attrs = append(attrs, slog.String(keyProblem, e.Problem))
	}
	if e.Cause != nil {
		attrs = append(attrs, slog.String(keyCause, e.Cause.Error()))
	}
	if e.stack != "" {
		attrs = append(attrs, slog.String(keyStack, e.stack))
	}
	logger.LogAttrs(ctx, level, "request served", attrs...)
}
