package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assayhq/assay/apiserver/openapi"
)

// TestDocumentKeepsItsPromises is the gate: see the comment of the command.
func TestDocumentKeepsItsPromises(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(options{folder: filepath.Join("..", "..", "apiserver", "openapi"), check: true}, openapi.Committed(), &out); err != nil {
		t.Errorf("%v:\n%s", err, &out)
	}
}

// object is a part of a document.
type object = map[string]any

// at goes down into a document; a part that is not there fails the test.
func at(t *testing.T, doc object, path ...string) object {
	t.Helper()
	for _, name := range path {
		inner, ok := doc[name].(object)
		if !ok {
			t.Fatalf("there is no %s in %v", name, path)
		}
		doc = inner
	}
	return doc
}

// Paths that the tests change.
const (
	traders      = "/v1/traders"
	integrations = "/v1/integrations"
	sync         = "/v1/integrations/{id}/sync"
)

// part returns the document with only the paths that the tests change and the
// schemas that these need, which makes them quicker, after a change; nil changes
// nothing.
func part(t *testing.T, change func(t *testing.T, doc object)) string {
	t.Helper()
	var doc object
	if err := json.Unmarshal([]byte(openapi.Committed()), &doc); err != nil {
		t.Fatal(err)
	}
	paths := at(t, doc, "paths")
	maps.DeleteFunc(paths, func(path string, _ any) bool { return path != traders && path != integrations && path != sync })
	keepReferenced(t, doc)
	if change != nil {
		change(t, doc)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reference finds the references to schemas in a text.
var reference = regexp.MustCompile(`"#/components/schemas/([^"]+)"`)

// keepReferenced removes the schemas that the document's paths and its other
// components do not need.
func keepReferenced(t *testing.T, doc object) {
	t.Helper()
	components := at(t, doc, "components")
	schemas := at(t, components, "schemas")
	delete(components, "schemas")
	kept := make(object)
	var keep func(part any)
	keep = func(part any) {
		text, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range reference.FindAllStringSubmatch(string(text), -1) {
			if name := match[1]; kept[name] == nil {
				kept[name] = schemas[name]
				keep(schemas[name])
			}
		}
	}
	keep(doc)
	components["schemas"] = kept
}

// TestBreaking compares documents that differ in one thing. It takes long because each case
// compares two entire documents.
func TestBreaking(t *testing.T) {
	t.Parallel()
	before := part(t, nil)
	schema := func(t *testing.T, doc object, name string) object {
		t.Helper()
		return at(t, doc, "components", "schemas", name)
	}
	member := func(t *testing.T, doc object, name, member string) object {
		t.Helper()
		return at(t, doc, "components", "schemas", name, "properties", member)
	}
	parameter := func(t *testing.T, doc object, name string) object {
		t.Helper()
		list, _ := at(t, doc, "paths", traders, "get")["parameters"].([]any)
		for _, p := range list {
			p, _ := p.(object)
			if shared, ok := p["$ref"].(string); ok { // several operations have it
				p = at(t, doc, strings.Split(strings.TrimPrefix(shared, "#/"), "/")...)
			}
			if p["name"] == name {
				return p
			}
		}
		t.Fatalf("no parameter %s", name)
		return nil
	}
	tests := []struct {
		name   string
		change func(t *testing.T, doc object)
		want   string // part of what is told; empty: it breaks nothing
	}{
		{"a route is gone", func(t *testing.T, doc object) { delete(at(t, doc, "paths"), traders) }, "api-path-removed-without-deprecation"},
		{"a method is gone", func(t *testing.T, doc object) { delete(at(t, doc, "paths", integrations), "post") }, "api-removed-without-deprecation"},
		{"a member of an answer is gone", func(t *testing.T, doc object) {
			delete(at(t, schema(t, doc, "Trader"), "properties"), "email")
		}, "response-required-property-removed"},
		{"a member of an answer may be missing", func(t *testing.T, doc object) { schema(t, doc, "Trader")["required"] = []any{"id"} }, "response-property-became-optional"},
		{"a member of an answer has another type", func(t *testing.T, doc object) { member(t, doc, "SyncQueued", "queued")["type"] = "string" }, "response-property-type-changed"},
		{"a member of an answer may be null", func(t *testing.T, doc object) {
			member(t, doc, "SyncQueued", "queued")["type"] = []any{"boolean", "null"}
		}, "response-property-became-nullable"},
		{"an answer has a new value of a closed enumeration", func(t *testing.T, doc object) {
			s := schema(t, doc, "HealthStatus")
			s["enum"] = append(s["enum"].([]any), "asleep")
		}, "response-property-enum-value-added"},
		{"a member of a body is gone", func(t *testing.T, doc object) {
			delete(at(t, schema(t, doc, "NewIntegration"), "properties"), "name")
		}, "request-property-removed"},
		{"a member of a body is required", func(t *testing.T, doc object) {
			s := schema(t, doc, "NewIntegration")
			s["required"] = append(s["required"].([]any), "name")
		}, "request-property-became-required"},
		{"a bound of a body is narrowed", func(t *testing.T, doc object) {
			member(t, doc, "NewIntegration", "sync_interval_seconds")["minimum"] = 120
		}, "request-property-min-increased"},
		{"a text of a body must be shorter", func(t *testing.T, doc object) { member(t, doc, "NewIntegration", "name")["maxLength"] = 50 }, "request-property-max-length-decreased"},
		{"null is refused", func(t *testing.T, doc object) { member(t, doc, "NewIntegration", "name")["type"] = "string" }, "request-property-became-not-nullable"},
		{"a value of a body is gone", func(t *testing.T, doc object) {
			schema(t, doc, "IntegrationKind")["enum"] = []any{"custom_api"}
		}, "request-property-enum-value-removed"},
		{"a parameter is gone", func(t *testing.T, doc object) {
			parameter(t, doc, "search")["name"] = "find"
		}, "request-parameter-removed"},
		{"a parameter is required", func(t *testing.T, doc object) { parameter(t, doc, "search")["required"] = true }, "request-parameter-became-required"},
		{"a bound of a parameter is narrowed", func(t *testing.T, doc object) { at(t, parameter(t, doc, "limit"), "schema")["maximum"] = 50 }, "request-parameter-max-decreased"},
		{"a default is another one", func(t *testing.T, doc object) { at(t, parameter(t, doc, "limit"), "schema")["default"] = 50 }, "request-parameter-default-value-changed"},
		{"success has another status", func(t *testing.T, doc object) {
			answers := at(t, doc, "paths", integrations, "post", "responses")
			answers["202"] = answers["201"]
			delete(answers, "201")
		}, "response-success-status-removed"},
		{"another scope is required", func(t *testing.T, doc object) {
			at(t, doc, "paths", traders, "get")["security"] = []any{object{"bearerAuth": []any{"traders:write"}}}
		}, "api-security-"},
		{"an operation has another name", func(t *testing.T, doc object) { at(t, doc, "paths", traders, "get")["operationId"] = "traders" }, "api-operation-id-removed"},
		{"a member's default is another one", func(t *testing.T, doc object) {
			member(t, doc, "NewIntegration", "sync_interval_seconds")["default"] = 60
		}, "request-property-default-value-changed"},

		{"a route is new", func(t *testing.T, doc object) {
			at(t, doc, "paths")["/v1/more"] = object{"get": object{"responses": object{}}}
		}, ""},
		{"a member of an answer is new", func(t *testing.T, doc object) {
			s := schema(t, doc, "Trader")
			at(t, s, "properties")["more"] = object{"type": "string"}
			s["required"] = append(s["required"].([]any), "more")
		}, ""},
		{"a member of a body is new", func(t *testing.T, doc object) {
			at(t, schema(t, doc, "NewIntegration"), "properties")["more"] = object{"type": "string"}
		}, ""},
		{"a bound of a body is widened", func(t *testing.T, doc object) { member(t, doc, "NewIntegration", "name")["maxLength"] = 500 }, ""},
		{"an open enumeration has a new value", func(t *testing.T, doc object) {
			s := member(t, doc, "Problem", "code")
			s["x-extensible-enum"] = append(s["x-extensible-enum"].([]any), "more")
		}, ""},
		{"a parameter is new", func(t *testing.T, doc object) {
			op := at(t, doc, "paths", traders, "get")
			op["parameters"] = append(op["parameters"].([]any), object{"name": "more", "in": "query", "schema": object{"type": "string"}})
		}, ""},
		{"an error answer is new", func(t *testing.T, doc object) {
			answers := at(t, doc, "paths", traders, "get", "responses")
			answers["409"] = answers["422"]
		}, ""},
		{"a description is another one", func(t *testing.T, doc object) { at(t, doc, "info")["description"] = "x" }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after := part(t, tt.change)
			if after == before {
				t.Fatal("nothing was changed")
			}
			changes, err := breaking(before, after)
			if err != nil {
				t.Fatal(err)
			}
			told := strings.Join(changes, "\n")
			if tt.want == "" && told != "" || !strings.Contains(told, tt.want) {
				t.Errorf("told %q, want %q", told, tt.want)
			}
		})
	}
}

// TestSharedChangesAreToldOnce: problem documents have one schema for all
// operations, and a change of it is one line.
func TestSharedChangesAreToldOnce(t *testing.T) {
	t.Parallel()
	after := part(t, func(t *testing.T, doc object) {
		delete(at(t, doc, "components", "schemas", "Problem", "properties"), "title")
		paths := at(t, doc, "paths")
		delete(at(t, paths, traders), "get")
		delete(at(t, paths, integrations), "get")
	})
	changes, err := breaking(part(t, nil), after)
	if err != nil {
		t.Fatal(err)
	}
	var shared, removed int
	for _, change := range changes {
		if strings.Contains(change, "`title`") {
			shared++
			if !strings.Contains(change, "more answers") {
				t.Errorf("told %q", change)
			}
		}
		if strings.Contains(change, "api-removed") {
			removed++
		}
	}
	if shared != 1 || removed != 2 {
		t.Errorf("the shared change is told %d times, removals %d times:\n%s", shared, removed, strings.Join(changes, "\n"))
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "released.json")
	released := func() string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	good, worse := part(t, nil), part(t, func(t *testing.T, doc object) { delete(at(t, doc, "paths"), traders) })
	steps := []struct {
		name     string
		o        options
		document string
		fails    bool
		told     string
		want     string // what is released then; empty: nothing
	}{
		{"a check without a release", options{check: true}, good, true, "", ""},
		{"the first release", options{}, good, false, "", good},
		{"nothing has changed", options{check: true}, good, false, "", good},
		{"a breaking change is found", options{check: true}, worse, true, "api path removed without deprecation", good},
		{"a breaking change is not released", options{}, worse, true, "api path removed without deprecation", good},
		{"unless somebody says so", options{accept: true}, worse, false, "api path removed without deprecation", worse},
		{"what is new is released", options{}, good, false, "", good},
		{"no document", options{}, "{", true, "", good},
	}
	for _, s := range steps {
		s.o.folder = folder
		var out bytes.Buffer
		err := run(s.o, s.document, &out)
		if (err != nil) != s.fails || s.told != "" && !errors.Is(err, errBreaking) && s.fails || !strings.Contains(out.String(), s.told) {
			t.Errorf("%s: %v, told %q", s.name, err, &out)
		}
		if s.want != "" && released() != s.want {
			t.Errorf("%s: another document is released", s.name)
		}
	}
}

// TestNewEvents checks that an answer with one of several events may have a new kind of them.
func TestNewEvents(t *testing.T) {
	t.Parallel()
	document := func(events ...string) string {
		list, schemas := []any{}, object{"Event": object{"discriminator": object{"propertyName": "type"}}}
		for _, name := range events {
			list = append(list, object{"$ref": "#/components/schemas/" + name})
			schemas[name] = object{"type": "object", "properties": object{"type": object{"const": name}}}
		}
		at(t, schemas, "Event")["oneOf"] = list
		answer := object{"type": "object", "properties": object{"payload": object{"anyOf": []any{object{"$ref": "#/components/schemas/Event"}, object{"type": "null"}}}}}
		text, err := json.Marshal(object{
			"openapi": "3.1.0", "info": object{"title": "x", "version": "1"}, "components": object{"schemas": schemas},
			"paths": object{"/x": object{"get": object{"operationId": "x", "responses": object{"200": object{"description": "x", "content": object{"application/json": object{"schema": answer}}}}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	few, more := document("A", "B"), document("A", "B", "C")
	if changes, err := breaking(few, more); err != nil || len(changes) > 0 {
		t.Errorf("a new kind of event: %v, %v", changes, err)
	}
}
