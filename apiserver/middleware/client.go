package middleware

import (
	"iter"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// forwardedFor is the header to which each proxy appends, on the right, the address of its
// client. Clients can forge everything to the left of what a trusted proxy has appended.
const forwardedFor = "X-Forwarded-For"

// ClientAddress returns the address that a request comes from: the other end of the connection
// or, if that is a trusted proxy, the right-most address in X-Forwarded-For that is not a trusted
// proxy's. If all are, or if the header contains something other than an address, it returns the
// last address that a trusted proxy reported. It returns the zero Addr if the connection has no
// IP address. The result has no zone, and an IPv4 address in IPv6 form is converted to IPv4.
func ClientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	client, _ := parseHop(r.RemoteAddr)
	for hop := range hopsBackward(r.Header.Values(forwardedFor)) {
		if !isTrusted(client, trusted) {
			break
		}
		before, ok := parseHop(hop)
		if !ok {
			break
		}
		client = before
	}
	return client
}

// hopsBackward yields the elements of a list header from the right. The list may be split over
// several lines. Empty elements are skipped (RFC 9110, 5.6.1.2).
func hopsBackward(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range slices.Backward(lines) {
			for more := true; more; {
				comma := strings.LastIndexByte(line, ',')
				hop := strings.Trim(line[comma+1:], " \t")
				if hop != "" && !yield(hop) {
					return
				}
				if more = comma >= 0; more {
					line = line[:comma]
				}
			}
		}
	}
}

// parseHop parses an address with or without a port. IPv6 may be in brackets, and must be if a
// port follows.
func parseHop(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		var withPort netip.AddrPort
		withPort, err = netip.ParseAddrPort(text)
		addr = withPort.Addr()
	}
	if inside, ok := strings.CutPrefix(text, "["); err != nil && ok && strings.HasSuffix(inside, "]") {
		addr, err = netip.ParseAddr(strings.TrimSuffix(inside, "]"))
		if err == nil && !addr.Is6() {
			return netip.Addr{}, false
		}
	}
	if err != nil {
		return netip.Addr{}, false
	}
	return addr.Unmap().WithZone(""), true
}

// isTrusted reports whether one of the ranges contains the address, which has no zone. A range of
// IPv4 addresses in IPv6 form contains the IPv4 addresses.
func isTrusted(addr netip.Addr, trusted []netip.Prefix) bool {
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool {
		return p.Contains(addr) || addr.Is4() && p.Contains(netip.AddrFrom16(addr.As16()))
	})
}
