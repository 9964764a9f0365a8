package schedule

import (
	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the scheduler's metrics.
type metrics struct {
	lag   prometheus.Histogram
	claim prometheus.Histogram

	claimFailures prometheus.Counter
	integrations  *prometheus.GaugeVec
	age           *prometheus.GaugeVec
	polled        *prometheus.GaugeVec
	stale         *prometheus.GaugeVec
	completeness  *prometheus.GaugeVec
}

func newMetrics(r prometheus.Registerer, running func() int) *metrics {
	m := &metrics{
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "syncd_schedule_lag_seconds", Help: "How late turns start after they have become due.",
			Buckets: []float64{0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 15, 60, 300}, NativeHistogramBucketFactor: 1.1,
		}),
		claim: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "syncd_claim_seconds", Help: "Time that looking for due integrations took.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 12), NativeHistogramBucketFactor: 1.1,
		}),
		claimFailures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "syncd_claim_failures_total", Help: "Looks for due integrations that failed.",
		}),
		integrations: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "syncd_integrations", Help: "Integrations by health.",
		}, []string{"kind", "health"}),
		age: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "syncd_data_age_seconds", Help: "Age of the data of polled integrations: time since the last success, as quantiles over integrations.",
		}, []string{"kind", "quantile"}),
		polled: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "syncd_integrations_polled", Help: "Integrations that are polled: those that are not blocked, stopped or unchecked.",
		}, []string{"kind"}),
		stale: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "syncd_integrations_stale", Help: "Polled integrations whose data is older than two of their intervals.",
		}, []string{"kind"}),
	}
	m.completeness = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "syncd_audit_completeness_ratio", Help: "Share of platforms' records that was stored as it should be when last audited, as lowest and mean over integrations.",
	}, []string{"kind", "resource", "statistic"})
	r.MustRegister(m.lag, m.claim, m.claimFailures, m.integrations, m.age, m.polled, m.stale, m.completeness, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "syncd_cycles_running", Help: "Turns in progress in this process.",
	}, func() float64 { return float64(running()) }))
	return m
}
