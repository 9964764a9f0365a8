package fetch_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
)

func TestAllowedAddresses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		addrs []string
		want  bool
	}{
		{"public IPv4", []string{"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255"}, true},
		{"public IPv6", []string{"2606:4700::1111", "2a00:1450::1", "2001:200::1", "2001:4860:4860::8888"}, true},
		{"this network", []string{"0.0.0.0", "0.255.255.255"}, false},
		{"private", []string{"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"}, false},
		{"carrier-grade NAT", []string{"100.64.0.0", "100.127.255.255"}, false},
		{"loopback", []string{"127.0.0.1", "127.255.255.254", "::1"}, false},
		{"link-local, metadata", []string{"169.254.169.254", "fe80::1", "febf::1"}, false},
		{"metadata over IPv6", []string{"fd00:ec2::254"}, false},
		{"IETF protocols", []string{"192.0.0.1", "192.0.0.9", "192.0.0.170", "2001:1::1"}, false},
		{"documentation", []string{"192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "3fff:fff::1"}, false},
		{"AS112, AMT", []string{"192.31.196.1", "192.175.48.1", "192.52.193.1", "2620:4f:8000::1", "2001:4:112::1", "2001:3::1"}, false},
		{"6to4", []string{"192.88.99.1", "2002:7f00:1::", "2002:808:808::1"}, false},
		{"Teredo", []string{"2001::1", "2001:0:4136:e378::1"}, false},
		{"ORCHID, benchmarks, DRIP", []string{"2001:10::1", "2001:20::1", "2001:2::1", "2001:30::1", "198.18.0.1", "198.19.255.255"}, false},
		{"multicast", []string{"224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"}, false},
		{"reserved, broadcast", []string{"240.0.0.1", "255.255.255.255"}, false},
		{"unspecified", []string{"::"}, false},
		{"IPv4-mapped", []string{"::ffff:8.8.8.8", "::ffff:127.0.0.1"}, false},
		{"IPv4-compatible", []string{"::8.8.8.8", "::127.0.0.1"}, false},
		{"IPv4-translated", []string{"::ffff:0:8.8.8.8"}, false},
		{"NAT64", []string{"64:ff9b::8.8.8.8", "64:ff9b::7f00:1", "64:ff9b:1::1", "64:ff9b:1:fffe::7f00:1"}, false},
		{"unique local, site-local", []string{"fc00::1", "fdff::1", "fec0::1"}, false},
		{"discard", []string{"100::1", "100:0:0:1::1"}, false},
		{"segment routing", []string{"5f00::1"}, false},
		{"6bone", []string{"3ffe::1"}, false},
		{"outside 2000::/3", []string{"1fff::1", "4000::1", "8000::1"}, false},
		{"zones", []string{"fe80::1%eth0", "2606:4700::1111%1"}, false},
	}
	g := fetch.New(fetch.Options{}).Guard()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, a := range tt.addrs {
				if got := g.Allowed(netip.MustParseAddr(a)); got != tt.want {
					t.Errorf("%s allowed: %v, want %v", a, got, tt.want)
				}
			}
		})
	}
	if g.Allowed(netip.Addr{}) {
		t.Error("no address at all is allowed")
	}
}

func TestAllowCIDRs(t *testing.T) {
	t.Parallel()
	g := fetch.New(fetch.Options{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd12::/32")}}).Guard()
	for addr, want := range map[string]bool{
		"10.1.2.3": true, "10.2.0.1": false, "127.0.0.1": false, "8.8.8.8": true,
		"fd12::1": true, "fd12::1%eth0": false, "fd13::1": false, "::ffff:10.1.2.3": false,
	} {
		if got := g.Allowed(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s allowed: %v, want %v", addr, got, want)
		}
	}
}

// answers is a resolver that gives each look-up the next of its answers.
type answers struct {
	next  atomic.Int64
	lists [][]netip.Addr
}

func (a *answers) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	i := min(int(a.next.Add(1))-1, len(a.lists)-1)
	return a.lists[i], nil
}

func addrs(list ...string) []netip.Addr {
	var parsed []netip.Addr
	for _, s := range list {
		parsed = append(parsed, netip.MustParseAddr(s))
	}
	return parsed
}

// A name is public when the URL is saved and private when it is dialled.
func TestRebinding(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	reached := make(chan struct{}, 1)
	go func() {
		if conn, err := l.Accept(); err == nil {
			reached <- struct{}{}
			_ = conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	c := fetch.New(fetch.Options{Resolver: &answers{lists: [][]netip.Addr{addrs("1.1.1.1"), addrs("127.0.0.1", "::1", "::ffff:127.0.0.1")}}})
	defer c.Close()
	base := "https://rebind.test:" + port
	if err := c.Guard().CheckURL(t.Context(), base); err != nil {
		t.Fatalf("the first answer is public: %v", err)
	}
	_, _, err = get(t, platform(c, base), fetch.Request{})
	e := platformError(t, err)
	if e.Code != connectors.CodeBlockedAddress || e.Stats.Requests != 1 {
		t.Errorf("got %v after %d requests, want blocked_address at once", e, e.Stats.Requests)
	}
	if text := e.Error(); strings.Contains(text, "127") || strings.Contains(text, "rebind") {
		t.Errorf("the error tells of the inside: %s", text)
	}
	select {
	case <-reached:
		t.Error("the private address was dialled")
	default:
	}
}

// Whatever happens between look-up and dial, the address of the socket decides.
func TestSocketCheck(t *testing.T) {
	t.Parallel()
	g := fetch.New(fetch.Options{}).Guard()
	for address, want := range map[string]bool{
		"1.1.1.1:443": true, "[2606:4700::1111]:443": true, "127.0.0.1:443": false, "[::1]:443": false,
		"[::ffff:127.0.0.1]:443": false, "[fe80::1%lo]:443": false, "localhost:443": false, "": false,
	} {
		err := g.Control(address)
		if (err == nil) != want || (err != nil && !errors.Is(err, fetch.ErrBlockedAddress)) {
			t.Errorf("%q: %v, want allowed: %v", address, err, want)
		}
	}
}

func TestDialContext(t *testing.T) {
	t.Parallel()
	v4, v6 := "1.0.0.1", "2606:4700::1"
	tests := []struct {
		name    string
		found   []netip.Addr
		refuse  bool // all addresses refuse
		hang    bool // all but the last never answer
		dialled []string
		took    time.Duration
		blocked bool
		failed  bool
	}{
		{name: "one", found: addrs(v4), dialled: []string{"1.0.0.1:443"}},
		{name: "mapped is unmapped", found: addrs("::ffff:1.0.0.1"), dialled: []string{"1.0.0.1:443"}},
		{name: "private ones are passed over", found: addrs("10.0.0.1", "::1", v4, "169.254.169.254"), dialled: []string{"1.0.0.1:443"}},
		{name: "only private", found: addrs("10.0.0.1", "::1"), blocked: true},
		{name: "mapped private", found: addrs("::ffff:10.0.0.1"), blocked: true},
		{
			name: "families take turns, next after refusal", found: addrs(v6, "2606:4700::2", v4, "10.0.0.1", "1.0.0.2"), refuse: true,
			dialled: []string{"[2606:4700::1]:443", "1.0.0.1:443", "[2606:4700::2]:443", "1.0.0.2:443"}, failed: true,
		},
		{
			name: "next after a head start", found: addrs(v6, v4), hang: true,
			dialled: []string{"[2606:4700::1]:443", "1.0.0.1:443"}, took: fetch.DialStagger,
		},
		{
			name: "no more than some", found: addrs("1.0.0.1", "1.0.0.2", "1.0.0.3", "1.0.0.4", "1.0.0.5", "1.0.0.6", "1.0.0.7", "1.0.0.8", "1.0.0.9"),
			refuse: true, failed: true,
			dialled: []string{"1.0.0.1:443", "1.0.0.2:443", "1.0.0.3:443", "1.0.0.4:443", "1.0.0.5:443", "1.0.0.6:443", "1.0.0.7:443", "1.0.0.8:443"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := fetch.New(fetch.Options{Resolver: &answers{lists: [][]netip.Addr{tt.found}}})
				var mu sync.Mutex
				var dialled []string
				c.SetDial(func(ctx context.Context, _, address string) (net.Conn, error) {
					mu.Lock()
					dialled = append(dialled, address)
					last := len(dialled) == len(tt.dialled)
					mu.Unlock()
					if tt.refuse {
						return nil, errors.New("refused")
					}
					if tt.hang && !last {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					near, _ := net.Pipe()
					return near, nil
				})
				began := time.Now()
				conn, err := c.Guard().DialContext(t.Context(), "tcp", "p.test:443")
				if took := time.Since(began); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if diff := cmp.Diff(tt.dialled, dialled); diff != "" {
					t.Errorf("dialled (-want +got):\n%s", diff)
				}
				if errors.Is(err, fetch.ErrBlockedAddress) != tt.blocked || (err != nil) != (tt.blocked || tt.failed) {
					t.Errorf("error %v", err)
				}
				if conn != nil {
					_ = conn.Close()
				}
			})
		})
	}
}

func TestDialGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := fetch.New(fetch.Options{Resolver: &answers{lists: [][]netip.Addr{addrs("1.0.0.1", "1.0.0.2")}}})
		c.SetDial(func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		began := time.Now()
		_, err := c.Guard().DialContext(t.Context(), "tcp", "p.test:443")
		var op *net.OpError
		if took := time.Since(began); took != 10*time.Second || !errors.As(err, &op) || !op.Timeout() {
			t.Errorf("gave up after %v with %v", took, err)
		}
	})
}
