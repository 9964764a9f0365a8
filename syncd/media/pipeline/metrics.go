package pipeline

import "github.com/prometheus/client_golang/prometheus"

// metrics are those of the pipeline's steps.
type metrics struct {
	steps    *prometheus.CounterVec
	recorded prometheus.Counter
	requeued prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		steps: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interview_steps_total", Help: "Tries at steps of interviews, by step and what came of it.",
		}, []string{"step", "outcome"}),
		recorded: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interview_recorded_seconds_total", Help: "Length of the recordings that were made playable.",
		}),
		requeued: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interview_steps_requeued_total", Help: "Steps of interviews that were lost, because their process died, and queued again.",
		}),
	}
	r.MustRegister(m.steps, m.recorded, m.requeued)
	return m
}
