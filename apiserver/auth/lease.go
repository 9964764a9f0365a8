package auth

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store"
)

// Lease permits a request to work and to respond in the name of a key or a session. It ends when
// the key is revoked or the session ends: then the request's context is canceled, and its
// response is a 401.
type Lease struct {
	Identity
	session bool      // set for a lease on a session, and known before the identity
	expires time.Time // when a key expires, on the process's clock; zero if it does not
	keys    *Keys
	key     *heldKey
	writer  *http.ResponseController

	mu     sync.Mutex
	exempt bool // the request itself revokes the key
	answer bool // a part of the response is being written
	ended  chan struct{}
	cause  error
	cancel context.CancelCauseFunc
}

func newLease(keys *Keys, w http.ResponseWriter) *Lease {
	return &Lease{keys: keys, writer: http.NewResponseController(w), ended: make(chan struct{})}
}

// Release returns the lease when the request has been answered.
func (l *Lease) Release() {
	l.keys.leaveKey(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil {
		l.cancel(nil)
	}
}

// leaseContext returns a context that carries the identity and is canceled when the lease ends.
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

// Ended returns a channel that is closed when the request's lease ends, for work that continues
// after the client has gone. Without a lease it returns nil, which blocks forever.
func Ended(ctx context.Context) <-chan struct{} {
	if l, ok := ctx.Value(leaseKey{}).(*Lease); ok {
		return l.ended
	}
	return nil
}

// Cause returns why the request's lease has ended. It returns nil while the lease lasts, and
// without a lease.
func Cause(ctx context.Context) error {
	if l, ok := ctx.Value(leaseKey{}).(*Lease); ok {
		return l.endCause()
	}
	return nil
}

// Exempt lets a request respond although it revokes its own key or ends its own session.
func Exempt(ctx context.Context) {
	if l, ok := ctx.Value(leaseKey{}).(*Lease); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.exempt = true
	}
}

// endLease notifies the request that its key is no longer held.
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

// cutAnswer breaks off a response that is being written.
func (l *Lease) cutAnswer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answer && !l.exempt {
		_ = l.writer.SetWriteDeadline(time.Unix(1, 0)) // fails without a connection to cut
	}
}

// BeginWrite implements response.Guard: the key cannot end during a part of the response.
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

// EndWrite implements response.Guard.
func (l *Lease) EndWrite() {
	l.mu.Lock()
	l.answer = false
	l.mu.Unlock()
	l.key.answering.RUnlock()
}

// retrySession is how long callers are asked to wait if revocations cannot be received.
const retrySession = time.Second

// refusalFor returns the problem that a request receives if its lease has ended.
func (l *Lease) refusalFor(cause error) error {
	switch {
	case !isOver(cause):
		return problem.Unavailable("", retrySession, cause)
	case l.session:
		return refuseToken(problem.SessionEnded)
	}
	return refuseToken(problem.APIKeyRevoked)
}

// unknownProblem returns the problem for a key or a session that does not exist.
func (l *Lease) unknownProblem() error {
	if l.session {
		return refuseToken(problem.InvalidSession)
	}
	return refuseToken(problem.InvalidAPIKey)
}

// expiryProblem returns the problem for a key or a session that has expired.
func (l *Lease) expiryProblem() error {
	if l.session {
		return refuseToken(problem.SessionExpired)
	}
	return refuseToken(problem.APIKeyExpired)
}

// isOver reports whether an error means that the key or the session has ended. The announcement
// of an end does not tell which of the two it is.
func isOver(err error) bool {
	return errors.Is(err, store.ErrKeyRevoked) || errors.Is(err, store.ErrSessionEnded)
}

// Serve runs a handler under the lease. The client receives the response only while the lease
// lasts. Serve returns the handler's error, or the problem that replaces the response.
func (l *Lease) Serve(w http.ResponseWriter, r *http.Request, handle func(http.ResponseWriter, *http.Request) error) error {
	writer, header := response.Of(w), w.Header().Clone()
	refused, err := writer.Guarded(l, func() error { return handle(writer, r.WithContext(l.leaseContext(r.Context()))) })
	switch {
	case refused != nil:
		if writer.Status == 0 { // headers that the handler set do not apply to the refusal
			clear(w.Header())
			maps.Copy(w.Header(), header)
		}
		return l.refusalFor(refused)
	case err != nil && l.endCause() != nil:
		return l.refusalFor(l.endCause())
	case isOver(err): // its transaction learned of the end before the process did
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
