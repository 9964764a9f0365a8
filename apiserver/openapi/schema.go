package openapi

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Names of JSON types.
const (
	Array   = "array"
	Boolean = "boolean"
	Integer = "integer"
	Null    = "null"
	Number  = "number"
	Object  = "object"
	String  = "string"
)

// Schema is a JSON Schema (2020-12) with the keywords that the document needs.
type Schema struct {
	Ref         string `json:"$ref,omitzero"`
	Description string `json:"description,omitzero"` // Markdown
	Type        Types  `json:"type,omitempty"`
	Format      string `json:"format,omitzero"`
	MediaType   string `json:"contentMediaType,omitzero"` // media type of a text that holds a file
	Pattern     string `json:"pattern,omitzero"`
	Enum        []any  `json:"enum,omitempty"` // all possible values, including null if it is possible
	// Known are the values of an extensible enumeration: others may be added.
	Known      []string     `json:"x-extensible-enum,omitempty"`
	MinLength  *int         `json:"minLength,omitzero"` // in characters
	MaxLength  *int         `json:"maxLength,omitzero"`
	Minimum    *int64       `json:"minimum,omitzero"`
	Maximum    *int64       `json:"maximum,omitzero"`
	Items      *Schema      `json:"items,omitzero"`
	MinItems   *int         `json:"minItems,omitzero"`
	MaxItems   *int         `json:"maxItems,omitzero"`
	Unique     bool         `json:"uniqueItems,omitzero"`
	Properties Map[*Schema] `json:"properties,omitempty"`
	Required   []string     `json:"required,omitempty"`
	// Additional is the schema of additional members. If it is nil, a schema of objects allows
	// none, unless it is Open.
	Additional *Schema `json:"-"`
	// Open allows any additional members: what the API sends may have more of them one day.
	Open          bool      `json:"-"`
	MaxProperties *int      `json:"maxProperties,omitzero"`
	AnyOf         []*Schema `json:"anyOf,omitempty"`
	OneOf         []*Schema `json:"oneOf,omitempty"`
	// Discriminator tells which schema of OneOf a value has.
	Discriminator *Discriminator `json:"discriminator,omitzero"`
	Default       any            `json:"default,omitzero"`
	Examples      []any          `json:"examples,omitempty"`
}

// Discriminator names the member whose value selects a schema.
type Discriminator struct {
	PropertyName string      `json:"propertyName"`
	Mapping      Map[string] `json:"mapping"` // references to schemas by the member's values
}

// plain is a Schema without its methods.
type plain Schema

// MarshalJSONTo implements json.MarshalerTo.
func (s Schema) MarshalJSONTo(e *jsontext.Encoder) error {
	var additional any
	switch {
	case s.Additional != nil:
		additional = s.Additional
	case slices.Contains(s.Type, Object) && !s.Open:
		additional = false
	}
	return json.MarshalEncode(e, struct {
		plain      `json:",inline"`
		Additional any `json:"additionalProperties,omitzero"`
	}{plain(s), additional})
}

// Types are the JSON types of a value. A single one is encoded as a string.
type Types []string

// MarshalJSONTo implements json.MarshalerTo.
func (t Types) MarshalJSONTo(e *jsontext.Encoder) error {
	if len(t) == 1 {
		return e.WriteToken(jsontext.String(t[0]))
	}
	return json.MarshalEncode(e, []string(t))
}

// Nullable returns a schema that also allows null.
func (s Schema) Nullable() *Schema {
	switch {
	case s.Takes(Null):
		return &s
	case s.Ref != "":
		return &Schema{Description: s.Description, AnyOf: []*Schema{{Ref: s.Ref}, {Type: Types{Null}}}}
	}
	s.Type = append(slices.Clone(s.Type), Null)
	if s.Enum != nil {
		s.Enum = append(slices.Clone(s.Enum), nil)
	}
	return &s
}

const schemasPath = "#/components/schemas/"

// Reference returns a schema that refers to one among the document's components.
func Reference(name string) *Schema { return &Schema{Ref: schemasPath + name} }

// Referred returns the name in a reference to a schema.
func (s Schema) Referred() string { return strings.TrimPrefix(s.Ref, schemasPath) }

// Takes reports whether values may have the JSON type.
func (s Schema) Takes(jsonType string) bool {
	return slices.Contains(s.Type, jsonType) || slices.ContainsFunc(s.AnyOf, func(o *Schema) bool { return o.Takes(jsonType) })
}

// noNUL is the pattern of any text without NUL, the only character that cannot be stored.
const noNUL = `^[^\x00]*$`

// Text returns the schema of a text of at most longest characters.
func Text(longest int) *Schema {
	return &Schema{Type: Types{String}, Pattern: noNUL, MaxLength: &longest}
}

// Binary returns the schema of a file in a form.
func Binary() *Schema {
	longest := longestFile
	return &Schema{Type: Types{String}, MediaType: "application/octet-stream", MaxLength: &longest}
}

// longestFile limits files in forms, in bytes: it is that of a CSV file, whose bytes are stored
// in the database.
const longestFile = 64 << 20

// Whole returns the schema of a whole number from low to high.
func Whole(low, high int64) *Schema {
	format := "int32"
	if low < -1<<31 || high > 1<<31-1 {
		format = "int64"
	}
	return &Schema{Type: Types{Integer}, Format: format, Minimum: &low, Maximum: &high}
}

// Float returns the schema of an inexact number, with limits if there are any.
func Float(low, high *int64) *Schema {
	return &Schema{Type: Types{Number}, Format: "double", Minimum: low, Maximum: high}
}

// Choice returns the schema of one of the given words.
func Choice(words ...string) *Schema {
	s := &Schema{Type: Types{String}}
	for _, word := range words {
		s.Enum = append(s.Enum, word)
	}
	return s
}

// List returns the schema of an array of at most longest items.
func List(item *Schema, longest int) *Schema {
	return &Schema{Type: Types{Array}, Items: item, MaxItems: &longest}
}

// UUID returns the schema of an id in canonical form.
func UUID() *Schema {
	length := 36
	return &Schema{Type: Types{String}, Format: "uuid", MinLength: &length, MaxLength: &length}
}

// Time returns the schema of a time (RFC 3339).
func Time() *Schema {
	longest := len("2006-01-02T15:04:05.999999999+00:00")
	return &Schema{Type: Types{String}, Format: "date-time", MaxLength: &longest}
}

// Truth returns the schema of a boolean.
func Truth() *Schema { return &Schema{Type: Types{Boolean}} }

// Decimal returns the schema of a number of any precision.
func Decimal() *Schema { return &Schema{Type: Types{Number}} }
