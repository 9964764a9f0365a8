package auth

import "context"

// What other files of the package call, and their tests call by its effects.
var (
	Limited        = limited
	Throttled      = throttled
	NewRateLimited = newRateLimited
	NewThrottleOf  = newThrottle
)

// Remembered returns how many clients, and how many of their failures, the
// throttle remembers.
func (t *Throttle) Remembered() (clients, times int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.recent.Front(); e != nil; e = e.Next() {
		times += len(e.Value.(*failures).times)
	}
	return len(t.clients), times
}

// Do runs fn in the place of a hash.
func (p *Passwords) Do(ctx context.Context, behalf string, fn func() error) error {
	return p.do(ctx, behalf, fn)
}
