package boot

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/connectors/fetch"
)

// observer counts the requests that a process sends to platforms, under names
// that begin with prefix.
func observer(r prometheus.Registerer, prefix string) func(fetch.Event) {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: prefix + "_requests_total", Help: "Requests to platforms, retries included, by HTTP status or failure.",
	}, []string{"kind", "resource", "code"})
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: prefix + "_request_duration_seconds", Help: "Time from a request to a platform to the last byte of its answer.",
		Buckets: prometheus.ExponentialBuckets(0.005, 2, 13), NativeHistogramBucketFactor: 1.1,
	}, []string{"kind", "resource"})
	retries := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: prefix + "_retries_total", Help: "Requests to platforms that were sent again, by reason.",
	}, []string{"kind", "reason"})
	r.MustRegister(requests, duration, retries)
	return func(e fetch.Event) {
		kind := string(e.Kind)
		requests.WithLabelValues(kind, e.Resource, e.Code).Inc()
		duration.WithLabelValues(kind, e.Resource).Observe(e.Duration.Seconds())
		if e.Retry != "" {
			retries.WithLabelValues(kind, e.Retry).Inc()
		}
	}
}
