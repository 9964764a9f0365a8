package middleware

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// startSpan starts a request's span. Callers are not trusted: their trace is linked, but it is
// not continued and does not decide about sampling.
func (s *Stack) startSpan(r *http.Request) (context.Context, trace.Span) {
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}
	caller := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
	if theirs := trace.SpanContextFromContext(caller); theirs.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: theirs}))
	}
	return s.tracer.Start(r.Context(), "request", options...)
}

// endSpan ends a request's span. Like the event, it contains no header, query, body or path.
func endSpan(span trace.Span, e *Event, method string, status int) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	method = methodLabel(method)
	span.SetName(method + " " + e.Route)
	span.SetAttributes(
		attribute.String("http.request.method", method), attribute.String("http.route", e.Route), attribute.Int("http.response.status_code", status),
		attribute.String("assay.request_id", e.RequestID), attribute.Stringer("assay.organization_id", e.OrganizationID),
	)
	if status >= http.StatusInternalServerError {
		span.SetAttributes(attribute.String("error.type", e.Problem))
		span.SetStatus(codes.Error, e.Problem)
	}
}
