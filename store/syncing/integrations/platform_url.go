package integrations

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/assayhq/assay/connectors/record"
)

// platformURL returns the form of a base URL that distinguishes two platforms of a kind. A
// partner's may end in /v1 or not: the paths are the same.
func platformURL(kind record.Kind, base string) string {
	address := normalizeBaseURL(base)
	before, versioned := strings.CutSuffix(address, "/v1")
	if kind == record.PartnerPlatform && versioned && !strings.HasSuffix(before, "/") { // a host may have that name
		return before
	}
	return address
}

// normalizeBaseURL returns the normalized spelling of a base URL: scheme and host in lower case, an
// IPv6 address in its shortest form, no default port, no dot segments, no slash at the end, and
// escapes only where needed. The case of the path is kept, because servers may distinguish it. A
// text that is not a URL with a host is returned unchanged.
func normalizeBaseURL(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return base
	}
	return originOf(u) + normalizePath(u.EscapedPath())
}

// SameOrigin reports whether two base URLs lead to the same scheme, host and port, in any spelling.
func SameOrigin(a, b string) bool {
	one, err := url.Parse(a)
	other, err2 := url.Parse(b)
	return err == nil && err2 == nil && originOf(one) == originOf(other)
}

func originOf(u *url.URL) string {
	scheme := strings.ToLower(u.Scheme)
	return scheme + "://" + normalizeHost(u.Hostname()) + normalizePort(scheme, u.Port())
}

func normalizeHost(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Is6() {
			return "[" + addr.String() + "]"
		}
		return addr.String()
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

func normalizePort(scheme, port string) string {
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return ""
	}
	return ":" + port
}

// normalizePath resolves an escaped path's dot segments (RFC 3986, 5.2.4).
func normalizePath(path string) string {
	var kept []string
	for segment := range strings.SplitSeq(strings.TrimPrefix(normalizeEscapes(path), "/"), "/") {
		switch segment {
		case ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, segment)
		}
	}
	path = strings.TrimRight(strings.Join(kept, "/"), "/")
	if path == "" {
		return ""
	}
	return "/" + path
}

// normalizeEscapes unescapes what needs no escape, and writes the other escapes in upper case (RFC
// 3986, 6.2.2).
func normalizeEscapes(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] != '%' || i+2 >= len(path) {
			b.WriteByte(path[i])
			continue
		}
		c := hexValue(path[i+1])<<4 | hexValue(path[i+2])
		if isUnreserved(c) {
			b.WriteByte(c)
		} else {
			b.WriteString(strings.ToUpper(path[i : i+3]))
		}
		i += 2
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// hexValue returns the value of a hexadecimal digit.
func hexValue(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
