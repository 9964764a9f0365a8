package v1_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// TestSavedKeyIsAudited leads an integration to another server, which receives the saved key for the
// live check before the change is saved or refused. The audit log says who sent the key where.
func TestSavedKeyIsAudited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	stranger := httptest.NewTLSServer(b.platform)
	t.Cleanup(stranger.Close)
	sent := func() int {
		return strings.Count(b.send(t, "GET", "/v1/audit?action=integration.checked", b.key, nil).want(t, http.StatusOK).body, stranger.URL)
	}

	b.send(t, "PATCH", path, b.key, map[string]any{"base_url": stranger.URL, "api_key": storetest.PlatformKey}).want(t, http.StatusOK)
	if n := sent(); n != 0 {
		t.Errorf("%d entries about a key that came with the request", n)
	}
	b.send(t, "PATCH", path, b.key, map[string]any{"base_url": b.platformURL, "api_key": storetest.PlatformKey}).want(t, http.StatusOK)
	b.send(t, "PATCH", path, b.key, map[string]any{"base_url": b.platformURL + secondPath}).want(t, http.StatusOK)
	if n := sent(); n != 0 {
		t.Errorf("%d entries about another path on the same host", n)
	}
	b.send(t, "PATCH", path, b.key, map[string]any{"base_url": stranger.URL}).want(t, http.StatusOK)
	if n := sent(); n != 1 {
		t.Errorf("%d entries about the key that was sent to another host, want 1", n)
	}
}
