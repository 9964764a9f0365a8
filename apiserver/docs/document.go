package docs

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/openapi"
)

// document is the part of the OpenAPI document that the reference shows.
type document struct {
	Info struct {
		Description string `json:"description"`
	} `json:"info"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Paths      openapi.Map[pathItem] `json:"paths"`
	Webhooks   openapi.Map[pathItem] `json:"webhooks"`
	Components struct {
		Parameters map[string]parameter `json:"parameters"`
		Responses  map[string]response  `json:"responses"`
		Examples   map[string]example   `json:"examples"`
		Schemas    openapi.Map[*schema] `json:"schemas"`
	} `json:"components"`
}

// pathItem is what the document says of a path.
type pathItem struct {
	Parameters []parameter `json:"parameters"`
	Get        *operation  `json:"get"`
	Put        *operation  `json:"put"`
	Post       *operation  `json:"post"`
	Patch      *operation  `json:"patch"`
	Delete     *operation  `json:"delete"`
}

// listOperations returns the operations of a path with their methods.
func (p pathItem) listOperations() []openapi.Member[*operation] {
	all := []openapi.Member[*operation]{{Name: "GET", Value: p.Get}, {Name: "POST", Value: p.Post}, {Name: "PUT", Value: p.Put}, {Name: "PATCH", Value: p.Patch}, {Name: "DELETE", Value: p.Delete}}
	var list []openapi.Member[*operation]
	for _, m := range all {
		if m.Value != nil {
			list = append(list, m)
		}
	}
	return list
}

// operation is a method of a path.
type operation struct {
	ID          string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Deprecated  bool                  `json:"deprecated"`
	Tags        []string              `json:"tags"`
	Security    []map[string][]string `json:"security"`
	Parameters  []parameter           `json:"parameters"`
	Body        *body                 `json:"requestBody"`
	Responses   openapi.Map[response] `json:"responses"`
}

// parameter is a value in the path, the query or the header of a request, or refers to one.
type parameter struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Schema      *schema `json:"schema"`
}

// body is the body of a request.
type body struct {
	Description string             `json:"description"`
	Required    bool               `json:"required"`
	Content     openapi.Map[media] `json:"content"`
}

// response is a response, or refers to one.
type response struct {
	Ref         string                      `json:"$ref"`
	Description string                      `json:"description"`
	Headers     openapi.Map[jsontext.Value] `json:"headers"`
	Content     openapi.Map[media]          `json:"content"`
}

// media is a body in one media type.
type media struct {
	Schema   *schema              `json:"schema"`
	Example  jsontext.Value       `json:"example"`
	Examples openapi.Map[example] `json:"examples"`
}

// example is an example of a body, or refers to one.
type example struct {
	Ref   string         `json:"$ref"`
	Value jsontext.Value `json:"value"`
}

// schema is a JSON Schema.
type schema struct {
	Ref         string               `json:"$ref"`
	Description string               `json:"description"`
	Type        names                `json:"type"`
	Format      string               `json:"format"`
	Enum        []any                `json:"enum"`
	Known       []string             `json:"x-extensible-enum"`
	MinLength   *int                 `json:"minLength"`
	MaxLength   *int                 `json:"maxLength"`
	Minimum     *int64               `json:"minimum"`
	Maximum     *int64               `json:"maximum"`
	Items       *schema              `json:"items"`
	MaxItems    *int                 `json:"maxItems"`
	Properties  openapi.Map[*schema] `json:"properties"`
	Required    []string             `json:"required"`
	Additional  additional           `json:"additionalProperties"`
	AnyOf       []*schema            `json:"anyOf"`
	OneOf       []*schema            `json:"oneOf"`
	Default     jsontext.Value       `json:"default"`
}

// names are one name or several.
type names []string

// UnmarshalJSON implements json.Unmarshaler.
func (n *names) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		*n = names{strings.Trim(string(text), `"`)}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(n))
}

// additional is the schema of members whose names are not fixed. It is nil where the document says only whether
// there may be any.
type additional struct{ *schema }

// UnmarshalJSON implements json.Unmarshaler.
func (a *additional) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return nil
	}
	return json.Unmarshal(text, &a.schema)
}

// nameIn returns the name in a reference.
func nameIn(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// isChoice reports whether the schema lists the values of an enumeration.
func (s *schema) isChoice() bool { return s != nil && (s.Enum != nil || s.Known != nil) }

// inlineChoices puts the values of enumerations where the document refers to them, because that is where readers look
// for them.
func (d *document) inlineChoices() {
	for _, s := range d.Components.Schemas {
		d.inlineChoicesIn(s.Value)
	}
	for _, p := range d.Components.Parameters {
		d.inlineChoicesIn(p.Schema)
	}
	for _, item := range d.Paths {
		for _, op := range item.Value.listOperations() {
			for _, p := range op.Value.Parameters {
				d.inlineChoicesIn(p.Schema)
			}
		}
	}
}

func (d *document) inlineChoicesIn(s *schema) {
	if s == nil {
		return
	}
	for _, one := range append([]*schema{s}, s.AnyOf...) {
		choice, _ := d.Components.Schemas.Find(nameIn(one.Ref))
		if !choice.isChoice() {
			continue
		}
		_, values, listed := strings.Cut(choice.Description, "\n- ")
		if listed {
			s.Description += "\n- " + values
		}
		s.Ref, s.AnyOf, s.Type, s.Enum, s.Known = "", nil, choice.Type, choice.Enum, choice.Known
		if one != s {
			s.Type = append(slices.Clone(s.Type), openapi.Null)
		}
		return
	}
	for _, member := range s.Properties {
		d.inlineChoicesIn(member.Value)
	}
	for _, inner := range slices.Concat([]*schema{s.Items, s.Additional.schema}, s.AnyOf, s.OneOf) {
		d.inlineChoicesIn(inner)
	}
}

// parameterOf returns a parameter, also one that is referred to.
func (d *document) parameterOf(p parameter) parameter {
	if p.Ref != "" {
		return d.Components.Parameters[nameIn(p.Ref)]
	}
	return p
}

// responseOf returns a response, also one that is referred to.
func (d *document) responseOf(r response) response {
	if r.Ref != "" {
		return d.Components.Responses[nameIn(r.Ref)]
	}
	return r
}

// exampleOf returns the first example of a body.
func (d *document) exampleOf(m media) jsontext.Value {
	if m.Example != nil || len(m.Examples) == 0 {
		return m.Example
	}
	e := m.Examples[0].Value
	if e.Ref != "" {
		e = d.Components.Examples[nameIn(e.Ref)]
	}
	return e.Value
}
