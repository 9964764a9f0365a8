package schedule

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the scheduler's metrics.
type metrics struct {
	running prometheus.Gauge
	lag     prometheus.Histogram
	claim   prometheus.Histogram

	claimFailures prometheus.Counter
	integrations  *prometheus.GaugeVec
	age           *prometheus.GaugeVec
	polled        *prometheus.GaugeVec
	stale         *prometheus.GaugeVec
	completeness  *prometheus.GaugeVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	metric := promauto.With(r)
	return &metrics{
		running: metric.NewGauge(prometheus.GaugeOpts{
			Name: "assay_syncd_cycles_running", Help: "Slices in progress in the process.",
		}),
		lag: metric.NewHistogram(prometheus.HistogramOpts{
			Name: "assay_syncd_schedule_lag_seconds", Help: "How late cycles start. Those of platforms that fail do not count.",
			Buckets: []float64{0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 15, 60, 300}, NativeHistogramBucketFactor: 1.1,
		}),
		claim: metric.NewHistogram(prometheus.HistogramOpts{
			Name: "assay_syncd_claim_seconds", Help: "Time of a query for due integrations.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 12), NativeHistogramBucketFactor: 1.1,
		}),
		claimFailures: metric.NewCounter(prometheus.CounterOpts{
			Name: "assay_syncd_claim_failures_total", Help: "Queries for due integrations that failed.",
		}),
		integrations: metric.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_syncd_integrations", Help: "Integrations by health.",
		}, []string{"kind", "health"}),
		age: metric.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_syncd_data_age_seconds", Help: "Time since the last successful cycle of polled integrations.",
		}, []string{"kind", "quantile"}),
		polled: metric.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_syncd_integrations_polled", Help: "Integrations that are polled, which leaves out blocked and inactive ones.",
		}, []string{"kind"}),
		stale: metric.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_syncd_integrations_stale", Help: "Polled integrations whose data is older than two intervals.",
		}, []string{"kind"}),
		completeness: metric.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_syncd_audit_completeness_ratio", Help: "Share of records that were stored correctly at the last audit, as the lowest and the mean over integrations.",
		}, []string{"kind", "resource", "statistic"}),
	}
}
