package queue

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river/rivertype"
)

// metrics are those of the queues.
type metrics struct {
	duration *prometheus.HistogramVec
	jobs     *prometheus.GaugeVec
	oldest   *prometheus.GaugeVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "job_duration_seconds", Help: "Time that a job took.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 20), NativeHistogramBucketFactor: 1.1,
		}, []string{"queue"}),
		jobs: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "job_backlog", Help: "Jobs that are due.",
		}, []string{"queue"}),
		oldest: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "job_oldest_age_seconds", Help: "Time since the oldest job that waits became due.",
		}, []string{"queue"}),
	}
	r.MustRegister(m.duration, m.jobs, m.oldest)
	return m
}

// measureJob notes how long a job takes.
func (q *Queue) measureJob(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	began := time.Now()
	defer func() { q.metrics.duration.WithLabelValues(job.Queue).Observe(time.Since(began).Seconds()) }()
	return work(ctx)
}

// watchQueue refreshes the gauges until ctx ends. Every process reports the same
// figures.
func (q *Queue) watchQueue(ctx context.Context) {
	tick := time.NewTicker(surveyEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		queues, err := q.Store.SurveyQueues(ctx)
		if err != nil {
			if ctx.Err() == nil {
				q.Log.WarnContext(ctx, "queues not surveyed, will be tried again", "error", err)
			}
			continue
		}
		q.metrics.jobs.Reset()
		q.metrics.oldest.Reset()
		for _, p := range q.Parts {
			for name := range p.Queues() {
				q.metrics.jobs.WithLabelValues(name).Set(0)
				q.metrics.oldest.WithLabelValues(name).Set(0)
			}
		}
		for _, each := range queues {
			q.metrics.jobs.WithLabelValues(each.Queue).Set(float64(each.Backlog))
			q.metrics.oldest.WithLabelValues(each.Queue).Set(each.Oldest.Seconds())
		}
	}
}
