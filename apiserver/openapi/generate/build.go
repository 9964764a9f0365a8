package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/route"
)

// mediaType is the media type of bodies.
const mediaType = "application/json"

// The ways to authenticate: with a key, or in a session, whose CSRF token is required for
// changes.
const (
	keyScheme     = "bearerAuth"
	sessionScheme = "cookieAuth"
	csrfScheme    = "csrfToken"
)

// builder builds the document.
type builder struct {
	wire
	doc     *openapi.Document
	answers openapi.Map[*openapi.Answer] // problems that operations share
	headers openapi.Map[*openapi.Header]
	// examples are those that several bodies share.
	examples openapi.Map[openapi.Example]
}

// buildDocument returns the document of the routes. root is the folder of the module, whose
// comments describe the types.
func buildDocument(routes []route.Route, tags []route.Tag, root string) (*openapi.Document, error) {
	b := &builder{wire: wire{src: &source{root, make(map[string]*comments)}}, doc: newDocument()}
	for _, t := range tags {
		b.doc.Tags = append(b.doc.Tags, openapi.Tag{Name: t.Name, Description: t.About})
	}
	for _, route := range routes {
		b.addRoute(route)
	}
	b.addWebhooks()
	b.checkTags()
	if len(b.faults) == 0 { // an incomplete schema has no example
		b.fillIn()
		b.openAnswers()
		b.shareSchemas()
		b.shareParameters()
	}
	c := &b.doc.Components
	c.Headers, c.Responses, c.Schemas, c.Examples = b.headers, b.answers, b.schemas, b.examples
	slices.SortFunc(c.Headers, byName[*openapi.Header])
	slices.SortFunc(c.Responses, byName[*openapi.Answer])
	slices.SortFunc(c.Schemas, byName[*openapi.Schema])
	slices.SortFunc(c.Examples, byName[openapi.Example])
	return b.doc, errors.Join(b.faults...)
}

func byName[V any](x, y openapi.Member[V]) int { return strings.Compare(x.Name, y.Name) }

// addRoute adds a row of the table of routes.
func (b *builder) addRoute(r route.Route) {
	place := r.Method + " " + r.Path
	item, ok := b.doc.Paths.Find(r.Path)
	if !ok {
		item = &openapi.PathItem{Parameters: b.pathParameters(r.Path)}
		b.doc.Paths.Set(r.Path, item)
	}
	op := map[string]**openapi.Operation{
		http.MethodGet: &item.Get, http.MethodPut: &item.Put, http.MethodPost: &item.Post,
		http.MethodPatch: &item.Patch, http.MethodDelete: &item.Delete,
	}[r.Method]
	if op == nil {
		b.noteFault(place, "the method cannot be documented")
		return
	}
	o := r.Operation
	if r.ID == "" || o.Summary == "" || o.Description == "" || o.Tag == "" || len(o.Answers) == 0 {
		b.noteFault(place, "it lacks an ID, or its Operation a summary, a description, a tag or answers")
	}
	description := describeAccess(o.Description, r)
	if o.Deprecated != nil {
		if err := o.Deprecated.Check(); err != nil {
			b.noteFault(place, "%v", err)
		}
		description = o.Deprecated.Describe() + "\n\n" + description
	}
	*op = &openapi.Operation{
		OperationID: r.ID, Summary: o.Summary, Description: description, Deprecated: o.Deprecated != nil, Tags: []string{o.Tag},
		Security:   securityOf(r),
		Parameters: b.describeParameters(r), RequestBody: b.requestBody(r), Responses: b.describeResponses(r),
	}
}

func describeAccess(text string, r route.Route) string {
	switch {
	case r.Session:
		return text + "\n\nRequires the session of a user. API keys are refused."
	case r.Caller:
		return text + "\n\nRequires any API key, or the session of any user."
	case r.Scope == "":
		return text
	}
	if r.Also != "" {
		return fmt.Sprintf("%s\n\nRequires the scopes `%s` and `%s`.", text, r.Scope, r.Also)
	}
	if r.Person != "" {
		return fmt.Sprintf("%s\n\nRequires the scope `%s`, and of users also `%s`.", text, r.Scope, r.Person)
	}
	return fmt.Sprintf("%s\n\nRequires the scope `%s`.", text, r.Scope)
}

// requiredScopes lists all scopes that a route requires.
func requiredScopes(r route.Route) (list []string) {
	for _, scope := range []auth.Scope{r.Scope, r.Also} {
		if scope != "" {
			list = append(list, string(scope))
		}
	}
	return list
}

// securityOf lists the ways in which a request may authenticate.
func securityOf(r route.Route) []openapi.Map[[]string] {
	ways := []openapi.Map[[]string]{}
	switch {
	case r.Scope != "":
		ways = append(ways, openapi.Map[[]string]{{Name: keyScheme, Value: requiredScopes(r)}})
	case r.Caller:
		ways = append(ways, openapi.Map[[]string]{{Name: keyScheme, Value: []string{}}})
	}
	if isGuarded(r) {
		session := openapi.Map[[]string]{{Name: sessionScheme, Value: []string{}}}
		if r.Method != http.MethodGet {
			session.Set(csrfScheme, []string{})
		}
		ways = append(ways, session)
	}
	return ways
}

// isGuarded reports whether the route requires authentication.
func isGuarded(r route.Route) bool { return !r.Public() }

// maxPartID limits the ids of claims and segments, in characters.
const maxPartID = 100

// partIDs returns an example for each variable that is an id within a report or a transcript, and
// no UUID.
func partIDs() map[string]string { return map[string]string{"claimId": "c1", "segmentId": "s1"} }

var variable = regexp.MustCompile(`([^/]+)/\{([^}]+)\}`)

// pathParameters describes the variables of a path. Each is the id of the object named by the
// preceding segment. Paths of the same object share their first one.
func (b *builder) pathParameters(path string) []*openapi.Parameter {
	var list []*openapi.Parameter
	for _, match := range variable.FindAllStringSubmatch(path, -1) {
		p := &openapi.Parameter{
			Name: match[2], In: "path", Required: true, Schema: openapi.UUID(),
			Description: "The id of the " + objectOf(match[1]) + ".",
		}
		if example, ok := partIDs()[match[2]]; ok {
			p.Schema = openapi.Text(maxPartID)
			p.Schema.Examples = []any{example}
		}
		if match[2] == "id" {
			p = b.shareParameterAs(titleOf(objectOf(match[1]))+"ID", p)
		}
		list = append(list, p)
	}
	return list
}

// titleOf joins words to the name of a component.
func titleOf(words string) string {
	var name strings.Builder
	for word := range strings.FieldsSeq(words) {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}

// objectOf returns what the objects of a collection are called, by the segment of its path.
func objectOf(segment string) string {
	switch segment {
	case "api-keys":
		return "API key"
	case "claims":
		return "statement"
	case "deliveries":
		return "delivery"
	case "webhooks":
		return "webhook endpoint"
	}
	return strings.ReplaceAll(strings.TrimSuffix(segment, "s"), "-", " ")
}

// describeParameters describes the query and the headers of a route's requests.
func (b *builder) describeParameters(r route.Route) []*openapi.Parameter {
	names := []string{requestIDParameter}
	if r.Operation.Conditional {
		names = append(names, ifMatchParameter, ifNoneMatchParameter)
	}
	if isRepeatable(r) {
		names = append(names, idempotencyKeyParameter)
	}
	var list []*openapi.Parameter
	for _, name := range names {
		list = append(list, &openapi.Parameter{Ref: "#/components/parameters/" + name})
	}
	if r.Query == nil {
		return list
	}
	for _, p := range decode.DescribeQuery(func(q *decode.Query) { r.Query(q) }) {
		if p.Description == "" {
			b.noteFault(r.Method+" "+r.Path, "the parameter %s has no Note that says what it is", p.Name)
		}
		list = append(list, p)
	}
	return list
}

// shareParameterAs refers to the parameter with the name, which it adds if there is none. It returns
// a parameter that differs from that one as it is.
func (b *builder) shareParameterAs(name string, p *openapi.Parameter) *openapi.Parameter {
	before, ok := b.doc.Components.Parameters.Find(name)
	if !ok {
		b.doc.Components.Parameters.Set(name, p)
	} else if !reflect.DeepEqual(before, p) {
		return p
	}
	return &openapi.Parameter{Ref: "#/components/parameters/" + name}
}

// requestBody describes the body of a route's requests. It returns nil if the route reads none.
func (b *builder) requestBody(r route.Route) *openapi.RequestBody {
	o := r.Operation
	if !takesBody(r) {
		return nil
	}
	if r.Accepts == decode.MediaCSV {
		b.schemas.Set(o.Body.Name, &openapi.Schema{Type: openapi.Types{openapi.String}, MaxLength: bodyLimit(r), Description: o.Body.About, Examples: []any{csvExample}})
		return &openapi.RequestBody{Description: o.Body.About, Required: true, Content: b.contentOf(r.Accepts, o.Body.Name)}
	}
	if o.Body.Like != nil {
		schema := b.partialSchema(reflect.TypeOf(o.Body.Like))
		schema.Description = o.Body.About
		b.schemas.Set(o.Body.Name, schema)
		content := openapi.Map[openapi.Media]{{Name: mediaType, Value: openapi.Media{Schema: openapi.Reference(o.Body.Name), Example: o.Body.Like}}}
		return &openapi.RequestBody{Description: o.Body.About, Required: true, Content: content}
	}
	if o.Body.Read == nil {
		const name = "NoMembers"
		none := 0
		b.schemas.Set(name, &openapi.Schema{
			Type: openapi.Types{openapi.Object}, MaxProperties: &none,
			Description: "An empty object. The body is optional.",
		})
		return &openapi.RequestBody{Description: "No body is needed.", Content: b.jsonContent(name)}
	}
	schema := decode.Describe(o.Body.Read)
	schema.Description = o.Body.About
	b.checkNotes(o.Body.Name, schema)
	if o.Body.Name == "" || o.Body.About == "" {
		b.noteFault(r.Method+" "+r.Path, "its body lacks a name or a description")
	}
	if before, ok := b.schemas.Find(o.Body.Name); ok && !reflect.DeepEqual(before, schema) {
		b.noteFault(r.Method+" "+r.Path, "there is another schema of the name %s", o.Body.Name)
	}
	b.schemas.Set(o.Body.Name, schema)
	return &openapi.RequestBody{Description: o.Body.About, Required: !o.Body.Optional, Content: b.contentOf(cmp.Or(r.Accepts, mediaType), o.Body.Name)}
}

// csvExample is an example of a calendar, which is the only CSV body of a request.
const csvExample = "time,currency,impact,title\n2026-01-09T13:30:00Z,USD,high,Payrolls\n"

// bodyLimit returns the maximum length of a route's bodies.
func bodyLimit(r route.Route) *int {
	most := int(r.MaxBody)
	return &most
}

// partialSchema returns the schema of bodies that resemble responses of a type, with all members
// optional, including those of nested objects.
func (b *builder) partialSchema(t reflect.Type) *openapi.Schema {
	s := &openapi.Schema{Type: openapi.Types{openapi.Object}}
	b.addMembers(s, t)
	s.Required = nil
	for i := range t.NumField() {
		if inner := t.Field(i).Type; inner.Kind() == reflect.Struct {
			name := t.Field(i).Tag.Get("json")
			member, ok := s.Properties.Find(name)
			if !ok {
				continue // the members could not be read, which has been reported already
			}
			about := member.Description
			*member = *b.partialSchema(inner)
			member.Description = about
		}
	}
	return s
}

// takesBody reports whether requests of a route may have a body.
func takesBody(r route.Route) bool {
	return r.Method == http.MethodPost || r.Method == http.MethodPatch || r.Method == http.MethodPut
}

// checkNotes reports members of request bodies without a description.
func (b *builder) checkNotes(place string, s *openapi.Schema) {
	for _, p := range s.Properties {
		if p.Value.Description == "" {
			b.noteFault(place, "the member %s has no Note that says what it is", p.Name)
		}
		b.checkNotes(place+"."+p.Name, p.Value)
	}
}

func (b *builder) jsonContent(schema string) openapi.Map[openapi.Media] {
	return b.contentOf(mediaType, schema)
}

func (b *builder) contentOf(media, schema string) openapi.Map[openapi.Media] {
	return openapi.Map[openapi.Media]{{Name: media, Value: openapi.Media{Schema: openapi.Reference(schema)}}}
}

// checkTags reports tags without a description, and tags that are not used.
func (b *builder) checkTags() {
	used := make(map[string]bool)
	for _, item := range b.doc.Paths {
		for _, op := range operationsOf(item.Value) {
			used[op.Tags[0]] = true
		}
	}
	for _, t := range b.doc.Tags {
		if !used[t.Name] {
			b.noteFault("tag "+t.Name, "no operation has it")
		}
		delete(used, t.Name)
	}
	for name := range used {
		b.noteFault("tag "+name, "it is not described")
	}
}

// operationsOf lists the operations of a path.
func operationsOf(item *openapi.PathItem) []*openapi.Operation {
	list := []*openapi.Operation{item.Get, item.Put, item.Post, item.Patch, item.Delete}
	return slices.DeleteFunc(list, func(o *openapi.Operation) bool { return o == nil })
}
