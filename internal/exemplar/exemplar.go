// Package exemplar leads from a figure to an example of it: histograms of durations carry the id of
// a trace for each bucket.
package exemplar

import (
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// label is the name under which Grafana looks for the id of a trace, unless told otherwise.
const label = "trace_id"

// Observe adds a value that was measured in a span. Its trace is the example if it is one that is
// sent: without tracing there is none, and of sampled traces the others exist nowhere.
func Observe(o prometheus.Observer, value float64, span trace.SpanContext) {
	with, ok := o.(prometheus.ExemplarObserver)
	if !ok || !span.IsSampled() {
		o.Observe(value)
		return
	}
	with.ObserveWithExemplar(value, prometheus.Labels{label: span.TraceID().String()})
}
