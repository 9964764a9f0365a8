package fetch

import "net/netip"

// globalUnicast is the part of IPv6 that is allocated to the internet. All special
// blocks outside it (loopback, link-local, unique local, multicast, IPv4-mapped and
// -compatible, NAT64, discard, segment routing) need no entry.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// special4 and special6 are the blocks of the IANA special-purpose address
// registries (the latter within globalUnicast), together with multicast and blocks
// that were withdrawn. Blocks that the registries call globally reachable, such as
// the AS112 and relay anycast addresses, are here too: no platform has such an
// address, and a host close to assay may answer there.
var (
	special4 = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),       // this network, RFC 791
		netip.MustParsePrefix("10.0.0.0/8"),      // private, RFC 1918
		netip.MustParsePrefix("100.64.0.0/10"),   // carrier-grade NAT, RFC 6598
		netip.MustParsePrefix("127.0.0.0/8"),     // loopback, RFC 1122
		netip.MustParsePrefix("169.254.0.0/16"),  // link-local and cloud metadata, RFC 3927
		netip.MustParsePrefix("172.16.0.0/12"),   // private, RFC 1918
		netip.MustParsePrefix("192.0.0.0/24"),    // IETF protocols, RFC 6890
		netip.MustParsePrefix("192.0.2.0/24"),    // documentation, RFC 5737
		netip.MustParsePrefix("192.31.196.0/24"), // AS112, RFC 7535
		netip.MustParsePrefix("192.52.193.0/24"), // AMT, RFC 7450
		netip.MustParsePrefix("192.88.99.0/24"),  // 6to4 relays, withdrawn, RFC 7526
		netip.MustParsePrefix("192.168.0.0/16"),  // private, RFC 1918
		netip.MustParsePrefix("192.175.48.0/24"), // AS112, RFC 7534
		netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks, RFC 2544
		netip.MustParsePrefix("198.51.100.0/24"), // documentation, RFC 5737
		netip.MustParsePrefix("203.0.113.0/24"),  // documentation, RFC 5737
		netip.MustParsePrefix("224.0.0.0/4"),     // multicast, RFC 5771
		netip.MustParsePrefix("240.0.0.0/4"),     // reserved, and limited broadcast, RFC 1112, 8190
	}
	special6 = []netip.Prefix{
		netip.MustParsePrefix("2001::/23"),         // IETF protocols: Teredo, benchmarks, ORCHID, DRIP, RFC 2928
		netip.MustParsePrefix("2001:db8::/32"),     // documentation, RFC 3849
		netip.MustParsePrefix("2002::/16"),         // 6to4: carries any IPv4 address, RFC 3056
		netip.MustParsePrefix("2620:4f:8000::/48"), // AS112, RFC 7534
		netip.MustParsePrefix("3ffe::/16"),         // 6bone, withdrawn, RFC 3701
		netip.MustParsePrefix("3fff::/20"),         // documentation, RFC 9637
	}
)

// isPublic reports whether the address is one that a platform on the internet
// can have.
func isPublic(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" || a.Is4In6() {
		return false
	}
	if a.Is4() {
		return !containsAddress(special4, a)
	}
	return globalUnicast.Contains(a) && !containsAddress(special6, a)
}

func containsAddress(prefixes []netip.Prefix, a netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
