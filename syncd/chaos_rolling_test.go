package main_test

import (
	"maps"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestChaosRolling runs three syncds. Each second one of them is killed or ended
// and another one started, while the platform changes, cycles are requested and
// events are delivered.
func TestChaosRolling(t *testing.T) {
	if testing.Short() {
		t.Skip("runs two versions side by side")
	}
	chaostest.Fault{Name: "three syncds, one ended each second", Small: 1, Large: 1, Timed: true}.Each(t, func(t *testing.T, r *chaostest.Run) {
		const integrations, syncds = 6, 3
		s := emptyScene(r, nil)
		s.World = enginetest.New(t, reference.Options{
			Seed: r.Seed, Traders: 40, AccountsPerTrader: 2, Trades: 1500, Payouts: 20, Weekends: true, OnRequest: s.answered,
		})
		s.prepare(t)
		for range integrations - 1 {
			addIntegration(t, s.World)
		}
		s.start(t, syncds)
		s.begin(t)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		ended := 0
		for until := time.Now().Add(chaostest.Time(t, 6*time.Second, 10*time.Minute)); time.Now().Before(until); ended++ {
			<-tick.C
			s.replaceOne(t)
			s.happen(t)
		}
		r.Note("%d ended, %d requests", ended, s.requests.Load())
		storetest.Within(t, 10*time.Minute, "all cycles are over", func() bool { return s.over(t) })
		s.askAll(t)
		storetest.Within(t, 10*time.Minute, "the last cycles are over", func() bool {
			return s.over(t) && number(t, s.World, `SELECT count(*) FROM sync_state WHERE manual OR claimable_at <= now()`) == 0
		})
		s.eachIntegration(t, func() { s.Compare(t) })
		s.settled(t)
	})
}

// replaceOne kills or ends one of the syncds and starts another.
func (s *scene) replaceOne(t *testing.T) {
	t.Helper()
	owners := slices.Sorted(maps.Keys(s.daemons))
	owner := owners[s.r.IntN(len(owners))]
	d := s.daemons[owner]
	delete(s.daemons, owner)
	if s.r.IntN(2) == 0 {
		d.kill(t)
	} else {
		d.signal(t, syscall.SIGTERM)
		if code := d.ended(t, time.Minute); code != 0 {
			t.Errorf("exit code %d after SIGTERM", code)
		}
	}
	s.start(t, 1)
}

// happen lets time pass on the platform, and requests cycles and emits events.
func (s *scene) happen(t *testing.T) {
	t.Helper()
	s.Platform.Advance(time.Duration(s.r.Between(1, 120)) * time.Minute)
	s.askAll(t)
	for range s.r.IntN(10) {
		if _, err := directory.CreateTrader(t.Context(), s.DB, store.SystemChange(s.Organization), directory.NewTrader{FullName: "Zoe Miller"}); err != nil {
			t.Fatal(err)
		}
	}
}

// askAll requests a cycle of each integration.
func (s *scene) askAll(t *testing.T) {
	t.Helper()
	s.eachIntegration(t, func() { s.askAgain(t) })
}

// eachIntegration calls do with a world for each of the organization's
// integrations.
func (s *scene) eachIntegration(t *testing.T, do func()) {
	t.Helper()
	first := s.IntegrationID
	defer func() { s.IntegrationID = first }()
	all, err := integrations.List(t.Context(), s.DB, s.Organization)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		s.IntegrationID = i.ID
		do()
	}
}
