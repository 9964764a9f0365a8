package fetch

import (
	"context"
	"sync/atomic"
	"time"
)

// attempt is the clock of one attempt. The goroutine of the Get uses it. Only the
// timer runs concurrently with it.
type attempt struct {
	cancel  context.CancelFunc
	timer   *time.Timer
	late    atomic.Bool // the time has run out
	resumed time.Time   // when the clock last began to run
	spent   time.Duration
	idle    time.Duration // time the clock stood still
	stopped bool
}

// startAttempt returns a context that ends when the attempt's time is up.
// The caller must call stopClock.
func startAttempt(ctx context.Context) (context.Context, *attempt) {
	ctx, cancel := context.WithCancel(ctx)
	a := &attempt{cancel: cancel, resumed: time.Now()}
	a.timer = time.AfterFunc(attemptLimit, func() {
		a.late.Store(true)
		cancel()
	})
	return ctx, a
}

// runPaused runs f while the attempt's clock is stopped.
func (a *attempt) runPaused(f func() error) error {
	running := a.timer.Stop()
	began := time.Now()
	a.spent += began.Sub(a.resumed)
	err := f()
	a.resumed = time.Now()
	a.idle += a.resumed.Sub(began)
	if running {
		a.timer.Reset(max(attemptLimit-a.spent, 0))
	}
	return err
}

// stopClock stops the clock and releases the context. It may be called again.
func (a *attempt) stopClock() {
	if a.stopped {
		return
	}
	a.stopped = true
	a.timer.Stop()
	a.spent += time.Since(a.resumed)
	a.cancel()
}

// elapsedTime returns how long the clock has run, once the attempt has ended.
func (a *attempt) elapsedTime() time.Duration { return a.spent }
