package integrations

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/connectors"
)

// newLiveChecks registers the counter of live checks.
func newLiveChecks(registry prometheus.Registerer) (*prometheus.CounterVec, error) {
	checks := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "assay_apiserver_live_checks_total",
		Help: "Live checks that ran to the end.",
	}, []string{"kind", "ok"})
	return checks, registry.Register(checks)
}

func (a *API) countCheck(r connectors.Report) {
	a.liveChecks.WithLabelValues(string(r.Kind), strconv.FormatBool(r.OK)).Inc()
}
