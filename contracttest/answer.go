package contracttest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// noAnswer explains why there is no answer, without naming addresses of this machine.
func (c *client) noAnswer(ctx context.Context, err error) (text string, cause error) {
	if c.ctx.Err() != nil {
		return refusalReason(errDeadline), errDeadline
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return "the host name cannot be resolved", errNoRoute
	}
	var cert *tls.CertificateVerificationError
	if errors.As(err, &cert) {
		cause = errTLS
		if errors.As(err, new(x509.UnknownAuthorityError)) {
			cause = errUntrusted
		}
		return "the certificate is not trusted: " + truncateLine(cert.Err.Error(), 200), cause
	}
	var record tls.RecordHeaderError
	if errors.As(err, &record) {
		return "the port does not speak TLS", errTLS
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return "no connection can be made: " + truncateLine(op.Err.Error(), 120), errNoRoute
	}
	if errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") || strings.Contains(err.Error(), "tls: ") {
		return "the TLS handshake failed: " + truncateLine(err.Error(), 200), errTLS
	}
	if ctx.Err() != nil {
		return "", errTimeout
	}
	if strings.Contains(err.Error(), "TLS handshake timeout") {
		return "the TLS handshake took too long", errNoAnswer
	}
	switch text := err.Error(); { // net/http has no types for them
	case strings.Contains(text, "response headers exceeded"), strings.Contains(text, "response header list larger"):
		return fmt.Sprintf("the answer's header is larger than %d KiB", maxHeader>>10), errNoAnswer
	case strings.Contains(text, "malformed "), strings.Contains(text, "http: message cannot contain multiple Content-Length"):
		return "the answer is not valid HTTP", errNoAnswer
	}
	return "the connection was lost before an answer arrived", errNoAnswer
}

// describeStatus names the status that was received instead of 200.
func (c *client) describeStatus(status int, h http.Header) string {
	text := fmt.Sprintf("the platform answered %d instead of 200", status)
	if to := h.Get("Location"); to != "" && status >= 300 && status <= 399 {
		text += ", a redirect to " + truncateLine(c.redact.Replace(to), 120)
	}
	return text
}

// badBody explains why a body with status 200 could not be read. body is what was
// received, and plain the same without gzip; nil if that does not even begin.
func (c *client) badBody(ctx context.Context, body, plain *meter, err error) (text string, cause error) {
	switch {
	case c.ctx.Err() != nil:
		return refusalReason(errDeadline), errDeadline
	case errors.Is(err, errTooLarge):
		return errorText(err, errTooLarge), errTooLarge
	case ctx.Err() != nil:
		return "", errTimeout
	case body.fail != nil:
		return fmt.Sprintf("the connection was lost after %d bytes of the answer", body.n), errBroken
	case errors.Is(err, errShape):
		return errorText(err, errShape), errShape
	case plain == nil || plain.fail != nil:
		return "the gzip encoding is damaged or ends too early", errBroken
	case plain.n == 0:
		return "the body is empty", errBroken
	}
	return errorText(err, errBroken), errBroken
}

// errorText returns an error for people, without the errors that it wraps.
func errorText(err, wrapped error) string {
	return strings.TrimPrefix(err.Error(), wrapped.Error()+": ")
}

// decompressBody decompresses gzip, the only encoding that is requested.
func decompressBody(h http.Header, r io.Reader) (io.Reader, error) {
	switch encoding := strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")); encoding {
	case "", "identity":
		return r, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	default:
		return nil, fmt.Errorf("%w: the content encoding %q was not asked for", errShape, truncateLine(encoding, 40))
	}
}

// retryAfter returns the wait that the header asks for: whole seconds, clamped to 1 to 60. Any
// other value is unusable and means 10 s.
func retryAfter(h http.Header) (wait time.Duration, usable bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 10 * time.Second, false
	}
	if value = strings.TrimLeft(value, "0"); len(value) > 2 {
		return time.Minute, true
	}
	seconds, _ := strconv.Atoi("0" + value) // two digits at most
	return min(max(time.Duration(seconds)*time.Second, time.Second), time.Minute), true
}

// meter counts the bytes that are read, up to a limit, and keeps the error that ended reading.
type meter struct {
	r       io.Reader
	n, left int64
	fail    error
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, fmt.Errorf("%w: the answer is larger than %d MiB", errTooLarge, maxBody>>20)
	}
	n, err := m.r.Read(p[:min(int64(len(p)), m.left)])
	m.n, m.left = m.n+int64(n), m.left-int64(n)
	if err != nil && err != io.EOF { // readers return io.EOF unwrapped
		m.fail = err
	}
	return n, err
}

// excerpt keeps the beginning of what is written to it.
type excerpt struct{ head []byte }

func (e *excerpt) Write(p []byte) (int, error) {
	if room := maxExcerpt - len(e.head); room > 0 {
		e.head = append(e.head, bytes.Clone(p[:min(room, len(p))])...)
	}
	return len(p), nil
}

// truncateLine shortens a text for people and keeps it on one line.
func truncateLine(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xc0 == 0x80 {
		limit--
	}
	return s[:limit] + "…"
}
