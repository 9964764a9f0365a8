package configs_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bareShare is the largest share of functions that may be named by one lower-case word: a verb
// alone rarely says what a function acts on.
const bareShare = 0.15

// TestFunctionNames counts the functions that are named by one lower-case word.
// With -v it shows the share of each package.
func TestFunctionNames(t *testing.T) {
	t.Parallel()
	type count struct{ bare, all int }
	packages := make(map[string]count)
	var total count
	word := regexp.MustCompile(`^[a-z0-9]+$`)
	for _, name := range tracked(t, "*.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content(t, name), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		of := packages[path.Dir(name)]
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name == "main" || f.Name.Name == "init" {
				continue
			}
			of.all++
			total.all++
			if word.MatchString(f.Name.Name) {
				of.bare++
				total.bare++
			}
		}
		packages[path.Dir(name)] = of
	}
	folders := slices.SortedFunc(maps.Keys(packages), func(a, b string) int { return cmp.Compare(packages[b].bare, packages[a].bare) })
	for _, folder := range folders {
		t.Logf("%4d of %4d  %s", packages[folder].bare, packages[folder].all, folder)
	}
	if share := float64(total.bare) / float64(total.all); share > bareShare {
		t.Errorf("%d of %d functions (%.1f %%) are named by one lower-case word, at most %.0f %% may be: name them by verb and object (docs/style.md)",
			total.bare, total.all, 100*share, 100*bareShare)
	}
}
