package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/openapi"
)

var update = flag.Bool("update", false, "write the golden files anew")

// colour is a colour.
type colour string

// The colours.
const (
	_ colour = "red" // like blood
	_ colour = "green"
)

// exact is a number.
type exact string

// MarshalJSONTo implements json.MarshalerTo.
func (e exact) MarshalJSONTo(enc *jsontext.Encoder) error { return enc.WriteValue(jsontext.Value(e)) }

// partBody is a Part of a thing
// in two lines.
//
// And another paragraph.
type partBody struct {
	ID uuid.UUID `json:"id"` // its own
}

// wholeBody has everything.
//
//openapi:name Thing
type wholeBody struct {
	partBody `json:",inline"`
	// about the name, above it
	Name   string           `json:"name" api:"min=1,max=5" pattern:"^[a-c]+$" example:"abc"`
	Link   string           `json:"link" api:"max=9,format=uri"`     // a link
	Colour colour           `json:"colour"`                          // what it looks like
	Maybe  *colour          `json:"maybe" api:"open" example:"null"` // null: unknown
	Text   string           `json:"text" api:"of=apiserver/openapi/generate.colour"`
	At     *time.Time       `json:"at"` // when; null: never
	Count  int64            `json:"count"`
	Small  int              `json:"small" api:"min=-5,max=7"`
	Big    exact            `json:"big" example:"1.50"`
	Sure   exact            `json:"sure" api:"nonnull"`
	Free   jsontext.Value   `json:"free"`
	Sums   map[string]exact `json:"sums" api:"nonnull,items=3"`
	Parts  []partBody       `json:"parts" api:"items=2"`
	Part   *partBody        `json:"part"`
	Some   bool             `json:"some,omitzero"`
	Words  []string         `json:"words" api:"max=3,items=4" example:"[\"a\"]"`
}

// badBody is what cannot be described.
type badBody struct {
	Text    string  `json:"text"` // how long?
	List    []bool  `json:"list"` // how many?
	Silent  bool    `json:"silent"`
	Ratio   float64 `json:"ratio"`                 // no exact number
	Odd     bool    `json:"odd" api:"colour=red"`  // an unknown option
	Number  int     `json:"number" api:"max=many"` // no number
	Example int     `json:"example" example:"{"`   // no JSON
}

type silentBody struct{}

// pageOf is a page.
//
//openapi:name Page
type pageOf[T any] struct {
	Data []T `json:"data" api:"items=2"` // rows
}

// here reads this file's comments as those of the package.
func here(t *testing.T) *wire {
	t.Helper()
	text, err := os.ReadFile("wire_test.go")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "wire.go"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readComments(folder)
	if err != nil {
		t.Fatal(err)
	}
	own := reflect.TypeFor[partBody]().PkgPath()
	return &wire{src: &source{moduleRoot, map[string]*comments{own: c, module + "/apiserver/openapi/generate": c}}}
}

func TestWire(t *testing.T) {
	t.Parallel()
	w := here(t)
	page := w.answerSchema(reflect.TypeFor[pageOf[wholeBody]]())
	for _, fault := range w.faults {
		if !strings.Contains(fault.Error(), "no comment") { // most fields have none, for shortness
			t.Error(fault)
		}
	}
	text, err := json.Marshal(openapi.Map[any]{{Name: "answer", Value: page}, {Name: "schemas", Value: w.schemas}}, jsontext.WithIndent("  "))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "wire.json")
	if *update {
		if err := os.WriteFile(path, append(text, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)+"\n"); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestWireFaults(t *testing.T) {
	t.Parallel()
	w := here(t)
	w.answerSchema(reflect.TypeFor[badBody]())
	w.answerSchema(reflect.TypeFor[silentBody]())
	w.answerSchema(reflect.TypeFor[openapi.Map[string]]())
	all := errors.Join(w.faults...).Error()
	for _, want := range []string{
		"badBody.Text: say max", "badBody.List: say items", "badBody.Silent: the field has no comment", "badBody.Ratio: values of type float64",
		"badBody.Odd: the api tag has no option colour", "badBody.Number: ", "badBody.Example: the example is no JSON", "silentBody: the type has no comment",
		"a generic type must begin with a list",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nobody is told %q in:\n%s", want, all)
		}
	}
}
