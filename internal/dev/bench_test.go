package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBenchFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		args  []string
		short bool
		env   []string
		bad   bool
	}{
		{name: "none"},
		{name: "short", args: []string{"-short", "-count", "3"}, short: true},
		{
			name: "counts", args: []string{"-claim", "30s", "-backfill", "100000", "-stored", "5"},
			env: []string{"ASSAY_TEST_BENCH_CLAIM=30s", "ASSAY_TEST_BENCH_BACKFILL=100000", "ASSAY_TEST_BENCH_STORED=5"},
		},
		{name: "an argument", args: []string{"claim"}, bad: true},
		{name: "no run at all", args: []string{"-count", "0"}, bad: true},
		{name: "fewer than no trades", args: []string{"-backfill", "-1"}, bad: true},
		{name: "no expression", args: []string{"-row", "("}, bad: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseBench(tt.args)
			if (err != nil) != tt.bad || err != nil && !errors.Is(err, errUsage) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tt.env, got.env); diff != "" || got.short != tt.short && !tt.bad {
				t.Errorf("short %t, variables (-want +got):\n%s", got.short, diff)
			}
		})
	}
	if namesPackages([]string{"-short", "-row", "store"}) || !namesPackages([]string{"-count", "5", "./store"}) {
		t.Error("packages are taken for flags, or flags for packages")
	}
}

func TestBenchRowFlag(t *testing.T) {
	t.Parallel()
	plan, err := parseBench([]string{"-row", "^Idle Poll", "-short"})
	if err != nil {
		t.Fatal(err)
	}
	steps := plan.neededSteps()
	if len(plan.chosenRows()) != 3 || len(steps) != 1 || steps[0].bench != "BenchmarkIdlePoll" {
		t.Fatalf("rows %v, steps %v", plan.chosenRows(), steps)
	}
	want := []string{"-run", "^$", "-bench", "^BenchmarkIdlePoll$", "-benchtime", "1x", "-count", "1", "-v", "-timeout", "12h", "-short", "./syncd"}
	if diff := cmp.Diff(want, plan.testArguments(steps[0])); diff != "" {
		t.Errorf("arguments of go test (-want +got):\n%s", diff)
	}
}

func TestBenchTable(t *testing.T) {
	t.Parallel()
	of := func(name string) benchName { return benchName{"./store", name} }
	rows := []benchRow{
		{what: "met, median of three", of: of("BenchmarkA/x"), unit: "ratio", limit: "copy_rows/s", target: 0.8},
		{what: "missed", of: of("BenchmarkA/x"), unit: "p99_ms", target: 50, atMost: true},
		{what: "at most nothing", of: of("BenchmarkA/x"), unit: "dead_rows", atMost: true},
		{what: "a multiple, met", of: of("BenchmarkB"), unit: "last_MiB", limit: "first_MiB", target: 1.25, atMost: true, ofLimit: true},
		{what: "a multiple, missed", of: of("BenchmarkB"), unit: "p99_ms", limit: "p99_ms", limitOf: "BenchmarkA/x", target: 1.25, atMost: true, ofLimit: true},
		{what: "no target", of: of("BenchmarkB"), unit: "last_MiB", limit: "first_MiB"},
		{what: "no such metric", of: of("BenchmarkB"), unit: "ratio", target: 0.8},
		{what: "no limit", of: of("BenchmarkB"), unit: "last_MiB", limit: "p50_ms", target: 1, ofLimit: true},
		{what: "of another package", of: benchName{"./syncd", "BenchmarkB"}, unit: "last_MiB", target: 1, atMost: true},
	}
	text := `goos: linux
pkg: github.com/assayhq/assay/store
BenchmarkA
BenchmarkA/x
    page_test.go:12: BenchmarkA/x was told 17 times of it
BenchmarkA/x-2   1   900 ns/op   65000 copy_rows/s   0.91 ratio   61.5 p99_ms   0 dead_rows
BenchmarkA/x-2   1   900 ns/op   66000 copy_rows/s   0.85 ratio   60.5 p99_ms   0 dead_rows
BenchmarkA/x-2   1   900 ns/op   64000 copy_rows/s   0.70 ratio   62.5 p99_ms   0 dead_rows
BenchmarkB       1   900 ns/op   40 first_MiB   49.96 last_MiB   90 p99_ms
PASS
ok  	github.com/assayhq/assay/store	3.1s
pkg: github.com/assayhq/assay/syncd
BenchmarkC-2     1   900 ns/op   7 last_MiB
`
	var got []string
	for line := range strings.Lines(benchTable(rows, readBench(text))) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"", "what measured limit, in the same run target",
		"met, median of three 0.85 65000 copy_rows/s ≥ 0.8 met",
		"missed 61.5 p99_ms - ≤ 50 p99_ms missed",
		"at most nothing 0 dead_rows - ≤ 0 dead_rows met",
		"a multiple, met 50 last_MiB 40 first_MiB ≤ 1.25 × limit met",
		"a multiple, missed 90 p99_ms 61.5 p99_ms ≤ 1.25 × limit missed",
		"no target 50 last_MiB 40 first_MiB - -",
		"no such metric - - ≥ 0.8 not measured",
		"no limit 50 last_MiB - ≥ 1 × limit not measured",
		"of another package - - ≤ 1 last_MiB not measured",
		"", "3 met, 2 missed, 3 not measured",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBenchRowsAreMeasured reads the benchmarks' source: what a row names must
// exist, or a renamed benchmark or metric would no longer be measured.
func TestBenchRowsAreMeasured(t *testing.T) {
	t.Parallel()
	// What benchmarks of several packages share.
	shared := readBenchSource(t, "store/storetest").texts
	shared = append(shared, readBenchSource(t, "connectors/record").texts...)
	sources := make(map[string]benchSource)
	source := func(pkg string) benchSource {
		if _, ok := sources[pkg]; !ok {
			s := readBenchSource(t, pkg)
			s.texts = append(s.texts, shared...)
			sources[pkg] = s
		}
		return sources[pkg]
	}
	used := make(map[benchStep]bool)
	for _, r := range benchRows() {
		at := slices.IndexFunc(benchSteps(), func(s benchStep) bool { return s.pkg == r.of.pkg && s.runsBenchmark(r.of.name) })
		if at < 0 {
			t.Errorf("%s: no step runs %s", r.what, r.of)
			continue
		}
		used[benchSteps()[at]] = true
		s := source(r.of.pkg)
		for _, name := range []string{r.of.name, r.limitOf} {
			top, sub, _ := strings.Cut(name, "/")
			if top != "" && !slices.Contains(s.benchmarks, top) || sub != "" && !s.says(strings.ReplaceAll(sub, "_", "[_ ]")) {
				t.Errorf("%s: %s has no %s", r.what, r.of.pkg, name)
			}
		}
		for _, unit := range []string{r.unit, r.limit} {
			if unit != "" && !s.says(regexp.QuoteMeta(unit)) {
				t.Errorf("%s: nothing in %s reports %s", r.what, r.of.pkg, unit)
			}
		}
	}
	for _, s := range benchSteps() {
		if !used[s] {
			t.Errorf("no row is of %s of %s", s.bench, s.pkg)
		}
	}
}

// benchSource is the content of a package's files.
type benchSource struct {
	benchmarks []string // names of functions
	texts      []string // constants
}

// says reports whether a text of the source matches, or makes such a text with %d
// or %g in it.
func (s benchSource) says(pattern string) bool {
	whole := regexp.MustCompile("^" + pattern + "$")
	return slices.ContainsFunc(s.texts, func(text string) bool {
		for _, n := range []string{"0", "1", "50", "99"} {
			if whole.MatchString(strings.NewReplacer("%d", n, "%g", n).Replace(text)) {
				return true
			}
		}
		return false
	})
}

// readBenchSource reads a package of the repository.
func readBenchSource(t *testing.T, pkg string) (s benchSource) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				s.benchmarks = append(s.benchmarks, n.Name.Name)
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					s.texts = append(s.texts, text)
				}
			case *ast.SelectorExpr:
				if n.Sel.Name == "SetBytes" {
					s.texts = append(s.texts, "MB/s")
				}
			}
			return true
		})
	}
	return s
}
