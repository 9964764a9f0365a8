package engine

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// Bounds of what is read ahead of the writing half, for a first read.
const (
	// pagesTogether is how many pages are written in one transaction, if they arrive
	// faster than they are written. A transaction costs as much as dozens of records.
	pagesTogether = 5
	// bytesAhead is how much may wait: as much as one page may have without taking
	// turns with others (see connectors/fetch).
	bytesAhead = 512 << 10
)

// readAhead holds the answers that wait for the writing half of a run.
type readAhead struct {
	most    int // how many are taken at once
	answers chan fetched
	room    *semaphore.Weighted // bytes
}

// newReadAhead returns one from which at most that many answers are taken at once.
// With 1 no answer waits but the one that the fetching half holds.
func newReadAhead(most int) *readAhead {
	return &readAhead{most: most, answers: make(chan fetched, most-1), room: semaphore.NewWeighted(bytesAhead)}
}

// put waits for room and adds an answer. It reports false, and the answer stays the
// caller's, if ctx ends first.
func (a *readAhead) put(ctx context.Context, f fetched) bool {
	if a.room.Acquire(ctx, f.weight()) != nil {
		return false
	}
	select {
	case a.answers <- f:
		return true
	case <-ctx.Done():
		return false
	}
}

// take waits for an answer, and returns it with those that wait behind it. It returns
// none after close.
func (a *readAhead) take() (arrived []fetched) {
	for f := range a.answers {
		a.room.Release(f.weight())
		if arrived = append(arrived, f); len(arrived) == a.most || len(a.answers) == 0 {
			break
		}
	}
	return arrived
}

// close ends what take waits for. The fetching half calls it.
func (a *readAhead) close() { close(a.answers) }

// drain gives back the pages that nobody takes. It waits for close.
func (a *readAhead) drain() {
	for f := range a.answers {
		f.release()
	}
}

// weight is how much of bytesAhead an answer takes.
func (f fetched) weight() int64 {
	if f.page == nil {
		return 0
	}
	return min(int64(f.page.Stats.Bytes), bytesAhead)
}
