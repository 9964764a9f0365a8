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

// yieldAfter is how long an attempt may take before its endpoint gives up its place for the rest of
// the run. Until then, endpoints that suddenly hang, however many, delay the others.
const yieldAfter = 500 * time.Millisecond

// places counts the endpoints that are being worked on. Endpoints that fail or are
// slow take up at most half of the places, so that the rest is free for the others,
// and those of one organization at most half of that half. An organization has at
// most half of the places altogether, because all its endpoints may turn out to be
// slow at once. An endpoint that was neither failing nor slow yields its place when an attempt takes
// long: it is worked on without a place until its run ends.
type places struct {
	all int

	mu       sync.Mutex
	hindered int // failing or slow
	yielded  int // endpoints that are worked on without a place
	of       map[uuid.UUID]held
}

// held is the number of places that an organization holds.
type held struct{ all, hindered int }

// place is what an endpoint holds while it is being worked on.
type place struct {
	places   *places
	orgID    uuid.UUID
	hindered bool // it failed or was slow before
	yielded  bool
	released bool
}

// mostYielded is how many endpoints may be worked on without a place, for each place.
const mostYielded = 3

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

// acquirePlace acquires a place. It returns nil if there is none.
func (p *places) acquirePlace(orgID uuid.UUID, hindered bool) *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.of[orgID]
	if h.all >= shareOf(p.all, 2) || hindered && (h.hindered >= shareOf(p.all, 4) || p.hindered >= shareOf(p.all, 2)) {
		return nil
	}
	p.changeCount(orgID, hindered, 1)
	return &place{places: p, orgID: orgID, hindered: hindered}
}

// yieldPlace gives up the place of an endpoint that was neither failing nor slow before. It returns
// false if there is nothing to give up: the endpoint keeps its place, as it does if too many have
// yielded theirs, or its run has just ended.
func (l *place) yieldPlace() bool {
	p := l.places
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.hindered || l.yielded || l.released || p.yielded >= p.all*mostYielded {
		return false
	}
	l.yielded = true
	p.yielded++
	p.changeCount(l.orgID, false, -1)
	return true
}

// releasePlace ends the endpoint's run.
func (l *place) releasePlace() {
	p := l.places
	p.mu.Lock()
	defer p.mu.Unlock()
	l.released = true
	if l.yielded {
		p.yielded--
		return
	}
	p.changeCount(l.orgID, l.hindered, -1)
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
