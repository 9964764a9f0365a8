package main_test

import (
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
)

// jumpingClock is a setting of command: the syncd's clock jumps each second by an hour, from an
// hour behind the machine's clock to an hour ahead of it and back.
const jumpingClock = "TEST_CLOCK=jumping"

// buildJumping builds the test binary with that clock. It builds everything anew, which takes
// minutes the first time.
var buildJumping = sync.OnceValues(func() (string, error) {
	dir, err := programs()
	if err != nil {
		return "", err
	}
	overlay, err := chaostest.JumpingClock(dir)
	if err != nil {
		return "", err
	}
	return buildProgram("syncd.jumping", "test", "-c", "-overlay", overlay)
})

// TestChaosClock lets the clock of one of two syncds jump by an hour each second, while the
// platform changes, cycles are requested and events are delivered. Now and then one of the two is
// killed and started again.
func TestChaosClock(t *testing.T) {
	if testing.Short() {
		t.Skip("builds everything anew")
	}
	chaostest.Fault{Name: "a clock that jumps by an hour each second", Small: 1, Large: 40, Width: 4, Limit: shortLease + time.Second}.Each(t, func(t *testing.T, r *chaostest.Run) {
		s := newSceneOn(t, r, storetest.URL(t), r.Between(1000, 3000))
		clocks := [][]string{{jumpingClock}, nil}
		syncds := s.start(t, 1, clocks[0]...)
		s.begin(t)
		storetest.Eventually(t, "the one with the jumping clock is or was at work", func() bool { return s.holder(t) != nil || s.over(t) })
		syncds = append(syncds, s.start(t, 1)...)
		for range r.Between(3, 8) {
			s.happen(t)
			time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond) // the moment is the run's choice; nothing depends on it
			if r.IntN(2) == 0 {
				n := r.IntN(2)
				if s.holder(t) == syncds[1-n] {
					n = 1 - n
				}
				s.killSyncd(t, syncds[n])
				syncds[n] = s.start(t, 1, clocks[n]...)[0]
			}
		}
		s.settled(t)
	})
}
