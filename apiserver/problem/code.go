package problem

import "net/http"

// Code names a kind of problem. It is stable: clients branch on it.
type Code string

// The codes of problem documents (api.md, Errors).
const (
	InvalidJSON            Code = "invalid_json"
	InvalidHeader          Code = "invalid_header"
	AuthenticationRequired Code = "authentication_required"
	InvalidAPIKey          Code = "invalid_api_key"
	APIKeyExpired          Code = "api_key_expired"
	APIKeyRevoked          Code = "api_key_revoked"
	InsufficientScope      Code = "insufficient_scope"
	NotFound               Code = "not_found"
	MethodNotAllowed       Code = "method_not_allowed"
	NotAcceptable          Code = "not_acceptable"
	RequestTimeout         Code = "request_timeout"
	Conflict               Code = "conflict"
	IdempotencyInProgress  Code = "idempotency_in_progress"
	IntegrationInactive    Code = "integration_inactive"
	IntegrationBlocked     Code = "integration_blocked"
	PreconditionFailed     Code = "precondition_failed"
	PayloadTooLarge        Code = "payload_too_large"
	UnsupportedMediaType   Code = "unsupported_media_type"
	ValidationFailed       Code = "validation_failed"
	IdempotencyKeyReused   Code = "idempotency_key_reused"
	RateLimited            Code = "rate_limited"
	InternalError          Code = "internal_error"
	ServiceUnavailable     Code = "service_unavailable"
)

// definition is what all problems of a code share.
type definition struct {
	status int
	title  string
	detail string // used where a problem brings none of its own
}

var definitions = map[Code]definition{
	InvalidJSON:            {http.StatusBadRequest, "Invalid JSON", "The body is not a valid JSON document."},
	InvalidHeader:          {http.StatusBadRequest, "Invalid header", "A header of the request cannot be understood. The member errors lists them."},
	AuthenticationRequired: {http.StatusUnauthorized, "Authentication required", "Send an API key in the header Authorization: Bearer <API_KEY>."},
	InvalidAPIKey:          {http.StatusUnauthorized, "Invalid API key", "The API key is not known."},
	APIKeyExpired:          {http.StatusUnauthorized, "API key expired", "The API key has expired. Create a new one."},
	APIKeyRevoked:          {http.StatusUnauthorized, "API key revoked", "The API key has been revoked. Create a new one."},
	InsufficientScope:      {http.StatusForbidden, "Insufficient scope", "The API key lacks the scope that this route requires."},
	NotFound:               {http.StatusNotFound, "Not found", "There is nothing at this address, or not for this API key."},
	MethodNotAllowed:       {http.StatusMethodNotAllowed, "Method not allowed", "This address does not know the method. The Allow header lists those that it knows."},
	NotAcceptable:          {http.StatusNotAcceptable, "Not acceptable", "The Accept header excludes the media type that this route answers with."},
	RequestTimeout:         {http.StatusRequestTimeout, "Request timeout", "The body did not arrive in time. Send the request again, faster."},
	Conflict:               {http.StatusConflict, "Conflict", "The request conflicts with what is stored."},
	IdempotencyInProgress:  {http.StatusConflict, "Request in progress", "A request with the same Idempotency-Key is still being served. Send this one again after Retry-After to get that one's answer."},
	IntegrationInactive:    {http.StatusConflict, "Integration inactive", "The integration is switched off. Set is_active to true first."},
	IntegrationBlocked:     {http.StatusConflict, "Integration blocked", "The integration is not polled until a live check has passed. Mend its settings or run its test."},
	PreconditionFailed:     {http.StatusPreconditionFailed, "Precondition failed", "The object is no longer what If-Match or If-None-Match asks for, so nothing was done. Read it again and decide anew."},
	PayloadTooLarge:        {http.StatusRequestEntityTooLarge, "Payload too large", "The body is larger than 1 MiB."},
	UnsupportedMediaType:   {http.StatusUnsupportedMediaType, "Unsupported media type", "Send the body as Content-Type: application/json, in UTF-8 and without Content-Encoding."},
	ValidationFailed:       {http.StatusUnprocessableEntity, "Validation failed", "The request was understood but some of its values cannot be used. The member errors lists them."},
	IdempotencyKeyReused:   {http.StatusUnprocessableEntity, "Idempotency-Key reused", "The Idempotency-Key was sent to this address with another payload in the last 24 hours. Send a new key with a new request, and the same body with a repetition."},
	RateLimited:            {http.StatusTooManyRequests, "Rate limited", "An API key may make 600 requests in any 60 seconds. Come back after the time in the Retry-After header."},
	InternalError:          {http.StatusInternalServerError, "Internal error", "Something failed inside the server. Its operator finds the cause under the request_id."},
	ServiceUnavailable:     {http.StatusServiceUnavailable, "Service unavailable", "The server cannot answer right now. Try again later."},
}

// Codes lists all codes, in no particular order.
func Codes() []Code {
	codes := make([]Code, 0, len(definitions))
	for c := range definitions {
		codes = append(codes, c)
	}
	return codes
}

// Status is the HTTP status of all problems with the code.
func (c Code) Status() int { return definitions[c].status }

// Title is the code in words, the same for all problems with it.
func (c Code) Title() string { return definitions[c].title }

// Description is what a problem with the code says where it has nothing more
// particular to say.
func (c Code) Description() string { return definitions[c].detail }
