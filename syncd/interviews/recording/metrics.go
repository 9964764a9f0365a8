package recording

import "github.com/prometheus/client_golang/prometheus"

// metrics are the metrics of recordings.
type metrics struct{ recorded prometheus.Counter }

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{recorded: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "assay_interview_recorded_seconds_total", Help: "Length of the recordings that became playable.",
	})}
	r.MustRegister(m.recorded)
	return m
}
