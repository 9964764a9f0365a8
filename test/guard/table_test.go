// Package guard compares the address guard of connectors/fetch with guards that
// others wrote.
package guard_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"code.dny.dev/ssrf"
	"github.com/doyensec/safeurl"

	"github.com/assayhq/assay/connectors/fetch"
)

// difference is a block that another guard judges otherwise than this one,
// which refuses it.
type difference struct {
	block  netip.Prefix
	reason string
}

// knownDifferences lists them by library. All go one way: this guard refuses
// more.
func knownDifferences() map[string][]difference {
	list := func(lines ...string) (all []difference) {
		for _, line := range lines {
			block, reason, _ := strings.Cut(line, " ")
			all = append(all, difference{netip.MustParsePrefix(block), reason})
		}
		return all
	}
	return map[string][]difference{
		"ssrf": list(
			"3ffe::/16 the 6bone's, withdrawn by RFC 3701: nobody has it",
		),
		"safeurl": list(
			"192.31.196.0/24 AS112 (RFC 7535): anycast name servers, no platform",
			"192.52.193.0/24 AMT relays (RFC 7450): anycast, no platform",
			"192.175.48.0/24 AS112 (RFC 7534): anycast name servers, no platform",
			"::/96 IPv4-compatible addresses, deprecated by RFC 4291: they may lead to any IPv4 address",
			"::ffff:0:0/96 IPv4-mapped addresses: they lead to any IPv4 address; the library unpacks them, here they are refused as they stand",
			"::ffff:0:0:0/96 IPv4-translated addresses (RFC 2765): as above",
			"64:ff9b:1::/48 local NAT64 (RFC 8215): leads to any IPv4 address inside",
			"100:0:0:1::/64 dummy prefix (RFC 9780)",
			"fec0::/10 site-local addresses, deprecated by RFC 3879: inside by definition",
			"2620:4f:8000::/48 AS112 (RFC 7534): anycast name servers, no platform",
			"3ffe::/16 the 6bone's, withdrawn by RFC 3701: nobody has it",
			"3fff::/20 documentation (RFC 9637)",
			"::/3 outside 2000::/3, which is all that the internet uses",
			"4000::/2 outside 2000::/3, segment routing's 5f00::/16 (RFC 9602) among it",
			"8000::/1 outside 2000::/3",
		),
	}
}

// tableAddresses are the edges of all blocks that one of the guards knows, with
// their neighbours, well-known addresses, and some at random.
func tableAddresses() []netip.Addr {
	blocks := slices.Concat(ssrf.IPv4DeniedPrefixes, ssrf.IPv6DeniedPrefixes, []netip.Prefix{ssrf.IPv6GlobalUnicast, ssrf.IPv6NAT64Prefix})
	for _, differences := range knownDifferences() {
		for _, d := range differences {
			blocks = append(blocks, d.block)
		}
	}
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
		"::1/128", "::/128", "100::/64", "2001::/32", "2001:10::/28", "2001:20::/28", "2001:db8::/32", "2002::/16", "fc00::/7", "fe80::/10", "ff00::/8",
	} {
		blocks = append(blocks, netip.MustParsePrefix(text))
	}
	var all []netip.Addr
	for _, p := range blocks {
		first, last := p.Masked().Addr(), lastOf(p)
		all = append(all, first, first.Prev(), first.Next(), last, last.Prev(), last.Next())
	}
	all = append(all, addrs(
		"1.1.1.1", "8.8.8.8", "9.9.9.9", "93.184.216.34", "140.82.121.4", "151.101.1.69", "203.0.112.255", "198.51.99.1", "192.0.1.1", "223.255.255.255",
		"2606:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001::1", "2620:fe::9", "2400:cb00::1", "169.254.169.254", "100.100.100.200", "fd00:ec2::254",
		"::ffff:169.254.169.254", "::ffff:8.8.8.8", "::8.8.8.8", "64:ff9b::a9fe:a9fe", "2002:7f00:1::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
	)...)
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var b4 [4]byte
		var b16 [16]byte
		for i := range b16 {
			b16[i] = byte(r.Uint32())
			b4[i%4] = b16[i]
		}
		b16[0] = 0x20 | b16[0]&0x1f
		all = append(all, netip.AddrFrom4(b4), netip.AddrFrom16(b16))
	}
	all = slices.DeleteFunc(all, func(a netip.Addr) bool { return !a.IsValid() })
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}

// allows asks assay's guard, which checks the address of a platform as it will
// check that of the connection.
func allows(t *testing.T, g *fetch.Guard, a netip.Addr) bool {
	t.Helper()
	err := g.CheckURL(t.Context(), "https://"+netip.AddrPortFrom(a, 443).String())
	if err == nil {
		return true
	}
	var refused *fetch.URLError
	if !errors.As(err, &refused) || refused.Code != fetch.URLNotPublic {
		t.Fatalf("%s: %v", a, err)
	}
	return false
}

// safeurlAllows asks the library, which looks at the address of a socket that is
// about to be connected. That of a UDP socket sends nothing.
func safeurlAllows(t *testing.T, dial func(ctx context.Context, network, address string) (net.Conn, error), a netip.Addr) bool {
	t.Helper()
	conn, err := dial(t.Context(), "udp", netip.AddrPortFrom(a, 443).String())
	if err == nil {
		_ = conn.Close()
		return true
	}
	var refused *safeurl.AllowedIPError
	return !errors.As(err, &refused)
}

// TestAddressTable compares the guard with two that others wrote. Where they
// differ, the block is listed with the reason.
func TestAddressTable(t *testing.T) {
	t.Parallel()
	g := fetch.New(fetch.Options{}).Guard()
	other := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork())
	client := safeurl.Client(safeurl.GetConfigBuilder().EnableIPv6(true).Build())
	dial := client.Client.Transport.(*http.Transport).DialContext
	known, met := knownDifferences(), make(map[string]map[netip.Prefix]bool)
	var table strings.Builder
	all := tableAddresses()
	for _, a := range all {
		verdicts := map[string]bool{"ssrf": other.SafeAddr(a) == nil, "safeurl": safeurlAllows(t, dial, a)}
		ours := allows(t, g, a)
		fmt.Fprintf(&table, "%-42s %-7v %-7v %v\n", a, ours, verdicts["ssrf"], verdicts["safeurl"])
		for name, theirs := range verdicts {
			if ours == theirs {
				continue
			}
			i := slices.IndexFunc(known[name], func(d difference) bool { return d.block.Contains(a) })
			if i < 0 || ours {
				t.Errorf("%s is allowed: %v, %s says %v, and no difference is listed", a, ours, name, theirs)
				continue
			}
			if met[name] == nil {
				met[name] = make(map[netip.Prefix]bool)
			}
			met[name][known[name][i].block] = true
		}
	}
	for name, differences := range known {
		for _, d := range differences {
			if !met[name][d.block] {
				t.Errorf("%s and this guard agree on %s by now", name, d.block)
			}
			fmt.Fprintf(&table, "%s allows %s: %s\n", name, d.block, d.reason)
		}
	}
	if len(all) < 300 {
		t.Errorf("%d addresses are too few", len(all))
	}
	t.Logf("%d addresses: allowed here, by ssrf, by safeurl\n%s", len(all), &table)
}

// TestAtRandom compares the guard with another, at the edges of every block that
// either knows and at random. The only difference is the withdrawn 6bone block.
func TestAtRandom(t *testing.T) {
	t.Parallel()
	g := fetch.New(fetch.Options{}).Guard()
	oracle := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork(), ssrf.WithDeniedV6Prefixes(netip.MustParsePrefix("3ffe::/16")))
	check := func(a netip.Addr) {
		if !a.IsValid() {
			return
		}
		if got, want := allows(t, g, a), oracle.SafeAddr(a) == nil; got != want {
			t.Errorf("%s allowed: %v, the oracle says %v", a, got, want)
		}
	}
	edges := append(append([]netip.Prefix{ssrf.IPv6GlobalUnicast, ssrf.IPv6NAT64Prefix}, ssrf.IPv4DeniedPrefixes...), ssrf.IPv6DeniedPrefixes...)
	for _, p := range edges {
		first, last := p.Masked().Addr(), lastOf(p)
		for _, a := range []netip.Addr{first, first.Prev(), first.Next(), last, last.Prev(), last.Next()} {
			check(a)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var b4 [4]byte
		var b16 [16]byte
		for i := range b16 {
			b16[i] = byte(r.Uint32())
			b4[i%4] = b16[i]
		}
		check(netip.AddrFrom4(b4))
		check(netip.AddrFrom16(b16))
		b16[0] = 0x20 | b16[0]&0x1f // most of the space is outside global unicast
		check(netip.AddrFrom16(b16))
		b16[0], b16[1], b16[2] = 0x20, 0x01, b16[2]&3 // and 2001::/23 is small
		check(netip.AddrFrom16(b16))
	}
}

func lastOf(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for bit := p.Bits(); bit < len(b)*8; bit++ {
		b[bit/8] |= 0x80 >> (bit % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

func addrs(list ...string) []netip.Addr {
	var parsed []netip.Addr
	for _, s := range list {
		parsed = append(parsed, netip.MustParseAddr(s))
	}
	return parsed
}
