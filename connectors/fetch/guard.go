package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrBlockedAddress is wrapped by the error of a dial that the guard refused.
var ErrBlockedAddress = errors.New("address is not public")

const (
	maxAddresses = 8                      // of one host that are tried
	dialStagger  = 250 * time.Millisecond // head start of an address over the next, RFC 8305
)

// Resolver looks up a host's addresses. *net.Resolver is one.
type Resolver interface {
	// LookupNetIP returns the addresses of host; network is "ip", "ip4" or
	// "ip6". IPv4 addresses may come mapped into IPv6.
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Guard keeps outbound connections to public unicast addresses. It is safe for
// concurrent use and serves every kind of outbound call.
type Guard struct {
	allow    []netip.Prefix
	resolver Resolver
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

func newGuard(allow []netip.Prefix, r Resolver) *Guard {
	g := &Guard{allow: slices.Clone(allow), resolver: r}
	if r == nil {
		g.resolver = net.DefaultResolver
	}
	g.dial = (&net.Dialer{Control: g.checkSocket}).DialContext
	return g
}

// DialContext connects to a host and port over TCP, to public addresses only. It
// fits http.Transport. It skips addresses of the host that are not allowed. If no
// other is left, the error wraps ErrBlockedAddress. It takes at most ten seconds.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	addrs, err := g.lookupHost(ctx, network, host)
	if err != nil {
		return nil, err
	}
	usable := slices.DeleteFunc(addrs, func(a netip.Addr) bool { return !g.isAllowed(a) })
	if len(usable) == 0 {
		return nil, fmt.Errorf("dial %s: %w", host, ErrBlockedAddress)
	}
	return g.raceDials(ctx, interleaveFamilies(usable), port)
}

// checkSocket makes the final decision, because it sees the address that the socket
// is about to connect to.
func (g *Guard) checkSocket(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !g.isAllowed(ap.Addr()) {
		return fmt.Errorf("connect to %s: %w", address, ErrBlockedAddress)
	}
	return nil
}

// isAllowed reports whether the address may be connected to.
func (g *Guard) isAllowed(a netip.Addr) bool {
	return isPublic(a) || a.Zone() == "" && containsAddress(g.allow, a)
}

// lookupHost returns the addresses of a host name or address literal, with IPv4
// addresses unmapped. It fails with a *net.DNSError if there are none.
func (g *Guard) lookupHost(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	found, err := g.resolver.LookupNetIP(ctx, strings.Replace(network, "tcp", "ip", 1), host)
	if err != nil {
		var dns *net.DNSError
		if !errors.As(err, &dns) {
			err = &net.DNSError{Err: err.Error(), UnwrapErr: err, Name: host, IsTimeout: errors.Is(err, context.DeadlineExceeded)}
		}
		return nil, err
	}
	if len(found) == 0 {
		return nil, &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	addrs := make([]netip.Addr, len(found))
	for i, a := range found {
		addrs[i] = a.Unmap()
	}
	return addrs, nil
}

// interleaveFamilies orders addresses so that the families take turns, beginning with
// the first one's, and drops what is beyond maxAddresses (RFC 8305, section 4).
func interleaveFamilies(addrs []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			first = append(first, a)
		} else {
			second = append(second, a)
		}
	}
	mixed := make([]netip.Addr, 0, len(addrs))
	for i := range max(len(first), len(second)) {
		if i < len(first) {
			mixed = append(mixed, first[i])
		}
		if i < len(second) {
			mixed = append(mixed, second[i])
		}
	}
	return mixed[:min(len(mixed), maxAddresses)]
}

type dialed struct {
	conn net.Conn
	err  error
}

// raceDials connects to the addresses in order, each as soon as the previous one
// has failed or dialStagger has passed, and returns the first connection. If all
// fail, it returns the first error.
func (g *Guard) raceDials(ctx context.Context, addrs []netip.Addr, port string) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan dialed, len(addrs)) // losers need not wait to send
	stagger := time.NewTimer(0)
	defer stagger.Stop()
	var failed error
	next, pending := 0, 0
	for next < len(addrs) || pending > 0 {
		select {
		case <-stagger.C:
			if next == len(addrs) {
				continue
			}
			address := net.JoinHostPort(addrs[next].String(), port)
			next++
			pending++
			go func() {
				conn, err := g.dial(ctx, "tcp", address)
				results <- dialed{conn, err}
			}()
			stagger.Reset(dialStagger)
		case r := <-results:
			pending--
			if r.err == nil {
				go closeLosers(results, pending)
				return r.conn, nil
			}
			if failed == nil {
				failed = r.err
			}
			stagger.Reset(0)
		case <-ctx.Done():
			go closeLosers(results, pending)
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
		}
	}
	return nil, failed
}

// closeLosers closes connections that were made after the race was decided.
func closeLosers(results <-chan dialed, pending int) {
	for range pending {
		if r := <-results; r.conn != nil {
			_ = r.conn.Close()
		}
	}
}
