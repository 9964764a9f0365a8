package auth

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// Times of the keys that a process serves.
const (
	lingerTime   = 30 * time.Second // how long a key is held after its last request
	sweepPeriod  = 5 * time.Second
	pingPeriod   = time.Second     // between heartbeats of an idle session
	sessionLimit = 3 * time.Second // limits a statement of the session
	staleTime    = 5 * time.Second // after which a session without a heartbeat is not trusted
	connectWait  = 2 * time.Second // how long a request waits for a session
	answerGrace  = time.Second     // for a response that is being written when its key ends
	// maxHeld limits the keys that are held without a request, because the server's table of
	// locks is limited (max_locks_per_transaction).
	maxHeld = 2000
)

// errNoSession ends a request if its process can no longer receive revocations.
var errNoSession = errors.New("no database connection on which revoked keys are announced")

// heldKey is a key that the process serves. While it is held, its revocation is not confirmed.
type heldKey struct {
	id   uuid.UUID
	hash [32]byte
	// answering is read-locked while a response is written and locked when the key ends, so that
	// no response begins after that.
	answering sync.RWMutex
	ended     error // why the key is no longer held; nil while it is. Guarded by answering

	// The rest is guarded by Keys.mu.
	leases       map[*Lease]struct{} // leases of the running requests
	idleSince    time.Time
	refusedUntil time.Time // requests are over the limit until then
	notedAt      time.Time // when its use was last noted
}

// Keys holds the keys that the process serves, so that a revocation reaches the running requests.
// Run must run for as long as requests are served.
type Keys struct {
	store   *store.DB
	log     *slog.Logger
	now     func() time.Time
	tasks   chan task
	uses    *uses
	metrics *keyMetrics
	ending  sync.WaitGroup // goroutines that end keys outside of the session

	mu     sync.Mutex
	byHash map[[32]byte]*heldKey
	byID   map[uuid.UUID]*heldKey
	beat   time.Time // time of the session's last heartbeat; zero if there is no session
}

// task is a task for the session's goroutine.
type task struct {
	// do runs the task. An error means that the session is lost.
	do func(ctx context.Context, session *access.KeySession) error
	// drop is called instead of do if the session is lost before; nil if nobody waits.
	drop func()
}

// NewKeys returns keys that are held once Run runs. It registers assay_apiserver_api_keys_held and
// assay_apiserver_key_sessions_lost_total.
func NewKeys(db *store.DB, log *slog.Logger, now func() time.Time, registry prometheus.Registerer) (*Keys, error) {
	k := &Keys{
		store: db, log: log, now: now, tasks: make(chan task), uses: newUses(db, log),
		byHash: make(map[[32]byte]*heldKey), byID: make(map[uuid.UUID]*heldKey),
	}
	var err error
	k.metrics, err = newKeyMetrics(registry, k)
	return k, err
}

// joinKey adds a running request to a key that is already held. It returns false if the key is
// not held.
func (k *Keys) joinKey(hash [32]byte, l *Lease) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.byHash[hash]
	if h == nil {
		return false
	}
	h.leases[l] = struct{}{}
	l.key = h
	return true
}

// holdKey makes the process hold the key for the request. It returns store.ErrKeyRevoked if the
// key is being revoked.
func (k *Keys) holdKey(ctx context.Context, id uuid.UUID, hash [32]byte, l *Lease) error {
	ctx, cancel := context.WithTimeout(ctx, connectWait)
	defer cancel()
	done := make(chan error, 1)
	t := task{
		do: func(ctx context.Context, session *access.KeySession) error {
			held, err := k.holdInSession(ctx, session, id, hash, l)
			switch {
			case err != nil:
				done <- errNoSession
			case !held:
				done <- store.ErrKeyRevoked
			default:
				done <- nil
			}
			return err
		},
		drop: func() { done <- errNoSession },
	}
	select {
	case k.tasks <- t:
	case <-ctx.Done():
		return errNoSession
	}
	// The session's goroutine always answers, and soon.
	return <-done
}

// reportRevoked reports that the request's key turned out to be revoked. The revocation may have
// been announced before the key was held, and waits for the key's lock.
func (k *Keys) reportRevoked(ctx context.Context, l *Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectWait)
	defer cancel()
	id := l.key.id
	t := task{do: func(ctx context.Context, _ *access.KeySession) error {
		k.endRevoked(ctx, id)
		return nil
	}}
	select {
	case k.tasks <- t:
	case <-ctx.Done(): // there is no session, and therefore no lock
	}
}

// leaveKey removes a request that has ended from its key.
func (k *Keys) leaveKey(l *Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l.key != nil {
		delete(l.key.leases, l)
		l.key.idleSince = k.now()
	}
}

// noteUse notes that the key has been used, at most once per period.
func (k *Keys) noteUse(l *Lease) {
	k.mu.Lock()
	now := k.now()
	due := now.Sub(l.key.notedAt) >= notePeriod
	if due {
		l.key.notedAt = now
	}
	k.mu.Unlock()
	if due {
		k.uses.addUse(l.key.id, now)
	}
}

// isFresh reports whether the session has had a heartbeat lately, so that its locks can be relied
// on.
func (k *Keys) isFresh() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.beat.IsZero() && k.now().Sub(k.beat) < staleTime
}

// noteRefusal notes that the key's requests are over the limit until then.
func (k *Keys) noteRefusal(l *Lease, until time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l.key.refusedUntil = until
}

// refusalEnd returns when the key's requests are no longer over the limit.
func (k *Keys) refusalEnd(l *Lease) time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return l.key.refusedUntil
}

// runningLeases returns the leases of the requests that run with the key.
func (k *Keys) runningLeases(h *heldKey) []*Lease {
	k.mu.Lock()
	defer k.mu.Unlock()
	leases := make([]*Lease, 0, len(h.leases))
	for l := range h.leases {
		leases = append(leases, l)
	}
	return leases
}

// withdrawKey removes a key, so that no further request joins it. It returns nil if the key is not
// held.
func (k *Keys) withdrawKey(id uuid.UUID) *heldKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.byID[id]
	if h != nil {
		delete(k.byHash, h.hash)
		delete(k.byID, id)
	}
	return h
}

// endKey ends the leases of a withdrawn key: the work of its requests is canceled, and none of
// their responses begins after endKey has returned. Responses that are being written have a
// moment to finish before they are cut off.
func (k *Keys) endKey(h *heldKey, cause error) {
	for _, l := range k.runningLeases(h) {
		l.endLease(cause)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.answering.Lock()
		defer h.answering.Unlock()
		h.ended = cause
	}()
	select {
	case <-ended:
		return
	case <-time.After(answerGrace):
	}
	for _, l := range k.runningLeases(h) {
		l.cutAnswer()
	}
	<-ended
}
