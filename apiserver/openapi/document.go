package openapi

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Document is an OpenAPI document.
type Document struct {
	OpenAPI    string          `json:"openapi"`
	Info       Info            `json:"info"`
	Servers    []Server        `json:"servers"`
	Security   []Map[[]string] `json:"security"` // by scheme, the scopes that a key must hold
	Tags       []Tag           `json:"tags"`
	Paths      Map[*PathItem]  `json:"paths"`
	Webhooks   Map[*PathItem]  `json:"webhooks"` // what the API sends, by kind
	Components Components      `json:"components"`
}

// Info describes the API.
type Info struct {
	Title          string  `json:"title"`
	Version        string  `json:"version"`
	Summary        string  `json:"summary"`
	Description    string  `json:"description"`
	TermsOfService string  `json:"termsOfService,omitzero"`
	Contact        Contact `json:"contact"`
	License        License `json:"license"`
}

// Contact says whom to ask.
type Contact struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// License is the license of the API's code.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"` // SPDX
}

// Server is where the API is served.
type Server struct {
	URL         string `json:"url"`
	Description string `json:"description"`
	Internal    bool   `json:"x-internal"` // whether only the operator's own programs may call it
}

// Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// PathItem is the operations of a path.
type PathItem struct {
	Parameters []*Parameter `json:"parameters,omitempty"`
	Get        *Operation   `json:"get,omitzero"`
	Put        *Operation   `json:"put,omitzero"`
	Post       *Operation   `json:"post,omitzero"`
	Patch      *Operation   `json:"patch,omitzero"`
	Delete     *Operation   `json:"delete,omitzero"`
}

// Operation describes a method of a path.
type Operation struct {
	OperationID string          `json:"operationId"`
	Summary     string          `json:"summary"`
	Description string          `json:"description"`
	Deprecated  bool            `json:"deprecated,omitzero"`
	Tags        []string        `json:"tags"`
	Security    []Map[[]string] `json:"security"`
	Parameters  []*Parameter    `json:"parameters,omitempty"`
	RequestBody *RequestBody    `json:"requestBody,omitzero"`
	Responses   Map[*Answer]    `json:"responses"`
}

// Parameter is a value in the path, the query or the header of a request.
type Parameter struct {
	Ref         string  `json:"$ref,omitzero"`
	Name        string  `json:"name,omitzero"`
	In          string  `json:"in,omitzero"`
	Description string  `json:"description,omitzero"`
	Required    bool    `json:"required,omitzero"`
	Schema      *Schema `json:"schema,omitzero"`
	Example     any     `json:"example,omitzero"`
}

// RequestBody is the body of a request.
type RequestBody struct {
	Description string     `json:"description"`
	Required    bool       `json:"required,omitzero"`
	Content     Map[Media] `json:"content"`
}

// Media describes a body in one media type.
type Media struct {
	Schema   *Schema      `json:"schema,omitzero"`
	Example  any          `json:"example,omitzero"`
	Examples Map[Example] `json:"examples,omitempty"`
}

// Example is an example of a body, or refers to one among the document's components.
type Example struct {
	Ref         string `json:"$ref,omitzero"`
	Summary     string `json:"summary,omitzero"`
	Description string `json:"description,omitzero"`
	Value       any    `json:"value,omitzero"`
}

// Answer describes a response.
type Answer struct {
	Ref         string       `json:"$ref,omitzero"`
	Description string       `json:"description,omitzero"`
	Headers     Map[*Header] `json:"headers,omitempty"`
	Content     Map[Media]   `json:"content,omitempty"`
}

// Header describes a header of a response.
type Header struct {
	Ref         string  `json:"$ref,omitzero"`
	Description string  `json:"description,omitzero"`
	Required    bool    `json:"required,omitzero"`
	Schema      *Schema `json:"schema,omitzero"`
	Example     any     `json:"example,omitzero"`
}

// Components are the named parts of the document.
type Components struct {
	SecuritySchemes Map[SecurityScheme] `json:"securitySchemes"`
	Parameters      Map[*Parameter]     `json:"parameters,omitempty"`
	Headers         Map[*Header]        `json:"headers,omitempty"`
	Responses       Map[*Answer]        `json:"responses,omitempty"`
	Examples        Map[Example]        `json:"examples,omitempty"`
	Schemas         Map[*Schema]        `json:"schemas,omitempty"`
}

// SecurityScheme is a way to authenticate.
type SecurityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme,omitzero"` // of the type http
	In          string `json:"in,omitzero"`     // of the type apiKey
	Name        string `json:"name,omitzero"`
	Description string `json:"description"`
}

// Text returns the document as it is committed: indented, and always the same for the same
// document.
func (d *Document) Text() ([]byte, error) {
	text, err := json.Marshal(d, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}
