package interview

import (
	"context"
	"sync"
)

// turns lets one request at a time write to an upload. Without them a single link could fill the
// disk, because what a request writes counts only once it is stored. The zero value is ready for
// use.
type turns struct {
	mu sync.Mutex
	of map[string]*turn // by upload
}

// turn is a request that writes.
type turn struct {
	interrupt func()
	over      chan struct{}
}

// beginTurn waits until no other request writes to the upload, and returns what ends the caller's turn.
// It interrupts the other request, because that is most likely one whose client has lost its
// connection and come back. interrupt has to make the caller's own request end soon.
func (t *turns) beginTurn(ctx context.Context, upload string, interrupt func()) (end func(), waited bool, err error) {
	mine := &turn{interrupt, make(chan struct{})}
	for {
		before := t.claimUpload(upload, mine)
		if before == nil {
			return func() { t.releaseUpload(upload, mine) }, waited, nil
		}
		waited = true
		select {
		case <-before.over:
		case <-ctx.Done():
			return nil, waited, ctx.Err()
		}
	}
}

// claimUpload gives the upload to the turn, or interrupts the turn that has it and returns that.
func (t *turns) claimUpload(upload string, mine *turn) (before *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before = t.of[upload]; before != nil {
		before.interrupt()
		return before
	}
	if t.of == nil {
		t.of = make(map[string]*turn)
	}
	t.of[upload] = mine
	return nil
}

func (t *turns) releaseUpload(upload string, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, upload)
	close(mine.over)
}
