package v1_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSymbolMappings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/v1/analysis/symbols"
	if r := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK); r.body != `{"mappings":[]}` {
		t.Errorf("mappings before any were set: %s", r.body)
	}
	const body = `{"mappings":[{"symbol":"Dow.cash","instrument":"US30"},{"symbol":"YMZ6","instrument":"YM"},{"symbol":"DJ30","instrument":"DJ30"}]}`
	r := b.send(t, "PUT", path, b.key, body).want(t, http.StatusOK)
	if diff := cmp.Diff(body, r.body); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	first := r.header.Get("ETag")
	if got := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK); got.body != body || got.header.Get("ETag") != first {
		t.Errorf("mappings %s with the tag %s, want %s with %s", got.body, got.header.Get("ETag"), body, first)
	}
	if got := b.send(t, "GET", path, b.other, nil).want(t, http.StatusOK); got.body != `{"mappings":[]}` {
		t.Errorf("another organization reads %s", got.body)
	}
	b.ask(t, request{method: "PUT", path: path, key: b.key, body: `{"mappings":[]}`, header: with("If-Match", first)}).want(t, http.StatusOK)
	b.ask(t, request{method: "PUT", path: path, key: b.key, body: body, header: with("If-Match", first)}).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
	log := b.send(t, "GET", "/v1/audit?action=organization.symbols_replaced", b.key, nil).want(t, http.StatusOK).body
	if !strings.Contains(log, `"before":{"mappings":0}`) || !strings.Contains(log, `"after":{"mappings":3}`) {
		t.Errorf("the audit log does not tell how many mappings there were and are: %s", log)
	}
}

func TestFaultySymbolMappings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mapping := func(symbol, instrument string) string {
		return `{"symbol":"` + symbol + `","instrument":"` + instrument + `"}`
	}
	for body, want := range map[string]string{
		mapping(" ", "US30"):                                    "#/mappings/0/symbol invalid_format",
		mapping("DJ30 ", "US30"):                                "#/mappings/0/symbol invalid_format",
		mapping("DJ\\u0000", "US30"):                            "#/mappings/0/symbol invalid_format",
		mapping("DJ30", ""):                                     "#/mappings/0/instrument invalid_format",
		mapping("DJ30", "us30"):                                 "#/mappings/0/instrument invalid_format",
		mapping("DJ30", "US30.cash"):                            "#/mappings/0/instrument invalid_format",
		mapping("DJ30", "YMZ6"):                                 "#/mappings/0/instrument invalid_format",
		mapping("DJ30", strings.Repeat("X", 65)):                "#/mappings/0/instrument too_long",
		mapping("DJ30", "US30") + "," + mapping("dj30", "US30"): "#/mappings/1/symbol invalid_format",
		mapping("DJ30", "US30") + "," + mapping("US30", "YM"):   "#/mappings/0/instrument invalid_format",
		`{"symbol":"DJ30"}`:                                     "#/mappings/0/instrument required",
		`{"symbol":"DJ30","instrument":"US30","more":"B"}`:      "#/mappings/0/more unknown_field",
	} {
		r := b.send(t, "PUT", "/v1/analysis/symbols", b.key, `{"mappings":[`+body+`]}`).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
		if diff := cmp.Diff([]string{want}, r.faults()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}
