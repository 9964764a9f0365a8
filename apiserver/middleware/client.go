package middleware

import (
	"iter"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// forwardedFor is the header in which each proxy adds, on the right, whose
// request it passes on. Everything left of what a trusted proxy has added may
// be made up by the client.
const forwardedFor = "X-Forwarded-For"

// ClientAddress returns the address that a request comes from: the other end of
// the connection or, where that is a trusted proxy, the right-most address in
// X-Forwarded-For that is no trusted proxy's. When all are, or when the header
// holds something else than an address, it is the last one that was told by a
// trusted proxy. It is the zero Addr when the connection has no IP address.
// The address has no zone, and an IPv4 address is one also inside IPv6.
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

// hopsBackward yields the elements of a list header from the right, which may
// be in several lines. Empty elements mean nothing (RFC 9110, 5.6.1.2).
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

// parseHop reads an address, with or without a port; IPv6 may stand in brackets
// and must when a port follows.
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

// isTrusted reports whether one of the ranges holds the address, which has no
// zone. A range of IPv4 addresses inside IPv6 holds those addresses.
func isTrusted(addr netip.Addr, trusted []netip.Prefix) bool {
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool {
		return p.Contains(addr) || addr.Is4() && p.Contains(netip.AddrFrom16(addr.As16()))
	})
}
