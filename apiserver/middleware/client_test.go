package middleware_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/storetest"
)

var trusted = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("2001:db8:1::/48"),
	netip.MustParsePrefix("fe80::/10"),
	netip.MustParsePrefix("::ffff:172.16.0.0/108"), // 172.16.0.0/12 inside IPv6
}

func TestClientAddress(t *testing.T) {
	t.Parallel()
	const proxy = "10.0.0.1:4711"
	for _, tt := range []struct {
		name      string
		remote    string
		forwarded []string
		want      string // empty if unknown
	}{
		{"no proxy", "192.0.2.1:4711", nil, "192.0.2.1"},
		{"no proxy, made-up header", "192.0.2.1:4711", []string{"198.51.100.7"}, "192.0.2.1"},
		{"IPv6", "[2001:db8::1]:4711", nil, "2001:db8::1"},
		{"IPv6 with a zone", "[fe80::1%eth0]:4711", nil, "fe80::1"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:4711", nil, "192.0.2.1"},
		{"socket without an address", "@", []string{"198.51.100.7"}, ""},
		{"nothing", "", []string{"198.51.100.7"}, ""},

		{"proxy without the header", proxy, nil, "10.0.0.1"},
		{"proxy", proxy, []string{"198.51.100.7"}, "198.51.100.7"},
		{"proxy over IPv4 in IPv6", "[::ffff:10.0.0.1]:4711", []string{"198.51.100.7"}, "198.51.100.7"},
		{"proxy of a range inside IPv6", "172.16.0.1:4711", []string{"198.51.100.7"}, "198.51.100.7"},
		{"proxy with a zone", "[fe80::1%eth0]:4711", []string{"198.51.100.7"}, "198.51.100.7"},
		{"two proxies", proxy, []string{"198.51.100.7, 10.0.0.2"}, "198.51.100.7"},
		{"two proxies, two lines", proxy, []string{"198.51.100.7", "10.0.0.2"}, "198.51.100.7"},
		{"IPv6 proxy behind an IPv4 one", proxy, []string{"198.51.100.7,2001:db8:1::5"}, "198.51.100.7"},
		{"the client made up the left", proxy, []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7"},
		{"the client made up a line", proxy, []string{"203.0.113.9", "198.51.100.7, 10.0.0.2"}, "198.51.100.7"},
		{"the client made up a proxy", proxy, []string{"10.0.0.9, 198.51.100.7"}, "198.51.100.7"},
		{"all are proxies", proxy, []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},

		{"port", proxy, []string{"198.51.100.7:80"}, "198.51.100.7"},
		{"IPv6 client", proxy, []string{"2001:db8::7"}, "2001:db8::7"},
		{"IPv6 client in brackets", proxy, []string{"[2001:db8::7]"}, "2001:db8::7"},
		{"IPv6 client with a port", proxy, []string{"[2001:db8::7]:443"}, "2001:db8::7"},
		{"IPv6 client with a zone", proxy, []string{"2001:db8::7%25"}, "2001:db8::7"},
		{"IPv4 client in IPv6", proxy, []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		{"spaces and tabs", proxy, []string{" \t198.51.100.7\t, \t10.0.0.2 "}, "198.51.100.7"},
		{"empty elements", proxy, []string{"198.51.100.7, ,", "", ",10.0.0.2,,"}, "198.51.100.7"},

		{"garbage", proxy, []string{"unknown"}, "10.0.0.1"},
		{"garbage between", proxy, []string{"198.51.100.7, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"garbage on the left", proxy, []string{"_secret, 198.51.100.7"}, "198.51.100.7"},
		{"IPv4 in brackets", proxy, []string{"[198.51.100.7]"}, "10.0.0.1"},
		{"half a bracket", proxy, []string{"[2001:db8::7"}, "10.0.0.1"},
		{"host name", proxy, []string{"client.example"}, "10.0.0.1"},
		{"leading zeros", proxy, []string{"198.051.100.007"}, "10.0.0.1"},
		{"port out of range", proxy, []string{"198.51.100.7:99999"}, "10.0.0.1"},
		{"two addresses without a comma", proxy, []string{"198.51.100.7 198.51.100.8"}, "10.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := middleware.ClientAddress(requestFrom(tt.remote, tt.forwarded), trusted)
			if want, _ := netip.ParseAddr(tt.want); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestClientPrefix(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ client, want string }{
		{"203.0.113.77", "203.0.113.0/24"}, {"::ffff:203.0.113.77", "203.0.113.0/24"}, {"2001:db8:1:2::3", "2001:db8:1::/48"}, {"", ""},
	} {
		var e middleware.Event
		if tt.client != "" {
			e.Client = netip.MustParseAddr(tt.client)
		}
		if got := e.ClientPrefix(); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.client, got, tt.want)
		}
	}
}

// TestClientOnEvent checks that the address is available to the handler and logged.
func TestClientOnEvent(t *testing.T) {
	t.Parallel()
	log := new(storetest.Log)
	stack, err := middleware.New(middleware.Config{
		Logger: slog.New(slog.NewJSONHandler(log, nil)), Registry: prometheus.NewRegistry(),
		Problems: problem.NewWriter("https://assay.example"), Now: time.Now, TrustedProxies: trusted,
	})
	if err != nil {
		t.Fatal(err)
	}
	var seen netip.Addr
	handler := stack.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = middleware.EventFrom(r.Context()).Client
	}), nil)
	for _, tt := range []struct{ remote, want, logged string }{
		{"10.0.0.1:4711", "198.51.100.7", `"client":"198.51.100.7"`},
		{"192.0.2.1:4711", "192.0.2.1", `"client":"192.0.2.1"`},
		{"@", "", `"status":200`},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = tt.remote
		r.Header.Set("X-Forwarded-For", "203.0.113.9, 198.51.100.7")
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if want, _ := netip.ParseAddr(tt.want); seen != want {
			t.Errorf("%s: the handler sees %s, want %s", tt.remote, seen, want)
		}
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		line := lines[len(lines)-1]
		if !strings.Contains(line, tt.logged) || strings.Contains(line, `"client"`) != (tt.want != "") {
			t.Errorf("%s: logged %s", tt.remote, line)
		}
	}
}

func requestFrom(remote string, forwarded []string) *http.Request {
	return &http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": forwarded}}
}

// FuzzClientAddress checks that only trusted proxies influence the address of a request. lines
// holds header lines.
func FuzzClientAddress(f *testing.F) {
	f.Add("10.0.0.1:80", "198.51.100.7, 10.0.0.2", "203.0.113.9")
	f.Add("192.0.2.1:80", "198.51.100.7", "10.0.0.3")
	f.Add("[::ffff:10.0.0.1]:80", "[2001:db8::7]:443\n10.0.0.2,,", "unknown,")
	f.Add("[fe80::1%eth0]:80", "::ffff:198.51.100.7%1", "")
	f.Fuzz(func(t *testing.T, remote, lines, madeUp string) {
		forwarded := strings.Split(lines, "\n")
		got := middleware.ClientAddress(requestFrom(remote, forwarded), trusted)
		if got.Zone() != "" || got.Is4In6() {
			t.Fatalf("%s is not in its plain form", got)
		}
		peer := middleware.ClientAddress(requestFrom(remote, nil), nil)
		if !holds(peer) {
			if got != peer {
				t.Fatalf("%s is told by %s, who is not trusted", got, peer)
			}
			return
		}
		if !got.IsValid() {
			t.Fatalf("a request of %s has no address", peer)
		}
		// If the last hop is a client, what it sends changes nothing.
		if holds(got) {
			return
		}
		for _, more := range [][]string{append([]string{madeUp}, forwarded...), append([]string{madeUp + "," + forwarded[0]}, forwarded[1:]...)} {
			if again := middleware.ClientAddress(requestFrom(remote, more), trusted); again != got {
				t.Fatalf("%q makes %s of %s", madeUp, again, got)
			}
		}
	})
}

// holds reports whether one of the trusted ranges holds the address.
func holds(addr netip.Addr) bool {
	for _, p := range trusted {
		if addr.IsValid() && (p.Contains(addr) || p.Contains(netip.AddrFrom16(addr.As16()))) {
			return true
		}
	}
	return false
}
