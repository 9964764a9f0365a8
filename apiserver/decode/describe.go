package decode

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/problem"
)

// Note documents a value beyond what the OpenAPI document can derive from the call that reads it:
// its meaning, and what the code checks beyond the call's limits. Zero fields add nothing.
type Note struct {
	About   string // description in Markdown
	Example any
	Default any      // meaning of an absent value, if it is a value
	Format  string   // format of a text, such as "uri"
	Pattern string   // pattern of a text; a regular expression with the same meaning in Go and ECMAScript
	Least   int      // length of the shortest text, or the fewest items
	Unique  bool     // no duplicate items
	Values  []string // values that a text may have; the code must check that
	Each    *Note    // note on an array's items
}

func (n Note) applyTo(s *openapi.Schema) {
	if n.Values != nil {
		choice := openapi.Choice(n.Values...)
		if s.Takes(openapi.Null) {
			choice = choice.Nullable()
		}
		choice.Description, choice.Examples = s.Description, s.Examples
		*s = *choice
	}
	if n.About != "" {
		s.Description = n.About
	}
	if n.Example != nil {
		s.Examples = []any{n.Example}
	}
	if n.Default != nil {
		s.Default = n.Default
	}
	if n.Format != "" {
		s.Format = n.Format
	}
	if n.Pattern != "" {
		s.Pattern = n.Pattern
	}
	if n.Least != 0 && s.Takes(openapi.Array) {
		s.MinItems = &n.Least
	} else if n.Least != 0 {
		s.MinLength = &n.Least
	}
	s.Unique = s.Unique || n.Unique
	if n.Each != nil && s.Items != nil {
		n.Each.applyTo(s.Items)
	}
}

// Describe returns the schema of the bodies that read accepts. It runs read on an empty object
// that records what read asks for. Nested objects are present, and empty as well.
func Describe(read func(*Object)) *openapi.Schema {
	o := newObject(problem.Pointer{}, new(Faults), jsontext.Value("{}"))
	o.schema = &openapi.Schema{Type: openapi.Types{openapi.Object}}
	read(o)
	return o.schema
}

// describeMember records a member and reports whether the object records at all. A member may be
// null unless Require or RefuseNull is called.
func (o *Object) describeMember(name string, schema func() *openapi.Schema) bool {
	if o.schema == nil {
		return false
	}
	o.schema.Properties.Set(name, schema().Nullable())
	return true
}

func (o *Object) describeObject(name string) *Object {
	o.describeMember(name, func() *openapi.Schema { return &openapi.Schema{Type: openapi.Types{openapi.Object}} })
	inner := newObject(o.Pointer(name), o.Faults, jsontext.Value("{}"))
	inner.schema, _ = o.schema.Properties.Find(name)
	return inner
}

func (o *Object) describeNotNull(name string) {
	schema, ok := o.schema.Properties.Find(name)
	if !ok {
		return
	}
	schema.Type = slices.DeleteFunc(schema.Type, func(t string) bool { return t == openapi.Null })
	schema.Enum = slices.DeleteFunc(schema.Enum, func(v any) bool { return v == nil })
}

// Note adds documentation to a member that has been read. It only affects the document.
func (o *Object) Note(name string, note Note) {
	if o.schema == nil {
		return
	}
	if schema, ok := o.schema.Properties.Find(name); ok {
		note.applyTo(schema)
	}
}

// DescribeQuery returns the query parameters that read accepts. It runs read on an empty query
// that records what read asks for.
func DescribeQuery(read func(*Query)) []*openapi.Parameter {
	q := NewQuery(&http.Request{URL: new(url.URL)})
	q.parameters = new([]*openapi.Parameter)
	read(q)
	return *q.parameters
}

// describeParameter records a parameter and reports whether the query records at all.
func (q *Query) describeParameter(name string, schema func() *openapi.Schema) bool {
	if q.parameters == nil {
		return false
	}
	*q.parameters = append(*q.parameters, &openapi.Parameter{Name: name, In: "query", Schema: schema()})
	return true
}

// Note adds documentation to a parameter that has been read. It only affects the document.
func (q *Query) Note(name string, note Note) {
	if q.parameters == nil {
		return
	}
	for _, p := range *q.parameters {
		if p.Name == name {
			p.Description = note.About
			note.About = ""
			note.applyTo(p.Schema)
		}
	}
}
