package reference_test

import (
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/reference"
)

// Readers, a living world and a test that changes it, all at once; the race
// detector judges.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	o := small(2)
	o.Firm.Start, o.Firm.Speed, o.Firm.Weekends = time.Time{}, 5_000, true
	o.OnRequest = func(fault.RequestInfo) {}
	p := newPlatform(t, o)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 30 {
				platformtest.Get(t, p, lists()[i]+"?limit=500&account_id=ac_00000001")
				p.PutTrader(reference.Trader{ID: "shared"})
				_ = p.SetFault("slow", fault.Options{Delay: time.Microsecond})
				p.Delete(reference.Traders, "shared")
				p.ClearFaults()
				p.Counts()
				p.Advance(time.Second)
			}
		})
	}
	wg.Wait()
}
