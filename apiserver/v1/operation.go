package v1

import (
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

// Operation documents a route. It omits what all routes of its kind have, which is added when the
// document is generated: the path parameters, the headers of all responses, and the problems that
// follow from the route's scope, id, query or body.
type Operation struct {
	ID          string // in lowerCamelCase, such as listTraders; client generators use it
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
	// Read. All of its members are optional.
	Like any
}

// Answer documents a successful response.
type Answer struct {
	Status  int
	About   string   // meaning, in Markdown
	Body    any      // any value of the body's type; nil if there is no body
	Headers []string // in addition to the headers of all responses
	// Media are the media types of a body that is a file. If it is nil, Body is JSON.
	Media []string
}

// Tag is a group of operations.
type Tag struct {
	Name  string
	About string // Markdown
}

// The groups of operations.
const (
	tagIntegrations = "Integrations"
	tagTraders      = "Traders"
	tagInterviews   = "Interviews"
	tagActivity     = "Activity"
	tagAPIKeys      = "API keys"
	tagUsers        = "Users"
	tagOrganization = "Organization"
	tagSession      = "Session"
	tagAudit        = "Audit log"
	tagStream       = "Stream"
	tagDocument     = "Document"
)

// TagWebhooks is the group of operations about webhooks, including the events themselves.
const TagWebhooks = "Webhooks"

// Tags lists the groups of operations in the document's order.
func Tags() []Tag {
	return []Tag{
		{tagIntegrations, "Connections to the platforms that traders, accounts, trades and payouts are read from: their settings, their live check, and how reading goes."},
		{tagTraders, "The directory of traders, with their accounts, trades and payouts."},
		{tagInterviews, "Recorded interviews with traders, from the invite to a report that a person decides on."},
		{tagActivity, "What the trades of a trader show, from platforms and uploaded files, and the thresholds that they are judged by."},
		{TagWebhooks, "Endpoints that are told of what happens, with requests that are signed as Standard Webhooks describes, and the history of what was sent."},
		{tagAPIKeys, "The keys that callers of this API identify themselves with."},
		{tagUsers, "The people of the organization: who may sign in, and in which role."},
		{tagOrganization, "What the organization says of itself to traders, and what may leave the server."},
		{tagSession, "How people sign in and out, for the pages of this site. A session is a cookie; changes in it carry its CSRF token in the header `X-CSRF-Token`."},
		{tagAudit, "Who changed what, and when: a log that is only ever added to, and that shows when somebody has changed it all the same."},
		{tagStream, "What tells pages that something has changed."},
		{tagDocument, "This document."},
	}
}
