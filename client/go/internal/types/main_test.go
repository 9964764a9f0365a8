package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

func TestDescribeDocument(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, schema, want string }{
		{
			"a limit and a default", `{"additionalProperties":false,"properties":{"hours":{"default":72,"description":"How long.","maximum":720,"minimum":1}}}`,
			`{"additionalProperties":false,"properties":{"hours":{"default":72,"description":"How long. From 1 to 720. Default 72.","maximum":720,"minimum":1}}}`,
		},
		{
			"an object in a list", `{"additionalProperties":false,"properties":{"rules":{"items":{"additionalProperties":false,"properties":{"on":{"default":false,"description":"Whether."}}}}}}`,
			`{"additionalProperties":false,"properties":{"rules":{"items":{"additionalProperties":false,"properties":{"on":{"default":false,"description":"Whether. Default false."}}}}}}`,
		},
		{
			"of a response", `{"properties":{"page":{"description":"The page.","minimum":1}}}`,
			`{"properties":{"page":{"description":"The page.","minimum":1}}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := describeDocument([]byte(`{"components":{"schemas":{"S":` + tc.schema + `}}}`))
			if want := `{"components":{"schemas":{"S":` + tc.want + `}}}`; err != nil || string(got) != want {
				t.Errorf("got %s, %v\nwant %s", got, err, want)
			}
		})
	}
}

// TestPackageIsDescribedOnce: pkg.go.dev shows the comments above the package clauses of all files, one after the other.
func TestPackageIsDescribedOnce(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../*.gen.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("generated files %v: %v", files, err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.Doc != nil || !ast.IsGenerated(parsed) {
			t.Errorf("%s describes the package as %q", file, parsed.Doc.Text())
		}
	}
}
