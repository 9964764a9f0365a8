package work

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the metrics of a pool.
type metrics struct {
	duration *prometheus.HistogramVec
	jobs     *prometheus.GaugeVec
	oldest   *prometheus.GaugeVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	metric := promauto.With(r)
	return &metrics{
		duration: metric.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assay_job_duration_seconds", Help: "How long jobs took.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 20), NativeHistogramBucketFactor: 1.1,
		}, []string{"queue"}),
		jobs: metric.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_job_backlog", Help: "Jobs that are due.",
		}, []string{"queue"}),
		oldest: metric.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_job_oldest_age_seconds", Help: "Time since the oldest due job became due. Webhook endpoints that fail or are slow do not count.",
		}, []string{"queue"}),
	}
}
