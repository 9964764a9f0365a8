package fetch_test

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/assayhq/assay/connectors/fetch"
)

func TestCheckURL(t *testing.T) {
	t.Parallel()
	const ok = fetch.URLCode("")
	long := "https://p.test/" + strings.Repeat("a", 2048-len("https://p.test/"))
	tests := []struct {
		name string
		url  string
		want fetch.URLCode
	}{
		{"host", "https://p.test", ok},
		{"path", "https://p.test/api/v1", ok},
		{"port", "https://p.test:8443/api", ok},
		{"capitals", "HTTPS://P.Test", ok},
		{"public address", "https://1.1.1.1", ok},
		{"public IPv6 address", "https://[2606:4700::1111]:8443", ok},
		{"some addresses public", "https://mixed.test", ok},
		{"unknown host: the live check reports it", "https://unknown.test", ok},
		{"underscore", "https://a_b.p.test", ok},
		{"longest", long, ok},
		{"escaped path", "https://p.test/a%2Fb", ok},

		{"empty", "", fetch.URLInvalid},
		{"too long", long + "a", fetch.URLInvalid},
		{"no scheme", "p.test", fetch.URLInvalid},
		{"host and port without scheme", "p.test:443", fetch.URLInvalid},
		{"scheme-relative", "//p.test", fetch.URLInvalid},
		{"opaque", "https:p.test", fetch.URLInvalid},
		{"no host", "https://", fetch.URLInvalid},
		{"only a path", "https:///api", fetch.URLInvalid},
		{"only a port", "https://:443", fetch.URLInvalid},
		{"trailing slash", "https://p.test/", fetch.URLInvalid},
		{"trailing slash after path", "https://p.test/api/", fetch.URLInvalid},
		{"query", "https://p.test/api?x=1", fetch.URLInvalid},
		{"empty query", "https://p.test?", fetch.URLInvalid},
		{"fragment", "https://p.test#x", fetch.URLInvalid},
		{"empty fragment", "https://p.test#", fetch.URLInvalid},
		{"user", "https://user@p.test", fetch.URLInvalid},
		{"user and password", "https://user:pw@p.test", fetch.URLInvalid},
		{"empty user", "https://@p.test", fetch.URLInvalid},
		{"public user, private host", "https://p.test@127.0.0.1", fetch.URLInvalid},
		{"control character", "https://p.test/\x00", fetch.URLInvalid},
		{"newline", "https://p.test\n", fetch.URLInvalid},
		{"tab", "https://p\t.test", fetch.URLInvalid},
		{"space", "https://p.test/a b", fetch.URLInvalid},
		{"zero-width space", "https://p.\u200btest", fetch.URLInvalid},
		{"backslash", `https://p.test\@127.0.0.1`, fetch.URLInvalid},
		{"invalid UTF-8", "https://p.test/\xff", fetch.URLInvalid},
		{"escaped NUL", "https://p.test/%00", fetch.URLInvalid},
		{"bad escape", "https://p.test/%zz", fetch.URLInvalid},
		{"dot segments", "https://p.test/api/../admin", fetch.URLInvalid},
		{"escaped dot segments", "https://p.test/%2e%2e/admin", fetch.URLInvalid},
		{"port 0", "https://p.test:0", fetch.URLInvalid},
		{"port 65536", "https://p.test:65536", fetch.URLInvalid},
		{"huge port", "https://p.test:99999999999999999999", fetch.URLInvalid},
		{"empty port", "https://p.test:", fetch.URLInvalid},
		{"negative port", "https://p.test:-1", fetch.URLInvalid},
		{"odd port", "https://p.test:0443", fetch.URLInvalid},
		{"named port", "https://p.test:https", fetch.URLInvalid},
		{"decimal address", "https://2130706433", fetch.URLInvalid},
		{"octal address", "https://0177.0.0.1", fetch.URLInvalid},
		{"octal number", "https://017700000001", fetch.URLInvalid},
		{"hexadecimal address", "https://0x7f000001", fetch.URLInvalid},
		{"hexadecimal parts", "https://0x7f.0x0.0x0.0x1", fetch.URLInvalid},
		{"hexadecimal zero", "https://127.0.0.0x", fetch.URLInvalid},
		{"short address", "https://127.1", fetch.URLInvalid},
		{"leading zeros", "https://127.0.0.01", fetch.URLInvalid},
		{"part too large", "https://1.1.1.256", fetch.URLInvalid},
		{"five parts", "https://1.1.1.1.1", fetch.URLInvalid},
		{"number as top level", "https://p.123", fetch.URLInvalid},
		{"trailing dot", "https://p.test.", fetch.URLInvalid},
		{"trailing dot after address", "https://127.0.0.1.", fetch.URLInvalid},
		{"empty label", "https://p..test", fetch.URLInvalid},
		{"long label", "https://" + strings.Repeat("a", 64) + ".test", fetch.URLInvalid},
		{"long name", "https://" + strings.Repeat("a.", 130) + "test", fetch.URLInvalid},
		{"full-width digits", "https://１２７.０.０.１", fetch.URLInvalid},
		{"full-width stop", "https://127。0。0。1", fetch.URLInvalid},
		{"internationalized", "https://bücher.test", fetch.URLInvalid},
		{"escaped host", "https://%31%32%37.0.0.1", fetch.URLInvalid},
		{"star", "https://*.test", fetch.URLInvalid},
		{"broken IPv6", "https://[::1", fetch.URLInvalid},
		{"not IPv6", "https://[1.1.1.1]", fetch.URLInvalid},

		{"http", "http://p.test", fetch.URLNotHTTPS},
		{"http, opaque", "http:p.test", fetch.URLNotHTTPS},
		{"ftp", "ftp://p.test", fetch.URLNotHTTPS},
		{"gopher", "gopher://p.test:70/x", fetch.URLNotHTTPS},
		{"file", "file://host/etc/passwd", fetch.URLNotHTTPS},

		{"private name", "https://private.test", fetch.URLNotPublic},
		{"localhost", "https://localhost", fetch.URLNotPublic},
		{"LOCALHOST with port", "https://LocalHost:8443", fetch.URLNotPublic},
		{"below localhost", "https://a.localhost", fetch.URLNotPublic},
		{"loopback", "https://127.0.0.1", fetch.URLNotPublic},
		{"metadata", "https://169.254.169.254/latest", fetch.URLNotPublic},
		{"unspecified", "https://0.0.0.0", fetch.URLNotPublic},
		{"IPv6 loopback", "https://[::1]", fetch.URLNotPublic},
		{"IPv4-mapped", "https://[::ffff:1.1.1.1]", fetch.URLNotPublic},
		{"NAT64", "https://[64:ff9b::1.1.1.1]", fetch.URLNotPublic},
		{"zone", "https://[fe80::1%25eth0]", fetch.URLNotPublic},
		{"zone on a public address", "https://[2606:4700::1%25eth0]", fetch.URLNotPublic},
	}
	n := newNetwork(t)
	n.names = map[string][]netip.Addr{
		"p.test": addrs("1.0.0.1"), "a_b.p.test": addrs("1.0.0.1"), "mixed.test": addrs("10.0.0.1", "::ffff:1.0.0.1"), "private.test": addrs("10.0.0.1", "fd00::1"),
	}
	g := n.client(fetch.Options{}).Guard()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := g.CheckURL(t.Context(), tt.url)
			var got fetch.URLCode
			var e *fetch.URLError
			if errors.As(err, &e) {
				got = e.Code
				if e.Detail == "" || tt.url != "" && strings.Contains(e.Detail, tt.url) {
					t.Errorf("detail %q", e.Detail)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("%s: got %q (%v), want %q", tt.url, got, err, tt.want)
			}
		})
	}
}

func TestCheckURLExceptions(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.names["inside.test"] = addrs("10.0.0.1")
	g := n.client(fetch.Options{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}}).Guard()
	for _, u := range []string{"https://127.0.0.1:8443", "https://localhost:8443", "https://inside.test"} {
		if err := g.CheckURL(t.Context(), u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	if err := g.CheckURL(t.Context(), "https://192.168.1.1"); err == nil {
		t.Error("an address outside the exceptions is allowed")
	}
}

func TestCheckURLCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newNetwork(t).client(fetch.Options{}).Guard().CheckURL(ctx, "https://p.test"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{
		"https://p.test", "https://p.test:8443/api", "http://p.test", "https://127.0.0.1", "https://0x7f.1", "https://2130706433",
		"https://[::1]:443", "https://user:pw@p.test", `https://p.test\@x`, "https://p.test?#", "https://１２７.0.0.1", "https://[fe80::1%25e]",
	} {
		f.Add(s)
	}
	public := netip.MustParseAddr("1.0.0.1")
	g := fetch.New(fetch.Options{Resolver: &answers{lists: [][]netip.Addr{{public}}}}).Guard()
	f.Fuzz(func(t *testing.T, raw string) {
		err := g.CheckURL(t.Context(), raw)
		var e *fetch.URLError
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%q: error is %T", raw, err)
		}
		if err != nil {
			return
		}
		// An accepted URL is one origin and path for every parser.
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" || u.Hostname() == "" {
			t.Fatalf("%q was accepted: %+v, %v", raw, u, err)
		}
		if strings.HasSuffix(raw, "/") || strings.ContainsAny(raw, "\\@?#\n\r\t \x00") && !strings.Contains(u.Path, "@") {
			t.Fatalf("%q was accepted", raw)
		}
		joined, err := url.Parse(raw + "/traders?limit=5")
		if err != nil || joined.Host != u.Host || !strings.HasSuffix(joined.Path, "/traders") {
			t.Fatalf("%q + path is %+v, %v", raw, joined, err)
		}
		if a, err := netip.ParseAddr(u.Hostname()); err == nil && !g.Allowed(a) {
			t.Fatalf("%q was accepted", raw)
		}
		host := strings.ToLower(u.Hostname())
		if host == "localhost" || strings.HasSuffix(host, ".localhost") {
			t.Fatalf("%q was accepted", raw)
		}
	})
}
