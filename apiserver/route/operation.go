package route

import (
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

// Operation documents a route. It omits what all routes of its kind have, which is added when the
// document is generated: the path parameters, the headers of all responses, and the problems that
// follow from the route's scope, id, query or body.
type Operation struct {
	Summary     string // a few words, without a full stop
	Description string // Markdown, for callers
	Tag         string // one of Tags
	Body        Body
	// Answers are the successful responses.
	Answers []Answer
	// Conditional means that If-Match and If-None-Match are supported: the responses of a GET,
	// and of a change that returns what a GET would, have an ETag.
	Conditional bool
	// Problems are those that do not follow from the route, such as problem.IntegrationExists.
	Problems []problem.Code
	// Deprecated announces the removal of the operation; nil for most.
	Deprecated *Deprecation
}

// Body documents the body of a request. The zero value is for routes without a body.
type Body struct {
	Name  string // name of the schema, such as NewTrader
	About string // description in Markdown
	// Optional means that a request may omit the body.
	Optional bool
	// Read is the code that reads the body. It must have no other effect on an empty object.
	Read func(*decode.Object)
	// Like is a value of the response type that the body resembles, if the body is not read by
	// Read. All of its members are optional. It is also the example.
	Like any
}

// ReaderOf returns the Body.Read of a function whose result is for the handler.
func ReaderOf[T any](read func(*decode.Object) T) func(*decode.Object) {
	return func(o *decode.Object) { read(o) }
}

// Answer documents a successful response.
type Answer struct {
	Status  int
	About   string   // meaning, in Markdown
	Body    any      // any value of the body's type; nil if there is no body
	Headers []string // in addition to the headers of all responses
	// Media are the media types of a body that is a file. If it is nil, Body is JSON.
	Media []string
	// Shared is the name under which several operations share the answer; empty if none does.
	Shared string
}

// Tag is a group of operations.
type Tag struct {
	Name  string
	About string // Markdown
}

// The groups of operations.
const (
	TagIntegrations = "Integrations"
	TagTraders      = "Traders"
	TagInterviews   = "Interviews"
	TagActivity     = "Activity"
	TagAPIKeys      = "API keys"
	TagUsers        = "Users"
	TagOrganization = "Organization"
	TagSession      = "Session"
	TagAudit        = "Audit log"
	TagStream       = "Stream"
	TagDocument     = "Document"
)

// TagWebhooks is the group of operations about webhooks, including the events themselves.
const TagWebhooks = "Webhooks"

// Tags lists the groups of operations in the document's order.
func Tags() []Tag {
	return []Tag{
		{TagIntegrations, "Connected trading platforms, from which assay reads traders, accounts, trades and payouts: their settings, live checks and sync status."},
		{TagTraders, "The directory of traders, with their accounts, trades and payouts."},
		{TagInterviews, "Recorded interviews with traders, from the invite to a report that a person decides on."},
		{TagActivity, "Analysis of a trader's trades, from platforms and uploaded files, and the thresholds by which they are judged."},
		{TagWebhooks, "Endpoints that receive events as HTTP requests, signed as Standard Webhooks describes, and the history of deliveries. Answer an event with any 2xx within 15 seconds, or assay sends it again."},
		{TagAPIKeys, "The keys with which programs authenticate to this API."},
		{TagUsers, "The people of the organization who can sign in, and their roles."},
		{TagOrganization, "The organization's settings: the name that traders see, and which data may leave the server."},
		{TagSession, "Sign-in and sign-out for the pages of this site. A session is a cookie. Requests that change something also send its CSRF token in the `X-CSRF-Token` header."},
		{TagAudit, "Who changed what, and when. The log is append-only, and tampering can be detected."},
		{TagStream, "Server-sent events that notify pages of changes."},
		{TagDocument, "The OpenAPI document of this API."},
	}
}
