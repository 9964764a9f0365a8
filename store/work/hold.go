package work

import (
	"context"
	"errors"
	"time"

	"github.com/assayhq/assay/store"
)

// beats is how often a lease is prolonged while it would last.
const beats = 4

// Hold keeps a lease alive by beat, which prolongs it, until release is called.
// The context that it returns ends with store.ErrFenced when beat returns that, or
// when beat has not succeeded for as long as the lease lasts.
func Hold(ctx context.Context, lease time.Duration, beat func(ctx context.Context) error) (held context.Context, release func()) {
	held, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(lease / beats)
		defer tick.Stop()
		for last := time.Now(); ; {
			select {
			case <-held.Done():
				return
			case <-tick.C:
			}
			asked := time.Now()
			err := beatUntil(held, last.Add(lease), beat)
			switch {
			case err == nil:
				last = asked
			case errors.Is(err, store.ErrFenced), time.Since(last) >= lease:
				cancel(store.ErrFenced)
			}
		}
	}()
	return held, func() {
		cancel(nil)
		<-done
	}
}

// beatUntil prolongs the lease before its end: a beat that hangs must not keep the
// work from learning that the lease has passed.
func beatUntil(ctx context.Context, end time.Time, beat func(ctx context.Context) error) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	return beat(ctx)
}
