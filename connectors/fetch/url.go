package fetch

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// URLCode says why a URL is refused. It is a code of validation errors.
type URLCode string

// The codes of a URLError.
const (
	URLInvalid   URLCode = "invalid_url"
	URLNotHTTPS  URLCode = "url_not_https"
	URLNotPublic URLCode = "url_not_public"
)

// URLError says why a base URL is refused. Detail is a sentence for the customer.
// It does not repeat the URL.
type URLError struct {
	Code   URLCode
	Detail string
}

func (e *URLError) Error() string { return string(e.Code) + ": " + e.Detail }

// maxURL is the longest base URL in characters.
const maxURL = 2048

// lookupLimit bounds the look-up for which a save waits.
const lookupLimit = 5 * time.Second

// CheckURL checks a platform's base URL before it is saved. It returns a *URLError
// if the URL is malformed, not https or not public, and ctx.Err() if ctx ended. A
// name that cannot be resolved now is not an error, because the live check reports
// it. Dialling checks the address again.
func (g *Guard) CheckURL(ctx context.Context, raw string) error {
	u, err := parseBase(raw)
	if err != nil {
		return err
	}
	return g.checkHost(ctx, u)
}

// CheckEndpoint is CheckURL for the address of a webhook endpoint: it may have a
// query, and end with a slash.
func (g *Guard) CheckEndpoint(ctx context.Context, raw string) error {
	u, err := parseURL(raw)
	if err != nil {
		return err
	}
	return g.checkHost(ctx, u)
}

// checkHost refuses a host if it is known that none of its addresses may be called.
func (g *Guard) checkHost(ctx context.Context, u *url.URL) error {
	addrs, ok := g.hostAddresses(ctx, u.Hostname())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !ok {
		return nil
	}
	for _, a := range addrs {
		if g.isAllowed(a) {
			return nil
		}
	}
	return &URLError{URLNotPublic, "The host's address is not public."}
}

// hostAddresses returns the addresses of the host. ok is false if they are not
// known. It does not look up the names of this machine.
func (g *Guard) hostAddresses(ctx context.Context, host string) (addrs []netip.Addr, ok bool) {
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, true
	}
	ctx, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	addrs, err := g.lookupHost(ctx, "ip", host)
	return addrs, err == nil
}

func invalidURL(format string, args ...any) error {
	return &URLError{URLInvalid, fmt.Sprintf(format, args...)}
}

// parseBase parses a base URL: https, a plain host, perhaps a port and a path
// prefix, and nothing else. Its error is a *URLError.
func parseBase(raw string) (*url.URL, error) {
	u, err := parseURL(raw)
	switch {
	case err != nil:
		return nil, err
	case strings.ContainsAny(raw, "?#"):
		return nil, invalidURL("The URL must not have a query or fragment.")
	case strings.HasSuffix(raw, "/"):
		return nil, invalidURL("The URL must not end with a slash.")
	}
	return u, nil
}

// parseURL parses an https URL with a plain host, and without userinfo and
// fragment. Its error is a *URLError.
func parseURL(raw string) (*url.URL, error) {
	switch {
	case raw == "":
		return nil, invalidURL("The URL is empty.")
	case !utf8.ValidString(raw):
		return nil, invalidURL("The URL is not valid UTF-8.")
	case utf8.RuneCountInString(raw) > maxURL:
		return nil, invalidURL("The URL is longer than %d characters.", maxURL)
	case strings.ContainsFunc(raw, isUnprintable) || strings.Contains(raw, `\`):
		return nil, invalidURL("The URL has a space, backslash or control character.")
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, invalidURL("The URL cannot be parsed.")
	case u.Scheme != "" && u.Scheme != "https" && (u.Host != "" || u.Scheme == "http"):
		return nil, &URLError{URLNotHTTPS, "The URL must begin with https://."}
	case u.Scheme != "https" || u.Opaque != "":
		return nil, invalidURL("The URL must begin with https://.")
	case u.User != nil:
		return nil, invalidURL("The URL must not have a user name or password.")
	case strings.Contains(raw, "#"):
		return nil, invalidURL("The URL must not have a fragment.")
	}
	if fault := hostFault(u.Host); fault != "" {
		return nil, invalidURL("%s", fault)
	}
	if strings.ContainsFunc(u.Path, unicode.IsControl) {
		return nil, invalidURL("The URL's path has an escaped control character.")
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return nil, invalidURL("The URL's path must not contain dot segments.")
		}
	}
	return u, nil
}

// isUnprintable reports characters that are not allowed in a URL.
func isUnprintable(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf)
}

// hostFault returns a sentence on what is wrong with host[:port], or "".
func hostFault(hostport string) string {
	host := hostport
	if i := strings.LastIndexByte(hostport, ':'); i > strings.LastIndexByte(hostport, ']') {
		var port string
		host, port = hostport[:i], hostport[i+1:]
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
			return "The port must be a number from 1 to 65535."
		}
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		a, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !a.Is6() {
			return "The host is not a valid IPv6 address."
		}
		return ""
	}
	return nameFault(host)
}

// nameFault returns what is wrong with a host name or IPv4 address, or "". If the
// last label looks like a number, the whole is an address (WHATWG URL, "ends in a
// number"). Then only four plain decimal parts are accepted, because resolvers
// disagree on 127.1, 0177.0.0.1, 0x7f000001 and 2130706433.
func nameFault(host string) string {
	if host == "" {
		return "The URL has no host."
	}
	if len(host) > 253 {
		return "The host name is longer than 253 characters."
	}
	var last string
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, notHostname) {
			return "The host name is not valid; internationalized names are written in their xn-- form."
		}
		last = strings.ToLower(label)
	}
	numeric := strings.Trim(last, "0123456789") == ""
	if hex, ok := strings.CutPrefix(last, "0x"); ok && strings.Trim(hex, "0123456789abcdef") == "" {
		numeric = true
	}
	if a, err := netip.ParseAddr(host); numeric && (err != nil || !a.Is4()) {
		return "The host is neither a name nor an IPv4 address of four decimal numbers."
	}
	return ""
}

func notHostname(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}
