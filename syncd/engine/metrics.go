package engine

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/trace"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/exemplar"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/syncing"
)

// metrics are the engine's metrics. No label grows with the number of customers.
type metrics struct {
	cycles    *prometheus.CounterVec
	runs      *prometheus.CounterVec
	duration  *prometheus.HistogramVec
	records   *prometheus.CounterVec
	findings  *prometheus.CounterVec
	throttled *prometheus.CounterVec
	waits     *prometheus.CounterVec
	pageWrite *prometheus.HistogramVec
	fenced    prometheus.Counter
	slices    prometheus.Counter
	audits    *prometheus.CounterVec
	audited   *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	metric := promauto.With(r)
	return &metrics{
		cycles: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_syncd_cycles_total", Help: "Cycles that ended, by the health of the integration afterwards.",
		}, []string{"kind", "outcome"}),
		runs: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_syncd_runs_total", Help: "Runs that ended, by status.",
		}, []string{"kind", "resource", "status"}),
		duration: metric.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assay_syncd_run_duration_seconds", Help: "Time from the start of a run to its end, waits included.",
			Buckets: prometheus.ExponentialBuckets(0.05, 4, 10), NativeHistogramBucketFactor: 1.1,
		}, []string{"kind", "resource"}),
		records: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_syncd_records_total", Help: "Records read, by result: inserted, updated, unchanged, quarantined or stale.",
		}, []string{"kind", "resource", "result"}),
		findings: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_syncd_findings_total", Help: "Broken rules of the contract found in traffic.",
		}, []string{"kind", "resource", "rule"}),
		throttled: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_syncd_throttled_seconds_total", Help: "Time that cycles waited because platforms responded with 429, widened gaps between requests included.",
		}, []string{"kind"}),
		waits: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_syncd_waits_total", Help: "Waits of a cycle before it requests the same page again.",
		}, []string{"kind", "reason"}),
		pageWrite: metric.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assay_syncd_page_write_seconds", Help: "Time to merge and commit a page, or pages of a first load together.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14), NativeHistogramBucketFactor: 1.1,
		}, []string{"resource"}),
		fenced: metric.NewCounter(prometheus.CounterOpts{
			Name: "assay_syncd_fenced_writes_total", Help: "Pages that were not written because the lease had passed to another process.",
		}),
		slices: metric.NewCounter(prometheus.CounterOpts{
			Name: "assay_syncd_slices_total", Help: "Slices that ended: whole cycles, yields and waits.",
		}),
		audits: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_syncd_audits_total", Help: "Audits that ended, by status.",
		}, []string{"kind", "status"}),
		audited: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_syncd_audit_records_total", Help: "Records that audits compared: current, absent, stale, unshown or missing.",
		}, []string{"kind", "resource", "result"}),
	}
}

func (m *metrics) countCycle(kind record.Kind, health syncing.Health) {
	m.cycles.WithLabelValues(string(kind), string(health)).Inc()
}

func (m *metrics) countRun(ctx context.Context, kind record.Kind, run *syncing.OpenRun, status syncing.RunStatus, took time.Duration) {
	resource := string(run.Stream.Resource())
	m.runs.WithLabelValues(string(kind), resource, string(status)).Inc()
	exemplar.Observe(m.duration.WithLabelValues(string(kind), resource), took.Seconds(), trace.SpanContextFromContext(ctx))
}

func (m *metrics) countPage(ctx context.Context, kind record.Kind, resource record.Resource, out ingest.PageOutcome, took time.Duration) {
	exemplar.Observe(m.pageWrite.WithLabelValues(string(resource)), took.Seconds(), trace.SpanContextFromContext(ctx))
	for result, n := range map[string]int64{
		"inserted": out.Page.Inserted, "updated": out.Page.Updated, "unchanged": out.Page.Unchanged,
		"quarantined": out.Page.Quarantined, "stale": out.Page.Stale,
	} {
		if n > 0 {
			m.records.WithLabelValues(string(kind), string(resource), result).Add(float64(n))
		}
	}
	for _, f := range out.Findings {
		m.findings.WithLabelValues(string(kind), string(f.Resource), f.Rule).Add(float64(f.Count))
	}
}

func (m *metrics) countSweep(kind record.Kind, r *syncing.AuditedResource, current int64) {
	for result, n := range map[string]int64{"current": current, "absent": r.Absent, "stale": r.Stale, "unshown": r.Unshown, "missing": r.Missing} {
		if n > 0 {
			m.audited.WithLabelValues(string(kind), string(r.Resource), result).Add(float64(n))
		}
	}
}
