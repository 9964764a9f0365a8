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

// unmatched is the route of requests that match no route.
const unmatched = "unmatched"

// Event is what is recorded about a request while it is served, and logged when it is done. Only
// the request's goroutine uses it. It never contains a header, a query, a body or a path, because
// any of them may contain a secret or a person's data. The only value taken from them is the
// client's address.
type Event struct {
	RequestID      string
	Client         netip.Addr // where the request comes from; zero if unknown
	Route          string     // path template, or Unmatched
	Read           bool       // reads a list or an item, for which there is a latency objective
	KeyID          uuid.UUID  // zero if no key was recognized
	PersonID       uuid.UUID  // zero if no person was recognized
	OrganizationID uuid.UUID
	ObjectID       uuid.UUID // id in the path; zero if there is none, or it is not a UUID
	// Idempotency is the role of the request for its Idempotency-Key: first, replayed,
	// in_progress or reused. It is empty if the request has no such key.
	Idempotency string
	Problem     string   // code of the problem in the response
	Faults      []string // codes of the problem's faults, without duplicates
	Cause       error    // cause of a 5xx response, which is shown nowhere else
	ClientGone  bool     // the client left before the response
	stack       string   // stack of a panic
	brokenOff   int      // status of a problem that occurred after the response had begun; 0 if none
}

type eventKey struct{}

// EventFrom returns the request's event. Outside of Wrap it returns an event that is never read.
func EventFrom(ctx context.Context) *Event {
	if e, ok := ctx.Value(eventKey{}).(*Event); ok {
		return e
	}
	return &Event{Route: unmatched}
}

// Lengths of the prefixes of addresses that are stored.
const (
	prefix4 = 24
	prefix6 = 48
)

// ClientPrefix returns the part of the client's address that is stored. It is empty if the address is
// unknown.
func (e *Event) ClientPrefix() string {
	client, bits := e.Client.Unmap(), prefix6
	if client.Is4() {
		bits = prefix4
	}
	prefix, err := client.Prefix(bits)
	if err != nil || !prefix.IsValid() {
		return ""
	}
	return prefix.String()
}

// statusClientGone is the status in logs and metrics of a request whose client left before the
// response. No client sees it.
const statusClientGone = 499

// logEvent logs the event. Server errors that need a person's attention are logged as errors. If
// another server is unavailable for some time, that is a warning.
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
