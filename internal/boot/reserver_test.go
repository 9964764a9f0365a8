package boot

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// TestGapsAreAlike checks that the gap between requests follows answers in the same way whether one
// process has the budget or several share it.
func TestGapsAreAlike(t *testing.T) {
	t.Parallel()
	type answers struct {
		after    time.Duration
		feedback fetch.Feedback
	}
	throttled, good := fetch.Feedback{Throttled: true}, func(n int) fetch.Feedback { return fetch.Feedback{Succeeded: n} }
	steps := []answers{{0, good(0)}, {0, good(5)}}
	for range 8 {
		steps = append(steps, answers{time.Second, throttled})
	}
	steps = append(steps, answers{time.Hour, good(1)}, answers{3 * time.Second, good(1)}, answers{time.Second, good(0)}, answers{time.Second, good(7)},
		answers{19 * time.Second, good(2)}, answers{time.Hour, good(1)}, answers{0, fetch.Feedback{Throttled: true, Succeeded: 3}}, answers{time.Minute, good(1)}, answers{10 * time.Second, good(40)})
	for _, base := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond, 3 * time.Second, 20 * time.Second} {
		t.Run(base.String(), func(t *testing.T) {
			t.Parallel()
			url, clock := storetest.OwnClock(t, storetest.URL(t))
			shared, id := reserver{storetest.Open(t, url)}, uuid.NewString()
			alone, last := base, time.Duration(-1) // when the newest good answer came; negative if there is none
			var now time.Duration
			for n, s := range steps {
				clock.Advance(t, s.after)
				now += s.after
				var since time.Duration
				if last >= 0 {
					since = now - last
				}
				alone = fetch.NextGap(alone, base, s.feedback, since)
				switch {
				case s.feedback.Throttled:
					last = -1
				case s.feedback.Succeeded > 0:
					last = now
				}
				grant, err := shared.ReserveRequests(t.Context(), id, 1, base, s.feedback)
				if err != nil {
					t.Fatal(err)
				}
				// The database's own time runs on between the calls.
				if ratio := grant.Gap.Seconds() / alone.Seconds(); ratio < 0.9 || ratio > 1.01 {
					t.Errorf("step %d: the gap is %s if shared, and %s if not", n+1, grant.Gap, alone)
				}
			}
		})
	}
}
