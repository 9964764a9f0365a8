package deliver

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/webhooks"
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

// crowded returns for whom there is no place at the moment.
func (p *places) crowded() webhooks.Crowded {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := webhooks.Crowded{Hindered: p.hindered >= shareOf(p.all, 2)}
	for id, h := range p.of {
		if h.all >= shareOf(p.all, 2) {
			c.Organizations = append(c.Organizations, id)
		}
		if h.hindered >= shareOf(p.all, 4) {
			c.HinderedOrganizations = append(c.HinderedOrganizations, id)
		}
	}
	return c
}

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
