package work_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/work"
)

// pool is a pool of one kind, with its log and metrics.
type pool struct {
	*work.Pool
	log      bytes.Buffer // to be read when the pool has stopped
	registry *prometheus.Registry
	stop     context.CancelFunc
	done     chan error
}

// start runs a pool whose tasks are those that claim returns. It is called in a synctest bubble, whose
// clock moves on by itself: tests that sleep do not wait.
func start(t *testing.T, slots int, claim func(limit int) ([]work.Task, error), set ...func(*work.Kind)) *pool {
	t.Helper()
	p := &pool{registry: prometheus.NewRegistry(), done: make(chan error, 1)}
	kind := work.Kind{
		Name: "test", Slots: slots, Pause: 100 * time.Millisecond, Timeout: time.Hour,
		Claim:  func(_ context.Context, limit int) ([]work.Task, error) { return claim(limit) },
		Survey: func(context.Context) (int64, time.Duration, error) { return 7, 3 * time.Second, nil },
	}
	for _, f := range set {
		f(&kind)
	}
	var ctx context.Context
	ctx, p.stop = context.WithCancel(t.Context())
	p.Pool = work.New(work.Config{Registerer: p.registry, Log: slog.New(slog.NewTextHandler(&p.log, nil)), Kinds: []work.Kind{kind}})
	go func() { p.done <- p.Run(ctx) }()
	return p
}

// TestPoolFillsItsSlots checks that no more rows are claimed than there are slots, and that a slot
// that becomes free is used again, at the end of its task or before.
func TestPoolFillsItsSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release, idle := make(chan struct{}), make(chan struct{})
		var running, claims atomic.Int64
		p := start(t, 3, func(limit int) (tasks []work.Task, _ error) {
			claims.Add(1)
			for range limit {
				tasks = append(tasks, func(_ context.Context, freeSlot func()) {
					running.Add(1)
					select {
					case <-release:
					case <-idle:
						freeSlot()
						freeSlot() // frees no other slot
						<-release
					}
					running.Add(-1)
				})
			}
			return tasks, nil
		})
		time.Sleep(time.Second)
		synctest.Wait()
		if n := running.Load(); n != 3 || claims.Load() != 1 {
			t.Errorf("%d are under way after %d claims, want 3 after one", n, claims.Load())
		}
		release <- struct{}{}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := running.Load(); n != 3 || claims.Load() != 2 {
			t.Errorf("%d are under way after %d claims, want 3 after two", n, claims.Load())
		}
		idle <- struct{}{}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := running.Load(); n != 4 || claims.Load() != 3 {
			t.Errorf("%d are under way after %d claims, want 4 after three, one of them without a slot", n, claims.Load())
		}
		p.stop()
		close(release)
		if err := <-p.done; err != nil {
			t.Error(err)
		}
	})
}

// TestPoolStops checks that a pool that stops claims nothing more, and cancels its tasks, at once or
// after they have had the time to complete.
func TestPoolStops(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		completes bool // tasks may complete
		task      func(ctx context.Context)
		after     time.Duration
		fails     bool
	}{
		{"a task that ends by itself", true, func(context.Context) { time.Sleep(10 * time.Second) }, 10 * time.Second, false},
		{"one that is broken off", true, func(ctx context.Context) { <-ctx.Done() }, 18 * time.Second, false},
		{"one that is broken off at once", false, func(ctx context.Context) { <-ctx.Done() }, 0, false},
		{"one that does not heed its context", true, func(context.Context) { time.Sleep(30 * time.Second) }, 23 * time.Second, true},
		{"one that does not heed that it is broken off at once", false, func(context.Context) { time.Sleep(30 * time.Second) }, 23 * time.Second, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var stopped, asked atomic.Bool
				begun := make(chan struct{})
				p := start(t, 2, func(int) ([]work.Task, error) {
					if stopped.Load() {
						t.Error("a pool that stops claims more")
					}
					select {
					case <-begun:
						return nil, nil
					default:
					}
					return []work.Task{func(ctx context.Context, _ func()) {
						close(begun)
						tt.task(ctx)
					}}, nil
				}, func(k *work.Kind) {
					if tt.completes {
						k.Stopping = func() { asked.Store(true) }
					}
				})
				<-begun
				synctest.Wait()
				at := time.Now()
				stopped.Store(true)
				p.stop()
				if err := <-p.done; (err != nil) != tt.fails {
					t.Errorf("it ended with %v", err)
				}
				if took := time.Since(at).Round(time.Second); took != tt.after {
					t.Errorf("it took %s to stop, want %s", took, tt.after)
				}
				if asked.Load() != tt.completes {
					t.Errorf("tasks were asked to complete: %t", asked.Load())
				}
				time.Sleep(time.Minute) // until the task that nobody waits for has ended
			})
		})
	}
}

// TestPoolGoesOn checks that a task that panics does not affect others, and that claims that fail
// are retried and logged once.
func TestPoolGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var claims atomic.Int64
		p := start(t, 1, func(int) ([]work.Task, error) {
			switch n := claims.Add(1); {
			case n == 1:
				return []work.Task{func(context.Context, func()) { panic("no such thing") }}, nil
			case n <= 20:
				return nil, errors.Join(store.ErrConflict, errors.New("the database is away"))
			}
			return nil, nil
		})
		time.Sleep(2 * time.Second)
		if err := p.Failing(); !errors.Is(err, store.ErrConflict) {
			t.Errorf("claiming fails with %v", err)
		}
		time.Sleep(time.Minute)
		if err := testutil.GatherAndCompare(p.registry, strings.NewReader(`# HELP assay_job_backlog Jobs that are due.
# TYPE assay_job_backlog gauge
assay_job_backlog{queue="test"} 7
# HELP assay_job_oldest_age_seconds Time since the oldest due job became due. Webhook endpoints that fail or are slow do not count.
# TYPE assay_job_oldest_age_seconds gauge
assay_job_oldest_age_seconds{queue="test"} 3
`), "assay_job_backlog", "assay_job_oldest_age_seconds"); err != nil {
			t.Error(err)
		}
		if err := p.Failing(); err != nil {
			t.Errorf("claiming still fails with %v", err)
		}
		p.stop()
		if err := <-p.done; err != nil {
			t.Error(err)
		}
		if n := claims.Load(); n < 100 {
			t.Errorf("%d claims in a minute", n)
		}
		for text, want := range map[string]int{"no such thing": 1, "the database is away": 1, "claiming works again": 1, "pool_test.go": 1} {
			if n := strings.Count(p.log.String(), text); n < want || text != "pool_test.go" && n > want {
				t.Errorf("%q is logged %d times, want %d", text, n, want)
			}
		}
	})
}

// TestPoolRests checks that a pool rests after slow claims, because the server may be busy, but not for
// so long that work waits after the server has recovered.
func TestPoolRests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		took        time.Duration // by the first claim
		err         error
		least, most time.Duration // until the second one
	}{
		{"a quick claim", 0, nil, 50 * time.Millisecond, 150 * time.Millisecond},
		{"a slow claim", time.Second, nil, 4 * time.Second, 4 * time.Second},
		{"a claim that fails", 0, errors.New("made by the test"), time.Second, time.Second},
		{"a claim that is cut off", 10 * time.Second, context.DeadlineExceeded, 5 * time.Second, 5 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				claims := make(chan time.Time, 10)
				p := start(t, 1, func(int) ([]work.Task, error) {
					if len(claims) > 0 {
						claims <- time.Now() // when it begins
						return nil, nil
					}
					time.Sleep(tt.took)
					claims <- time.Now() // when it ends
					return nil, tt.err
				})
				time.Sleep(tt.took + tt.most)
				synctest.Wait()
				p.stop()
				if err := <-p.done; err != nil {
					t.Error(err)
				}
				if len(claims) < 2 {
					t.Fatalf("the pool has not claimed again after %s", tt.most)
				}
				ended, again := <-claims, <-claims
				if rest := again.Sub(ended); rest < tt.least {
					t.Errorf("the pool has rested for %s, want at least %s", rest, tt.least)
				}
			})
		})
	}
}

// TestPoolPauses checks when a pool claims again, depending on how much it has found.
func TestPoolPauses(t *testing.T) {
	t.Parallel()
	const slots = 2500
	for _, tt := range []struct {
		name  string
		found int // by the first claim
		took  time.Duration
		wake  bool
		want  time.Duration // until the second one
	}{
		{"nothing", 0, 0, false, 200 * time.Millisecond},
		{"as much as a claim may take", 1000, 150 * time.Millisecond, false, 150 * time.Millisecond},
		{"less", 999, 150 * time.Millisecond, false, 200 * time.Millisecond},
		{"less, slowly", 999, 250 * time.Millisecond, false, 1250 * time.Millisecond},
		{"less, and it is woken", 999, 0, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				wake, claims := make(chan struct{}, 1), make(chan time.Time, 100)
				var claimed atomic.Bool
				p := start(t, slots, func(limit int) (tasks []work.Task, _ error) {
					if limit != 1000 {
						t.Errorf("up to %d rows are claimed", limit)
					}
					if !claimed.Swap(true) {
						tasks = slices.Repeat([]work.Task{func(context.Context, func()) {}}, tt.found)
						if tt.wake {
							wake <- struct{}{}
						}
						defer time.Sleep(tt.took)
					}
					claims <- time.Now()
					return tasks, nil
				}, func(k *work.Kind) { k.Every, k.Wake = 200*time.Millisecond, wake })
				first, second := <-claims, <-claims
				p.stop()
				if err := <-p.done; err != nil {
					t.Error(err)
				}
				if second.Sub(first) != tt.want {
					t.Errorf("the second claim came after %s, want %s", second.Sub(first), tt.want)
				}
			})
		})
	}
}

// TestPoolIsStuck checks that a claim that never ends is reported.
func TestPoolIsStuck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := start(t, 1, func(int) ([]work.Task, error) {
			<-release
			return nil, nil
		})
		time.Sleep(59 * time.Second)
		if err := p.Stuck(); err != nil {
			t.Errorf("after 59 s: %v", err)
		}
		time.Sleep(2 * time.Second)
		if err := p.Stuck(); err == nil || !strings.Contains(err.Error(), "test") {
			t.Errorf("after 61 s: %v", err)
		}
		close(release)
		synctest.Wait()
		if err := p.Stuck(); err != nil {
			t.Errorf("after its end: %v", err)
		}
		p.stop()
		if err := <-p.done; err != nil {
			t.Error(err)
		}
	})
}

// TestHold checks that a lease is extended for as long as the work takes, and lost if another
// process has it, or if it could not be extended.
func TestHold(t *testing.T) {
	t.Parallel()
	away := errors.New("the database is away")
	for _, tt := range []struct {
		name string
		beat func(ctx context.Context, n int) error
		lost time.Duration // after which the work ends; 0 if it does not
	}{
		{"kept", func(context.Context, int) error { return nil }, 0},
		{"away for a moment", func(_ context.Context, n int) error {
			if n%2 == 0 {
				return away
			}
			return nil
		}, 0},
		{"another has it", func(_ context.Context, n int) error {
			if n == 3 {
				return store.ErrFenced
			}
			return nil
		}, 3 * time.Second},
		{"no answer", func(ctx context.Context, _ int) error {
			<-ctx.Done()
			return ctx.Err()
		}, 4 * time.Second},
		{"away for long", func(context.Context, int) error { return away }, 4 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var n atomic.Int64
				at := time.Now()
				held, release := work.Hold(t.Context(), 4*time.Second, func(ctx context.Context) error { return tt.beat(ctx, int(n.Add(1))) })
				defer release()
				select {
				case <-held.Done():
					if took := time.Since(at); tt.lost == 0 || took != tt.lost || !errors.Is(context.Cause(held), store.ErrFenced) {
						t.Errorf("lost after %s, %v", took, context.Cause(held))
					}
				case <-time.After(time.Minute):
					if tt.lost != 0 || n.Load() < 10 {
						t.Errorf("still held after %d beats", n.Load())
					}
				}
			})
		})
	}
}
