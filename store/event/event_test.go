package event_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assayhq/assay/store/event"
)

// compile compiles a kind's schema with an independent validator.
func compile(t *testing.T, d event.Definition) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("event.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("event.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	seen := make(map[event.Kind]bool)
	for _, d := range event.All() {
		t.Run(string(d.Kind), func(t *testing.T) {
			if seen[d.Kind] {
				t.Error("is listed twice")
			}
			seen[d.Kind] = true
			if d.Description == "" {
				t.Error("is not described")
			}
			schema := compile(t, d)
			example, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.Example()))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(example); err != nil {
				t.Errorf("the example breaks the schema: %v", err)
			}
			checkFields(t, d.Fields())
		})
	}
}

// checkFields requires a description of every member, and rejects members whose content webhooks
// must not contain.
func checkFields(t *testing.T, fields []event.Field) {
	t.Helper()
	for _, f := range fields {
		if f.Name == "" || f.About == "" || f.Type == "" {
			t.Errorf("the member %q is not described", f.Name)
		}
		for _, word := range []string{"email", "phone", "full_name", "secret", "body", "token", "password"} {
			if strings.Contains(f.Name, word) {
				t.Errorf("the member %s is not to be told", f.Name)
			}
		}
		checkFields(t, f.Fields)
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	all := event.Patterns()
	for _, want := range []string{"*", "trader.*", "integration.*", "trader.created", "ping"} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is no pattern", want)
		}
	}
	for _, not := range []string{"ping.*", "", "trader"} {
		if slices.Contains(all, not) {
			t.Errorf("%s is a pattern", not)
		}
	}
	for _, d := range event.All() {
		for _, p := range d.Kind.Patterns() {
			if !slices.Contains(all, p) {
				t.Errorf("nobody can subscribe to %s, which %s matches", p, d.Kind)
			}
		}
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("01980000-0000-7000-8000-000000000001")
	for _, c := range []struct {
		name string
		in   event.Event
		want string // refused if empty
	}{
		{"ping", event.Event{Kind: event.Ping, Data: event.PingData{EndpointID: id}}, `{"endpoint_id":"` + id.String() + `"}`},
		{
			"markup is left alone",
			event.Event{Kind: event.APIKeyCreated, Data: event.APIKey{APIKeyID: id, Name: "<&>", Path: "/"}},
			`{"api_key_id":"` + id.String() + `","name":"<&>","expires_at":null,"revoked_at":null,"path":"/"}`,
		},
		{"another kind's data", event.Event{Kind: event.Ping, Data: event.Trader{}}, ""},
		{"no data", event.Event{Kind: event.Ping}, ""},
		{"unknown kind", event.Event{Kind: "trader.left", Data: event.Trader{}}, ""},
		{"too large", event.Event{Kind: event.APIKeyCreated, Data: event.APIKey{Name: strings.Repeat("x", event.MaxBody)}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.in.Encode()
			if (err != nil) != (c.want == "") {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
		})
	}
}
