package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/openapi"
)

// maxWhole is the largest whole number that every JSON parser represents exactly.
const maxWhole = 1<<53 - 1

// openName is the pattern of names in extensible enumerations.
const openName = `^[a-z][a-z0-9_]*$`

// openPair is the pattern of such names that begin with their kind, such as api_key.created.
const openPair = `^[a-z][a-z0-9_]*[.][a-z][a-z0-9_]*$`

// wire derives the schemas of responses from the Go types that they are encoded from.
//
// The field tag api says what a type cannot, separated by commas: max (of a
// text's characters, of a number), min, items (the most that an array or an
// object holds), of (a named string type whose constants are the values), open
// (there may be other values one day), schema (the name of the schema of a JSON
// value that is passed through), nonnull, format, float (a number that is
// computed and not exact; the tag in of a threshold also means that, with its
// least and its greatest value). A pattern and an example have tags of their own.
type wire struct {
	src     *source
	schemas openapi.Map[*openapi.Schema] // schemas with a name
	faults  []error
}

// tag holds the tags of a field.
type tag struct {
	max, min        *int64
	items           *int
	of, schema      string
	open, nonnull   bool
	float           bool
	format, pattern string
	example         *string
}

// answerSchema returns the schema of responses encoded from values of the type.
func (w *wire) answerSchema(t reflect.Type) *openapi.Schema {
	return w.schemaOf(t, tag{}, t.String())
}

// noteFault records that the type or field at a place cannot be described.
func (w *wire) noteFault(place, format string, args ...any) {
	w.faults = append(w.faults, fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...)))
}

// Types with their own form in JSON.
var (
	uuidType  = reflect.TypeFor[uuid.UUID]()
	timeType  = reflect.TypeFor[time.Time]()
	valueType = reflect.TypeFor[jsontext.Value]()
	marshaler = reflect.TypeFor[json.Marshaler]()
	streamer  = reflect.TypeFor[json.MarshalerTo]()
)

func (w *wire) schemaOf(t reflect.Type, g tag, place string) *openapi.Schema {
	switch {
	case t == uuidType:
		return openapi.UUID()
	case t == timeType:
		return openapi.Time()
	case t == valueType && g.schema != "":
		return makeNullable(openapi.Reference(g.schema), g)
	case t == valueType:
		return makeNullable(freeObject(), g)
	case isNumberText(t):
		return makeNullable(openapi.Decimal(), g)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return w.schemaOf(t.Elem(), g, place).Nullable()
	case reflect.Slice:
		return w.listSchema(t, g, place)
	case reflect.Map:
		return w.dictionarySchema(t, g, place)
	case reflect.Struct:
		return w.objectSchema(t, place)
	case reflect.String:
		return w.textSchema(t, g, place)
	case reflect.Bool:
		return openapi.Truth()
	case reflect.Int, reflect.Int32, reflect.Int64:
		return wholeSchema(t, g)
	case reflect.Float64:
		if g.float {
			return openapi.Float(g.min, g.max)
		}
	case reflect.Array:
		s := openapi.List(w.schemaOf(t.Elem(), g, place), t.Len())
		s.MinItems = s.MaxItems
		return s
	case reflect.Interface:
		return anyScalar()
	}
	w.noteFault(place, "values of type %s cannot be described", t)
	return &openapi.Schema{}
}

// isNumberText reports whether values of the type are numbers that are stored as text.
func isNumberText(t reflect.Type) bool {
	return t.Kind() == reflect.String && (t.Implements(marshaler) || t.Implements(streamer))
}

func makeNullable(s *openapi.Schema, g tag) *openapi.Schema {
	if g.nonnull {
		return s
	}
	return s.Nullable()
}

// freeObject is the schema of an object that the API passes through unchanged.
func freeObject() *openapi.Schema {
	return &openapi.Schema{Type: openapi.Types{openapi.Object}, Additional: &openapi.Schema{}}
}

// anyScalar is the schema of a value that is no object and no array. It lists the types as
// alternatives because generators of Go clients know no schema of several types.
func anyScalar() *openapi.Schema {
	longest := 1000
	return &openapi.Schema{AnyOf: []*openapi.Schema{
		{Type: openapi.Types{openapi.String}, MaxLength: &longest},
		{Type: openapi.Types{openapi.Number}},
		{Type: openapi.Types{openapi.Boolean}},
		{Type: openapi.Types{openapi.Null}},
	}}
}

func (w *wire) listSchema(t reflect.Type, g tag, place string) *openapi.Schema {
	if g.items == nil {
		w.noteFault(place, "say items in its api tag: how many there are at most")
		g.items = new(int)
	}
	items := *g.items
	g.items = nil
	return openapi.List(w.schemaOf(t.Elem(), g, place), items)
}

func (w *wire) dictionarySchema(t reflect.Type, g tag, place string) *openapi.Schema {
	if g.items == nil {
		w.noteFault(place, "say items in its api tag: how many there are at most")
	}
	s := &openapi.Schema{Type: openapi.Types{openapi.Object}, MaxProperties: g.items}
	g.items = nil
	s.Additional = w.schemaOf(t.Elem(), g, place)
	return s
}

func wholeSchema(t reflect.Type, g tag) *openapi.Schema {
	low, high := int64(0), int64(1<<31-1)
	if t.Kind() == reflect.Int64 {
		high = maxWhole
	}
	if g.min != nil {
		low = *g.min
	}
	if g.max != nil {
		high = *g.max
	}
	return openapi.Whole(low, high)
}

// textSchema describes a string: either one of a named type's constants, or any text.
func (w *wire) textSchema(t reflect.Type, g tag, place string) *openapi.Schema {
	path, name := t.PkgPath(), t.Name()
	if g.of != "" {
		folder, typeName, _ := strings.Cut(g.of, ".")
		path, name = module+"/"+folder, typeName
	}
	if path == "" {
		return w.freeTextSchema(g, place)
	}
	c, err := w.src.commentsOf(path)
	if err != nil {
		w.noteFault(place, "%v", err)
		return &openapi.Schema{}
	}
	values := c.values[name]
	if len(values) == 0 {
		return w.freeTextSchema(g, place)
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = v.text
	}
	s := openapi.Choice(words...)
	if g.open {
		s = openapi.Text(100)
		s.Pattern, s.Known = openName, words
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(word, ".") }) {
			s.Pattern = openPair
		}
	}
	s.Description = listValues(values)
	return s
}

// listValues describes the values that have a comment.
func listValues(values []value) string {
	var b strings.Builder
	for _, v := range values {
		if v.about != "" {
			fmt.Fprintf(&b, "\n- `%s`: %s", v.text, v.about)
		}
	}
	return b.String()
}

func (w *wire) freeTextSchema(g tag, place string) *openapi.Schema {
	if g.max == nil {
		w.noteFault(place, "say max in its api tag: of how many characters a text has at most")
		g.max = new(int64)
	}
	s := openapi.Text(int(*g.max))
	if g.min != nil {
		least := int(*g.min)
		s.MinLength = &least
	}
	if g.pattern != "" {
		s.Pattern = g.pattern
	}
	if g.format != "" {
		s.Format, s.Pattern = g.format, g.pattern
	}
	if g.open {
		s.Pattern = openName
	}
	return s
}

// objectSchema returns a reference to the named schema of a struct, which it creates on the first
// call.
func (w *wire) objectSchema(t reflect.Type, place string) *openapi.Schema {
	name, about, err := w.nameOf(t)
	if err != nil {
		w.noteFault(place, "%v", err)
		return &openapi.Schema{}
	}
	ref := openapi.Reference(name)
	if _, made := w.schemas.Find(name); made {
		return ref
	}
	s := &openapi.Schema{Type: openapi.Types{openapi.Object}, Description: about}
	w.schemas.Set(name, s)
	w.addMembers(s, t)
	return ref
}

// nameOf returns the name of a struct's schema: the one in its directive, or otherwise the type's
// name without Body. For a generic type, that is appended to the name of its argument.
func (w *wire) nameOf(t reflect.Type) (name, about string, err error) {
	c, err := w.src.ofType(t)
	if err != nil {
		return "", "", err
	}
	plain, _, generic := strings.Cut(t.Name(), "[")
	name = c.names[plain]
	if name == "" {
		name = strings.TrimSuffix(plain, "Body")
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	about = c.types[plain]
	if about == "" {
		return "", "", errors.New("the type has no comment")
	}
	if generic {
		if t.NumField() == 0 || t.Field(0).Type.Kind() != reflect.Slice || t.Field(0).Type.Elem().Kind() != reflect.Struct {
			return "", "", errors.New("a generic type must begin with a list of what it is for")
		}
		of, _, err := w.nameOf(t.Field(0).Type.Elem())
		return of + name, about, err
	}
	return name, about, nil
}

// addMembers adds the fields of a struct to its schema, and those of embedded structs in their
// place.
func (w *wire) addMembers(s *openapi.Schema, t reflect.Type) {
	c, err := w.src.ofType(t)
	if err != nil {
		w.noteFault(t.String(), "%v", err)
		return
	}
	plain, _, _ := strings.Cut(t.Name(), "[")
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			w.addMembers(s, field.Type)
			continue
		}
		place := fmt.Sprintf("%s.%s", t, field.Name)
		g, err := readTag(field.Tag)
		if err != nil {
			w.noteFault(place, "%v", err)
		}
		member := w.schemaOf(field.Type, g, place)
		about := c.fields[plain][field.Name]
		if about == "" {
			w.noteFault(place, "the field has no comment")
		}
		member.Description = strings.TrimSpace(about + "\n" + member.Description)
		if g.example != nil {
			member.Examples = []any{w.readExample(*g.example, field.Type, place)}
		}
		s.Properties.Set(name, member)
		if !slices.Contains(strings.Split(options, ","), "omitzero") && !slices.Contains(strings.Split(options, ","), "omitempty") {
			s.Required = append(s.Required, name)
		}
	}
}

// readExample reads the tag named example: strings literally, everything else as JSON.
func (w *wire) readExample(text string, t reflect.Type, place string) any {
	if t.Kind() == reflect.Pointer && text != "null" {
		t = t.Elem()
	}
	if t.Kind() == reflect.String && !isNumberText(t) {
		return text
	}
	v := jsontext.Value(text)
	if !v.IsValid() {
		w.noteFault(place, "the example is no JSON: %s", text)
		return nil
	}
	return v
}

func readTag(t reflect.StructTag) (g tag, err error) {
	g.pattern = t.Get("pattern")
	if low, high, bounded := strings.Cut(t.Get("in"), ","); bounded {
		least, err := strconv.ParseInt(low, 10, 64)
		if err != nil {
			return g, err
		}
		greatest, err := strconv.ParseInt(high, 10, 64)
		if err != nil {
			return g, err
		}
		g.min, g.max, g.float = &least, &greatest, true
	}
	if text, ok := t.Lookup("example"); ok {
		g.example = &text
	}
	for _, option := range strings.Split(t.Get("api"), ",") {
		key, text, _ := strings.Cut(option, "=")
		switch key {
		case "":
		case "max", "min":
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return g, err
			}
			if key == "max" {
				g.max = &n
			} else {
				g.min = &n
			}
		case "items":
			n, err := strconv.Atoi(text)
			if err != nil {
				return g, err
			}
			g.items = &n
		case "of":
			g.of = text
		case "schema":
			g.schema = text
		case "format":
			g.format = text
		case "float":
			g.float = true
		case "open":
			g.open = true
		case "nonnull":
			g.nonnull = true
		default:
			return g, fmt.Errorf("the api tag has no option %s", key)
		}
	}
	return g, nil
}
