package connectors

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Code says what went wrong on the way to a platform. It is the code of an
// integration's last_error, of a run's error and of a step of the live check.
type Code string

// The codes, in the order in which a request can meet them.
const (
	CodeBlockedAddress     Code = "blocked_address"
	CodeDNSFailed          Code = "dns_failed"
	CodeConnectFailed      Code = "connect_failed"
	CodeTLSFailed          Code = "tls_failed"
	CodeTimeout            Code = "timeout"
	CodeUnauthorized       Code = "unauthorized"
	CodeForbidden          Code = "forbidden"
	CodeNotFound           Code = "not_found"
	CodeThrottled          Code = "throttled"
	CodeServerError        Code = "server_error"
	CodeUnexpectedRedirect Code = "unexpected_redirect"
	CodeUnexpectedResponse Code = "unexpected_response"
	CodeResponseTooLarge   Code = "response_too_large"
	CodeCursorLoop         Code = "cursor_loop"
	CodeInvalidRecords     Code = "invalid_records"
	CodeDifferentPlatform  Code = "different_platform"
	CodeUnknownPlatform    Code = "unknown_platform"
	CodeInternal           Code = "internal"
)

// hints says, for each code, who must do what.
var hints = map[Code]string{
	CodeBlockedAddress:     "The platform's host name resolves to an address that is not public. Use a public address, or ask the operator of assay to allow the range.",
	CodeDNSFailed:          "The platform's host name could not be resolved. Check the base URL for typos, and check that its DNS record exists.",
	CodeConnectFailed:      "assay could not connect to the platform, or the connection was lost. Check that the platform is running and that its firewall allows assay's egress ranges. If its other endpoints answer, look for a crash in its logs.",
	CodeTLSFailed:          "The TLS handshake failed. Install a valid, complete certificate chain for this host name, and allow TLS 1.2 or later without a client certificate.",
	CodeTimeout:            "The platform did not answer in full within 20 seconds. Make the endpoint faster, for instance with an index on updated_at.",
	CodeUnauthorized:       "The platform refused the API key. Paste the current key into the integration, and check on the platform that it has not been rotated or revoked.",
	CodeForbidden:          "The platform refused the key or assay's address. Paste the current key into the integration, give it read access, and add assay's egress ranges to the platform's allowlist.",
	CodeNotFound:           "The platform has no such path. Check the base URL, including any path prefix, and that the endpoint is deployed.",
	CodeThrottled:          "The platform asked assay to wait. If it answers 429, it limits requests more tightly than the contract's 5 per second: raise the limit for assay's key, or lengthen the sync interval. If it answers 503, it is down or overloaded.",
	CodeServerError:        "The platform failed to answer. Look for the request in the platform's own logs.",
	CodeUnexpectedRedirect: "The platform answered with a redirect, which is not followed. Set the base URL to the final address, or serve the path as it is requested.",
	CodeUnexpectedResponse: "The response is not what the contract describes. Compare it with the contract for this endpoint; proxies and login pages are common causes.",
	CodeResponseTooLarge:   "The response is larger than assay accepts. Honor the limit parameter and keep metadata small.",
	CodeCursorLoop:         "The list returned to a page that was already read. Make each page lead to the next one through next_cursor or the page parameter, and make the list end.",
	CodeInvalidRecords:     "A record cannot be used. The message names the rule that it breaks.",
	CodeDifferentPlatform:  "The new URL or key leads to a different platform than the one the integration's records come from, so sync is paused. Restore the old URL and key, and connect the other platform as a new integration.",
	CodeUnknownPlatform:    "The platform shows no traders, so assay cannot tell whether the integration's records come from it, and reads nothing yet. It checks again in each cycle. If this is a different platform, connect it as a new integration.",
	CodeInternal:           "Something failed inside assay. Its operator can find the cause in the logs.",
}

// Codes returns all codes in alphabetical order.
func Codes() []Code { return slices.Sorted(maps.Keys(hints)) }

// Hint returns the code's fixed advice. Every code has one.
func (c Code) Hint() string { return hints[c] }

// Error is a failure on the way to or at a platform. It never holds a credential or
// anything about assay's own network.
type Error struct {
	Code       Code
	Message    string // one sentence on what was seen; may quote the start of an answer
	HTTPStatus int    // 0 when there was no answer
	// Unreachable means that no connection was made, so that no other endpoint can
	// answer either. Such a failure ends the whole cycle.
	Unreachable bool
	Endpoint    string        // method, path and query as sent, such as "GET /trades?limit=200"; no host, no credential
	RetryAfter  time.Duration // CodeThrottled: how long to wait, already clamped; otherwise 0
	Stats       Stats         // what the failed attempts cost
	Err         error         // cause for logs; may be nil, is never shown to customers
}

// Error implements error, without the cause.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	if e.Endpoint != "" {
		fmt.Fprintf(&b, " at %s", e.Endpoint)
	}
	if e.HTTPStatus != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.HTTPStatus)
	}
	if e.Message != "" {
		fmt.Fprintf(&b, ": %s", e.Message)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Unanswered reports whether a connection was made, but the answer was lost on it or
// came too late. The cause may be a single endpoint.
func (e *Error) Unanswered() bool {
	return !e.Unreachable && (e.Code == CodeConnectFailed || e.Code == CodeTimeout)
}

// Denied reports whether the platform refused the credential, which stops an
// integration until a live check passes.
func (e *Error) Denied() bool { return e.Code == CodeUnauthorized || e.Code == CodeForbidden }

// Retryable reports whether the same request may succeed later although nobody
// changes anything. It is then tried again before its run fails.
func (e *Error) Retryable() bool {
	switch e.Code {
	case CodeDNSFailed, CodeConnectFailed, CodeTLSFailed, CodeTimeout, CodeServerError:
		return true
	}
	return false
}
