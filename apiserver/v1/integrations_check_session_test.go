package v1_test

import (
	"net/http"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// TestLiveCheckWhoseSessionIsLost checks that a request does not report a revoked key if that is
// unknown, but that it can be sent again.
func TestLiveCheckWhoseSessionIsLost(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	conn := storetest.Conn(t, b.databaseURL)
	lost := 0.0
	for path, body := range map[string]any{
		"/v1/integrations":      b.newIntegration(),
		"/v1/integrations/test": b.newIntegration(),
	} {
		r := b.during(t, "POST", path, body, func() {
			_, err := conn.Exec(t.Context(), `SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
WHERE l.locktype = 'advisory' AND l.mode = 'ShareLock' AND d.datname = current_database()`)
			check(t, err)
			lost++
			storetest.Eventually(t, "the process knows", func() bool { return b.sessionsLost(t) == lost })
		})
		r.wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
		b.send(t, "GET", "/v1/traders", b.key, nil).want(t, http.StatusOK)
	}
}

// sessionsLost returns how often the process has lost the session in which it receives
// revocations.
func (b *testAPI) sessionsLost(t *testing.T) float64 {
	t.Helper()
	families, err := b.registry.Gather()
	check(t, err)
	for _, f := range families {
		if f.GetName() == "assay_apiserver_key_sessions_lost_total" {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatal("no such metric")
	return 0
}
