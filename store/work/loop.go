package work

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store"
)

// claimBatch limits the rows of one claim, which holds their locks.
const claimBatch = 1000

// Times between claims.
const (
	claimLimit    = 10 * time.Second
	claimPause    = 20 * time.Millisecond // while there is work
	errorPause    = time.Second           // after a claim that failed
	restFactor    = 4                     // pauses are this many times longer than a claim takes, in case the server is slow
	maxRest       = 5 * time.Second       // but not longer: what is due must begin soon after the server has recovered
	complainEvery = time.Minute           // claims that fail are logged no more often, because all do while the database is unavailable
)

// loop claims the rows of a kind and runs their tasks.
type loop struct {
	Kind
	log        *slog.Logger
	duration   prometheus.Observer
	claiming   atomic.Pointer[time.Time] // when the claim under way began; nil if there is none
	failing    atomic.Pointer[error]     // of the last claim
	complained time.Time                 // when a failure was last logged; zero if the last claim succeeded
}

// run claims rows whenever there are slots for them, until ctx ends. Their tasks run with ctx, or
// with working if they may complete when the process stops.
func (l *loop) run(ctx, working context.Context, tasks *sync.WaitGroup) {
	if l.Stopping == nil {
		working = ctx
	}
	slots := make(chan struct{}, l.Slots) // contains one element for each free slot
	for range l.Slots {
		slots <- struct{}{}
	}
	for {
		free := acquireSlots(ctx, slots)
		if free == 0 {
			return
		}
		began := time.Now()
		claimed, err := l.claim(ctx, free)
		for range free - len(claimed) {
			slots <- struct{}{}
		}
		for _, task := range claimed {
			tasks.Go(func() {
				freeSlot := sync.OnceFunc(func() { slots <- struct{}{} })
				defer freeSlot()
				l.runTask(working, task, freeSlot)
			})
		}
		if len(claimed) == claimBatch { // more are due than one claim takes
			continue
		}
		pause := l.choosePause(len(claimed), free, time.Since(began), err)
		select {
		case <-ctx.Done():
			return
		case <-l.Wake:
		case <-time.After(pause):
		}
	}
}

// acquireSlots waits for a free slot, and takes as many free ones as one claim can use. It returns 0
// if ctx has ended.
func acquireSlots(ctx context.Context, slots <-chan struct{}) (n int) {
	select {
	case <-ctx.Done():
		return 0
	case <-slots:
	}
	if ctx.Err() != nil { // both were ready
		return 0
	}
	for n = 1; n < claimBatch; n++ {
		select {
		case <-slots:
		default:
			return n
		}
	}
	return n
}

// choosePause returns how long to wait after a claim of that many rows.
func (l *loop) choosePause(claimed, limit int, took time.Duration, err error) time.Duration {
	pause := claimPause
	switch {
	case claimed == limit: // more may be due
	case l.Every > 0:
		pause = l.Every - took
	case err != nil:
		pause = errorPause
	case claimed == 0:
		pause = l.Pause/2 + rand.N(l.Pause) //nolint:gosec // spreads processes, which needs no secrecy
	}
	if took < l.Every {
		return pause
	}
	return max(pause, min(restFactor*took, maxRest))
}

// claim claims rows. It is not canceled when the process stops, because it would be unknown whether
// rows were claimed, and their leases would have to expire.
func (l *loop) claim(ctx context.Context, limit int) ([]Task, error) {
	l.claiming.Store(new(time.Now()))
	defer l.claiming.Store(nil)
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimLimit)
	defer cancel()
	tasks, err := l.Claim(within, limit)
	l.failing.Store(&err)
	l.noteError(ctx, err)
	return tasks, err
}

// noteError logs that claims fail, and that they work again.
func (l *loop) noteError(ctx context.Context, err error) {
	switch {
	case err == nil && !l.complained.IsZero():
		l.complained = time.Time{}
		l.log.InfoContext(ctx, "claiming works again")
	case err != nil && time.Since(l.complained) >= complainEvery:
		l.complained = time.Now()
		level := slog.LevelError
		if store.Transient(err) {
			level = slog.LevelWarn
		}
		l.log.Log(ctx, level, "claiming fails, retrying", "error", err)
	}
}

// runTask runs a task. If it panics, its row is claimed again when the lease has expired.
func (l *loop) runTask(ctx context.Context, task Task, freeSlot func()) {
	if l.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.Timeout)
		defer cancel()
	}
	began := time.Now()
	defer func() {
		l.duration.Observe(time.Since(began).Seconds())
		if cause := recover(); cause != nil {
			l.log.ErrorContext(ctx, "work failed inside assay, will be retried when its lease expires",
				"panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
		}
	}()
	task(ctx, freeSlot)
}
