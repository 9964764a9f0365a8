//go:build lighthouse

package clients_test

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"github.com/assayhq/assay/store/storetest"
)

// leastScore is what each main page must reach, of 100.
const leastScore = 95

// score is what Lighthouse says of a page.
type score struct {
	At                         string
	Performance, Accessibility float64
	FirstMS, PaintMS           float64 // first and largest paint
	SpeedMS, BlockedMS         float64 // speed index, time that the main thread was blocked
	Shift, Bytes               float64
	Failed                     []string // with the elements
}

// TestLighthouse measures the main pages, on desktops and on phones. Lighthouse simulates a slow
// phone on a slow network. Its performance score depends on the machine and its load, so it is
// logged and never fails the test. It needs an idle machine and therefore runs only with -tags
// lighthouse.
func TestLighthouse(t *testing.T) {
	address := storetest.Address(t)
	_, port, err := net.SplitHostPort(address)
	check(t, err)
	b := newTab(t, remote.WebSocket, chromedp.Flag("remote-debugging-port", port)) // which Lighthouse uses too
	a := startAPI(t)
	ids := strings.NewReplacer("{integration}", a.sync(t), "{trader}", a.busyTrader(t), "{interview}", a.reviewable(t, "Zoe Miller"))
	a.signedIn(t, b, "owner")
	for _, page := range []struct{ name, path string }{
		{"home", "/"},
		{"integrations", "/integrations"},
		{"integration", "/integrations/{integration}"},
		{"traders", "/traders"},
		{"trader", "/traders/{trader}"},
		{"activity", "/traders/{trader}?tab=activity&days=365"},
		{"interviews", "/interviews"},
		{"review", "/interviews/{interview}"},
		{"keys", "/developers/keys"},
		{"webhooks", "/developers/webhooks"},
	} {
		t.Run(page.name, func(t *testing.T) {
			for _, device := range []string{"desktop", "mobile"} {
				tell(t, b, network.ClearBrowserCache, cdp.Empty{}) // each is a first visit
				s := lighthouse(t, port, a.url+ids.Replace(page.path), device)
				t.Logf("%-7s performance %3.0f, accessibility %3.0f, first paint %5.0f ms, largest %5.0f ms, speed index %5.0f ms, blocked %4.0f ms, shift %.3f, %4.0f kB %v",
					device, s.Performance, s.Accessibility, s.FirstMS, s.PaintMS, s.SpeedMS, s.BlockedMS, s.Shift, s.Bytes/1000, s.Failed)
				if s.Accessibility < leastScore {
					t.Errorf("on a %s: accessibility %.0f, want %d: %v", device, s.Accessibility, leastScore, s.Failed)
				}
			}
		})
	}
}

// lighthouse measures a page in the browser that listens on the port.
func lighthouse(t *testing.T, port, url, device string) (s score) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join("lighthouse", "run.mjs"), port, url, device)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	check(t, err)
	check(t, json.Unmarshal(out, &s))
	if s.At != url {
		t.Fatalf("%s led to %s", url, s.At)
	}
	return s
}
