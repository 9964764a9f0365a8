package syncing_test

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

// TestReserveSlots reserves blocks of request slots of one integration from twenty processes at
// once: no two blocks may overlap.
func TestReserveSlots(t *testing.T) {
	t.Parallel()
	const processes, rounds, n, base = 20, 5, 5, 10 * time.Second
	f := setupFleet(t, 0)
	id := uuid.Must(uuid.NewV7())
	// The first slot is an hour away, so that no slot passes unused while the test runs and each
	// block's place is known, apart from the calls' own time.
	if _, _, err := syncing.ReserveSlots(t.Context(), f.DB, id, 1, base, false, 0); err != nil {
		t.Fatal(err)
	}
	f.Exec(t, `UPDATE request_budgets SET next_slot_at = now() + interval '1 hour'`)
	var zero time.Time
	if err := f.Conn.QueryRow(t.Context(), `SELECT next_slot_at FROM request_budgets`).Scan(&zero); err != nil {
		t.Fatal(err)
	}
	var (
		mu     sync.Mutex
		blocks []int
		wg     sync.WaitGroup
	)
	began := time.Now()
	var clock time.Time // the database's time at began, or a little later
	if err := f.Conn.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&clock); err != nil {
		t.Fatal(err)
	}
	for range processes {
		wg.Go(func() {
			for range rounds {
				delay, gap, err := syncing.ReserveSlots(t.Context(), f.DB, id, n, base, false, 0)
				if err != nil || gap != base {
					t.Errorf("gap %s, error %v; want %s", gap, err, base)
					return
				}
				// Blocks are 50 s long, so rounding tolerates calls of many seconds.
				start := clock.Add(time.Since(began)).Add(delay).Sub(zero)
				mu.Lock()
				blocks = append(blocks, int(math.Round(start.Seconds()/(n*base).Seconds())))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(blocks)
	for i, block := range blocks {
		if block != i {
			t.Fatalf("blocks %v, want each once", blocks)
		}
	}
	if got := f.Texts(t, `SELECT (next_slot_at - $1::timestamptz)::text FROM request_budgets`, zero)[0]; got != "01:23:20" {
		t.Errorf("the next slot is %s after the first, want 500 slots of 10 s", got)
	}
}

// TestReserveSlotsPassUnused checks that no burst makes up for a quiet period.
func TestReserveSlotsPassUnused(t *testing.T) {
	t.Parallel()
	f := setupFleet(t, 0)
	id := uuid.Must(uuid.NewV7())
	for range 2 {
		delay, gap, err := syncing.ReserveSlots(t.Context(), f.DB, id, 5, 200*time.Millisecond, false, 0)
		if err != nil || delay != 0 || gap != 200*time.Millisecond {
			t.Errorf("delay %s, gap %s, %v; want a slot at once", delay, gap, err)
		}
		f.Exec(t, `UPDATE request_budgets SET next_slot_at = now() - interval '1 hour'`)
	}
	if _, _, err := syncing.ReserveSlots(t.Context(), f.DB, id, 5, time.Hour, false, 0); err != nil {
		t.Fatal(err)
	}
	if got := f.Texts(t, `SELECT (next_slot_at > now() + interval '4 hours')::text FROM request_budgets`)[0]; got != "true" {
		t.Error("five slots an hour apart were not taken from now on")
	}
}

// TestReserveSlotsAdapts checks that throttling widens the gap for all processes, and that success
// narrows it again.
func TestReserveSlotsAdapts(t *testing.T) {
	t.Parallel()
	const base = 200 * time.Millisecond
	type step struct {
		throttled bool
		succeeded int
		want      time.Duration
	}
	throttle, succeed := func(want time.Duration) step { return step{true, 0, want} }, func(n int, want time.Duration) step { return step{false, n, want} }
	for _, tt := range []struct {
		name  string
		base  time.Duration
		steps []step
	}{
		{"nothing happens", base, []step{succeed(0, base), succeed(20, base), succeed(1000, base)}},
		{"each throttling doubles it", base, []step{succeed(0, base), throttle(2 * base), throttle(4 * base), throttle(8 * base)}},
		{"up to ten seconds", 3 * time.Second, []step{succeed(0, 3*time.Second), throttle(6 * time.Second), throttle(10 * time.Second), throttle(10 * time.Second)}},
		{"a budget below that stays", 20 * time.Second, []step{succeed(0, 20*time.Second), throttle(20 * time.Second)}},
		{"ten successes halve it", base, []step{succeed(0, base), throttle(2 * base), throttle(4 * base), succeed(10, 2*base)}},
		{"in whatever portions", base, []step{succeed(0, base), throttle(2 * base), throttle(4 * base), succeed(5, 565_685*time.Microsecond)}},
		{"down to the base", base, []step{succeed(0, base), throttle(2 * base), succeed(200, base)}},
		{"failures do not", base, []step{succeed(0, base), throttle(2 * base), succeed(0, 2*base)}},
		{"throttled in spite of successes", base, []step{succeed(0, base), {true, 100, 2 * base}}},
		{"a smaller budget holds at once", base, []step{succeed(0, base)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := setupFleet(t, 0)
			id := uuid.Must(uuid.NewV7())
			for i, s := range tt.steps {
				_, gap, err := syncing.ReserveSlots(t.Context(), f.DB, id, 1, tt.base, s.throttled, s.succeeded)
				if err != nil {
					t.Fatal(err)
				}
				if off := (gap - s.want).Abs(); off > 10*time.Microsecond { // intervals are whole microseconds
					t.Errorf("step %d: gap %s, want %s", i+1, gap, s.want)
				}
			}
		})
	}
}

// TestReserveSlotsEasesInTime checks that good responses narrow the widest gap to the budget's
// within a minute, regardless of their number, and that a quiet period does not count.
func TestReserveSlotsEasesInTime(t *testing.T) {
	t.Parallel()
	for _, base := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond, time.Second} {
		t.Run(base.String(), func(t *testing.T) {
			t.Parallel()
			url, clock := storetest.OwnClock(t, storetest.URL(t))
			db, id := storetest.Open(t, url), uuid.Must(uuid.NewV7())
			reserve := func(throttled bool, succeeded int) (gap time.Duration) {
				_, gap, err := syncing.ReserveSlots(t.Context(), db, id, 1, base, throttled, succeeded)
				if err != nil {
					t.Fatal(err)
				}
				return gap
			}
			reserve(false, 0)
			for range 12 {
				reserve(true, 0)
			}
			clock.Advance(t, time.Hour)
			if gap := reserve(false, 1); gap < 9*time.Second {
				t.Errorf("an hour in which nothing was asked for has narrowed the gap to %s", gap)
			}
			var took time.Duration
			const answer = 10 * time.Second // as slow as possible
			for gap := 10 * time.Second; gap > base && took < time.Hour; took += answer {
				clock.Advance(t, answer)
				gap = reserve(false, 1)
			}
			if took > time.Minute {
				t.Errorf("back at the budget's gap %s after the first good answer", took)
			}
			clock.Advance(t, time.Hour)
			if gap := reserve(true, 0); gap != 2*base {
				t.Errorf("the next 429 makes the gap %s", gap)
			}
		})
	}
}
