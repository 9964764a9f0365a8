package v1

import (
	"errors"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/connectors"
)

type metrics struct {
	liveChecks *prometheus.CounterVec
	replays    prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{liveChecks: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "assay_apiserver_live_checks_total",
		Help: "Live checks that ran to the end.",
	}, []string{"kind", "ok"}), replays: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "assay_apiserver_idempotent_replays_total",
		Help: "Requests that received the stored response to an earlier request with the same Idempotency-Key.",
	})}
	return m, errors.Join(registry.Register(m.liveChecks), registry.Register(m.replays))
}

func (m *metrics) countCheck(r connectors.Report) {
	m.liveChecks.WithLabelValues(string(r.Kind), strconv.FormatBool(r.OK)).Inc()
}
