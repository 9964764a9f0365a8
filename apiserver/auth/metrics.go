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
		Name: "apiserver_key_sessions_lost_total",
		Help: "Losses of the database session in which the process hears of revoked API keys; running requests end with 503 then.",
	})}
	held := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "apiserver_api_keys_held",
		Help: "API keys and sessions that the process serves or has just served, each with a lock in the database.",
	}, func() float64 {
		k.mu.Lock()
		defer k.mu.Unlock()
		return float64(len(k.byID))
	})
	return m, errors.Join(registry.Register(m.lost), registry.Register(held))
}

func newFailures(registry prometheus.Registerer) (*prometheus.CounterVec, error) {
	failures := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "apiserver_auth_failures_total",
		Help: "Requests refused for want of a usable API key or session, of a scope, or of a session's CSRF token, by problem code.",
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
