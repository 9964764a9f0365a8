package deliver

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/webhooks"
)

// slowAfter is how long an attempt may take before its endpoint counts as slow. A
// slow endpoint may succeed each time, but holds its place as long as a dead one.
const slowAfter = 2 * time.Second

// places counts the endpoints that are being worked on. Endpoints that fail or are
// slow take up at most half of the places, so that the rest is free for the others,
// and those of one organization at most half of that half. An organization has at
// most half of the places altogether, because all its endpoints may turn out to be
// slow at once.
type places struct {
	all int

	mu       sync.Mutex
	hindered int // failing or slow
	of       map[uuid.UUID]held
}

// held is the number of places that an organization holds.
type held struct{ all, hindered int }

func newPlaces(all int) *places { return &places{all: all, of: make(map[uuid.UUID]held)} }

// room returns for which endpoints there are places, up to a limit.
func (p *places) room(limit int) webhooks.Room {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := webhooks.Room{Places: limit, Hindered: min(limit, max(shareOf(p.all, 2)-p.hindered, 0))}
	for id, h := range p.of {
		if h.all >= shareOf(p.all, 2) {
			r.Full = append(r.Full, id)
		}
		if h.hindered >= shareOf(p.all, 4) {
			r.HinderedFull = append(r.HinderedFull, id)
		}
	}
	return r
}

// acquirePlace acquires a place. It returns false if there is none.
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

// releasePlace releases a place. Its arguments are those of acquirePlace.
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

// shareOf returns a share of the places, at least one.
func shareOf(all, part int) int { return max(all/part, 1) }
