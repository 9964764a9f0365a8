package auth

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/problem"
)

// keyMetrics are the metrics of the keys that are held.
type keyMetrics struct{ lost prometheus.Counter }

func newKeyMetrics(registry prometheus.Registerer, k *Keys) (*keyMetrics, error) {
	m := &keyMetrics{lost: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "assay_apiserver_key_sessions_lost_total",
		Help: "Lost database connections on which the process is notified of revoked keys.",
	})}
	held := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_apiserver_api_keys_held",
		Help: "API keys and sessions with requests in progress or recently served in the process.",
	}, func() float64 {
		k.mu.Lock()
		defer k.mu.Unlock()
		return float64(len(k.byID))
	})
	return m, errors.Join(registry.Register(m.lost), registry.Register(held))
}

func newFailures(registry prometheus.Registerer) (*prometheus.CounterVec, error) {
	failures := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "assay_apiserver_auth_failures_total",
		Help: "Requests refused because a key, session, scope or CSRF token was missing or invalid.",
	}, []string{"code"})
	for _, code := range []problem.Code{
		problem.AuthenticationRequired, problem.InvalidAPIKey, problem.APIKeyExpired,
		problem.APIKeyRevoked, problem.InsufficientScope, problem.InvalidSession, problem.SessionExpired, problem.SessionEnded,
		problem.CSRFFailed, problem.PasswordChangeRequired,
	} {
		failures.WithLabelValues(string(code))
	}
	return failures, registry.Register(failures)
}
