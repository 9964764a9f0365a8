package event

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Field describes a member of an event's JSON.
type Field struct {
	Name     string
	About    string
	Type     string // object, array, string, boolean or integer
	Format   string // uuid, date-time, or empty
	Nullable bool
	Enum     []string // all possible values; nil if there is no restriction
	Example  any
	Fields   []Field // members of an object, or of the objects in an array
}

// Values of the examples.
const (
	exampleID   = "01980000-0000-7000-8000-000000000001"
	exampleTime = "2026-11-20T08:00:00.123456Z"
)

// DataName returns the name of the type of the event's data. Events with the same one have the same
// members.
func (d Definition) DataName() string { return reflect.TypeOf(d.data).Name() }

// Fields describes the whole event as it is sent, the envelope and the data.
func (d Definition) Fields() []Field {
	data := fieldsOf(reflect.TypeOf(d.data))
	return []Field{
		{Name: "id", About: "The id of the event. It is the same in each attempt and for every endpoint, and is also sent in the header webhook-id.", Type: "string", Example: "evt_01980000000070008000000000000004"},
		{Name: "type", About: "Event type.", Type: "string", Enum: []string{string(d.Kind)}, Example: string(d.Kind)},
		{Name: "timestamp", About: "When the event happened.", Type: "string", Format: "date-time", Example: exampleTime},
		{Name: "sequence", About: "A number that increases by one with each event for the endpoint, including skipped ones. A gap means that an event has not arrived.", Type: "integer", Example: 17},
		{Name: "data", About: "The event's object.", Type: "object", Fields: data, Example: exampleOf(data)},
	}
}

// Schema returns the JSON Schema (2020-12) of the whole event. Receivers should ignore members that
// it does not name, because members may be added.
func (d Definition) Schema() json.RawMessage {
	schema := objectSchema(d.Fields())
	schema["$schema"], schema["title"], schema["description"] = "https://json-schema.org/draft/2020-12/schema", string(d.Kind), d.Description
	return mustMarshal(schema)
}

// Example returns an example event of the kind.
func (d Definition) Example() json.RawMessage { return mustMarshal(exampleOf(d.Fields())) }

// mustMarshal encodes a value that contains only maps, texts and numbers.
func mustMarshal(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func objectSchema(fields []Field) map[string]any {
	properties, required := make(map[string]any, len(fields)), make([]string, 0, len(fields))
	for _, f := range fields {
		properties[f.Name] = f.jsonSchema()
		required = append(required, f.Name)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func (f Field) jsonSchema() map[string]any {
	s := map[string]any{"type": f.Type}
	switch f.Type {
	case "object":
		s = objectSchema(f.Fields)
	case "array":
		s["items"] = objectSchema(f.Fields)
	}
	if f.Nullable {
		s["type"] = []string{f.Type, "null"}
	}
	s["description"] = f.About
	if f.Format != "" {
		s["format"] = f.Format
	}
	switch {
	case f.Enum != nil && f.Nullable:
		values := []any{nil}
		for _, v := range f.Enum {
			values = append(values, v)
		}
		s["enum"] = values
	case f.Enum != nil:
		s["enum"] = f.Enum
	}
	return s
}

// fieldsOf describes the members of a struct.
func fieldsOf(t reflect.Type) []Field {
	fields := make([]Field, 0, t.NumField())
	for i := range t.NumField() {
		fields = append(fields, fieldOf(t.Field(i)))
	}
	return fields
}

func fieldOf(member reflect.StructField) Field {
	f := Field{Name: member.Tag.Get("json"), About: member.Tag.Get("about")}
	t := member.Type
	if t.Kind() == reflect.Pointer {
		f.Nullable, t = true, t.Elem()
	}
	switch {
	case t == reflect.TypeFor[uuid.UUID]():
		f.Type, f.Format, f.Example = "string", "uuid", exampleID
	case t == reflect.TypeFor[time.Time]():
		f.Type, f.Format, f.Example = "string", "date-time", exampleTime
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		f.Type, f.Example = "integer", 1
	case t.Kind() == reflect.Float64:
		f.Type, f.Example = "number", 1
	case t.Kind() == reflect.Bool:
		f.Type, f.Example = "boolean", false
	case t.Kind() == reflect.Slice:
		f.Type, f.Fields = "array", fieldsOf(t.Elem())
		f.Example = []any{exampleOf(f.Fields)}
	default:
		f.Type, f.Example = "string", ""
	}
	if enum := member.Tag.Get("enum"); enum != "" {
		f.Enum = strings.Split(strings.NewReplacer("@healths", healths, "@interviewStatuses", interviewStatuses).Replace(enum), ",")
		f.Example = f.Enum[0]
	}
	if example, given := member.Tag.Lookup("example"); given {
		f.Example = example
		var value any
		if f.Type != "string" || example == "null" {
			if json.Unmarshal([]byte(example), &value) == nil {
				f.Example = value
			}
		}
	}
	return f
}

func exampleOf(fields []Field) map[string]any {
	example := make(map[string]any, len(fields))
	for _, f := range fields {
		example[f.Name] = f.Example
	}
	return example
}
