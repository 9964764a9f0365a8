package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/openapi/openapitest"
	v1 "github.com/assayhq/assay/apiserver/v1"
)

// moduleRoot is the folder of the module, relative to this package.
const moduleRoot = "../../.."

func TestCommittedDocumentIsCurrent(t *testing.T) {
	t.Parallel()
	text, err := generateText(moduleRoot)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(openapi.Committed(), "\n"), strings.Split(string(text), "\n")); diff != "" {
		t.Errorf("run go generate ./apiserver/openapi (-committed +generated):\n%s", diff)
	}
	again, err := generateText(moduleRoot)
	if err != nil || string(again) != string(text) {
		t.Errorf("the document is another one each time (%v)", err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "openapi.json")
	if err := run(out, moduleRoot); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(out); err != nil || string(text) != openapi.Committed() {
		t.Errorf("%d bytes were written (%v)", len(text), err)
	}
	if err := run(out, t.TempDir()); err == nil {
		t.Error("a document is made without the sources")
	}
}

func TestEveryRouteIsDocumented(t *testing.T) {
	t.Parallel()
	doc, err := openapitest.Load(openapi.Committed())
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, route := range v1.DescribedRoutes() {
		want = append(want, route.Method+" "+route.Path+" "+route.ID+" "+strings.TrimSpace(string(route.Scope+" "+route.Also)))
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			got = append(got, method+" "+path+" "+operation.OperationID+" "+strings.Join(scopesOf(operation), " "))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}

// TestEveryAnswerHasAnExample: mock servers and readers of /docs have something to show. A file of another kind than
// text has none.
func TestEveryAnswerHasAnExample(t *testing.T) {
	t.Parallel()
	doc, err := openapitest.Load(openapi.Committed())
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, answer := range operation.Responses.Map() {
				content := answer.Value.Content
				shown := len(content) == 0 || content["application/zip"] != nil && len(content) == 1
				for _, media := range content {
					shown = shown || media.Example != nil || len(media.Examples) > 0
				}
				if !shown {
					t.Errorf("%s %s: the answer %s has no example", method, path, status)
				}
			}
		}
	}
}

// scopesOf lists the scopes that a key must have for an operation.
func scopesOf(operation *openapi3.Operation) (list []string) {
	for _, requirement := range *operation.Security {
		list = append(list, requirement[keyScheme]...)
	}
	return list
}

// TestSchemesHaveNamesOfTheirOwn checks that no way to authenticate is named as a schema is. Generators
// that make a type of each, such as ogen, refuse a document in which two have one name.
func TestSchemesHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	doc, err := openapitest.Load(openapi.Committed())
	if err != nil {
		t.Fatal(err)
	}
	for scheme := range doc.Components.SecuritySchemes {
		for schema := range doc.Components.Schemas {
			if strings.EqualFold(scheme, schema) {
				t.Errorf("the security scheme %s is named as the schema %s", scheme, schema)
			}
		}
	}
}

// TestAnswersAreOpen checks that a client which holds responses against the document accepts those of a
// later version, and that unknown members of requests stay refused.
func TestAnswersAreOpen(t *testing.T) {
	t.Parallel()
	doc, err := openapitest.Load(openapi.Committed())
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]bool{"Trader": true, "Problem": true, "TraderCreatedEvent": true, "TraderPatch": false, "NewIntegration": false} {
		closed := doc.Components.Schemas[name].Value.AdditionalProperties.Has
		if got := closed == nil || *closed; got != open {
			t.Errorf("%s may have other members: %t, want %t", name, got, open)
		}
	}
}

// TestEveryProblemIsDeclared checks that all operations declare what gateways and generated
// clients would otherwise have to guess.
func TestEveryProblemIsDeclared(t *testing.T) {
	t.Parallel()
	doc, err := openapitest.Load(openapi.Committed())
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			want := []string{"500", "503"}
			if len(*operation.Security) > 0 {
				want = append(want, "401", "429")
			}
			if len(scopesOf(operation)) > 0 || len(*operation.Security) > 0 && method != http.MethodGet {
				want = append(want, "403")
			}
			if strings.Contains(path, "{") {
				want = append(want, "404")
			}
			if operation.RequestBody != nil {
				want = append(want, "400", "413", "415", "422")
			}
			for _, status := range want {
				answer := operation.Responses.Value(status)
				if answer == nil || answer.Value.Content.Get("application/problem+json") == nil {
					t.Errorf("%s %s has no problem of status %s", method, path, status)
				}
			}
		}
	}
}
