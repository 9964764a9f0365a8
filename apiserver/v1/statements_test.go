package v1_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
)

// TestStatements counts, in the server's log, the statements that a request costs.
func TestStatements(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a Postgres server of its own")
	}
	server := loggingServer(t)
	b := setupOn(t, storetest.URLOn(t, server.URL))
	b.send(t, "GET", "/v1/traders", b.key, nil).want(t, http.StatusOK)
	storetest.Within(t, time.Minute, "the key's use is noted", func() bool { return b.readText(t, `SELECT count(*)::text FROM api_key_uses`) == "1" })
	for _, tt := range []struct {
		method, path string
		body         any
		status, most int
	}{
		{"POST", "/v1/integrations", b.newIntegration(), http.StatusCreated, 8},
		{"POST", "/v1/traders", map[string]any{"full_name": "Ada Lovelace"}, http.StatusCreated, 9},
		{"GET", "/v1/traders", nil, http.StatusOK, 2},
	} {
		server.AllowStatements(t, tt.most, tt.method+" "+tt.path, func() { b.send(t, tt.method, tt.path, b.key, tt.body).want(t, tt.status) })
	}
}
