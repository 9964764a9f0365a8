package problem_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assayhq/assay/apiserver/problem"
)

// constants returns the values of the package's constants of the type.
func constants(t *testing.T, ofType string) []string {
	t.Helper()
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if named, ok := spec.Type.(*ast.Ident); !ok || named.Name != ofType {
				return true
			}
			for _, value := range spec.Values {
				if literal, ok := value.(*ast.BasicLit); ok {
					text, err := strconv.Unquote(literal.Value)
					if err != nil {
						t.Fatal(err)
					}
					values = append(values, text)
				}
			}
			return true
		})
	}
	if len(values) == 0 {
		t.Fatalf("no constants of type %s", ofType)
	}
	return values
}

func TestEveryConstantIsDefined(t *testing.T) {
	t.Parallel()
	codes := constants(t, "Code")
	for _, code := range codes {
		if !slices.Contains(problem.Codes(), problem.Code(code)) {
			t.Errorf("the code %s has no definition", code)
		}
	}
	if got := len(problem.Codes()); got != len(codes) {
		t.Errorf("%d codes are listed, %d are declared", got, len(codes))
	}
	faults := constants(t, "FaultCode")
	for _, fault := range faults {
		if problem.FaultCode(fault).Description() == "" {
			t.Errorf("the fault code %s has no description", fault)
		}
	}
	if got := len(problem.FaultCodes()); got != len(faults) {
		t.Errorf("%d fault codes are listed, %d are declared", got, len(faults))
	}
}

func TestEveryCodeIsExplained(t *testing.T) {
	t.Parallel()
	for _, c := range problem.Codes() {
		guide := c.Guide()
		texts := append(append([]string{c.Title(), c.Description(), guide.Meaning, guide.Retry.Advice()}, guide.Causes...), guide.Remedies...)
		if len(guide.Causes) == 0 || len(guide.Remedies) == 0 {
			t.Errorf("%s: the guide names no cause or no remedy: %+v", c, guide)
		}
		for _, text := range texts {
			if text == "" || strings.Count(text, "`")%2 != 0 {
				t.Errorf("%s: empty text, or a backtick without its partner: %q", c, text)
			}
		}
		if c.Status() < 400 || c.Status() > 599 {
			t.Errorf("%s: status %d", c, c.Status())
		}
		if later := c.Example().Header.Get("Retry-After") != ""; later != (guide.Retry == problem.RetryLater) {
			t.Errorf("%s: the advice is %q, and the example has Retry-After: %v", c, guide.Retry, later)
		}
	}
}

// TestExampleIsACopy checks that callers cannot modify the original of an example.
func TestExampleIsACopy(t *testing.T) {
	t.Parallel()
	problem.ValidationFailed.Example().Faults[0].Detail = "spoilt"
	problem.ServiceUnavailable.Example().With("Retry-After", "spoilt")
	if got := problem.ValidationFailed.Example().Faults[0].Detail; got == "spoilt" {
		t.Error("the faults are shared")
	}
	if got := problem.ServiceUnavailable.Example().Header.Get("Retry-After"); got == "spoilt" {
		t.Error("the headers are shared")
	}
}

func TestCodesAreInOrder(t *testing.T) {
	t.Parallel()
	last := 0
	for _, c := range problem.Codes() {
		if c.Status() < last {
			t.Errorf("%s comes too late", c)
		}
		last = c.Status()
	}
}
