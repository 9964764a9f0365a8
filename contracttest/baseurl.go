package contracttest

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxURL is the longest base URL in characters.
const maxURL = 2048

// checkURL applies assay's rules for a base URL, except those about the address that it resolves
// to.
func checkURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return errors.New("is missing")
	case utf8.RuneCountInString(raw) > maxURL:
		return errors.New("is longer than 2048 characters")
	case err != nil, !utf8.ValidString(raw), strings.ContainsFunc(raw, isUnprintable), strings.Contains(raw, `\`):
		return errors.New("is malformed")
	case u.Scheme != "https" || u.Opaque != "":
		return errors.New("must begin with https://: the contract is HTTPS only")
	case u.Host == "" || u.Hostname() == "":
		return errors.New("has no host")
	case u.User != nil:
		return errors.New("must not hold a user name or password")
	case strings.ContainsAny(raw, "?#"):
		return errors.New("must have neither a query nor a fragment")
	case strings.HasSuffix(raw, "/"):
		return errors.New("must not end with a slash: paths such as /traders are appended to it")
	case strings.ContainsFunc(u.Path, unicode.IsControl):
		return errors.New("has an escaped control character in its path")
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return errors.New("must not have dot segments in its path")
		}
	}
	return checkHost(u)
}

// isUnprintable reports characters that are not allowed in a URL.
func isUnprintable(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf)
}

// checkHost checks the host and port of a URL.
func checkHost(u *url.URL) error {
	host, port := u.Hostname(), u.Port()
	if n, err := strconv.ParseUint(port, 10, 16); strings.HasSuffix(u.Host, ":") || port != "" && (err != nil || n == 0 || strconv.FormatUint(n, 10) != port) {
		return errors.New("has a port that is no number from 1 to 65535")
	}
	address, err := netip.ParseAddr(host)
	if strings.HasPrefix(u.Host, "[") {
		if err != nil || !address.Is6() {
			return errors.New("has a host that is no valid IPv6 address")
		}
		return nil
	}
	labels := strings.Split(strings.ToLower(host), ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || len(host) > 253 {
			return errors.New("has a host name that is not valid; internationalized names are written in their xn-- form")
		}
	}
	// A name whose last label is a number is an address, of which resolvers read some forms differently.
	last := labels[len(labels)-1]
	hex, isHex := strings.CutPrefix(last, "0x")
	if numeric := strings.Trim(last, "0123456789") == "" || isHex && strings.Trim(hex, "0123456789abcdef") == ""; numeric && (err != nil || !address.Is4()) {
		return errors.New("has a host that is neither a name nor an IPv4 address of four decimal numbers")
	}
	return nil
}
