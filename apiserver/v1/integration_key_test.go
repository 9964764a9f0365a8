package v1_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store/storetest"
)

// TestSavedKeyStaysWithItsHost leads an integration to another server. The saved key must not
// arrive there: only a person who knows the key may send it to another host.
func TestSavedKeyStaysWithItsHost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	var asked atomic.Int64
	stranger := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		b.platform.ServeHTTP(w, r)
	}))
	t.Cleanup(stranger.Close)
	before := b.send(t, "GET", path, b.key, nil).body

	p := b.send(t, "PATCH", path, b.key, map[string]any{"base_url": stranger.URL}).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	if diff := cmp.Diff([]string{"#/api_key required"}, p.faults()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the other host received %d requests", n)
	}
	if after := b.send(t, "GET", path, b.key, nil).body; after != before {
		t.Errorf("a refused PATCH changed something:\n%s\n%s", before, after)
	}

	// Another path on the host, and another spelling of the host, need no key.
	for _, same := range []string{b.platformURL + secondPath, strings.Replace(b.platformURL, "https", "HTTPS", 1)} {
		b.send(t, "PATCH", path, b.key, map[string]any{"base_url": same}).want(t, http.StatusOK)
	}
	b.send(t, "PATCH", path, b.key, map[string]any{"base_url": stranger.URL, "api_key": storetest.PlatformKey}).want(t, http.StatusOK)
	if asked.Load() == 0 {
		t.Error("the other host received no request, although the key was sent again")
	}
}
