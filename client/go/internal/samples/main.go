// Command samples writes how each operation is called with this client, for the reference at /docs. It reads the
// API's document and the methods of Client, so a sample has the types that the client has.
//
//	samples openapi.json samples.json
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	assay "github.com/assayhq/assay/client/go"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: samples openapi.json samples.json")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "samples:", err)
		os.Exit(1)
	}
}

// document is the part of the OpenAPI document that the samples need.
type document struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Examples map[string]struct {
			Value json.RawMessage `json:"value"`
		} `json:"examples"`
	} `json:"components"`
}

// operation is the part of an operation that the samples need.
type operation struct {
	ID   string `json:"operationId"`
	Body struct {
		Content map[string]struct {
			Example  json.RawMessage `json:"example"`
			Examples map[string]struct {
				Ref   string          `json:"$ref"`
				Value json.RawMessage `json:"value"`
			} `json:"examples"`
		} `json:"content"`
	} `json:"requestBody"`
}

func run(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	samples := map[string]string{}
	for path, item := range d.Paths {
		for method, raw := range item {
			if method == "parameters" {
				continue
			}
			var op operation
			if err := json.Unmarshal(raw, &op); err != nil {
				return fmt.Errorf("%s %s: %w", method, path, err)
			}
			sample, err := writeSample(op, path, d.exampleOf(op))
			if err != nil {
				return fmt.Errorf("%s: %w", op.ID, err)
			}
			if sample != "" {
				samples[op.ID] = sample
			}
		}
	}
	out, err := json.MarshalIndent(samples, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(to, append(out, '\n'), 0o644) //nolint:gosec // a source file
}

// exampleOf returns the example of an operation's body as JSON, or nothing.
func (d *document) exampleOf(op operation) json.RawMessage {
	media := op.Body.Content["application/json"]
	if media.Example != nil {
		return media.Example
	}
	for _, e := range media.Examples {
		if e.Value != nil {
			return e.Value
		}
		return d.Components.Examples[strings.TrimPrefix(e.Ref, "#/components/examples/")].Value
	}
	return nil
}

// methodOf returns the method of Client for an operation. Operations for the pages alone have none.
func methodOf(id string) (m reflect.Method, ok bool) {
	if id == "streamChanges" {
		id = "Changes"
	}
	t := reflect.TypeFor[*assay.Client]()
	for i := range t.NumMethod() {
		if strings.EqualFold(t.Method(i).Name, id) {
			return t.Method(i), true
		}
	}
	return m, false
}

// writeSample writes the sample of an operation.
func writeSample(op operation, path string, example json.RawMessage) (string, error) {
	m, ok := methodOf(op.ID)
	if !ok {
		return "", nil
	}
	name := m.Name
	list := strings.HasPrefix(name, "List")
	if all, found := reflect.TypeFor[*assay.Client]().MethodByName("All" + strings.TrimPrefix(name, "List")); list && found {
		m, name = all, all.Name
	}
	var before, arguments []string
	places := placesOf(path)
	for i := 1; i < m.Type.NumIn(); i++ {
		switch in := m.Type.In(i); {
		case in == reflect.TypeFor[context.Context]():
			arguments = append(arguments, "ctx")
		case m.Type.IsVariadic() && i == m.Type.NumIn()-1: // options
		case in.Kind() == reflect.Pointer: // parameters of the query
			arguments = append(arguments, "&"+in.Elem().String()+"{"+limitOf(in.Elem())+"}")
		case in.Kind() == reflect.String && len(places) > 0:
			arguments, places = append(arguments, places[0]), places[1:]
		case in == reflect.TypeFor[io.Reader]():
			before, arguments = append(before, "file, err := os.Open(\"calendar.csv\")", stop, "defer file.Close()"), append(arguments, "file")
		case in == reflect.TypeFor[assay.Upload]():
			before = append(before, "file, err := os.Open(\"statement.csv\")", stop, "defer file.Close()")
			arguments = append(arguments, `assay.Upload{File: file, Name: "statement.csv"}`)
		default:
			body := reflect.New(in)
			if err := json.Unmarshal(example, body.Interface()); err != nil {
				return "", err
			}
			arguments = append(arguments, writeLiteral(body.Elem()))
		}
	}
	call := "client." + name + "(" + strings.Join(arguments, ", ") + ")"
	switch {
	case m.Type.NumOut() == 1 && m.Type.Out(0).Kind() == reflect.Func:
		call = "for item, err := range " + call + " {\n" + stop + "\nfmt.Println(item)\n}"
	case m.Type.NumOut() == 1 && len(before) == 0:
		call = "err := " + call
	case m.Type.NumOut() == 1:
		call = "err = " + call
	case m.Type.NumOut() == 3:
		call = "audit, refused, err := " + call
	default:
		call = "answer, err := " + call
	}
	text, err := format.Source([]byte(strings.Join(append(before, call), "\n")))
	return string(text), err
}

// stop is what a sample does about an error.
const stop = "if err != nil {\nreturn err\n}"

// placesOf lists the names of a path's places as Go writes them.
func placesOf(path string) (names []string) {
	for _, part := range strings.Split(path, "/") {
		if strings.HasPrefix(part, "{") {
			name := strings.Trim(part, "{}")
			if name != "id" {
				name = strings.TrimSuffix(name, "Id") + "ID"
			}
			names = append(names, name)
		}
	}
	return names
}

// limitOf sets the size of a page, if a list has pages.
func limitOf(params reflect.Type) string {
	if _, paged := params.FieldByName("Limit"); paged {
		return "Limit: new(int32(100))"
	}
	return ""
}

// writeLiteral writes a value as Go does. It leaves out members that are not set.
func writeLiteral(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case time.Time:
		u := value.UTC()
		return fmt.Sprintf("time.Date(%d, %d, %d, %d, %d, %d, 0, time.UTC)", u.Year(), u.Month(), u.Day(), u.Hour(), u.Minute(), u.Second())
	case json.Number:
		return "json.Number(" + strconv.Quote(value.String()) + ")"
	case json.RawMessage:
		return "json.RawMessage(" + strconv.Quote(string(value)) + ")"
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Elem().Kind() == reflect.Struct && v.Type().Elem() != reflect.TypeFor[time.Time]() {
			return "&" + writeLiteral(v.Elem())
		}
		return "new(" + writeTyped(v.Elem()) + ")"
	case reflect.Struct:
		var members []string
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !v.Field(i).IsZero() {
				members = append(members, "\n"+f.Name+": "+writeLiteral(v.Field(i)))
			}
		}
		if len(members) == 0 {
			return v.Type().String() + "{}"
		}
		return v.Type().String() + "{" + strings.Join(members, ",") + ",\n}"
	case reflect.Slice:
		var items []string
		for i := range v.Len() {
			item := writeLiteral(v.Index(i))
			if v.Type().Elem().Kind() == reflect.Struct { // whose type is said once
				item = strings.TrimPrefix(item, v.Type().Elem().String())
			}
			items = append(items, item)
		}
		return v.Type().String() + "{" + strings.Join(items, ", ") + "}"
	case reflect.Map:
		var members []string
		for _, key := range v.MapKeys() {
			members = append(members, strconv.Quote(key.String())+": "+writeLiteral(v.MapIndex(key)))
		}
		slices.Sort(members)
		return strings.ReplaceAll(v.Type().String(), "interface {}", "any") + "{" + strings.Join(members, ", ") + "}"
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return writeLiteral(v.Elem())
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Float64, reflect.Float32:
		if text := fmt.Sprint(v.Interface()); strings.ContainsAny(text, ".e") {
			return text
		}
		return fmt.Sprint(v.Interface()) + ".0"
	}
	return fmt.Sprint(v.Interface())
}

// writeTyped writes a value with its type where Go would otherwise choose another one.
func writeTyped(v reflect.Value) string {
	switch v.Type() {
	case reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[float64](), reflect.TypeFor[time.Time](), reflect.TypeFor[json.Number]():
		return writeLiteral(v)
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Struct:
		return writeLiteral(v)
	}
	return v.Type().String() + "(" + writeLiteral(v) + ")"
}
