package auth

import (
	"container/list"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// How many well-formed but unknown keys a client may try, and how much is remembered of all
// clients. 256 random bits cannot be guessed: the limit prevents a client with a wrong key from
// causing a database look-up for each request.
const (
	unknownKeyLimit  = 300
	unknownKeyWindow = time.Minute
	throttleClients  = 100_000
	throttleTimes    = 1_000_000 // attempts, of eight bytes each
)

// Throttle limits how often clients may fail. Successes are not counted. It uses some 40 MB at
// most: if more clients fail than it has room for, it forgets the least recent ones. Use
// NewThrottle.
type Throttle struct {
	limit      int
	window     time.Duration
	maxClients int
	maxTimes   int

	mu      sync.Mutex
	epoch   time.Time     // reference point of times
	latest  time.Duration // of all calls
	clients map[netip.Addr]*list.Element
	recent  *list.List // of *failures, most recent first
	times   int        // attempts remembered of all clients
}

// failures is what is remembered of a client.
type failures struct {
	client netip.Addr
	lastAt time.Duration   // time of the last failure, counted or not
	times  []time.Duration // times of the counted failures, in order, since the epoch
}

// NewThrottle returns the throttle of unknown keys.
func NewThrottle() *Throttle {
	return newThrottle(unknownKeyLimit, unknownKeyWindow, throttleClients, throttleTimes)
}

// NewThrottleWithin returns a throttle that allows a client limit failures within any window.
func NewThrottleWithin(limit int, window time.Duration) *Throttle {
	return newThrottle(limit, window, throttleClients, throttleTimes)
}

func newThrottle(limit int, window time.Duration, maxClients, maxTimes int) *Throttle {
	return &Throttle{
		limit: limit, window: window, maxClients: maxClients, maxTimes: maxTimes,
		clients: make(map[netip.Addr]*list.Element), recent: list.New(),
	}
}

// Allow counts a failure of the client at addr, unless as many as allowed occurred within the
// window before now (excluding its start). In that case ok is false, the failure is not counted,
// and it would be allowed after retryAfter. All addresses of an IPv6 /64 count as one client, and
// so do all requests with an unknown address.
func (t *Throttle) Allow(addr netip.Addr, now time.Time) (retryAfter time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.epoch.IsZero() {
		t.epoch = now
	}
	// Calls may arrive in a different order than they read the clock.
	at := max(now.Sub(t.epoch), t.latest)
	t.latest = at
	t.forgetBefore(at - t.window)
	f := t.recallClient(clientOf(addr), at)
	t.times -= f.dropUntil(at - t.window)
	if len(f.times) >= t.limit {
		return f.times[0] + t.window - at, false
	}
	f.times = append(f.times, at)
	t.times++
	t.makeRoom()
	return 0, true
}

// recallClient returns what is remembered of the client and moves it to the front.
func (t *Throttle) recallClient(client netip.Addr, at time.Duration) *failures {
	element := t.clients[client]
	if element == nil {
		element = t.recent.PushFront(&failures{client: client})
		t.clients[client] = element
	}
	t.recent.MoveToFront(element)
	f := element.Value.(*failures)
	f.lastAt = at
	return f
}

// dropUntil drops the times up to then and returns their number. It frees memory if much more is
// allocated than needed.
func (f *failures) dropUntil(then time.Duration) int {
	gone, _ := slices.BinarySearch(f.times, then+1)
	f.times = slices.Delete(f.times, 0, gone)
	if cap(f.times) > 2*len(f.times)+8 {
		f.times = slices.Clone(f.times)
	}
	return gone
}

// forgetBefore forgets the clients without a failure since then.
func (t *Throttle) forgetBefore(since time.Duration) {
	for e := t.recent.Back(); e != nil && e.Value.(*failures).lastAt <= since; e = t.recent.Back() {
		t.forgetClient(e)
	}
}

// makeRoom enforces the limits on memory.
func (t *Throttle) makeRoom() {
	for t.recent.Len() > 1 && (t.recent.Len() > t.maxClients || t.times > t.maxTimes) {
		t.forgetClient(t.recent.Back())
	}
}

func (t *Throttle) forgetClient(e *list.Element) {
	f := t.recent.Remove(e).(*failures)
	delete(t.clients, f.client)
	t.times -= len(f.times)
}

// clientOf returns the address that identifies the client. For IPv6 it is the first address of
// the /64, the smallest network that a subscriber is assigned.
func clientOf(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if !addr.Is6() {
		return addr
	}
	network, err := addr.Prefix(64)
	if err != nil {
		return addr // cannot happen: every IPv6 address has one
	}
	return network.Addr()
}
