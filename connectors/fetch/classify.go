package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/record"
)

func canceledOutcome(ctx context.Context) *outcome {
	return &outcome{sent: true, err: ctx.Err(), label: "canceled"}
}

// failureOutcome returns the outcome of an attempt that failed at the platform.
func failureOutcome(code connectors.Code, retry bool, message string, cause error) *outcome {
	o := &outcome{sent: true, label: string(code), err: &connectors.Error{Code: code, Message: message, Err: cause}}
	if retry {
		o.retry = code
	}
	return o
}

// unreachableOutcome returns the outcome of an attempt for which no connection was
// made.
func unreachableOutcome(code connectors.Code, retry bool, message string, cause error) *outcome {
	o := failureOutcome(code, retry, message, cause)
	o.err.(*connectors.Error).Unreachable = true //nolint:errorlint // it was made just now
	return o
}

// noAnswer judges an attempt that ended before an answer's header was read. It
// writes its own messages, because the text of the error may hold our own addresses
// and those of our name servers.
func (c *call) noAnswer(ctx context.Context, err error) *outcome {
	if ctx.Err() != nil {
		return canceledOutcome(ctx)
	}
	o := describeFailure(err)
	if code := connectors.Code(o.label); c.attempt.late.Load() && code != connectors.CodeBlockedAddress && code != connectors.CodeDNSFailed {
		return failureOutcome(connectors.CodeTimeout, true, fmt.Sprintf("no answer within %d seconds", int(attemptLimit.Seconds())), err)
	}
	return o
}

// FailureCode returns the code of the reason why a request through a Transport was
// not answered, or its answer not read. It depends on the error alone: only the
// caller knows whether its own time was up.
func FailureCode(err error) connectors.Code { return connectors.Code(describeFailure(err).label) }

// describeFailure judges the error of an attempt that was not answered.
func describeFailure(err error) *outcome {
	if errors.Is(err, ErrBlockedAddress) {
		return unreachableOutcome(connectors.CodeBlockedAddress, false, "the platform's address is not public", err)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		message := "the platform's host name could not be resolved"
		if dns.IsNotFound {
			message = "the platform's host name does not exist"
		}
		return unreachableOutcome(connectors.CodeDNSFailed, true, message, err)
	}
	if alert, ok := findAlert(err); ok {
		return unreachableOutcome(connectors.CodeTLSFailed, true, record.TruncateText(makePrintable(alert.Error()), maxQuote), err)
	}
	if h, ok := errors.AsType[*handshakeError](err); ok {
		return handshakeFailed(h)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return unreachableOutcome(connectors.CodeConnectFailed, true, dialMessage(op), err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return failureOutcome(connectors.CodeTimeout, true, "no answer arrived in time", err)
	}
	if connectionBroke(err) {
		return failureOutcome(connectors.CodeConnectFailed, true, "the connection was lost before an answer arrived", err)
	}
	if text := err.Error(); strings.Contains(text, "response headers exceeded") || strings.Contains(text, "response header list larger") { // net/http has no types for them
		return failureOutcome(connectors.CodeUnexpectedResponse, true, fmt.Sprintf("the answer's header is larger than %d KiB", headerLimit>>10), err)
	}
	return failureOutcome(connectors.CodeUnexpectedResponse, true, "the answer is not valid HTTP", err)
}

func dialMessage(err *net.OpError) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the platform refused the connection"
	case err.Timeout():
		return "the connection was not established in time"
	}
	return "the connection could not be established"
}

// handshakeFailed distinguishes a certificate or protocol fault, which crypto/tls
// describes without naming addresses, from a connection that broke.
func handshakeFailed(h *handshakeError) *outcome {
	err := h.err
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) {
		return unreachableOutcome(connectors.CodeTLSFailed, true, "the platform's port does not speak TLS", h)
	}
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		// The same certificate would be shown again.
		return unreachableOutcome(connectors.CodeTLSFailed, false, record.TruncateText(makePrintable(cert.Err.Error()), maxQuote), h)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return unreachableOutcome(connectors.CodeTimeout, true, "the TLS handshake took too long", h)
	}
	if connectionBroke(err) {
		return unreachableOutcome(connectors.CodeTLSFailed, true, "the connection was lost during the TLS handshake", h)
	}
	return unreachableOutcome(connectors.CodeTLSFailed, true, record.TruncateText(makePrintable(err.Error()), maxQuote), h)
}

// findAlert returns the TLS alert that ended a connection. With TLS 1.3 a platform that
// requires a client certificate sends it only after our part of the handshake.
func findAlert(err error) (*net.OpError, bool) {
	op, ok := errors.AsType[*net.OpError](err)
	return op, ok && (op.Op == "remote error" || op.Op == "local error")
}

func connectionBroke(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		strings.Contains(err.Error(), "server closed")
}

// badBody judges a body with status 200 that could not be read to its end.
func (c *call) badBody(ctx context.Context, got []byte, w *wire, err error) *outcome {
	switch {
	case ctx.Err() != nil:
		return canceledOutcome(ctx)
	case errors.Is(err, errTooLarge):
		return failureOutcome(connectors.CodeResponseTooLarge, false, fmt.Sprintf("the answer is larger than %d MiB", maxBody>>20), nil)
	case c.attempt.late.Load():
		return incompleteOutcome(w.n, err)
	case w.fail != nil:
		return failureOutcome(connectors.CodeConnectFailed, true, fmt.Sprintf("the connection was lost after %d bytes of the answer", w.n), err)
	case errors.Is(err, errEncoding):
		return failureOutcome(connectors.CodeUnexpectedResponse, false, "the answer has the "+record.TruncateText(makePrintable(err.Error()), maxQuote)+", but only gzip was requested", err)
	}
	return c.brokenOutcome(got, fmt.Errorf("the gzip encoding is damaged: %w", err))
}

// incompleteOutcome returns the outcome of a body whose time ran out after n
// bytes.
func incompleteOutcome(n int64, err error) *outcome {
	return failureOutcome(connectors.CodeTimeout, true, fmt.Sprintf("the answer was not complete within %d seconds; %d bytes had arrived", int(attemptLimit.Seconds()), n), err)
}

// brokenOutcome returns the outcome of a body that is complete but cannot be
// decoded. A server that notices a hang-up may end the body before its reader
// notices.
func (c *call) brokenOutcome(got []byte, err error) *outcome {
	if c.attempt.late.Load() {
		return incompleteOutcome(int64(len(got)), err)
	}
	detail := record.TruncateText(makePrintable(redactKey(*c.platform.key, err.Error())), maxQuote)
	return failureOutcome(connectors.CodeUnexpectedResponse, true, "the body cannot be read ("+detail+")"+c.quoteBody(got), err)
}

// decodeError returns what a decoder's error says about the platform: a body that is
// valid JSON, but not the JSON that was requested.
func decodeError(err error) error {
	switch {
	case errors.Is(err, alias.ErrTooManyRecords):
		return &connectors.Error{Code: connectors.CodeResponseTooLarge, Message: err.Error(), Err: err}
	case errors.Is(err, alias.ErrShape):
		return &connectors.Error{Code: connectors.CodeUnexpectedResponse, Message: err.Error(), Err: err}
	}
	return err
}

// statusError maps an answer with a status other than 200.
func (c *call) statusError(resp *http.Response, head []byte) *connectors.Error {
	status := resp.StatusCode
	e := &connectors.Error{
		Code:       connectors.CodeUnexpectedResponse,
		HTTPStatus: status,
		Message:    fmt.Sprintf("the platform answered with status %d", status),
	}
	switch {
	case asksForPause(status, resp.Header):
		e.Code, e.RetryAfter = connectors.CodeThrottled, retryAfter(resp.Header)
	case status == http.StatusUnauthorized:
		e.Code, e.Message = connectors.CodeUnauthorized, "the key was refused: "+e.Message
	case status == http.StatusForbidden:
		e.Code, e.Message = connectors.CodeForbidden, "the key was refused: "+e.Message
	case status == http.StatusNotFound:
		e.Code = connectors.CodeNotFound
	case status == http.StatusNotModified: // no redirect
		e.Message += ", which answers a condition, and assay sends none"
		return e
	case status >= 300 && status <= 399:
		e.Code = connectors.CodeUnexpectedRedirect
		e.Message += c.redirectTarget(resp.Request.URL)
		return e
	case status >= 500 && status <= 599:
		e.Code = connectors.CodeServerError
	}
	e.Message += c.quoteBody(head)
	return e
}

// redirectTarget returns where a redirect points, without user name, query and
// fragment.
func (c *call) redirectTarget(asked *url.URL) string {
	u, err := url.Parse(c.location)
	if c.location == "" || err != nil || u.Opaque != "" {
		return ""
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	text := " to " + record.TruncateText(makePrintable(redactKey(*c.platform.key, shown.String())), maxQuote)
	if to := asked.ResolveReference(u); to.Host == asked.Host && to.Path == asked.Path+"/" {
		text += ", the same path with a slash at its end"
	}
	return text
}

// quoteBody quotes the start of a body, as the rest of a sentence.
func (c *call) quoteBody(body []byte) string {
	if text := excerptBody(*c.platform.key, body); text != "" {
		return "; the answer begins: " + text
	}
	return ""
}

// appendQuote appends the start of the body to a decoder's unexpected response,
// unless it is quoted already.
func (c *call) appendQuote(err error, body []byte) error {
	e, ok := err.(*connectors.Error) //nolint:errorlint // a wrapped one is the decoder's own affair
	if !ok || e.Code != connectors.CodeUnexpectedResponse || strings.Contains(e.Message, excerptBody(*c.platform.key, body)) {
		return err
	}
	shown := *e
	shown.Message += c.quoteBody(body)
	return &shown
}
