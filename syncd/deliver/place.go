package deliver

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"
)

// slowAfter is how long an attempt may take until its endpoint is taken for a
// slow one: it may succeed each time, but holds its place as long as a dead one.
const slowAfter = 2 * time.Second

// places are those of endpoints that are worked on. Endpoints that fail or are
// slow take up at most half of all, so that the others have the rest to
// themselves, and those of one organization half of that half. What an
// organization has altogether is at most half: endpoints of which nothing bad is
// known yet may turn out to be slow all at once.
type places struct {
	all int

	mu       sync.Mutex
	hindered int // failing or slow
	of       map[uuid.UUID]held
}

// held is how many places an organization holds.
type held struct{ all, hindered int }

func newPlaces(all int) *places { return &places{all: all, of: make(map[uuid.UUID]held)} }

// acquirePlace acquires a place. It returns false when there is none.
func (p *places) acquirePlace(orgID uuid.UUID, hindered bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.of[orgID]
	if h.all >= shareOf(p.all, 2) || hindered && (h.hindered >= shareOf(p.all, 4) || p.hindered >= shareOf(p.all, 2)) {
		return false
	}
	p.changeCount(orgID, hindered, 1)
	return true
}

// releasePlace gives a place back, as it was taken.
func (p *places) releasePlace(orgID uuid.UUID, hindered bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changeCount(orgID, hindered, -1)
}

func (p *places) changeCount(orgID uuid.UUID, hindered bool, by int) {
	h := p.of[orgID]
	h.all += by
	if hindered {
		h.hindered += by
		p.hindered += by
	}
	p.of[orgID] = h
	if h.all == 0 {
		delete(p.of, orgID)
	}
}

// shareOf returns a part of the places, and at least one.
func shareOf(all, part int) int { return max(all/part, 1) }

// crowdedWait returns how long an endpoint waits that has found no place. One
// that is sound does not wait for long, because places become free quickly then.
func crowdedWait(hindered bool) time.Duration {
	least := 250 * time.Millisecond
	if hindered {
		least = 5 * time.Second
	}
	return least + rand.N(least) //nolint:gosec // jitter needs no secrecy
}
