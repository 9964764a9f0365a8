package middleware

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/assayhq/assay/internal/exemplar"
)

// metrics are the request metrics, which docs/reference/metrics.md lists.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	reads    prometheus.Histogram
	inflight prometheus.Gauge
}

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_apiserver_requests_total",
			Help: "Requests served; the code 499 means that the client disconnected.",
		}, []string{"route", "method", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:                            "assay_apiserver_request_duration_seconds",
			Help:                            "Time from the end of the request header to the end of the response.",
			Buckets:                         []float64{.001, .0025, .005, .01, .02, .05, .08, .1, .25, .5, 1, 2.5, 5, 10, 30, 130},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  160,
			NativeHistogramMinResetDuration: time.Hour,
		}, []string{"route"}),
		reads: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:                            "assay_apiserver_read_duration_seconds",
			Help:                            "Time from the end of the request header to the end of the response, for successful GET requests of lists and items.",
			Buckets:                         []float64{.001, .0025, .005, .01, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  160,
			NativeHistogramMinResetDuration: time.Hour,
		}),
		inflight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "assay_apiserver_inflight_requests",
			Help: "Requests in progress.",
		}),
	}
	return m, errors.Join(registry.Register(m.requests), registry.Register(m.duration), registry.Register(m.reads), registry.Register(m.inflight))
}

func (m *metrics) observeRequest(e *Event, method string, status int, took time.Duration, span trace.SpanContext) {
	m.requests.WithLabelValues(e.Route, methodLabel(method), strconv.Itoa(status)).Inc()
	exemplar.Observe(m.duration.WithLabelValues(e.Route), took.Seconds(), span)
	if e.Read && status < http.StatusBadRequest {
		exemplar.Observe(m.reads, took.Seconds(), span)
	}
}

// methodLabel keeps invented methods out of labels and log fields.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
		http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}
