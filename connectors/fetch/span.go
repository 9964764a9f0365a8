package fetch

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// startSpan begins the span of an attempt. Its path has no query, because that
// holds cursors, and no key, in case somebody has put the key into the path.
func (c *call) startSpan(ctx context.Context) (context.Context, trace.Span) {
	ctx, span := c.client.tracer.Start(ctx, "platform "+c.req.Resource, trace.WithSpanKind(trace.SpanKindClient))
	if span.IsRecording() {
		span.SetAttributes(
			attribute.String("assay.kind", string(c.platform.kind)), attribute.String("assay.integration_id", c.platform.id), attribute.String("assay.resource", c.req.Resource),
			attribute.String("http.request.method", http.MethodGet), attribute.String("server.address", c.platform.base.Hostname()),
			attribute.String("url.path", redactKey(*c.platform.key, c.req.Path)), attribute.Int("http.request.resend_count", c.stats.Requests-1),
		)
	}
	return ctx, span
}

// endSpan ends the span of the current attempt.
func (c *call) endSpan(o *outcome) {
	if c.span == nil || !c.span.IsRecording() {
		return
	}
	if c.result.Status != 0 {
		c.span.SetAttributes(attribute.Int("http.response.status_code", c.result.Status))
	}
	if o.err != nil {
		c.span.SetAttributes(attribute.String("error.type", o.label))
		c.span.SetStatus(codes.Error, o.label)
	}
	c.span.End()
}
