package auth

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/assayhq/assay/apiserver/answer"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
)

// Lease is a request's leave to work and to answer in the name of a key or a
// session. It ends when the key is revoked or the session ended: the request's
// context is cancelled then, and its answer is a 401.
type Lease struct {
	Identity
	session bool // on a session; it is known before the identity
	keys    *Keys
	key     *heldKey
	writer  *http.ResponseController

	mu     sync.Mutex
	exempt bool // the request itself revokes the key
	answer bool // a part of the answer is being written
	ended  chan struct{}
	cause  error
	cancel context.CancelCauseFunc
}

func newLease(keys *Keys, w http.ResponseWriter) *Lease {
	return &Lease{keys: keys, writer: http.NewResponseController(w), ended: make(chan struct{})}
}

// Release gives the lease back when the request has been answered.
func (l *Lease) Release() {
	l.keys.leaveKey(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil {
		l.cancel(nil)
	}
}

// leaseContext returns a context that carries the identity and is canceled when
// the lease ends.
func (l *Lease) leaseContext(ctx context.Context) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, l.cancel = context.WithCancelCause(ctx)
	if l.cause != nil {
		l.cancel(l.cause)
	}
	return context.WithValue(NewContext(ctx, l.Identity), leaseKey{}, l)
}

type leaseKey struct{}

// Ended returns a channel that is closed when the lease of the request ends,
// for work that goes on when its client has gone; nil, which blocks for ever,
// without a lease.
func Ended(ctx context.Context) <-chan struct{} {
	if l, ok := ctx.Value(leaseKey{}).(*Lease); ok {
		return l.ended
	}
	return nil
}

// Cause returns why the lease of the request has ended; nil while it lasts, and
// without a lease.
func Cause(ctx context.Context) error {
	if l, ok := ctx.Value(leaseKey{}).(*Lease); ok {
		return l.endCause()
	}
	return nil
}

// Exempt lets the request that revokes its own key, or ends its own session,
// answer.
func Exempt(ctx context.Context) {
	if l, ok := ctx.Value(leaseKey{}).(*Lease); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.exempt = true
	}
}

// endLease tells the request that its key is no longer held.
func (l *Lease) endLease(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.exempt || l.cause != nil {
		return
	}
	l.cause = cause
	close(l.ended)
	if l.cancel != nil {
		l.cancel(cause)
	}
}

// cutAnswer breaks off an answer that is being written.
func (l *Lease) cutAnswer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answer && !l.exempt {
		_ = l.writer.SetWriteDeadline(time.Unix(1, 0)) // fails where there is no connection to cut
	}
}

// BeginWrite implements answer.Guard: the key cannot end during a part of the
// answer.
func (l *Lease) BeginWrite() error {
	l.key.answering.RLock()
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.key.ended
	if err == nil && !l.keys.isFresh() {
		err = errNoSession
	}
	if err != nil && !l.exempt {
		l.key.answering.RUnlock()
		return err
	}
	l.answer = true
	return nil
}

// EndWrite implements answer.Guard.
func (l *Lease) EndWrite() {
	l.mu.Lock()
	l.answer = false
	l.mu.Unlock()
	l.key.answering.RUnlock()
}

// retrySession is what callers are asked to wait when revocations cannot be
// heard of.
const retrySession = time.Second

// refusalFor returns the problem with which the request is answered when the
// lease has ended.
func (l *Lease) refusalFor(cause error) error {
	switch {
	case !isOver(cause):
		return problem.Unavailable("", retrySession, cause)
	case l.session:
		return refuseToken(problem.SessionEnded)
	}
	return refuseToken(problem.APIKeyRevoked)
}

// expiryProblem returns the problem of a key or a session whose own time is over.
func (l *Lease) expiryProblem() error {
	if l.session {
		return refuseToken(problem.SessionExpired)
	}
	return refuseToken(problem.APIKeyExpired)
}

// isOver reports whether an error says that the key or the session is no more.
// The announcement of an end does not tell one from the other.
func isOver(err error) bool {
	return errors.Is(err, store.ErrKeyRevoked) || errors.Is(err, store.ErrSessionEnded)
}

// Serve runs a handler under the lease. What it writes reaches the client only
// while the lease lasts; it returns the handler's error, or the problem that
// takes the answer's place.
func (l *Lease) Serve(w http.ResponseWriter, r *http.Request, handle func(http.ResponseWriter, *http.Request) error) error {
	writer, header := answer.Of(w), w.Header().Clone()
	refused, err := writer.Guarded(l, func() error { return handle(writer, r.WithContext(l.leaseContext(r.Context()))) })
	switch {
	case refused != nil:
		if writer.Status == 0 { // what the handler said of its answer is not true of the refusal
			clear(w.Header())
			maps.Copy(w.Header(), header)
		}
		return l.refusalFor(refused)
	case err != nil && l.endCause() != nil:
		return l.refusalFor(l.endCause())
	case isOver(err): // its transaction knew before the process
		return l.refusalFor(err)
	}
	return err
}

// endCause returns why the lease has ended, or nil if it has not.
func (l *Lease) endCause() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cause
}
