package event_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/event"
)

func TestPasses(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("01980000-0000-7000-8000-000000000001")
	sync := event.Event{Kind: event.IntegrationSyncFailed, Data: event.Sync{
		IntegrationID: id, Trigger: "manual",
		Runs: []event.Run{{Resource: "traders", Status: "succeeded"}, {Resource: "trades", Status: "failed", RecordsUpserted: 12, Code: new("timeout")}},
	}}
	interview := event.Event{Kind: event.InterviewSubmitted, Data: event.Interview{InterviewID: id, Status: "processing", Partial: true}}
	for _, c := range []struct {
		name string
		of   event.Event
		in   []event.Filter
		want bool
	}{
		{"no filter", sync, nil, true},
		{"the value", sync, []event.Filter{{"data.trigger", []string{"manual"}}}, true},
		{"one of the values", sync, []event.Filter{{"data.trigger", []string{"schedule", "manual"}}}, true},
		{"another value", sync, []event.Filter{{"data.trigger", []string{"schedule"}}}, false},
		{"an id", sync, []event.Filter{{"data.integration_id", []string{id.String()}}}, true},
		{"one of two filters", sync, []event.Filter{{"data.trigger", []string{"manual"}}, {"data.integration_id", []string{uuid.Nil.String()}}}, false},
		{"a member of an item", sync, []event.Filter{{"data.runs.status", []string{"failed"}}}, true},
		{"a number of an item", sync, []event.Filter{{"data.runs.records_upserted", []string{"12"}}}, true},
		{"a value that no item has", sync, []event.Filter{{"data.runs.status", []string{"blocked"}}}, false},
		{"a list", sync, []event.Filter{{"data.runs", []string{"failed"}}}, false},
		{"below a text", sync, []event.Filter{{"data.trigger.name", []string{"manual"}}}, false},
		{"no such member", sync, []event.Filter{{"data.severity", []string{"high", ""}}}, false},
		{"a boolean", interview, []event.Filter{{"data.partial", []string{"true"}}}, true},
		{"the other boolean", interview, []event.Filter{{"data.partial", []string{"false"}}}, false},
		{"null", interview, []event.Filter{{"data.decision", []string{"", "null", "approved"}}}, false},
		{"other letters", interview, []event.Filter{{"data.status", []string{"Processing"}}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data, err := c.of.Encode()
			if err != nil {
				t.Fatal(err)
			}
			document, err := event.ParseDocument(data)
			if err != nil {
				t.Fatal(err)
			}
			if got := document.Passes(c.in); got != c.want {
				t.Errorf("passes %v: %v, want %v", c.in, got, c.want)
			}
		})
	}
}

func TestFilterFields(t *testing.T) {
	t.Parallel()
	for _, d := range event.All() {
		paths := d.FilterFields()
		if len(paths) == 0 {
			t.Errorf("%s cannot be filtered", d.Kind)
		}
		for _, path := range paths {
			if f, ok := d.FilterField(path); !ok || f.About == "" {
				t.Errorf("%s: %s is no member", d.Kind, path)
			}
		}
		for _, not := range []string{"", "data", "type", "data.severity", "data.path.name", "data.runs", "data.started_at", "data."} {
			if _, ok := d.FilterField(not); ok || slices.Contains(paths, not) {
				t.Errorf("%s can be filtered by %q", d.Kind, not)
			}
		}
	}
}
