package problem

import (
	"cmp"
	"maps"
	"slices"
)

// Code names a kind of problem. It is stable: clients branch on it.
type Code string

// The codes of problem documents. docs/reference/errors.md lists them.
const (
	InvalidJSON             Code = "invalid_json"
	InvalidHeader           Code = "invalid_header"
	InvalidForm             Code = "invalid_form"
	AuthenticationRequired  Code = "authentication_required"
	InvalidAPIKey           Code = "invalid_api_key"
	APIKeyExpired           Code = "api_key_expired"
	APIKeyRevoked           Code = "api_key_revoked"
	InvalidCredentials      Code = "invalid_credentials" //nolint:gosec // a name, and no credential
	InvalidSession          Code = "invalid_session"
	SessionExpired          Code = "session_expired"
	SessionEnded            Code = "session_ended"
	CSRFFailed              Code = "csrf_failed"
	PasswordChangeRequired  Code = "password_change_required"
	OrganizationRequired    Code = "organization_required"
	SignInExpired           Code = "sign_in_expired"
	SignInRefused           Code = "sign_in_refused"
	InsufficientScope       Code = "insufficient_scope"
	PlaybackExpired         Code = "playback_expired"
	NotFound                Code = "not_found"
	MethodNotAllowed        Code = "method_not_allowed"
	NotAcceptable           Code = "not_acceptable"
	RequestTimeout          Code = "request_timeout"
	Conflict                Code = "conflict"
	IdempotencyInProgress   Code = "idempotency_in_progress"
	IntegrationExists       Code = "integration_exists"
	DifferentPlatform       Code = "different_platform"
	InvalidState            Code = "invalid_state"
	InterviewAlreadyStarted Code = "interview_already_started"
	InterviewDeclined       Code = "interview_declined"
	InterviewStillOpen      Code = "interview_still_open"
	NothingToReport         Code = "nothing_to_report"
	ReferenceTaken          Code = "reference_taken"
	LegalHold               Code = "legal_hold"
	MediaProcessing         Code = "media_processing"
	MediaNotAvailable       Code = "media_not_available"
	ShareNotFound           Code = "share_not_found"
	SubtitlesNotFound       Code = "subtitles_not_found"
	ActivityFileNotFound    Code = "activity_file_not_found"
	ClaimNotFound           Code = "claim_not_found"
	NotAuthor               Code = "not_author"
	LinkOver                Code = "link_over"
	InterviewTakenOver      Code = "interview_taken_over"
	UploadIncomplete        Code = "upload_incomplete"
	EndpointLimitReached    Code = "endpoint_limit_reached"
	WebhookEndpointDisabled Code = "webhook_endpoint_disabled"
	DeliveryInProgress      Code = "delivery_in_progress"
	RetryLimitReached       Code = "retry_limit_reached"
	PayloadExpired          Code = "payload_expired"
	PreconditionFailed      Code = "precondition_failed"
	PayloadTooLarge         Code = "payload_too_large"
	ChecksumMismatch        Code = "checksum_mismatch"
	FileTooLarge            Code = "file_too_large"
	UnsupportedMediaType    Code = "unsupported_media_type"
	UnsupportedFileType     Code = "unsupported_file_type"
	FileNotUnderstood       Code = "file_not_understood"
	AmbiguousDates          Code = "ambiguous_dates"
	ValidationFailed        Code = "validation_failed"
	IdempotencyKeyReused    Code = "idempotency_key_reused"
	RateLimited             Code = "rate_limited"
	InternalError           Code = "internal_error"
	ServiceUnavailable      Code = "service_unavailable"
)

// definition is what all problems with a code have in common. The code's page, its description in
// the OpenAPI document and the responses are made from it.
type definition struct {
	status  int
	title   string
	detail  string // used if a problem has no detail of its own
	guide   Guide
	example Problem // further members of a response; Code is left out
}

// definitions lists all codes. They are defined by topic in the files define_*.go.
var definitions = mergeDefinitions(accessDefinitions, sessionDefinitions, requestDefinitions, uploadDefinitions, fileDefinitions, stateDefinitions, webhookDefinitions, serverDefinitions, interviewDefinitions)

func mergeDefinitions(parts ...map[Code]definition) map[Code]definition {
	all := make(map[Code]definition)
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// Codes lists all codes by status and name.
func Codes() []Code {
	return slices.SortedFunc(maps.Keys(definitions), func(a, b Code) int {
		return cmp.Or(cmp.Compare(a.Status(), b.Status()), cmp.Compare(a, b))
	})
}

// Status returns the HTTP status of all problems with the code.
func (c Code) Status() int { return definitions[c].status }

// Title returns the code in words, which is the same for all problems with it.
func (c Code) Title() string { return definitions[c].title }

// Description returns the detail of problems with the code that have no more specific one.
func (c Code) Description() string { return definitions[c].detail }

// Guide returns an explanation of the code for the developer of a client.
func (c Code) Guide() Guide { return definitions[c].guide }

// Example returns a problem with the code as the API may answer it.
func (c Code) Example() *Problem {
	p := definitions[c].example
	p.Code, p.Header, p.Faults = c, p.Header.Clone(), slices.Clone(p.Faults)
	return &p
}
