package auth_test

import (
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assayhq/assay/apiserver/auth"
)

// someAddress returns the n-th address of many.
func someAddress(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestThrottle(t *testing.T) {
	t.Parallel()
	throttle := auth.NewThrottle()
	one, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for i := range 300 {
		if _, ok := throttle.Allow(one, noon.Add(time.Duration(i)*time.Millisecond)); !ok {
			t.Fatalf("failure %d was not allowed", i+1)
		}
	}
	for _, tt := range []struct {
		name  string
		addr  netip.Addr
		at    time.Duration
		retry time.Duration
		ok    bool
	}{
		{"the 301st", one, time.Second, 59 * time.Second, false},
		{"another client", other, time.Second, 0, true},
		{"the last moment of the window", one, time.Minute - 1, 1, false},
		{"the first has left", one, time.Minute, 0, true},
		{"the second has not", one, time.Minute, time.Millisecond, false},
		{"two more have left", one, time.Minute + 2*time.Millisecond, 0, true},
		{"the other of them", one, time.Minute + 2*time.Millisecond, 0, true},
		{"no more", one, time.Minute + 2*time.Millisecond, time.Millisecond, false},
	} {
		retry, ok := throttle.Allow(tt.addr, noon.Add(tt.at))
		if ok != tt.ok || retry != tt.retry {
			t.Errorf("%s: allowed %v, retry after %s; want %v, %s", tt.name, ok, retry, tt.ok, tt.retry)
		}
	}
}

func TestThrottleClients(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		one, other string // empty if unknown
		same       bool
	}{
		{"IPv4", "192.0.2.1", "192.0.2.2", false},
		{"IPv4 in IPv6", "192.0.2.1", "::ffff:192.0.2.1", true},
		{"different IPv4 in IPv6", "::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
		{"IPv6 of one /64", "2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff", true},
		{"IPv6 of neighbours", "2001:db8:0:1::1", "2001:db8:0:2::1", false},
		{"zones", "fe80::1%eth0", "fe80::1%eth1", true},
		{"not known", "", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			throttle := auth.NewThrottleOf(1, time.Minute, 10, 10)
			one, _ := netip.ParseAddr(tt.one)
			other, _ := netip.ParseAddr(tt.other)
			throttle.Allow(one, noon)
			if _, ok := throttle.Allow(other, noon); ok == tt.same {
				t.Errorf("%q and %q: the other is allowed: %v", tt.one, tt.other, ok)
			}
		})
	}
}

// TestThrottleModel compares the throttle with a list of all counted failures.
func TestThrottleModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const window = 10 * time.Second
		limit := rapid.IntRange(1, 6).Draw(t, "limit")
		throttle := auth.NewThrottleOf(limit, window, 100, 1000)
		counted := make(map[int][]time.Duration)
		var at time.Duration
		for range rapid.IntRange(1, 200).Draw(t, "calls") {
			at += rapid.SampledFrom([]time.Duration{0, 1, 100 * time.Millisecond, time.Second, 5 * time.Second, window}).Draw(t, "pause")
			client := rapid.IntRange(0, 3).Draw(t, "client")
			var in []time.Duration
			for _, c := range counted[client] {
				if c > at-window {
					in = append(in, c)
				}
			}
			retry, ok := throttle.Allow(someAddress(client), noon.Add(at))
			if ok != (len(in) < limit) {
				t.Fatalf("allowed %v after %d of %d", ok, len(in), limit)
			}
			if ok {
				counted[client] = append(in, at)
			} else if want := in[0] + window - at; retry != want || retry <= 0 {
				t.Fatalf("retry after %s, want %s", retry, want)
			}
		}
	})
}

// TestThrottleIsBounded makes more clients fail than there is room for, and checks that the least
// recent ones are forgotten.
func TestThrottleIsBounded(t *testing.T) {
	t.Parallel()
	const maxClients, maxTimes = 100, 250
	throttle := auth.NewThrottleOf(3, time.Hour, maxClients, maxTimes)
	kept := someAddress(1 << 20)
	for range 3 {
		throttle.Allow(kept, noon)
	}
	for i := range 5000 {
		throttle.Allow(someAddress(rand.N(1000)), noon.Add(time.Duration(i)))
		if clients, times := throttle.Remembered(); clients > maxClients || times > maxTimes {
			t.Fatalf("remembers %d clients with %d failures", clients, times)
		}
		if _, ok := throttle.Allow(kept, noon.Add(time.Duration(i))); ok {
			t.Fatalf("call %d: a client that goes on was forgotten", i)
		}
	}
	if clients, _ := throttle.Remembered(); clients < maxClients/2 {
		t.Errorf("remembers %d clients only", clients)
	}
	// A quiet period resets it.
	throttle.Allow(kept, noon.Add(3*time.Hour))
	if clients, times := throttle.Remembered(); clients != 1 || times != 1 {
		t.Errorf("remembers %d clients with %d failures", clients, times)
	}
}

func TestThrottleConcurrently(t *testing.T) {
	t.Parallel()
	throttle := auth.NewThrottle()
	var allowed atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 200 {
				// Some read the clock long before their call.
				if _, ok := throttle.Allow(someAddress(1), noon.Add(time.Duration(i)*time.Millisecond)); ok {
					allowed.Add(1)
				}
			}
		})
	}
	group.Wait()
	if got := allowed.Load(); got != 300 {
		t.Errorf("%d of 1600 failures at once were allowed, want 300", got)
	}
}

func BenchmarkThrottle(b *testing.B) {
	throttle := auth.NewThrottle()
	at := noon
	for i := 0; b.Loop(); i++ {
		at = at.Add(50 * time.Microsecond)
		throttle.Allow(someAddress(i%200_000), at)
	}
}
