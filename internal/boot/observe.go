package boot

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/trace"

	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/internal/exemplar"
)

// newObserver returns a function that counts the requests that a process sends to
// platforms, under names that begin with prefix, and logs each at debug level.
func newObserver(r prometheus.Registerer, log *slog.Logger, prefix string) func(context.Context, fetch.Event) {
	metric := promauto.With(r)
	requests := metric.NewCounterVec(prometheus.CounterOpts{
		Name: prefix + "_requests_total", Help: "Requests to platforms, retries included, by HTTP status or failure.",
	}, []string{"kind", "resource", "code"})
	duration := metric.NewHistogramVec(prometheus.HistogramOpts{
		Name: prefix + "_request_duration_seconds", Help: "Time from a request to a platform to the last byte of its answer.",
		Buckets: prometheus.ExponentialBuckets(0.005, 2, 13), NativeHistogramBucketFactor: 1.1,
	}, []string{"kind", "resource"})
	retries := metric.NewCounterVec(prometheus.CounterOpts{
		Name: prefix + "_retries_total", Help: "Requests to platforms that were sent again, by reason.",
	}, []string{"kind", "reason"})
	return func(ctx context.Context, e fetch.Event) {
		kind := string(e.Kind)
		log.LogAttrs(ctx, slog.LevelDebug, "platform asked", slog.String("kind", kind), slog.String("resource", e.Resource), slog.String("code", e.Code),
			slog.String("retry", e.Retry), slog.Int64("duration_ms", e.Duration.Milliseconds()))
		requests.WithLabelValues(kind, e.Resource, e.Code).Inc()
		exemplar.Observe(duration.WithLabelValues(kind, e.Resource), e.Duration.Seconds(), trace.SpanContextFromContext(ctx))
		if e.Retry != "" {
			retries.WithLabelValues(kind, e.Retry).Inc()
		}
	}
}
