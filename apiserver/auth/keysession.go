package auth

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// Pauses between attempts to open a session.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = 2 * time.Second
)

// Run holds keys in one session after the other, until ctx ends. It must go on
// until the last request has been answered.
func (k *Keys) Run(ctx context.Context) {
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { k.uses.run(ctx) })
	for pause := firstPause; ; {
		began := k.now()
		err := k.runOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		k.metrics.lost.Inc()
		k.log.WarnContext(ctx, "the session that hears of revoked keys was lost", "error", err)
		if k.now().Sub(began) > longestPause {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// runOnce opens a session and serves it until it is lost or ctx ends. Every
// running request ends with it: nobody would tell it of a revocation.
func (k *Keys) runOnce(ctx context.Context) error {
	opening, cancel := context.WithTimeout(ctx, sessionLimit)
	session, err := k.sessions.OpenKeySession(opening)
	cancel()
	if err != nil {
		return err
	}
	k.live()
	err = k.serve(ctx, session)
	k.lose()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = session.Close(closing) // it is gone either way
	return err
}

// serve does what requests and revocations ask of the session, one after the
// other.
func (k *Keys) serve(ctx context.Context, session *store.KeySession) error {
	swept := k.now()
	for {
		asked, err := k.wait(ctx, session)
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case err != nil && asked != nil:
			asked.done <- errNoSession
		case err == nil && asked != nil:
			err = k.take(ctx, session, *asked)
		}
		if err != nil {
			return err
		}
		if k.now().Sub(swept) < sweepPeriod {
			continue
		}
		swept = k.now()
		if err := k.sweep(ctx, session); err != nil {
			return err
		}
	}
}

// wait waits for a key to be held, while it listens for revocations and keeps
// the session alive. It returns nil when there has been a sign of life.
func (k *Keys) wait(ctx context.Context, session *store.KeySession) (*hold, error) {
	// Whoever asks interrupts the listening, which leaves the session as it is.
	listening, stop := context.WithTimeout(ctx, pingPeriod)
	defer stop()
	var asked *hold
	var group sync.WaitGroup
	group.Go(func() {
		select {
		case h := <-k.holds:
			asked = &h
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
		k.live()
		return asked, k.revoke(ctx, session, id)
	case !session.Alive():
		return asked, err
	case expired:
		return asked, k.ping(ctx, session)
	}
	return asked, nil
}

func (k *Keys) ping(ctx context.Context, session *store.KeySession) error {
	ctx, cancel := context.WithTimeout(ctx, sessionLimit)
	defer cancel()
	if err := session.Ping(ctx); err != nil {
		return err
	}
	k.live()
	return nil
}

// live notes a sign of life.
func (k *Keys) live() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.beat = k.now()
}

// lose ends all keys: their locks are gone.
func (k *Keys) lose() {
	k.mu.Lock()
	k.beat = time.Time{}
	held := make([]*heldKey, 0, len(k.byID))
	for _, h := range k.byID {
		held = append(held, h)
	}
	k.mu.Unlock()
	var group sync.WaitGroup
	for _, h := range held {
		group.Go(func() { k.end(h, errNoSession) })
	}
	group.Wait()
}

// take holds a key for a request.
func (k *Keys) take(ctx context.Context, session *store.KeySession, h hold) error {
	if k.join(h.hash, h.lease) { // another request was quicker
		h.done <- nil
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sessionLimit)
	defer cancel()
	held, err := session.Hold(ctx, h.id)
	switch {
	case err != nil:
		h.done <- errNoSession
		return err
	case !held:
		h.done <- store.ErrKeyRevoked
		return nil
	}
	key := &heldKey{id: h.id, hash: h.hash, leases: map[*Lease]struct{}{h.lease: {}}}
	h.lease.key = key
	k.mu.Lock()
	k.byHash[h.hash], k.byID[h.id], k.beat = key, key, k.now()
	k.mu.Unlock()
	h.done <- nil
	return nil
}

// revoke ends a key and then gives its lock back, which confirms that its
// requests are over.
func (k *Keys) revoke(ctx context.Context, session *store.KeySession, id uuid.UUID) error {
	k.mu.Lock()
	h := k.byID[id]
	k.mu.Unlock()
	if h == nil {
		return nil
	}
	k.end(h, store.ErrKeyRevoked)
	return k.release(ctx, session, h)
}

func (k *Keys) release(ctx context.Context, session *store.KeySession, h *heldKey) error {
	ctx, cancel := context.WithTimeout(ctx, sessionLimit)
	defer cancel()
	return session.Release(ctx, h.id)
}

// sweep lets go of the keys that have not been used for a while.
func (k *Keys) sweep(ctx context.Context, session *store.KeySession) error {
	for _, h := range k.idle() {
		if err := k.release(ctx, session, h); err != nil {
			return err
		}
	}
	return nil
}

// idle takes out the keys that need not be held any more: those idle for
// lingerTime, and the longest idle beyond maxHeld.
func (k *Keys) idle() []*heldKey {
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
