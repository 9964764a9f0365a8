package deliver

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/trace"

	"github.com/assayhq/assay/internal/exemplar"
	"github.com/assayhq/assay/store/webhooks"
)

// metrics are the metrics of deliveries.
type metrics struct {
	deliveries *prometheus.CounterVec
	attempts   *prometheus.CounterVec
	latency    prometheus.Histogram
	backlog    prometheus.Gauge
	revived    prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	metric := promauto.With(r)
	return &metrics{
		deliveries: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_webhook_deliveries_total", Help: "Deliveries that ended, by status.",
		}, []string{"status"}),
		attempts: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_webhook_attempts_total", Help: "Attempts, by class of the response status and by error.",
		}, []string{"code_class", "error"}),
		latency: metric.NewHistogram(prometheus.HistogramOpts{
			Name: "assay_webhook_delivery_latency_seconds", Help: "Time from the commit of a change, or the end of a pause or failures of its endpoint, to the first attempt.",
			Buckets: []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300}, NativeHistogramBucketFactor: 1.1,
		}),
		backlog: metric.NewGauge(prometheus.GaugeOpts{
			Name: "assay_webhook_backlog", Help: "Deliveries whose next attempt is due. Those of endpoints that fail or are slow do not count.",
		}),
		revived: metric.NewCounter(prometheus.CounterOpts{
			Name: "assay_webhook_jobs_revived_total", Help: "Endpoints that were taken over from a process that died.",
		}),
	}
}

func (m *metrics) countAttempt(o *webhooks.AttemptOutcome) {
	class, code := "none", "none"
	if o.HTTPStatus != nil {
		class = strconv.Itoa(*o.HTTPStatus/100) + "xx"
	}
	if o.ErrorCode != nil {
		code = *o.ErrorCode
	}
	m.attempts.WithLabelValues(class, code).Inc()
}

// observeLatency observes how long a delivery has waited for its first attempt since the time.
func (m *metrics) observeLatency(o *webhooks.AttemptOutcome, since time.Time, span trace.SpanContext) {
	exemplar.Observe(m.latency, max(o.StartedAt.Sub(since).Seconds(), 0), span)
}

// countWritten counts deliveries that came to an end, once their end is saved.
func (m *metrics) countWritten(list []webhooks.AttemptOutcome) {
	for i := range list {
		if s := list[i].Status; s != webhooks.DeliveryPending {
			m.deliveries.WithLabelValues(string(s)).Inc()
		}
	}
}
