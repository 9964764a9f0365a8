package deliver

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

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
	m := &metrics{
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "webhook_deliveries_total", Help: "Deliveries that came to an end, by how.",
		}, []string{"status"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "webhook_attempts_total", Help: "Attempts at deliveries, by class of the answer's status and by what went wrong.",
		}, []string{"code_class", "error"}),
		latency: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "webhook_delivery_latency_seconds", Help: "Time from an event to the first attempt at each of its deliveries.",
			Buckets: []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300}, NativeHistogramBucketFactor: 1.1,
		}),
		backlog: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "webhook_backlog", Help: "Deliveries whose attempt is due.",
		}),
		revived: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "webhook_jobs_revived_total", Help: "Endpoints that were taken over from a process that died.",
		}),
	}
	r.MustRegister(m.deliveries, m.attempts, m.latency, m.backlog, m.revived)
	return m
}

func (m *metrics) countAttempt(o *webhooks.AttemptOutcome, due *webhooks.DueDelivery) {
	class, code := "none", "none"
	if o.HTTPStatus != nil {
		class = strconv.Itoa(*o.HTTPStatus/100) + "xx"
	}
	if o.ErrorCode != nil {
		code = *o.ErrorCode
	}
	m.attempts.WithLabelValues(class, code).Inc()
	if o.Number == 1 && o.Trigger == webhooks.TriggerOfSchedule {
		m.latency.Observe(max(o.StartedAt.Sub(due.CreatedAt).Seconds(), 0))
	}
}

// countWritten counts deliveries that came to an end, once their end is saved.
func (m *metrics) countWritten(list []webhooks.AttemptOutcome) {
	for i := range list {
		if s := list[i].Status; s != webhooks.DeliveryPending {
			m.deliveries.WithLabelValues(string(s)).Inc()
		}
	}
}
