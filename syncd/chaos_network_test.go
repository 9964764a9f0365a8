package main_test

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/syncd/enginetest"
)

// trouble returns a network fault, by toxiproxy's name and attributes.
func trouble(r *chaostest.Run) (name, attributes string) {
	switch r.IntN(7) {
	case 0:
		return "latency", fmt.Sprintf(`{"latency": %d, "jitter": %d}`, r.Between(50, 1000), r.IntN(300))
	case 1: // cut in the middle of an answer
		return "limit_data", fmt.Sprintf(`{"bytes": %d}`, r.Between(1, 60_000))
	case 2:
		return "bandwidth", fmt.Sprintf(`{"rate": %d}`, r.Between(1, 40)) // KB/s
	case 3: // a slow drip
		return "slicer", fmt.Sprintf(`{"average_size": %d, "size_variation": 1, "delay": %d}`, r.Between(2, 400), r.Between(100, 20_000))
	case 4:
		return "reset_peer", fmt.Sprintf(`{"timeout": %d}`, r.IntN(500))
	case 5: // half open: nothing arrives, and nothing closes
		return "timeout", `{"timeout": 0}`
	default:
		return "slow_close", fmt.Sprintf(`{"delay": %d}`, r.Between(100, 2000))
	}
}

// TestChaosNetwork makes the network between syncd and the platform fail in one to
// three ways in the middle of a cycle, one after the other.
func TestChaosNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a network that drips and hangs")
	}
	chaostest.Fault{Name: "network between syncd and platform", Small: 3, Large: 200, Width: 8}.Each(t, func(t *testing.T, r *chaostest.Run) {
		trades := r.Between(500, 3000)
		request := int64(r.Between(1, 3+trades/200))
		s := newScene(t, r, trades, request)
		p := between(t, s.Fixture)
		s.Exec(t, `UPDATE sync_state SET claimable_at = now() + interval '1 day'`)
		s.start(t, 1)
		s.begin(t)
		s.await(t, request)
		for range r.Between(1, 3) {
			p.goWrong(t, r)
			time.Sleep(time.Duration(r.Between(50, 3000)) * time.Millisecond) // for how long it lasts
			p.mend(t)
		}
		s.askAgain(t)
		storetest.Within(t, 10*time.Minute, "all cycles are over", func() bool { return s.over(t) })
		s.Compare(t)
		s.hook.complete(t, s.Fixture)
		s.unharmed(t)
	})
}

// askAgain requests a cycle, so that the test need not wait for the next one after
// a cycle that failed.
func (s *scene) askAgain(t *testing.T) {
	t.Helper()
	if _, err := integrations.RequestSync(t.Context(), s.DB, store.SystemChange(s.Organization), s.IntegrationID); err != nil {
		t.Fatal(err)
	}
}

// proxy is a proxy between syncd and the platform.
type proxy struct{ *toxiproxy.Proxy }

// quiet keeps the proxy's log events out of the log that all proxies share.
var quiet sync.Once

// between puts a proxy in front of the fixture's platform, and makes the integration
// use it.
func between(t *testing.T, w *enginetest.Fixture) *proxy {
	t.Helper()
	address := w.Integration(t).BaseURL
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	quiet.Do(func() { zerolog.SetGlobalLevel(zerolog.Disabled) })
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.New(io.Discard))
	p := &proxy{toxiproxy.NewProxy(server, "platform", "127.0.0.1:0", u.Host)}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	base := "https://" + p.Listen
	if _, err := integrations.Update(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID, integrations.Patch{BaseURL: &base}); err != nil {
		t.Fatal(err)
	}
	w.Pass(t)
	return p
}

// goWrong adds a fault, in one direction.
func (p *proxy) goWrong(t *testing.T, r *chaostest.Run) {
	t.Helper()
	name, attributes := trouble(r)
	direction := []string{"upstream", "downstream"}[r.IntN(2)]
	text := fmt.Sprintf(`{"name": "trouble", "type": %q, "stream": %q, "toxicity": 1, "attributes": %s}`, name, direction, attributes)
	if _, err := p.Toxics.AddToxicJson(strings.NewReader(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	t.Logf("%s %s %s", direction, name, attributes)
}

// mend removes the fault. Connections that it broke stay broken.
func (p *proxy) mend(t *testing.T) {
	t.Helper()
	if err := p.Toxics.RemoveToxic(context.WithoutCancel(t.Context()), "trouble"); err != nil {
		t.Fatal(err)
	}
}
