package boot

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/internal/version"
)

// flushLimit bounds how long a stopping process tries to send its last traces.
const flushLimit = 2 * time.Second

// newTracer returns the tracer of the process called name, which sends spans to
// otlp.endpoint, or makes none without an endpoint. The variables of OpenTelemetry
// apply: OTEL_EXPORTER_OTLP_HEADERS for a collector's key, OTEL_TRACES_SAMPLER for
// the share that is kept. stop sends the remaining spans.
func newTracer(ctx context.Context, c configs.Config, name string, log *slog.Logger) (tracer trace.Tracer, stop func(), err error) {
	if c.OTLP.Endpoint == "" {
		return noop.NewTracerProvider().Tracer(""), func() {}, nil
	}
	target, err := url.JoinPath(c.OTLP.Endpoint, "v1", "traces")
	if err != nil {
		return nil, nil, fmt.Errorf("otlp.endpoint: %w", err)
	}
	roots, err := Roots(c.Egress.CAFile)
	if err != nil {
		return nil, nil, err
	}
	options := []otlptracehttp.Option{otlptracehttp.WithEndpointURL(target)}
	if strings.HasPrefix(target, "https:") {
		options = append(options, otlptracehttp.WithTLSClientConfig(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, nil, fmt.Errorf("send traces: %w", err)
	}
	// The library has one handler for all errors in the background.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.WarnContext(context.WithoutCancel(ctx), "traces not sent", "error", err)
	}))
	build := version.Read()
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(resource.NewSchemaless(
		attribute.String("service.name", name), attribute.String("service.namespace", "assay"),
		attribute.String("service.version", build.Version), attribute.String("vcs.ref.head.revision", build.Revision),
	)))
	return provider.Tracer("github.com/assayhq/assay"), func() {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushLimit)
		defer cancel()
		if err := provider.Shutdown(after); err != nil {
			log.WarnContext(after, "last traces not sent", "error", err)
		}
	}, nil
}

// traced adds the ids of the span that a log event belongs to.
type traced struct{ slog.Handler }

// Handle implements slog.Handler.
func (h traced) Handle(ctx context.Context, r slog.Record) error {
	if s := trace.SpanContextFromContext(ctx); s.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", s.TraceID().String()), slog.String("span_id", s.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{h.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (h traced) WithGroup(name string) slog.Handler { return traced{h.Handler.WithGroup(name)} }
