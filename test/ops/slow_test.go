package ops_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/storetest"
)

// TestAlertsOfSlowness stages what makes assay slow and breaks nothing: tables of
// the database that are locked, a pool that is used up, deliveries that wait for
// the lease of a process that died.
//
// The windows of the alerts of slow burns are days. What shows here is that they fire on what is
// really measured; that it takes as long as it should is shown by the cases of
// configs/prometheus/alerts_test.yml. It takes long because what is slow must be slow for as long
// as an alert looks back.
func TestAlertsOfSlowness(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	p := scrape(t, s)
	s.start("apiserver", "ASSAY_DATABASE_MAX_CONNECTIONS=4", "ASSAY_DATABASE_REPLICA_URL="+storetest.As(t, roles.APIServer, s.Database)) // which is no replica
	s.start("syncd", "ASSAY_WORKERS_DELIVER=1")
	s.made("/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": ["*"]}`, s.receiver.URL))
	id := s.connect("Working", s.platform)
	if status, answer := s.call(http.MethodPatch, "/v1/integrations/"+id, `{"sync_interval_seconds": 60}`); status != http.StatusOK {
		t.Fatalf("change the interval: %d %s", status, answer)
	}
	s.await("it is read", `SELECT EXISTS (SELECT FROM integrations WHERE health_status = 'healthy')`)
	for _, alert := range []string{"AssayScheduleLag", "AssayDatabasePoolSaturated", "AssayLatencyBurnsFast", "AssayWebhookBurnsFast"} {
		p.await(t, alert, false)
	}

	t.Log("nothing can be claimed for a while")
	schedule := s.lockIdle()

	t.Log("requests wait for a table, and use up the pool")
	people := s.lock("people")
	release := s.callers(8)
	p.await(t, "AssayDatabasePoolSaturated", true)
	release(func() { s.unlock(people) })
	p.await(t, "AssayDatabasePoolSaturated", false)

	t.Log("a process has died, and deliveries wait for its lease")
	s.exec(`UPDATE webhook_states SET leased_until = now() + interval '20 seconds'`)
	for n := range 8 {
		s.made("/v1/traders", fmt.Sprintf(`{"full_name": "Zoe %d"}`, n))
	}
	for _, alert := range []string{"AssayLatencyBurnsFast", "AssayLatencyBurnsSlowly", "AssayWebhookBurnsFast", "AssayWebhookBurnsSlowly"} {
		p.await(t, alert, true)
	}

	p.await(t, "AssayReplicaUnused", true)

	t.Log("cycles start over a minute late")
	storetest.Within(t, patience, "a cycle is due for over a minute", func() bool {
		var late bool
		err := schedule.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM sync_state WHERE owner IS NULL AND claimable_at < clock_timestamp() - interval '65 s')`).Scan(&late)
		return err == nil && late
	})
	s.unlock(schedule)
	p.await(t, "AssayScheduleLag", true)
}

// lock keeps everybody from a table, until unlock or the end of the test.
func (s *stack) lock(table string) pgx.Tx {
	s.t.Helper()
	tx, err := storetest.Conn(s.t, s.Database).Begin(s.t.Context())
	if err == nil {
		_, err = tx.Exec(s.t.Context(), `LOCK TABLE `+table+` IN ACCESS EXCLUSIVE MODE`)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return tx
}

// lockIdle locks the schedule while nobody works on the integration.
func (s *stack) lockIdle() (schedule pgx.Tx) {
	s.t.Helper()
	storetest.Within(s.t, patience, "nobody works on it", func() bool {
		schedule = s.lock("sync_state")
		var idle bool
		if err := schedule.QueryRow(s.t.Context(), `SELECT bool_and(owner IS NULL AND cycle_id IS NULL) FROM sync_state`).Scan(&idle); err != nil {
			s.t.Fatal(err)
		}
		if !idle {
			s.unlock(schedule)
		}
		return idle
	})
	return schedule
}

func (s *stack) unlock(tx pgx.Tx) {
	s.t.Helper()
	if err := tx.Rollback(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// callers starts so many clients that request users, one request after the other. They end with the
// requests that are in progress when release is called, which lets these requests continue.
func (s *stack) callers(count int) (release func(letGo func())) {
	var over atomic.Bool
	var group sync.WaitGroup
	for range count {
		group.Go(func() {
			for !over.Load() {
				s.call(http.MethodGet, "/v1/users", "")
			}
		})
	}
	return func(letGo func()) {
		over.Store(true)
		letGo()
		group.Wait()
	}
}
