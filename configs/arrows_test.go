package configs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

const module = "github.com/assayhq/assay/"

// listed is what go list reports about a package.
type listed struct {
	ImportPath string
	GoFiles    []string // names of its files without its tests
	Imports    []string // imports of these files
	Error      *struct{ Err string }
}

// rule is a rule of depguard, which golangci-lint holds against the imports in each file. Here the
// rules also hold for what a package imports through other packages of the repository.
type rule struct {
	Files []string // globs of the files that it is about, and after a ! of those that it is not about
	Mode  string   `yaml:"list-mode"`
	Allow []string // prefixes of import paths, or with a $ at the end whole ones; the longest match in Allow and Deny decides
	Deny  []struct{ Pkg, Desc string }
}

// readRules returns the rules of .golangci.yml by name.
func readRules(t *testing.T) map[string]rule {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var linter struct {
		Linters struct {
			Settings struct {
				Depguard struct{ Rules map[string]rule }
			}
		}
	}
	if err := yaml.Unmarshal(text, &linter); err != nil {
		t.Fatal(err)
	}
	return linter.Linters.Settings.Depguard.Rules
}

// isAbout reports whether the rule is about a file of the repository that is not a test.
func (r rule) isAbout(file string) bool {
	in := false
	for _, glob := range r.Files {
		pattern, isExcept := strings.CutPrefix(glob, "!")
		if !matchGlob(pattern, file) {
			continue
		}
		if isExcept {
			return false
		}
		in = true
	}
	return in
}

// matchGlob matches files as depguard does: * stops at a slash and ** does not.
func matchGlob(glob, file string) bool {
	glob, ok := strings.CutPrefix(glob, "${config-path}/")
	pattern := strings.NewReplacer(`\*\*`, ".*", `\*`, "[^/]*").Replace(regexp.QuoteMeta(glob))
	return ok && regexp.MustCompile("^"+pattern+"$").MatchString(file)
}

// matchPath returns the length of the pattern if it matches the import path, and otherwise -1.
func matchPath(pattern, path string) int {
	whole, isWhole := strings.CutSuffix(pattern, "$")
	if path == whole || !isWhole && strings.HasPrefix(path, pattern) {
		return len(pattern)
	}
	return -1
}

// judgeImport returns whether the rule names the import path as allowed, and why it refuses it, which is
// empty if it does not.
func (r rule) judgeImport(path string) (named bool, refusal string) {
	allow, deny := -1, -1
	for _, pattern := range r.Allow {
		allow = max(allow, matchPath(pattern, path))
	}
	for _, d := range r.Deny {
		if n := matchPath(d.Pkg, path); n > deny {
			deny, refusal = n, d.Desc
		}
	}
	switch {
	case allow > deny:
		return true, ""
	case deny < 0 && r.Mode == "strict":
		return false, "it is not among what may be imported"
	}
	return false, refusal
}

// listViolations returns what the package reaches in the repository and may not. A package that a rule
// allows by name may import what it likes: rules of its own are about that.
func (r rule) listViolations(packages map[string]listed, from listed) (found []string) {
	seen := make(map[string]bool)
	var follow func(p listed, way string)
	follow = func(p listed, way string) {
		for _, path := range p.Imports {
			to, isOwn := packages[path]
			if !isOwn || seen[path] {
				continue
			}
			seen[path] = true
			named, refusal := r.judgeImport(path)
			switch {
			case refusal != "":
				found = append(found, fmt.Sprintf("%s imports %s%s: %s", from.ImportPath, path, way, refusal))
			case !named:
				follow(to, " through "+path+way)
			}
		}
	}
	dir := strings.TrimPrefix(from.ImportPath, module) + "/"
	if slices.ContainsFunc(from.GoFiles, func(name string) bool { return r.isAbout(dir + name) }) {
		follow(from, "")
	}
	return found
}

func TestArrows(t *testing.T) {
	t.Parallel()
	packages, rules := list(t), readRules(t)
	var files []string
	for path, p := range packages {
		for name, r := range rules {
			for _, v := range r.listViolations(packages, p) {
				t.Errorf("%s (%s)", v, name)
			}
		}
		for _, file := range p.GoFiles {
			files = append(files, strings.TrimPrefix(path, module)+"/"+file)
		}
		// depguard cannot match the end of a path.
		if _, refusal := rules["test-packages"].judgeImport(path); refusal == "" && strings.HasSuffix(path, "test") && !strings.HasPrefix(path, module+"test/") && path != module+"cmd/contracttest" {
			t.Errorf("add %s to test-packages in .golangci.yml", path)
		}
	}
	for name, r := range rules {
		for _, glob := range r.Files {
			if pattern := strings.TrimPrefix(glob, "!"); pattern != "$test" && !slices.ContainsFunc(files, func(file string) bool { return matchGlob(pattern, file) }) {
				t.Errorf("%s is about %s, of which there are no files", name, glob)
			}
		}
		patterns := slices.Clone(r.Allow)
		for _, d := range r.Deny {
			patterns = append(patterns, d.Pkg)
		}
		for _, pattern := range patterns {
			if strings.HasPrefix(pattern, module) && !slices.ContainsFunc(slices.Collect(maps.Keys(packages)), func(path string) bool { return matchPath(pattern, path) >= 0 }) {
				t.Errorf("%s names %s, which is no package", name, pattern)
			}
		}
	}
}

// TestWorkspaceVersions checks that all modules of go.work require the same versions. go.work selects the
// newer version of what both need, while the programs are shipped with the versions in the
// product's go.mod. If they differed, the tests would run something that is not shipped.
func TestWorkspaceVersions(t *testing.T) {
	t.Parallel()
	tracked(t, "go.mod", "*/go.mod") // go list reads them
	versions := func(workspace ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-test", "-deps", "-f", "{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Version}}{{end}}{{end}}", "./...")
		cmd.Dir, cmd.Env = repository, append(os.Environ(), workspace...)
		out, err := cmd.Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		lines := slices.Sorted(strings.Lines(string(out)))
		return strings.Join(slices.Compact(lines), "")
	}
	if diff := cmp.Diff(versions("GOWORK=off"), versions()); diff != "" {
		t.Errorf("go.mod and test/go.mod name different versions (-go.mod +go.work), run go work sync:\n%s", diff)
	}
}

func TestArrowsRefuse(t *testing.T) {
	t.Parallel()
	rules := readRules(t)
	for _, tc := range []struct {
		way  string   // the package, what it imports, and what that imports
		want []string // names of the rules that refuse it; nil if it is allowed
	}{
		{"cmd/contracttest store", nil},
		{"internal/simulator/partner connectors/partnerplatform", []string{"simulator"}},
		{"internal/simulator/partner internal/simulator/firm", nil},
		{"connectors/partnerplatform internal/statement", []string{"connectors"}},
		{"connectors/customapi connectors/connectortest", []string{"test-packages"}},
		{"cmd/contracttest internal/simulator/partner", nil},
		{"connectors/alias connectors", []string{"alias"}},
		{"store/event store", []string{"store-leaves"}},
		{"configs store", []string{"configs"}},
		{"configs store/seal", nil},
		{"connectors connectors/fetch", []string{"seam"}},
		{"connectors/customapi store", []string{"connectors"}},
		{"connectors/customapi store/seal", nil},
		{"connectors/fetch configs", []string{"connectors"}},
		{"connectors/fetch connectors/customapi", []string{"shared"}},
		{"connectors/livecheck connectors/partnerplatform", []string{"shared"}},
		{"connectors/connectortest connectors/customapi", []string{"shared"}},
		{"connectors/fetch connectors/alias", nil},
		{"connectors/livecheck connectors/fetch", nil},
		{"connectors/partnerplatform connectors/customapi", []string{"partnerplatform"}},
		{"internal/analysis/stat connectors/record", []string{"statistics"}},
		{"internal/analysis/micros internal/analysis/stat", []string{"statistics"}},
		{"internal/analysis/result connectors/record", nil},
		{"internal/analysis/result internal/analysis/trades", []string{"analysis-result"}},
		{"internal/analysis/trades internal/analysis/result", nil},
		{"internal/analysis/trades internal/analysis/detect", []string{"analysis-trades"}},
		{"internal/analysis/detect internal/analysis/trades", nil},
		{"internal/analysis/detect internal/analysis/compare", []string{"analysis-detect"}},
		{"internal/analysis/wording internal/analysis/detect", []string{"analysis-detect"}},
		{"internal/analysis/compare internal/analysis/wording", nil},
		{"internal/analysis/compare internal/analysis/style", []string{"analysis-detectors"}},
		{"internal/analysis/style internal/analysis", []string{"analysis-detectors"}},
		{"internal/interview/claims/check internal/analysis/trades", nil},
		{"internal/interview/claims/check internal/analysis/detect", []string{"activity-readers"}},
		{"internal/interview/report internal/analysis/result", nil},
		{"internal/interview/report internal/analysis", []string{"activity-readers"}},
		{"store/activity store/interviews", []string{"store-activity"}},
		{"store/access store", nil},
		{"store/access store/event", nil},
		{"store/access store/interviews", []string{"store-access"}},
		{"store/auditlog store/access", []string{"store-auditlog"}},
		{"store/webhooks store/interviews", []string{"store-webhooks"}},
		{"store connectors", []string{"store"}},
		{"store connectors/record", nil},
		{"syncd/engine apiserver/v1", []string{"syncd"}},
		{"apiserver/v1 internal/analysis", nil},
		{"apiserver/v1 internal/analysis/load", nil},
		{"internal/analysis/load internal/analysis", nil},
		{"internal/analysis/load syncd/engine", []string{"internal"}},
		{"internal/interview/media store", []string{"domain"}},
		{"internal/interview/media/speech store/seal", nil},
		{"internal/interview/media configs", []string{"domain"}},
		{"internal/interview/claims internal/interview/claims/check", []string{"claims"}},
		{"internal/interview/claims/extract internal/interview/claims", nil},
		{"internal/interview/claims/extract internal/interview/claims/check", []string{"claims-extract"}},
		{"internal/interview/claims/extract internal/interview/claims/clause", nil},
		{"internal/interview/claims/extract internal/interview/claims/rules", nil},
		{"internal/interview/claims/extract internal/interview/claims/words", nil},
		{"internal/interview/claims/clause internal/interview/claims/words", nil},
		{"internal/interview/claims/clause internal/interview/claims/rules", nil},
		{"internal/interview/claims/clause internal/interview/claims/extract", []string{"claims-clause"}},
		{"internal/interview/claims/rules internal/interview/claims/words", []string{"claims-rules"}},
		{"internal/interview/claims/words internal/interview/claims", nil},
		{"internal/interview/claims/words internal/interview/claims/extract", []string{"claims-words"}},
		{"internal/interview/report internal/interview/claims/claimstest", []string{"test-packages"}},
		{"internal/interview/report internal/interview/claims/extract", nil},
		{"internal/interview/report internal/interview/claims/words", []string{"claims-readers"}},
		{"internal/interview/claims/check internal/interview/claims", nil},
		{"internal/interview/claims/check internal/interview/claims/extract", []string{"claims-check"}},
		{"internal/statement connectors/alias", []string{"statement"}},
		{"internal/statement internal/statement/value", nil},
		{"internal/statement/value internal/statement/words", nil},
		{"internal/statement/value internal/statement", []string{"cells"}},
		{"internal/statement/format internal/statement/value", nil},
		{"internal/statement/value internal/statement/format", []string{"cells"}},
		{"internal/statement/table internal/statement/format", nil},
		{"internal/statement/format internal/statement/table", []string{"formats"}},
		{"internal/statement/table internal/statement", []string{"tables"}},
		{"internal/statement/broker internal/statement/table", nil},
		{"internal/statement/pairing internal/statement/table", nil},
		{"internal/statement/pairing internal/statement/broker", []string{"pairing"}},
		{"internal/statement/table internal/statement/broker", []string{"tables"}},
		{"internal/analysis connectors/alias", []string{"analysis"}},
		{"internal/analysis connectors/record", nil},
		{"syncd/engine internal/boot", []string{"wiring"}},
		{"internal/boot syncd/engine", []string{"internal"}},
		{"syncd internal/boot", nil},
		{"syncd syncd/engine", nil},
		{"apiserver/v1 store", nil},
		{"syncd internal/dev/internal/proc", []string{"launcher"}},
		{"apiserver/web apiserver/page", nil},
		{"apiserver/web store", []string{"built-pages"}},
		{"apiserver/tus apiserver/problem", nil},
		{"apiserver/tus store", []string{"uploads"}},
		{"apiserver/page apiserver/docs", []string{"pages"}},
		{"apiserver/interview apiserver/route", []string{"links"}},
		{"apiserver/interview apiserver/v1", []string{"api-requests"}},
		{"apiserver/route apiserver/v1/traders", []string{"api-requests"}},
		{"apiserver/scim apiserver/v1/access", []string{"api-requests"}},
		{"apiserver/v1 apiserver/v1/traders", nil},
		{"apiserver/v1/traders apiserver/v1/webhooks", []string{"api-subjects"}},
		{"apiserver/v1/traders apiserver/v1", []string{"api-subjects"}},
		{"apiserver/v1/interviews apiserver/v1/traders", nil},
		{"apiserver/v1/interviews apiserver/v1/access", []string{"api-interviews"}},
		{"apiserver/v1/privacy apiserver/v1/interviews", nil},
		{"apiserver/v1/privacy apiserver/v1", []string{"api-privacy"}},
		{"apiserver/v1/privacy apiserver/v1/webhooks", []string{"api-privacy"}},
		{"apiserver/openapi apiserver/v1", []string{"document-form"}},
		{"syncd store/storetest", []string{"test-packages"}},
		{"syncd internal/simulator/partner", []string{"test-packages"}},
		{"syncd/enginetest internal/simulator/partner", nil},
		{"client/assay client/go", nil},
		{"client/assay store", []string{"client-command"}},
		{"syncd client/go", []string{"client-users"}},
		{"syncd/engine store store/storetest", []string{"test-packages"}},
		{"store/access store/auditlog store/interviews", []string{"store-access"}},
		{"apiserver/web apiserver/page apiserver/problem", nil},
		{"store/interviews/review store/interviews", nil},
		{"connectors/livecheck connectors/fetch connectors/customapi", []string{"shared"}},
		{"internal/dev configs store/seal", nil},
		{"internal/dev configs/reference", []string{"launcher-imports"}},
		{"cmd/contracttest store/storetest", nil},
		{"store/interviews/review store/interviews/steps", nil},
		{"store/interviews/review store/interviews/invite", []string{"store-interviews"}},
		{"store/interviews/steps store/interviews", []string{"store-steps"}},
		{"store/syncing store/syncing/audits", []string{"store-cycle"}},
		{"store/syncing/audits store/syncing/integrations", []string{"store-audits"}},
		{"store/work store/auditlog/action", nil},
		{"store/auditlog/action store", []string{"store-leaves"}},
		{"connectors/fetch internal/simulator/firm", []string{"test-packages"}},
		{"connectors/fetch internal/boot", []string{"connectors"}},
	} {
		t.Run(tc.way, func(t *testing.T) {
			t.Parallel()
			packages := make(map[string]listed)
			way := strings.Fields(tc.way)
			for i := range way {
				way[i] = module + way[i]
			}
			for i, path := range way {
				packages[path] = listed{ImportPath: path, GoFiles: []string{"x.go"}, Imports: way[i+1 : min(i+2, len(way))]}
			}
			var got []string
			for name, r := range rules {
				if len(r.listViolations(packages, packages[way[0]])) > 0 {
					got = append(got, name)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("rules that refuse it (-want +got):\n%s", diff)
			}
		})
	}
}

// list asks go list for all packages of all modules, by import path.
func list(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,GoFiles,Imports,Error", module+"...")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("go list: %v\n%s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := make(map[string]listed)
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if p.Error != nil {
			t.Fatalf("go list: %s: %s", p.ImportPath, p.Error.Err)
		}
		all[p.ImportPath] = p
	}
}
