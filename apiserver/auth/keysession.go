package auth

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// tasksAtOnce limits how many tasks run before the session listens for revocations again.
const tasksAtOnce = 100

// Run holds keys in one session after the other, until ctx ends. It must run until the last
// request has been answered.
func (k *Keys) Run(ctx context.Context) {
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { k.uses.run(ctx) })
	store.KeptSession[*access.KeySession]{
		Purpose: "revoked keys are announced on it; without it, requests have to wait", Serve: k.serveSession, Lost: k.metrics.lost.Inc,
		Open: func(ctx context.Context) (*access.KeySession, error) { return access.OpenKeySession(ctx, k.store) },
	}.Run(ctx, k.log)
}

// serveSession serves a session until it is lost or ctx ends. Every running request ends with the
// session, because it could not learn of a revocation.
func (k *Keys) serveSession(ctx context.Context, session *access.KeySession) error {
	k.noteLife()
	serving, stop := context.WithCancel(ctx)
	err := k.serveTasks(serving, session)
	stop()
	k.endAllKeys()
	k.ending.Wait()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = session.Close(closing) // the session is gone in any case
	return err
}

// serveTasks runs the tasks of requests and revocations one after the other in the session. Keys
// are ended concurrently.
func (k *Keys) serveTasks(ctx context.Context, session *access.KeySession) error {
	for swept := k.now(); ; {
		asked, err := k.awaitTask(ctx, session)
		if err == nil {
			err = ctx.Err()
		}
		if err = k.performTasks(ctx, session, asked, err); err != nil {
			return err
		}
		if k.now().Sub(swept) < sweepPeriod {
			continue
		}
		swept = k.now()
		if err := k.releaseIdle(ctx, session); err != nil {
			return err
		}
	}
}

// awaitTask waits for a task, while it listens for revocations and keeps the session alive. It
// returns nil if there was none.
func (k *Keys) awaitTask(ctx context.Context, session *access.KeySession) (asked *task, err error) {
	// A new task interrupts listening, which leaves the session intact.
	listening, stop := context.WithTimeout(ctx, pingPeriod)
	defer stop()
	var group sync.WaitGroup
	group.Go(func() {
		select {
		case t := <-k.tasks:
			asked = &t
			stop()
		case <-listening.Done():
		}
	})
	id, err := session.Revocation(listening)
	expired := errors.Is(listening.Err(), context.DeadlineExceeded)
	stop()
	group.Wait()
	switch {
	case err == nil:
		k.noteLife()
		k.endRevoked(ctx, id)
		return asked, nil
	case !session.Alive():
		return asked, err
	case expired:
		return asked, k.pingSession(ctx, session)
	}
	return asked, nil
}

// performTasks runs the task, if there is one, and the tasks queued behind it, unless the session
// is lost. In that case it returns the error.
func (k *Keys) performTasks(ctx context.Context, session *access.KeySession, asked *task, lost error) error {
	for n := 0; asked != nil; n++ {
		if lost == nil {
			lost = asked.do(ctx, session)
		} else if asked.drop != nil {
			asked.drop()
		}
		asked = nil
		if lost != nil || n == tasksAtOnce {
			break
		}
		select {
		case t := <-k.tasks:
			asked = &t
		default:
		}
	}
	return lost
}

func (k *Keys) pingSession(ctx context.Context, session *access.KeySession) error {
	ctx, cancel := context.WithTimeout(ctx, sessionLimit)
	defer cancel()
	if err := session.Ping(ctx); err != nil {
		return err
	}
	k.noteLife()
	return nil
}

// noteLife records a heartbeat.
func (k *Keys) noteLife() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.beat = k.now()
}

// endAllKeys ends all keys, because their locks are gone.
func (k *Keys) endAllKeys() {
	k.mu.Lock()
	k.beat = time.Time{}
	held := slices.Collect(maps.Values(k.byID))
	clear(k.byHash)
	clear(k.byID)
	k.mu.Unlock()
	var group sync.WaitGroup
	for _, h := range held {
		group.Go(func() { k.endKey(h, errNoSession) })
	}
	group.Wait()
}

// holdInSession holds a key for a request. It returns false if the key is being revoked.
func (k *Keys) holdInSession(ctx context.Context, session *access.KeySession, id uuid.UUID, hash [32]byte, l *Lease) (held bool, err error) {
	if k.joinKey(hash, l) { // another request was quicker
		return true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sessionLimit)
	defer cancel()
	if held, err = session.Hold(ctx, id); err != nil || !held {
		return false, err
	}
	l.key = &heldKey{id: id, hash: hash, leases: map[*Lease]struct{}{l: {}}}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.byHash[hash], k.byID[id], k.beat = l.key, l.key, k.now()
	return true, nil
}

// endRevoked ends a revoked key if it is held, concurrently with the session.
func (k *Keys) endRevoked(ctx context.Context, id uuid.UUID) {
	if h := k.withdrawKey(id); h != nil {
		k.ending.Go(func() { k.revokeKey(ctx, h) })
	}
}

// revokeKey ends a key and then has its lock released, which confirms that its requests are over.
// It takes as long as the slowest reader of a response. It also ends with ctx, because then the
// session and the lock are gone.
func (k *Keys) revokeKey(ctx context.Context, h *heldKey) {
	k.endKey(h, store.ErrKeyRevoked)
	released := task{do: func(ctx context.Context, session *access.KeySession) error { return k.releaseKey(ctx, session, h) }}
	select {
	case k.tasks <- released:
	case <-ctx.Done():
	}
}

func (k *Keys) releaseKey(ctx context.Context, session *access.KeySession, h *heldKey) error {
	ctx, cancel := context.WithTimeout(ctx, sessionLimit)
	defer cancel()
	return session.Release(ctx, h.id)
}

// releaseIdle releases keys that have not been used for a while.
func (k *Keys) releaseIdle(ctx context.Context, session *access.KeySession) error {
	for _, h := range k.withdrawIdle() {
		if err := k.releaseKey(ctx, session, h); err != nil {
			return err
		}
	}
	return nil
}

// withdrawIdle removes the keys that need not be held any more: those that were idle for
// lingerTime, and the longest idle ones beyond maxHeld.
func (k *Keys) withdrawIdle() []*heldKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	var idle []*heldKey
	for _, h := range k.byID {
		if len(h.leases) == 0 {
			idle = append(idle, h)
		}
	}
	slices.SortFunc(idle, func(x, y *heldKey) int { return x.idleSince.Compare(y.idleSince) })
	now := k.now()
	for i, h := range idle {
		if now.Sub(h.idleSince) < lingerTime && len(idle)-i <= maxHeld {
			idle = idle[:i]
			break
		}
		delete(k.byHash, h.hash)
		delete(k.byID, h.id)
	}
	return idle
}
