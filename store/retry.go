package store

import (
	"context"
	"time"
)

// RetryTransient calls fn until it succeeds, fails with an error that is not Transient, or ctx ends,
// and returns the last error of fn. It pauses for first after the first failure, and twice as long
// after each further one, but for longest at most. note is called before each pause.
func RetryTransient(ctx context.Context, first, longest time.Duration, fn func() error, note func(err error, pause time.Duration)) error {
	for pause := first; ; pause = min(2*pause, longest) {
		err := fn()
		if !Transient(err) || ctx.Err() != nil {
			return err
		}
		note(err, pause)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
