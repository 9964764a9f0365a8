package auth

import (
	"context"
	"sync"
)

// Places limits how many requests do something costly at a time. Its methods take on whose behalf
// that is, an organization or a client. None of these can use all places. Use NewPlaces.
type Places struct {
	all  chan struct{}
	most int

	mu     sync.Mutex
	shares map[string]*share // of those that use or wait for a place at the moment
}

// share is the places that one organization or client may use.
type share struct {
	places chan struct{}
	users  int // requests that use or wait for a place
}

// NewPlaces returns places of which an organization or client may use at most so many.
func NewPlaces(number, most int) *Places {
	return &Places{all: make(chan struct{}, number), most: most, shares: make(map[string]*share)}
}

// NewSharedPlaces returns places of which an organization or client may use half, so that the
// others are served whatever it does.
func NewSharedPlaces(number int) *Places { return NewPlaces(number, (number+1)/2) }

// Take waits for a place until ctx ends, and then returns ctx.Err(). leave gives the place back.
func (p *Places) Take(ctx context.Context, behalf string) (leave func(), err error) {
	leave, ok := p.takePlace(ctx.Done(), behalf)
	if !ok {
		return nil, ctx.Err()
	}
	return leave, nil
}

// TryTake is like Take, but returns false if it would have to wait.
func (p *Places) TryTake(behalf string) (leave func(), ok bool) {
	now := make(chan struct{})
	close(now)
	return p.takePlace(now, behalf)
}

func (p *Places) takePlace(until <-chan struct{}, behalf string) (leave func(), ok bool) {
	own := p.enterShare(behalf)
	if !enterBefore(own.places, until) {
		p.leaveShare(behalf)
		return nil, false
	}
	if !enterBefore(p.all, until) {
		<-own.places
		p.leaveShare(behalf)
		return nil, false
	}
	return func() {
		<-p.all
		<-own.places
		p.leaveShare(behalf)
	}, true
}

// enterBefore takes one of the places if there is one, or if there is one before until is closed.
func enterBefore(places chan struct{}, until <-chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	default:
	}
	select {
	case places <- struct{}{}:
		return true
	case <-until:
		return false
	}
}

func (p *Places) enterShare(behalf string) *share {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.shares[behalf]
	if own == nil {
		own = &share{places: make(chan struct{}, p.most)}
		p.shares[behalf] = own
	}
	own.users++
	return own
}

func (p *Places) leaveShare(behalf string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.shares[behalf]; own.users == 1 {
		delete(p.shares, behalf)
	} else {
		own.users--
	}
}
