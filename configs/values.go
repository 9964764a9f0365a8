package configs

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

type (
	prefixes  = []netip.Prefix
	slogLevel = slog.Level
)

func wholeBetween(least, most int) func(string) (int, error) {
	return func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("%q is not a whole number from %d to %d", s, least, most)
		}
		return n, nil
	}
}

func numberBetween(least, most float64) func(string) (float64, error) {
	return func(s string) (float64, error) {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(n) || n < least || n > most {
			return 0, fmt.Errorf("%q is not a number from %g to %g", s, least, most)
		}
		return n, nil
	}
}

func parseBool(s string) (bool, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", s)
}

func durationBetween(least, most time.Duration) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration such as 90s, 10m or 1h", s)
		}
		if d < least || d > most {
			return 0, fmt.Errorf("%s is not from %s to %s", s, least, most)
		}
		return d, nil
	}
}

// timeOfDay parses "03:00" as the time since midnight.
func timeOfDay(s string) (time.Duration, error) {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return 0, fmt.Errorf("%q is not a time of day such as \"03:00\" (UTC)", s)
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}

func oneOf[T ~string](choices ...T) func(string) (T, error) {
	return func(s string) (T, error) {
		names := make([]string, len(choices))
		for i, c := range choices {
			if string(c) == s {
				return c, nil
			}
			names[i] = string(c)
		}
		return "", fmt.Errorf("%q is not valid; use one of: %s", s, strings.Join(names, ", "))
	}
}

func logLevel(s string) (slog.Level, error) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	level, ok := levels[s]
	if !ok {
		return 0, fmt.Errorf("%q is not valid; use one of: debug, info, warn, error", s)
	}
	return level, nil
}

// textUpTo accepts a single line of at most that many characters.
func textUpTo(most int) func(string) (string, error) {
	return func(s string) (string, error) {
		if utf8.RuneCountInString(s) > most {
			return "", fmt.Errorf("is longer than %d characters", most)
		}
		if i := strings.IndexFunc(s, unicode.IsControl); i >= 0 {
			return "", errors.New("contains a control character or a line break")
		}
		return s, nil
	}
}

func filePath(s string) (string, error) {
	if strings.ContainsRune(s, 0) {
		return "", errors.New("is not a file name, because it contains NUL")
	}
	return s, nil
}

func hostPort(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil || strings.ContainsAny(host, " /@") {
		return "", fmt.Errorf("%q is not an address and port such as 127.0.0.1:8080, [::1]:8080 or :8080", s)
	}
	return s, nil
}

func parsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("%q is not an address range such as 10.0.0.0/8 or 2001:db8::/32", s)
	}
	if p.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is an IPv4 range in IPv6 notation; write it as IPv4", s)
	}
	if p != p.Masked() {
		return netip.Prefix{}, fmt.Errorf("%q has bits set beyond its prefix length; write the range as %s", s, p.Masked())
	}
	return p, nil
}

var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)

// parseLanguage accepts language, script and region of BCP 47 in canonical case.
func parseLanguage(s string) (string, error) {
	if !languageTag.MatchString(s) {
		return "", fmt.Errorf("%q is not a BCP-47 language tag such as en, pt-BR or zh-Hant", s)
	}
	return s, nil
}

// parseGroupRole reads GROUP=ROLE. A group's name may contain the sign.
func parseGroupRole(s string) (GroupRole, error) {
	at := strings.LastIndexByte(s, '=')
	if at > 0 {
		switch g := (GroupRole{Group: s[:at], Role: s[at+1:]}); g.Role {
		case "owner", "reviewer", "viewer":
			return g, nil
		}
	}
	return GroupRole{}, fmt.Errorf("%q is not GROUP=ROLE with the role owner, reviewer or viewer, such as trading-risk=reviewer", s)
}

func httpURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", errors.New("is not a URL that starts with https:// or http://")
	}
	if u.User != nil || u.Fragment != "" {
		return "", errors.New("must not contain a user, password or fragment")
	}
	return s, nil
}

// parseIssuer accepts an issuer as OpenID Connect defines it: https, without a query. Plain http
// is accepted on loopback, for development.
func parseIssuer(s string) (string, error) {
	if _, err := httpURL(s); err != nil {
		return "", err
	}
	u, err := url.Parse(s)
	if err != nil || u.RawQuery != "" || u.ForceQuery {
		return "", errors.New("must not contain a query")
	}
	if u.Scheme != "https" && !isLoopback(u.Hostname()) {
		return "", errors.New("must start with https:// unless its host is loopback")
	}
	return s, nil
}

// parseOrigin accepts scheme, host and port only, because pages and cookies are served at the
// root.
func parseOrigin(s string) (string, error) {
	if _, err := parseIssuer(s); err != nil {
		return "", err
	}
	u, err := url.Parse(s)
	if err != nil || u.Path != "" {
		return "", errors.New("must end after the host and port, without a path or trailing slash")
	}
	return s, nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

func blobURL(s string) (string, error) {
	for _, scheme := range []string{"file://", "s3://"} {
		if rest, ok := strings.CutPrefix(s, scheme); ok && strings.Trim(rest, "/") != "" {
			return s, nil
		}
	}
	return "", errors.New(`is neither a folder such as file:///var/lib/assay/blobs nor a bucket such as s3://name?region=eu-central-1`)
}

func checkSecret(s string) error {
	if strings.IndexFunc(s, unicode.IsControl) >= 0 {
		return errors.New("contains a control character or a line break")
	}
	return nil
}

// checkDatabaseURL checks a connection URL without quoting any of it.
func checkDatabaseURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Opaque != "" {
		return errors.New("is not a URL such as postgres://user@host:5432/name")
	}
	if strings.Trim(u.Path, "/") == "" {
		return errors.New("does not name a database; use postgres://user@host:5432/name")
	}
	switch u.Query().Get("sslmode") {
	case "", "disable", "allow", "prefer", "require", "verify-ca", "verify-full":
		return nil
	}
	return errors.New("has an unknown sslmode; use disable, allow, prefer, require, verify-ca or verify-full")
}

// holdsPassword reports whether a connection URL contains a password in any of the places that
// Postgres clients read.
func holdsPassword(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return true
	}
	if _, ok := u.User.Password(); ok {
		return true
	}
	query := u.Query()
	return query.Has("password") || query.Has("sslpassword")
}
