package main

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/route"
)

// Names of headers.
const (
	requestID       = "X-Request-Id"
	rateLimit       = "RateLimit"
	rateLimitPolicy = "RateLimit-Policy"
	retryAfter      = "Retry-After"
	authenticate    = "WWW-Authenticate"
	accept          = "Accept"
	entityTag       = "ETag"
	replayed        = "Idempotent-Replayed"
	deprecation     = "Deprecation"
	sunset          = "Sunset"
)

// describeResponses describes the responses of a route, sorted by status.
func (b *builder) describeResponses(r route.Route) openapi.Map[*openapi.Answer] {
	byStatus := make(map[int]*openapi.Answer)
	tagged := tagHeader(r)
	for _, a := range r.Operation.Answers {
		answer := &openapi.Answer{Description: a.About, Headers: b.referHeaders(slices.Concat(a.Headers, tagged, particularHeaders(r, a.Status), deprecationHeaders(r), commonHeaders(r)))}
		if a.Body != nil {
			schema := b.answerSchema(reflect.TypeOf(a.Body))
			answer.Content = openapi.Map[openapi.Media]{{Name: mediaType, Value: openapi.Media{Schema: schema}}}
		}
		for _, media := range a.Media {
			answer.Content.Set(media, fileMedia(r, media))
		}
		if a.Shared != "" {
			answer = b.shareAnswer(a.Shared, answer)
		}
		byStatus[a.Status] = answer
	}
	if r.Operation.Conditional && r.Method == http.MethodGet {
		byStatus[http.StatusNotModified] = b.describeNotModified(r, byStatus[http.StatusOK].Headers)
	}
	for status, codes := range problemsByStatus(r) {
		byStatus[status] = b.describeProblem(r, status, codes)
	}
	var list openapi.Map[*openapi.Answer]
	for status := 100; status < 600; status++ {
		if answer := byStatus[status]; answer != nil {
			list.Set(strconv.Itoa(status), answer)
		}
	}
	return list
}

// describeNotModified describes the response to a read of what the caller already has.
func (b *builder) describeNotModified(r route.Route, headers openapi.Map[*openapi.Header]) *openapi.Answer {
	answer := &openapi.Answer{Description: "Not modified: the entity tag matches `If-None-Match`, so the caller already has the current version.", Headers: headers}
	switch _, file := headers.Find("Content-Disposition"); {
	case !isGuarded(r):
		return answer
	case file:
		return b.shareAnswer("FileNotModified", answer)
	}
	return b.shareAnswer("NotModified", answer)
}

// fileMedia describes a response that is a file.
func fileMedia(r route.Route, media string) openapi.Media {
	if media != decode.MediaCSV {
		file := openapi.Media{Schema: &openapi.Schema{}} // OpenAPI 3.1 requires no schema for bytes
		if example, isText := textExamples()[media]; isText {
			file.Example = example
		}
		return file
	}
	longest, example := maxFile, tableExample
	if r.Path == calendarPath {
		example = csvExample
	}
	return openapi.Media{Schema: &openapi.Schema{Type: openapi.Types{openapi.String}, MaxLength: &longest}, Example: example}
}

// calendarPath is the path of the only CSV file that is also a body of a request.
const calendarPath = "/v1/analysis/calendar"

// textExamples returns examples of the answers that are text without a schema, by their media types.
func textExamples() map[string]string {
	return map[string]string{
		"text/vtt":          "WEBVTT\n\n00:00:01.200 --> 00:00:04.800\nI risk one percent of my account.\n",
		"text/event-stream": "event: ready\ndata: {\"topics\":[\"integrations\",\"traders\"]}\n\nevent: change\ndata: {\"topic\":\"traders\",\"id\":\"019a9f3c-7d10-7ca8-a106-2fb0db3622df\"}\n\n",
	}
}

// tableExample is an example of a CSV file in a response.
const tableExample = "id,created_at\n019a9f3c-7d10-7ca8-a106-2fb0db3622df," + exampleTime + "\n"

// maxFile is the length of the longest text that a response may contain.
const maxFile = 64 << 20

// tagHeader lists the header of responses that equal what a GET of the same path returns.
func tagHeader(r route.Route) []string {
	if r.Operation.Conditional && r.Method != http.MethodDelete {
		return []string{entityTag}
	}
	return nil
}

// commonHeaders lists the headers of all responses of a route.
func commonHeaders(r route.Route) []string {
	if !isGuarded(r) {
		return []string{requestID}
	}
	return []string{requestID, rateLimit, rateLimitPolicy}
}

// deprecationHeaders lists the headers of a deprecated operation.
func deprecationHeaders(r route.Route) []string {
	switch d := r.Operation.Deprecated; {
	case d == nil:
		return nil
	case d.Sunset.IsZero():
		return []string{deprecation}
	}
	return []string{deprecation, sunset}
}

// problemsByStatus lists a route's problems by status: those that follow from its properties, and
// those that its Operation adds.
func problemsByStatus(r route.Route) map[int][]problem.Code {
	codes := []problem.Code{problem.InvalidHeader, problem.ValidationFailed, problem.InternalError, problem.ServiceUnavailable}
	if isGuarded(r) {
		codes = append(codes,
			problem.AuthenticationRequired, problem.InvalidAPIKey, problem.APIKeyExpired, problem.APIKeyRevoked,
			problem.InvalidSession, problem.SessionExpired, problem.SessionEnded, problem.RateLimited)
	}
	if r.Scope != "" {
		codes = append(codes, problem.InsufficientScope, problem.PasswordChangeRequired)
	}
	if r.Caller {
		codes = append(codes, problem.PasswordChangeRequired)
	}
	if isGuarded(r) && r.Method != http.MethodGet {
		codes = append(codes, problem.CSRFFailed)
	}
	if strings.Contains(r.Path, "{") {
		codes = append(codes, problem.NotFound)
	}
	if r.Method != http.MethodDelete { // their responses have no body
		codes = append(codes, problem.NotAcceptable)
	}
	if takesBody(r) {
		codes = append(codes, problem.RequestTimeout, problem.UnsupportedMediaType)
		switch r.Accepts {
		case decode.MediaForm:
			codes = append(codes, problem.InvalidForm, problem.FileTooLarge)
		case decode.MediaCSV:
			codes = append(codes, problem.PayloadTooLarge)
		default:
			codes = append(codes, problem.InvalidJSON, problem.PayloadTooLarge)
		}
	}
	if r.Operation.Conditional {
		codes = append(codes, problem.PreconditionFailed)
	}
	if isRepeatable(r) {
		codes = append(codes, problem.IdempotencyInProgress, problem.IdempotencyKeyReused)
	}
	byStatus := make(map[int][]problem.Code)
	for _, code := range append(codes, r.Operation.Problems...) {
		if list := byStatus[code.Status()]; !slices.Contains(list, code) {
			byStatus[code.Status()] = append(list, code)
		}
	}
	return byStatus
}

// describeProblem describes an error response. It is shared under the name of its status if
// nothing in it is specific to the route, and otherwise described with the route.
func (b *builder) describeProblem(r route.Route, status int, codes []problem.Code) *openapi.Answer {
	answer := &openapi.Answer{Description: describeCodes(codes), Headers: b.referHeaders(append(particularHeaders(r, status), commonHeaders(r)...))}
	media := openapi.Media{Schema: b.answerSchema(reflect.TypeOf(problem.Wire()))}
	for _, code := range codes {
		b.examples.Set(string(code), openapi.Example{Summary: code.Title(), Description: code.Description(), Value: problemExample(code)})
		media.Examples.Set(string(code), referToExample(string(code)))
	}
	answer.Content = openapi.Map[openapi.Media]{{Name: problem.MediaType, Value: media}}
	for _, code := range r.Operation.Problems {
		if code.Status() == status && code != problem.Conflict { // other codes are of few operations
			return answer
		}
	}
	return b.shareAnswer(sharedName(r, status, codes), answer)
}

// shareAnswer refers to a response that operations share under the name. Those of changes may have another one.
// A response that equals neither is described with its operation.
func (b *builder) shareAnswer(name string, answer *openapi.Answer) *openapi.Answer {
	for _, name := range []string{name, name + "OfChange"} {
		before, ok := b.answers.Find(name)
		if !ok {
			b.answers.Set(name, answer)
		}
		if !ok || reflect.DeepEqual(before, answer) {
			return &openapi.Answer{Ref: "#/components/responses/" + name}
		}
	}
	return answer
}

// referToExample refers to an example that several bodies share.
func referToExample(name string) openapi.Example {
	return openapi.Example{Ref: "#/components/examples/" + name}
}

// sharedName returns the name of an error response that several routes share: that of its only
// code, or otherwise of its status.
func sharedName(r route.Route, status int, codes []problem.Code) string {
	words := strings.Split(http.StatusText(status), " ")
	if len(codes) == 1 {
		words = strings.Split(string(codes[0]), "_")
	}
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	if !isGuarded(r) {
		words = append(words, "ToAnybody")
	}
	return strings.Join(words, "")
}

// describeCodes describes the meaning of a problem. It lists several ones by their codes, because
// their meanings are those of their examples.
func describeCodes(codes []problem.Code) string {
	if len(codes) == 1 {
		return fmt.Sprintf("`%s`: %s", codes[0], codes[0].Description())
	}
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = "`" + string(code) + "`"
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last] + ". The examples explain them."
}

// isRepeatable reports whether requests of a route may carry an Idempotency-Key.
func isRepeatable(r route.Route) bool {
	return r.Method == http.MethodPost && r.Scope != "" && !r.IgnoresIdempotencyKey
}

// particularHeaders lists the headers of responses with a status, beyond the common ones. A
// question mark marks optional headers.
func particularHeaders(r route.Route, status int) []string {
	switch {
	case status == http.StatusUnauthorized:
		return []string{authenticate}
	case status == http.StatusUnsupportedMediaType:
		return []string{accept}
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return []string{retryAfter}
	case isRepeatable(r) && status == http.StatusConflict:
		return []string{retryAfter + "?"} // if the code is idempotency_in_progress
	case isRepeatable(r) && (status < http.StatusMultipleChoices || status == http.StatusUnprocessableEntity):
		return []string{replayed + "?"}
	}
	return nil
}

// problemExample returns an example document for the code.
func problemExample(code problem.Code) any {
	return problem.NewWriter(openapi.Origin).Document("7V2KQ4MZ3XHT6NRBWD5EYCLJPA", code.Example())
}

// referHeaders lists headers by reference, and describes those that are used. A question mark
// after a name marks an optional header.
func (b *builder) referHeaders(names []string) openapi.Map[*openapi.Header] {
	var list openapi.Map[*openapi.Header]
	for _, name := range names {
		name, optional := strings.CutSuffix(name, "?")
		component := name
		header, ok := answerHeaders().Find(name)
		if !ok {
			b.noteFault("header "+name, "it is not described in headers.go")
			continue
		}
		if optional && header.Required {
			other := *header
			other.Required = false
			header, component = &other, "Optional-"+name
		}
		b.headers.Set(component, header)
		list.Set(name, &openapi.Header{Ref: "#/components/headers/" + component})
	}
	return list
}
