package auth

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// notePeriod is the minimum time between two notes about the use of a key.
const notePeriod = time.Minute

// noteLimit limits the time for writing uses.
const noteLimit = 5 * time.Second

// uses records when keys were last used. It works in the background, so that no request waits for
// it or fails because of it.
type uses struct {
	store *store.DB
	log   *slog.Logger
	wake  chan struct{} // of size one

	mu      sync.Mutex
	pending map[uuid.UUID]time.Time
}

func newUses(db *store.DB, log *slog.Logger) *uses {
	return &uses{store: db, log: log, wake: make(chan struct{}, 1), pending: make(map[uuid.UUID]time.Time)}
}

func (u *uses) addUse(id uuid.UUID, at time.Time) {
	u.mu.Lock()
	u.pending[id] = at
	u.mu.Unlock()
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// run writes noted uses until ctx ends, and then the rest.
func (u *uses) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			u.writePending(ctx) // the last uses are known only now
			return
		case <-u.wake:
			u.writePending(ctx)
		}
	}
}

// writePending writes noted uses. If writing fails they are lost, and the key's next use is noted
// within a minute.
func (u *uses) writePending(ctx context.Context) {
	u.mu.Lock()
	used := maps.Clone(u.pending)
	clear(u.pending)
	u.mu.Unlock()
	if len(used) == 0 {
		return
	}
	// Stopping cancels nothing, because a write that has begun is almost done.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteLimit)
	defer cancel()
	if err := access.TouchAPIKeys(ctx, u.store, used); err != nil {
		u.log.WarnContext(ctx, "the last use of API keys was not recorded", "keys", len(used), "error", err)
	}
}
