package auth

import (
	"container/list"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// How many well-formed but unknown keys one client may try, and how much is
// remembered of all clients. 256 random bits cannot be guessed: the limit keeps a
// client with a wrong key from costing a look-up in the database for each request.
const (
	unknownKeyLimit  = 300
	unknownKeyWindow = time.Minute
	throttleClients  = 100_000
	throttleTimes    = 1_000_000 // of attempts, eight bytes each
)

// Throttle bounds how often clients may fail. Nothing that succeeds counts. It
// takes some 40 MB at most: when more clients fail than it has room for, it
// forgets those that it has not heard of for longest. Use NewThrottle.
type Throttle struct {
	limit      int
	window     time.Duration
	maxClients int
	maxTimes   int

	mu      sync.Mutex
	epoch   time.Time     // what times are counted from
	latest  time.Duration // of all calls
	clients map[netip.Addr]*list.Element
	recent  *list.List // of *failures, those heard of last in front
	times   int        // remembered of all clients
}

// failures are what is remembered of a client.
type failures struct {
	client netip.Addr
	heard  time.Duration   // of last, counted or not
	times  []time.Duration // that were counted, in order, since the epoch
}

// NewThrottle returns the throttle of unknown keys.
func NewThrottle() *Throttle {
	return newThrottle(unknownKeyLimit, unknownKeyWindow, throttleClients, throttleTimes)
}

// NewThrottleWithin returns a throttle that allows a client limit failures within any
// window.
func NewThrottleWithin(limit int, window time.Duration) *Throttle {
	return newThrottle(limit, window, throttleClients, throttleTimes)
}

func newThrottle(limit int, window time.Duration, maxClients, maxTimes int) *Throttle {
	return &Throttle{
		limit: limit, window: window, maxClients: maxClients, maxTimes: maxTimes,
		clients: make(map[netip.Addr]*list.Element), recent: list.New(),
	}
}

// Allow counts a failure of the client at addr, unless there were as many as
// allowed within the window before now, its beginning excluded: then it is not
// ok, not counted, and would be after retryAfter. All addresses of an IPv6 /64
// are one client, and so are all requests whose address is not known.
func (t *Throttle) Allow(addr netip.Addr, now time.Time) (retryAfter time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.epoch.IsZero() {
		t.epoch = now
	}
	// Calls may come in another order than that in which they looked at the clock.
	at := max(now.Sub(t.epoch), t.latest)
	t.latest = at
	t.forgetBefore(at - t.window)
	f := t.heardOf(clientOf(addr), at)
	t.times -= f.dropUntil(at - t.window)
	if len(f.times) >= t.limit {
		return f.times[0] + t.window - at, false
	}
	f.times = append(f.times, at)
	t.times++
	t.makeRoom()
	return 0, true
}

// heardOf returns what is remembered of the client, in front of the others.
func (t *Throttle) heardOf(client netip.Addr, at time.Duration) *failures {
	element := t.clients[client]
	if element == nil {
		element = t.recent.PushFront(&failures{client: client})
		t.clients[client] = element
	}
	t.recent.MoveToFront(element)
	f := element.Value.(*failures)
	f.heard = at
	return f
}

// dropUntil drops the times until then, and returns how many. It gives back
// memory that was for many more than are left.
func (f *failures) dropUntil(then time.Duration) int {
	gone, _ := slices.BinarySearch(f.times, then+1)
	f.times = slices.Delete(f.times, 0, gone)
	if cap(f.times) > 2*len(f.times)+8 {
		f.times = slices.Clone(f.times)
	}
	return gone
}

// forgetBefore forgets the clients that were not heard of since.
func (t *Throttle) forgetBefore(since time.Duration) {
	for e := t.recent.Back(); e != nil && e.Value.(*failures).heard <= since; e = t.recent.Back() {
		t.forgetClient(e)
	}
}

// makeRoom keeps within the bounds of memory.
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

// clientOf returns the address that stands for the client: of IPv6 the first
// address of the /64, the smallest network that is given to a subscriber.
func clientOf(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if !addr.Is6() {
		return addr
	}
	network, err := addr.Prefix(64)
	if err != nil {
		return addr // can't be: every IPv6 address has one
	}
	return network.Addr()
}
