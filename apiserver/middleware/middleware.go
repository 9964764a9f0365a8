package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
)

// MaxBody limits a request's body in bytes, unless a BodyLimit applies. The largest JSON that a
// route accepts is far smaller.
const MaxBody = 1 << 20

// BodyLimit is the largest body of a request in bytes, and the problem for a larger one.
type BodyLimit func(r *http.Request) (bytes int64, larger problem.Code)

// Config configures the middleware.
type Config struct {
	Logger   *slog.Logger
	Registry prometheus.Registerer
	Problems problem.Writer
	Now      func() time.Time
	// TrustedProxies are the ranges whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// Tracer creates a span for each request. If it is nil, there are no spans.
	Tracer trace.Tracer
}

// Stack wraps handlers.
type Stack struct {
	logger   *slog.Logger
	metrics  *metrics
	problems problem.Writer
	now      func() time.Time
	trusted  []netip.Prefix
	tracer   trace.Tracer
}

// New returns the middleware. It registers the request metrics.
func New(c Config) (*Stack, error) {
	m, err := newMetrics(c.Registry)
	if err != nil {
		return nil, fmt.Errorf("register request metrics: %w", err)
	}
	if c.Tracer == nil {
		c.Tracer = noop.NewTracerProvider().Tracer("")
	}
	return &Stack{logger: c.Logger, metrics: m, problems: c.Problems, now: c.Now, trusted: c.TrustedProxies, tracer: c.Tracer}, nil
}

// Wrap wraps a router in the middleware. If limit is nil, MaxBody applies to all requests.
func (s *Stack) Wrap(next http.Handler, limit BodyLimit) http.Handler {
	if limit == nil {
		limit = func(*http.Request) (int64, problem.Code) { return MaxBody, problem.PayloadTooLarge }
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := s.now()
		event := &Event{RequestID: requestID(r), Route: unmatched, Client: ClientAddress(r, s.trusted)}
		ctx, span := s.startSpan(r)
		r = r.WithContext(context.WithValue(ctx, eventKey{}, event))
		rec := response.Of(w)
		setHeaders(rec.Header(), event.RequestID)
		s.metrics.inflight.Inc()
		defer s.metrics.inflight.Dec()
		defer func() { s.finishRequest(r, event, rec, s.now().Sub(begun), span) }()
		s.runRouter(rec, r, event, next, limit)
	})
}

// runRouter runs the router with a body of limited size, and answers 500 if it panics.
func (s *Stack) runRouter(rec *response.Writer, r *http.Request, event *Event, next http.Handler, limit BodyLimit) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		if err, ok := fault.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(fault) // the handler breaks the connection off deliberately
		}
		event.stack = string(debug.Stack())
		s.Fail(rec, r, fmt.Errorf("panic: %v", fault))
	}()
	most, larger := limit(r)
	if r.ContentLength > most {
		// The body is left unread, so the connection cannot be reused.
		rec.Header().Set("Connection", "close")
		s.Fail(rec, r, problem.New(larger, ""))
		return
	}
	r.Body = http.MaxBytesReader(rec, r.Body, most)
	next.ServeHTTP(rec, r)
}

func (s *Stack) finishRequest(r *http.Request, event *Event, rec *response.Writer, took time.Duration, span trace.Span) {
	status := rec.Status
	switch {
	case event.ClientGone:
		status = statusClientGone
	case event.brokenOff != 0:
		status = event.brokenOff
	case status == 0:
		status = http.StatusOK // net/http writes it after the handler has returned
	}
	s.metrics.observeRequest(event, r.Method, status, took, span.SpanContext())
	event.logEvent(r.Context(), s.logger, r, status, rec.Bytes, took)
	endSpan(span, event, r.Method, status)
}

// Fail answers a request with the problem that err maps to, and records it in the request's
// event. If the response has already begun, Fail breaks off the connection, because there is no
// other way to show that the response is incomplete.
func (s *Stack) Fail(w http.ResponseWriter, r *http.Request, err error) {
	s.FailIn(w, r, err, func(w http.ResponseWriter, p *problem.Problem) {
		s.problems.Write(w, EventFrom(r.Context()).RequestID, p)
	})
}

// FailIn is like Fail, in the form that write gives the problem.
func (s *Stack) FailIn(w http.ResponseWriter, r *http.Request, err error, write func(http.ResponseWriter, *problem.Problem)) {
	event := EventFrom(r.Context())
	p := problem.From(err)
	event.Problem, event.Faults, event.Cause = string(p.Code), p.FaultCodes(), p.Cause
	// Our own deadlines cause DeadlineExceeded, so a canceled context means that the client has
	// closed the connection.
	event.ClientGone = errors.Is(err, response.ErrNotSent) || errors.Is(err, context.Canceled) && errors.Is(context.Cause(r.Context()), context.Canceled)
	if rec, ok := w.(*response.Writer); ok && rec.Status != 0 {
		event.brokenOff = p.Status()
		panic(http.ErrAbortHandler)
	}
	write(w, p)
}

// setHeaders sets the headers of every response. A response belongs to one caller, so no cache
// may store it, and browsers must neither guess its type nor use http.
func setHeaders(h http.Header, requestID string) {
	h.Set(RequestIDHeader, requestID)
	h.Set("Cache-Control", "no-store")
	h.Set("Strict-Transport-Security", "max-age=31536000")
	h.Set("X-Content-Type-Options", "nosniff")
}
