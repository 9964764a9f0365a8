package auth

import (
	"context"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// Exports for the tests of this package.
var (
	Limited        = limitProblem
	Throttled      = throttleProblem
	NewRateLimited = newRateLimited
	NewThrottleOf  = newThrottle
)

// Remembered returns how many clients, and how many of their failures, the throttle remembers.
func (t *Throttle) Remembered() (clients, times int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.recent.Front(); e != nil; e = e.Next() {
		times += len(e.Value.(*failures).times)
	}
	return len(t.clients), times
}

// Do runs fn in place of a hash.
func (p *Passwords) Do(ctx context.Context, behalf string, fn func() error) error {
	return p.runQueued(ctx, behalf, fn)
}

// OnFound sets a function that is called after a key is first read and before it is held.
func (a *Authenticator) OnFound(fn func()) {
	find := a.find
	a.find = func(ctx context.Context, db *store.DB, hash [32]byte) (access.APIKey, error) {
		key, err := find(ctx, db, hash)
		fn()
		return key, err
	}
}
