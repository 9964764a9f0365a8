package main_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/syncd/enginetest"
)

// shortLease is the lease of most cycles under chaos, and shortStep that of steps.
const (
	shortLease = time.Second
	shortStep  = 2 * time.Second
	shortly    = leasesVariable + "=1s,2s"
)

// scene is a fixture, a webhook endpoint that subscribes to everything, and the
// syncds that work on both.
type scene struct {
	*enginetest.Fixture
	r        *chaostest.Run
	hook     *hook
	settings []string
	daemons  map[string]*daemon // by the owner of their leases, including those that were killed

	requests atomic.Int64            // answered by the platform
	reached  map[int64]chan struct{} // closed at that request
}

// newScene makes a fixture from the run's seed, without a syncd. reached are the
// numbers of the platform's requests at which the test acts.
func newScene(t *testing.T, r *chaostest.Run, trades int, at ...int64) *scene {
	t.Helper()
	if r.IntN(4) > 0 {
		return newSceneOn(t, r, storetest.URL(t), trades, at...)
	}
	s := emptyScene(r, at)
	s.Fixture = enginetest.NewPartner(t, partner.Options{
		Firm:      firm.Options{Seed: r.Seed, Traders: r.Between(5, 60), AccountsPerTrader: 2, Trades: trades, Payouts: r.IntN(30), Weekends: true},
		OnRequest: s.answered,
	}, nil)
	s.prepare(t)
	return s
}

// newSceneOn is newScene for a customer's platform, on a database of the test's
// own.
func newSceneOn(t *testing.T, r *chaostest.Run, database string, trades int, at ...int64) *scene {
	t.Helper()
	s := emptyScene(r, at)
	s.Fixture = enginetest.NewOn(t, database, reference.Options{
		Firm:               firm.Options{Seed: r.Seed, Traders: r.Between(5, 60), AccountsPerTrader: 2, Trades: trades, Payouts: r.IntN(30), Weekends: true},
		TradeIDsPerAccount: r.IntN(2) == 0,
		OnRequest:          s.answered,
	})
	s.prepare(t)
	return s
}

func emptyScene(r *chaostest.Run, at []int64) *scene {
	s := &scene{r: r, daemons: make(map[string]*daemon), reached: make(map[int64]chan struct{})}
	for _, n := range at {
		s.reached[n] = make(chan struct{})
	}
	return s
}

// prepare adds the webhook endpoint, and holds the cycles back until begin.
func (s *scene) prepare(t *testing.T) {
	t.Helper()
	s.hook = newHook(t, s.Fixture)
	roots := append(s.CA(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.hook.server.Certificate().Raw})...)
	s.settings = settings(t, s.Fixture, "EGRESS_CA_FILE="+write(t, "roots.pem", string(roots)), "BLOBS_URL=file://"+t.TempDir(), "WORKERS_MEDIA=0", shortly)
	s.Exec(t, `UPDATE sync_state SET claimable_at = now() + interval '1 day'`)
}

// answered counts the platform's requests.
func (s *scene) answered(fault.RequestInfo) {
	if c := s.reached[s.requests.Add(1)]; c != nil {
		close(c)
	}
}

// begin lets cycles begin.
func (s *scene) begin(t *testing.T) {
	t.Helper()
	s.Exec(t, `UPDATE sync_state SET claimable_at = now(), slot_at = now()`)
}

// start starts syncds.
func (s *scene) start(t *testing.T, n int, more ...string) (started []*daemon) {
	t.Helper()
	for range n {
		started = append(started, launch(t, append(s.settings, more...)))
	}
	for _, d := range started {
		d.await(t)
		s.daemons[d.owner(t)] = d
	}
	return started
}

// holder returns the running syncd that holds a lease, or nil if none does.
func (s *scene) holder(t *testing.T) *daemon {
	t.Helper()
	for _, owner := range s.Texts(t, `SELECT owner FROM sync_state WHERE owner IS NOT NULL`) {
		if d := s.daemons[owner]; d != nil && d.runs() {
			return d
		}
	}
	return nil
}

// await waits until the request is reached or the cycle ends before that, and a
// little longer.
func (s *scene) await(t *testing.T, request int64) {
	t.Helper()
	eventually(t, "the platform is read", func() bool {
		select {
		case <-s.reached[request]:
			return true
		default:
			return s.over(t)
		}
	})
	time.Sleep(time.Duration(s.r.IntN(20_000)) * time.Microsecond) // the moment is the run's choice; nothing depends on it
}

// over reports whether every integration is healthy, no cycle is under way and no
// backfill is parked.
func (s *scene) over(t *testing.T) bool {
	t.Helper()
	return number(t, s.Fixture, `SELECT count(*) FROM sync_state s JOIN integrations i ON i.id = s.integration_id
        WHERE s.owner IS NOT NULL OR s.cycle_id IS NOT NULL OR i.health_status <> 'healthy'
            OR EXISTS (SELECT FROM sync_streams p WHERE p.integration_id = s.integration_id AND p.run IS NOT NULL)`) == 0
}

// settled waits until everything has been read and delivered, and compares it with
// the platform's truth.
func (s *scene) settled(t *testing.T) {
	t.Helper()
	storetest.Within(t, 10*time.Minute, "all cycles are over", func() bool { return s.over(t) })
	s.Compare(t)
	// A backfill that takes several cycles has a row in its first cycle.
	if n := number(t, s.Fixture, `SELECT count(*) FROM sync_runs a JOIN sync_runs b USING (integration_id)
        WHERE a.cycle_id < b.cycle_id AND a.mode = 'incremental' AND b.mode = 'incremental' AND tstzrange(a.started_at, a.finished_at) && tstzrange(b.started_at, b.finished_at)`); n > 0 {
		t.Errorf("%d pairs of runs of different cycles were under way at a time", n)
	}
	if bad := s.Texts(t, `SELECT DISTINCT concat_ws(' ', resource, status) FROM sync_runs WHERE status NOT IN ('succeeded', 'interrupted')`); len(bad) > 0 {
		t.Errorf("runs %q: what happened to assay must not fail any", bad)
	}
	s.hook.complete(t, s.Fixture)
}

// tookOver waits until another process has claimed what the owner held, and notes
// how long that took. The server may still have executed the last statement of the
// killed process, which ended the cycle.
func (s *scene) tookOver(t *testing.T, owner string, after time.Time) {
	t.Helper()
	claimed := func() bool {
		found := s.Texts(t, `SELECT (extract(epoch FROM max(at)) - $2::float8)::text FROM integration_transitions
            WHERE kind = 'lease' AND strpos(reason, $1) > 0 HAVING count(*) > 0`, owner, float64(after.UnixMicro())/1e6)
		if len(found) == 0 {
			return false
		}
		took, err := strconv.ParseFloat(found[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		s.r.TookOver(time.Duration(took * float64(time.Second)))
		return true
	}
	eventually(t, "another process takes over", func() bool {
		over := s.over(t)
		return claimed() || over
	})
}

// await waits until the syncd works.
func (d *daemon) await(t *testing.T) {
	t.Helper()
	eventually(t, "syncd has started, or ended", func() bool { return !d.runs() || d.log.has("syncd started") })
	if !d.log.has("syncd started") {
		t.Fatal("syncd ended instead of starting")
	}
}

// unharmed checks that no syncd has ended on its own.
func (s *scene) unharmed(t *testing.T) {
	t.Helper()
	for owner, d := range s.daemons {
		if !d.runs() {
			t.Errorf("syncd %s has ended", owner)
		}
	}
}

// runs reports whether the process has not ended.
func (d *daemon) runs() bool {
	select {
	case <-d.done:
		return false
	default:
		return true
	}
}

// owner is the daemon's name in leases.
func (d *daemon) owner(t *testing.T) string {
	t.Helper()
	return d.log.value(t, "syncd started", "owner")
}

// kill ends the syncd without warning, and returns the time.
func (d *daemon) kill(t *testing.T) time.Time {
	t.Helper()
	at := time.Now()
	d.signal(t, syscall.SIGKILL)
	d.ended(t, time.Minute)
	return at
}

// hook is a webhook endpoint with the server behind it.
type hook struct {
	webhooks.MadeEndpoint
	server *httptest.Server
	takes  atomic.Int64 // milliseconds until it answers
	calls  atomic.Int64

	mu    sync.Mutex
	first map[int64]string // id and body by sequence number
	wrong []string
	last  time.Time
}

// newHook subscribes to everything that happens at the platform.
func newHook(t *testing.T, w *enginetest.Fixture) *hook {
	t.Helper()
	h := &hook{first: make(map[int64]string)}
	h.server = httptest.NewUnstartedServer(h)
	h.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	h.server.StartTLS()
	t.Cleanup(h.server.Close)
	var err error
	h.MadeEndpoint, err = webhooks.CreateEndpoint(t.Context(), w.DB, store.SystemChange(w.Organization),
		webhooks.NewEndpoint{URL: h.server.URL + "/hook", Events: []string{event.Everything}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ServeHTTP records a delivery.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // its sender was killed
	}
	var e struct{ Sequence int64 }
	sent, _ := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	text := r.Header.Get("webhook-id") + " " + string(body)
	h.mu.Lock()
	if err := json.Unmarshal(body, &e); err != nil {
		h.wrong = append(h.wrong, err.Error())
	}
	if late := time.Since(time.Unix(sent, 0)); late.Abs() > 5*time.Minute {
		h.wrong = append(h.wrong, fmt.Sprintf("%s is signed with a time that is off by %s", text, late))
	}
	if before, known := h.first[e.Sequence]; known && before != text {
		h.wrong = append(h.wrong, text)
	}
	h.first[e.Sequence], h.last = text, time.Now()
	h.mu.Unlock()
	h.calls.Add(1)
	time.Sleep(time.Duration(h.takes.Load()) * time.Millisecond) // a receiver takes its time
	w.WriteHeader(http.StatusNoContent)
}

// complete waits until every event has arrived, and looks for gaps and for repeats
// that differ.
func (h *hook) complete(t *testing.T, w *enginetest.Fixture) {
	t.Helper()
	var sequence, events int64
	storetest.Within(t, 5*time.Minute, "every event is delivered", func() bool {
		err := w.Conn.QueryRow(t.Context(), `SELECT s.sequence, (SELECT count(*) FROM webhook_deliveries d WHERE d.endpoint_id = s.endpoint_id)
            FROM webhook_states s WHERE endpoint_id = $1`, h.ID).Scan(&sequence, &events)
		if err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		return int64(len(h.first)) >= sequence
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	for n := int64(1); n <= sequence; n++ {
		if h.first[n] == "" {
			t.Errorf("event %d of %d is missing", n, sequence)
		}
	}
	if events != sequence || int64(len(h.first)) != sequence {
		t.Errorf("the last number is %d, with %d deliveries and %d numbers that came", sequence, events, len(h.first))
	}
	if len(h.wrong) > 0 {
		t.Errorf("%d deliveries came again as something else, or were none:\n%s", len(h.wrong), strings.Join(h.wrong, "\n"))
	}
}
