package assay

import "net/http"

// CallOption changes one call.
type CallOption func(*call)

// WithIdempotencyKey sends a POST with the key instead of a new one. Within 24 hours, a POST with the
// same key and body gets the first answer, also from another process or after a restart.
func WithIdempotencyKey(key string) CallOption { return withHeader("Idempotency-Key", key) }

// WithRequestID names the request in the server's log and in the response.
func WithRequestID(id string) CallOption { return withHeader("X-Request-Id", id) }

// IfMatch changes the object only if it still has the entity tag. Otherwise, the call returns the
// problem precondition_failed.
func IfMatch(tag string) CallOption { return withHeader("If-Match", tag) }

// WithNull sets members of the body to null, which a PATCH takes as "remove the value". A nil member
// of a body is not sent, which leaves the value as it is. A point leads to a member of an object: a
// ruleset that is replaced with WithNull("day_share.max_share_of_positive") does not check that limit,
// and without it gets the limit of its preset.
func WithNull(members ...string) CallOption {
	return func(c *call) { c.null = append(c.null, members...) }
}

// WithResponseHeader stores the header of the response, such as its ETag, in h.
func WithResponseHeader(h *http.Header) CallOption {
	return func(c *call) { c.answered = h }
}

func withHeader(name, value string) CallOption {
	return func(c *call) { c.header.Set(name, value) }
}
