package recording

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the metrics of recordings.
type metrics struct{ recorded prometheus.Counter }

func newMetrics(r prometheus.Registerer) *metrics {
	return &metrics{recorded: promauto.With(r).NewCounter(prometheus.CounterOpts{
		Name: "assay_interview_recorded_seconds_total", Help: "Length of the recordings that became playable.",
	})}
}
