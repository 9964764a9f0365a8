package main

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/problem"
	v1 "github.com/assayhq/assay/apiserver/v1"
)

// Names of headers.
const (
	requestID       = "X-Request-Id"
	rateLimit       = "RateLimit"
	rateLimitPolicy = "RateLimit-Policy"
	retryAfter      = "Retry-After"
	authenticate    = "WWW-Authenticate"
	accept          = "Accept"
)

// responses describes the answers of a route in the order of their status.
func (b *builder) responses(r v1.Route) openapi.Map[*openapi.Answer] {
	byStatus := make(map[int]*openapi.Answer)
	for _, a := range r.Operation.Answers {
		answer := &openapi.Answer{Description: a.About, Headers: b.refer(append(slices.Clone(a.Headers), common(r)...))}
		if a.Body != nil {
			schema := b.answer(reflect.TypeOf(a.Body))
			answer.Content = openapi.Map[openapi.Media]{{Name: mediaType, Value: openapi.Media{Schema: schema}}}
		}
		byStatus[a.Status] = answer
	}
	for status, codes := range problems(r) {
		byStatus[status] = b.problem(r, status, codes)
	}
	var list openapi.Map[*openapi.Answer]
	for status := 100; status < 600; status++ {
		if answer := byStatus[status]; answer != nil {
			list.Set(strconv.Itoa(status), answer)
		}
	}
	return list
}

// common lists the headers of all answers of a route.
func common(r v1.Route) []string {
	if r.Scope == "" {
		return []string{requestID}
	}
	return []string{requestID, rateLimit, rateLimitPolicy}
}

// problems lists the problems that a route answers with, by status: those that
// follow from what it is, and those that its Operation adds.
func problems(r v1.Route) map[int][]problem.Code {
	codes := []problem.Code{problem.InternalError, problem.ServiceUnavailable}
	if r.Scope != "" {
		codes = append(codes,
			problem.AuthenticationRequired, problem.InvalidAPIKey, problem.APIKeyExpired, problem.APIKeyRevoked,
			problem.InsufficientScope, problem.RateLimited)
	}
	if strings.Contains(r.Path, "{") {
		codes = append(codes, problem.NotFound)
	}
	if takesBody(r) {
		codes = append(codes, problem.InvalidJSON, problem.PayloadTooLarge, problem.UnsupportedMediaType, problem.ValidationFailed)
	}
	if r.Operation.Query != nil {
		codes = append(codes, problem.ValidationFailed)
	}
	byStatus := make(map[int][]problem.Code)
	for _, code := range append(codes, r.Operation.Problems...) {
		if list := byStatus[code.Status()]; !slices.Contains(list, code) {
			byStatus[code.Status()] = append(list, code)
		}
	}
	return byStatus
}

// problem describes an error answer. It is named by its status where it
// holds nothing of the route's own, and else stands with the route.
func (b *builder) problem(r v1.Route, status int, codes []problem.Code) *openapi.Answer {
	answer := &openapi.Answer{Description: about(codes), Headers: b.refer(append(particular(status), common(r)...))}
	media := openapi.Media{Schema: b.answer(reflect.TypeOf(problem.Wire()))}
	for _, code := range codes {
		media.Examples.Set(string(code), openapi.Example{Summary: code.Title(), Value: problemExample(code)})
	}
	answer.Content = openapi.Map[openapi.Media]{{Name: problem.MediaType, Value: media}}
	for _, code := range r.Operation.Problems {
		if code.Status() == status {
			return answer
		}
	}
	name := strings.ReplaceAll(http.StatusText(status), " ", "")
	if r.Scope == "" {
		name += "ToAnybody"
	}
	if before, ok := b.answers.Find(name); ok && before.Description != answer.Description {
		return answer
	}
	b.answers.Set(name, answer)
	return &openapi.Answer{Ref: "#/components/responses/" + name}
}

// about says what problems mean.
func about(codes []problem.Code) string {
	if len(codes) == 1 {
		return fmt.Sprintf("`%s`: %s", codes[0], codes[0].Description())
	}
	lines := make([]string, len(codes))
	for i, code := range codes {
		lines[i] = fmt.Sprintf("- `%s`: %s", code, code.Description())
	}
	return strings.Join(lines, "\n")
}

// particular lists the headers that answers of a status have beyond the common ones.
func particular(status int) []string {
	switch status {
	case http.StatusUnauthorized:
		return []string{authenticate}
	case http.StatusUnsupportedMediaType:
		return []string{accept}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return []string{retryAfter}
	}
	return nil
}

// problemExample is a document of the code.
func problemExample(code problem.Code) any {
	return problem.NewWriter(openapi.Origin).Document("7V2KQ4MZ3XHT6NRBWD5EYCLJPA", code.Example())
}

// refer lists headers by reference, and describes those that are used.
func (b *builder) refer(names []string) openapi.Map[*openapi.Header] {
	var list openapi.Map[*openapi.Header]
	for _, name := range names {
		header, ok := headers().Find(name)
		if !ok {
			b.fault("header "+name, "it is not described in headers.go")
			continue
		}
		b.headers.Set(name, header)
		list.Set(name, &openapi.Header{Ref: "#/components/headers/" + name})
	}
	return list
}
