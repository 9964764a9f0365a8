package v1

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/connectors"
)

type metrics struct{ liveChecks *prometheus.CounterVec }

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "apiserver_live_checks_total",
		Help: "Live checks that were made to their end, by kind of platform and outcome.",
	}, []string{"kind", "ok"})}
	return m, registry.Register(m.liveChecks)
}

func (m *metrics) checked(r connectors.Report) {
	m.liveChecks.WithLabelValues(string(r.Kind), strconv.FormatBool(r.OK)).Inc()
}
