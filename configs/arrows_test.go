package configs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/assayhq/assay"

// listed is what go list reports about a package, with paths shortened: "~store" is this module's
// package store, "std:fmt" one of the standard library.
type listed struct {
	ImportPath   string
	Imports      []string // imports of the package without its tests
	TestImports  []string // imports of its tests, internal and external
	XTestImports []string
	Deps         []string // everything that the package is linked with, tests excluded
	Error        *struct{ Err string }
}

// tests returns what the package's tests import.
func (p listed) tests() []string { return slices.Concat(p.TestImports, p.XTestImports) }

// arrow forbids dependencies; ARCHITECTURE.md and .golangci.yml hold the same ones.
type arrow struct {
	reason string
	from   func(path string) bool
	// to is what must not be depended on, directly or indirectly.
	to func(path string) bool
	// direct forbids only what the package imports itself; tests includes
	// what its tests import.
	direct, tests bool
}

func arrows() []arrow {
	return []arrow{
		{reason: "records are the standard library's alone", from: is("connectors/record"), to: not(standard)},
		{reason: "contracttest is a module of its own, whose users get nothing else: it imports the standard library alone", from: under("contracttest"), to: not(or(standard, under("contracttest"))), tests: true},
		{reason: "simulated platforms judge connectors: they import the standard library and each other alone", from: under("internal/simulator"), to: not(or(standard, under("internal/simulator")))},
		{reason: "simulated platforms are linked into programs: they import nothing that is for tests", from: under("internal/simulator"), to: or(outside("std:testing"), outside("std:net/http/httptest"))},
		{reason: "the decoder engine knows records and nothing else of assay", from: is("connectors/alias"), to: but(own, is("connectors/record"))},
		{reason: "event, seal and blob are leaves", from: under("store/event", "store/seal", "store/blob"), to: but(own, under("store/event", "store/seal", "store/blob"))},
		{reason: "the catalog of the audit log is a leaf", from: is("store/auditlog/action"), to: own},
		{reason: "configs is a leaf", from: is("configs"), to: but(own, is("store/seal"))},
		{reason: "the seam knows records and secrets alone", from: is("connectors"), to: but(own, is("connectors/record", "store/seal"))},
		{reason: "connectors never import store", from: under("connectors"), to: but(under("store"), is("store/seal")), tests: true},
		{reason: "connectors know no process and no configuration", from: under("connectors"), to: under("syncd", "apiserver", "configs", "internal")},
		{reason: "what connectors share knows none of them", from: under("connectors/fetch", "connectors/answer", "connectors/livecheck", "connectors/connectortest"), to: under("connectors/customapi", "connectors/partnerplatform")},
		{reason: "connectors know nothing of each other", from: under("connectors/customapi"), to: under("connectors/partnerplatform")},
		{reason: "connectors know nothing of each other", from: under("connectors/partnerplatform"), to: under("connectors/customapi")},
		{reason: "exported files are read into records: internal/statement knows nothing else of assay", from: under("internal/statement"), to: but(own, or(under("internal/statement"), is("connectors/record")))},
		{reason: "store knows records and no connector, process or configuration", from: under("store"), to: or(but(under("connectors"), is("connectors/record")), under("syncd", "apiserver", "configs", "internal"))},
		{reason: "interviews build on the activity of traders, not the other way round", from: under("store/activity"), to: under("store/ingest", "store/interviews", "store/privacy", "store/syncing")},
		{reason: "traders are kept without what builds on them", from: under("store/directory"), to: under("store/access", "store/activity", "store/ingest", "store/interviews", "store/privacy", "store/syncing", "store/webhooks")},
		{reason: "an interview is stored without those who use it", from: is("store/interviews"), to: under("store/interviews/invite", "store/interviews/answering", "store/interviews/worker", "store/interviews/review", "store/interviews/viewing", "store/interviews/removals")},
		{reason: "steps become due without anything else of interviews", from: is("store/interviews/steps", "store/interviews/removals"), to: but(under("store/interviews"), is("store/interviews/steps"))},
		{reason: "each side of an interview knows none of the others", from: under("store/interviews/invite", "store/interviews/worker", "store/interviews/review", "store/interviews/viewing"), to: under("store/interviews/invite", "store/interviews/answering", "store/interviews/worker", "store/interviews/review", "store/interviews/viewing")},
		{reason: "privacy spans the resources, and none of them knows it", from: under("store/interviews"), to: under("store/privacy")},
		{reason: "platforms are read without people, their files and interviews", from: under("store/syncing", "store/ingest"), to: under("store/access", "store/activity", "store/interviews", "store/privacy")},
		{reason: "a cycle is stored without what people see of it", from: is("store/syncing"), to: under("store/syncing/integrations", "store/syncing/audits", "store/syncing/history")},
		{reason: "audits and history know no settings of integrations", from: is("store/syncing/audits", "store/syncing/history"), to: under("store/syncing/integrations")},
		{reason: "pages are written under a lease, which knows no page", from: under("store/syncing"), to: under("store/ingest")},
		{reason: "who may do what is decided without any resource", from: under("store/access"), to: under("store/activity", "store/directory", "store/ingest", "store/interviews", "store/privacy", "store/syncing", "store/webhooks")},
		{reason: "answers are kept without knowing what they show", from: under("store/idempotency"), to: under("store/access", "store/activity", "store/directory", "store/ingest", "store/interviews", "store/privacy", "store/syncing", "store/webhooks")},
		{reason: "the audit log is read and verified without any resource", from: under("store/auditlog"), to: under("store/access", "store/activity", "store/directory", "store/ingest", "store/interviews", "store/privacy", "store/syncing", "store/webhooks")},
		{reason: "store/work runs what is due and knows no resource", from: under("store/work"), to: but(under("store/access", "store/activity", "store/auditlog", "store/directory", "store/ingest", "store/interviews", "store/privacy", "store/syncing", "store/webhooks"), is("store/auditlog/action"))},
		{reason: "webhooks carry any event and know no resource", from: under("store/webhooks"), to: under("store/activity", "store/directory", "store/ingest", "store/interviews", "store/privacy", "store/syncing")},
		{reason: "statistics are functions of numbers", from: is("internal/analysis/stat"), to: own},
		{reason: "syncd never imports apiserver", from: under("syncd"), to: under("apiserver"), tests: true},
		{reason: "apiserver never imports syncd", from: under("apiserver"), to: under("syncd"), tests: true},
		{reason: "internal is what both daemons may use: it knows neither", from: under("internal"), to: under("syncd", "apiserver")},
		{reason: "the domain knows no process and no configuration", from: domain, to: under("configs", "internal/boot", "internal/dev")},
		{reason: "internal/analysis/load alone brings the domain and the store together", from: but(domain, is("internal/analysis/load")), to: but(under("store"), is("store/seal"))},
		{reason: "both daemons use the analysis: it knows records and gonum", from: but(under("internal/analysis"), or(under("internal/analysis/stat"), is("internal/analysis/load"))), to: not(or(standard, is("connectors/record"), under("internal/analysis"), outside("gonum.org/v1/gonum")))},
		{reason: "reports and claims are pure: equal inputs give equal reports", from: is("internal/interview/report", "internal/interview/claims"), to: impure, direct: true},
		{reason: "reports and claims know the analysis and nothing else of assay", from: is("internal/interview/report", "internal/interview/claims"), to: but(own, or(under("internal/analysis", "internal/interview/claims"), is("connectors/record")))},
		{reason: "the analysis is pure", from: but(under("internal/analysis"), or(testPackage, is("internal/analysis/stat", "internal/analysis/load"))), to: impure, direct: true},
		{reason: "statistics draw from fixed sequences alone", from: is("internal/analysis/stat"), to: but(impure, outside("std:math/rand/v2")), direct: true},
		{reason: "only a main wires", from: but(under("syncd", "apiserver"), is("syncd", "apiserver")), to: under("internal/boot")},
		{reason: "store is the only package that knows SQL", from: but(own, under("store")), to: or(outside("std:database/sql"), outside("github.com/uptrace/bun")), direct: true, tests: true},
		{reason: "store is the only package that knows SQL", from: but(own, or(under("store", "internal/dev"), testPackage)), to: outside("github.com/jackc/pgx"), direct: true},
		{reason: "the launcher is part of no process", from: but(own, under("internal/dev")), to: under("internal/dev"), tests: true},
		{reason: "the launcher must build fast on a bare machine", from: under("internal/dev"), to: not(or(standard, outside("github.com/jackc/pgx"), outside("golang.org/x/sys/unix"), is("configs"), under("internal/dev"))), direct: true},
		{reason: "what serves pages and their files knows none of them", from: is("apiserver/page"), to: but(own, is("apiserver/coding", "apiserver/decode", "apiserver/problem")), direct: true},
		{reason: "the built pages know no route and no data", from: is("apiserver/web"), to: but(own, is("apiserver/page")), direct: true},
		{reason: "resumable uploads know no interview", from: is("apiserver/tus"), to: but(own, is("apiserver/problem")), direct: true},
		{reason: "what lies behind links knows no key and no route of the API", from: is("apiserver/interview"), to: or(is("apiserver/v1"), under("apiserver/openapi/generate"))},
		{reason: "the form of the API's document is a leaf", from: is("apiserver/openapi"), to: own},
		{reason: "the programs that write and compare the API's document are part of no process", from: but(own, under("apiserver/openapi/generate", "apiserver/openapi/openapitest", "test/compatibility")), to: or(under("apiserver/openapi/generate"), outside("github.com/getkin/kin-openapi"), outside("github.com/oasdiff"))},
		{reason: "test is a module of its own: what imports it would need its libraries", from: but(own, under("test")), to: under("test"), tests: true},
		{reason: "client/go is a module of its own, whose users get nothing else: it imports the standard library alone", from: under("client/go"), to: not(or(standard, under("client/go"))), tests: true},
		{reason: "the assay command is a module of its own, which knows assay by its API", from: under("client/assay"), to: but(own, under("client")), tests: true},
		{reason: "client/assay and test alone use the client: what else did would need its module", from: but(own, under("client", "test")), to: under("client"), tests: true},
		{reason: "no daemon links test packages", from: but(own, or(testPackage, is("cmd/contracttest"))), to: testPackage},
	}
}

// violations returns the dependencies of the packages that the arrows forbid.
func violations(packages []listed) []string {
	var found []string
	for _, p := range packages {
		for _, a := range arrows() {
			if !a.from(p.ImportPath) {
				continue
			}
			reached := p.Deps
			if a.direct {
				reached = p.Imports
			}
			if a.tests {
				reached = slices.Concat(reached, p.tests())
			}
			for _, to := range slices.Compact(slices.Sorted(slices.Values(reached))) {
				if to != p.ImportPath && a.to(to) {
					found = append(found, fmt.Sprintf("%s depends on %s%s: %s", p.ImportPath, to, way(packages, p, to), a.reason))
				}
			}
		}
	}
	return found
}

func TestArrows(t *testing.T) {
	t.Parallel()
	packages := list(t)
	for _, v := range violations(packages) {
		t.Error(v)
	}
	for _, path := range []string{"~configs", "~connectors", "~connectors/record", "~store", "~store/seal", "~client/go", "~contracttest", "~test/clients"} {
		if !slices.ContainsFunc(packages, func(p listed) bool { return p.ImportPath == path }) {
			t.Errorf("package %s is gone: mend the rules", path)
		}
	}
}

// TestWorkspaceVersions checks that both modules require the same versions. go.work selects the
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
	for _, tc := range []struct {
		name string
		p    listed
		want string // reason; empty if the import is allowed
	}{
		{"record imports a module", listed{ImportPath: "~connectors/record", Deps: []string{"std:fmt", "github.com/google/uuid"}}, "records are the standard library's alone"},
		{"record imports the standard library", listed{ImportPath: "~connectors/record", Deps: []string{"std:fmt"}}, ""},
		{"kit imports a module", listed{ImportPath: "~contracttest/render", Deps: []string{"github.com/google/uuid"}}, "contracttest is a module of its own, whose users get nothing else: it imports the standard library alone"},
		{"kit's test imports the simulator", listed{ImportPath: "~contracttest", XTestImports: []string{"~internal/simulator/reference"}}, "contracttest is a module of its own, whose users get nothing else: it imports the standard library alone"},
		{"kit's command imports the store", listed{ImportPath: "~cmd/contracttest", Deps: []string{"~store", "~internal/simulator/reference"}}, ""},
		{"simulator imports its connector", listed{ImportPath: "~internal/simulator/partner", Deps: []string{"~connectors/partnerplatform"}}, "simulated platforms judge connectors: they import the standard library and each other alone"},
		{"simulator imports a simulated firm", listed{ImportPath: "~internal/simulator/partner", Deps: []string{"~internal/simulator/firm", "std:fmt"}}, ""},
		{"simulator imports a package for tests", listed{ImportPath: "~internal/simulator/reference", Deps: []string{"std:net/http/httptest"}}, "simulated platforms are linked into programs: they import nothing that is for tests"},
		{"connector imports the domain", listed{ImportPath: "~connectors/partnerplatform", Deps: []string{"~internal/statement"}}, "connectors know no process and no configuration"},
		{"connector's test imports its simulator", listed{ImportPath: "~connectors/partnerplatform", XTestImports: []string{"~internal/simulator/partner"}}, ""},
		{"connector links what its tests share", listed{ImportPath: "~connectors/customapi", Deps: []string{"~connectors/connectortest"}}, "no daemon links test packages"},
		{"kit's command imports the simulator", listed{ImportPath: "~cmd/contracttest", Deps: []string{"~internal/simulator/partner"}}, ""},
		{"engine imports a connector", listed{ImportPath: "~connectors/alias", Deps: []string{"~connectors"}}, "the decoder engine knows records and nothing else of assay"},
		{"catalog imports the store", listed{ImportPath: "~store/event", Deps: []string{"~store"}}, "event, seal and blob are leaves"},
		{"configuration imports the store", listed{ImportPath: "~configs", Deps: []string{"~store", "~store/seal"}}, "configs is a leaf"},
		{"seam imports a connector", listed{ImportPath: "~connectors", Deps: []string{"~connectors/fetch"}}, "the seam knows records and secrets alone"},
		{"connector imports the store", listed{ImportPath: "~connectors/customapi", Deps: []string{"~store"}}, "connectors never import store"},
		{"connector's test imports the store", listed{ImportPath: "~connectors/customapi", XTestImports: []string{"~store"}}, "connectors never import store"},
		{"connector imports secrets", listed{ImportPath: "~connectors/customapi", Deps: []string{"~store/seal"}}, ""},
		{"connector imports the configuration", listed{ImportPath: "~connectors/fetch", Deps: []string{"~configs"}}, "connectors know no process and no configuration"},
		{"shared part imports a connector", listed{ImportPath: "~connectors/fetch", Deps: []string{"~connectors/customapi"}}, "what connectors share knows none of them"},
		{"live check imports a connector", listed{ImportPath: "~connectors/livecheck", Deps: []string{"~connectors/partnerplatform"}}, "what connectors share knows none of them"},
		{"what tests share imports a connector", listed{ImportPath: "~connectors/connectortest", Deps: []string{"~connectors/customapi"}}, "what connectors share knows none of them"},
		{"live check imports what else is shared", listed{ImportPath: "~connectors/livecheck", Deps: []string{"~connectors/answer", "~connectors/fetch"}}, ""},
		{"connector imports another", listed{ImportPath: "~connectors/partnerplatform", Deps: []string{"~connectors/customapi"}}, "connectors know nothing of each other"},
		{"statistics import records", listed{ImportPath: "~internal/analysis/stat", Deps: []string{"~connectors/record"}}, "statistics are functions of numbers"},
		{"activity imports interviews", listed{ImportPath: "~store/activity", Deps: []string{"~store/interviews"}}, "interviews build on the activity of traders, not the other way round"},
		{"access imports interviews", listed{ImportPath: "~store/access", Deps: []string{"~store", "~store/event", "~store/interviews"}}, "who may do what is decided without any resource"},
		{"the audit log imports people", listed{ImportPath: "~store/auditlog", Deps: []string{"~store", "~store/access"}}, "the audit log is read and verified without any resource"},
		{"webhooks import interviews", listed{ImportPath: "~store/webhooks", Deps: []string{"~store", "~store/event", "~store/interviews"}}, "webhooks carry any event and know no resource"},
		{"store imports a connector", listed{ImportPath: "~store", Deps: []string{"~connectors"}}, "store knows records and no connector, process or configuration"},
		{"store imports records", listed{ImportPath: "~store", Deps: []string{"~connectors/record"}}, ""},
		{"syncd imports apiserver", listed{ImportPath: "~syncd/engine", Deps: []string{"~apiserver/v1"}}, "syncd never imports apiserver"},
		{"apiserver's test imports syncd", listed{ImportPath: "~apiserver/v1", TestImports: []string{"~syncd/engine"}}, "apiserver never imports syncd"},
		{"apiserver imports the analysis and what loads it", listed{ImportPath: "~apiserver/v1", Deps: []string{"~internal/analysis", "~internal/analysis/stat", "~internal/analysis/load"}}, ""},
		{"what loads the analysis imports the engine", listed{ImportPath: "~internal/analysis/load", Deps: []string{"~store", "~internal/analysis", "~syncd/engine"}}, "internal is what both daemons may use: it knows neither"},
		{"media import the store", listed{ImportPath: "~internal/interview/media", Deps: []string{"~store"}}, "internal/analysis/load alone brings the domain and the store together"},
		{"media keep credentials as secrets", listed{ImportPath: "~internal/interview/media/speech", Deps: []string{"~store/seal"}}, ""},
		{"domain reads the configuration", listed{ImportPath: "~internal/interview/media", Deps: []string{"~configs"}}, "the domain knows no process and no configuration"},
		{"files are read with a connector", listed{ImportPath: "~internal/statement", Deps: []string{"~connectors/alias"}}, "exported files are read into records: internal/statement knows nothing else of assay"},
		{"analysis imports a connector", listed{ImportPath: "~internal/analysis", Deps: []string{"~connectors/alias"}}, "both daemons use the analysis: it knows records and gonum"},
		{"analysis imports records and gonum", listed{ImportPath: "~internal/analysis", Deps: []string{"~connectors/record", "gonum.org/v1/gonum/mathext"}}, ""},
		{"analysis reads files", listed{ImportPath: "~internal/analysis/stat", Imports: []string{"std:os"}}, "statistics draw from fixed sequences alone"},
		{"package wires", listed{ImportPath: "~syncd/engine", Deps: []string{"~internal/boot"}}, "only a main wires"},
		{"wiring imports a half", listed{ImportPath: "~internal/boot", Deps: []string{"~syncd/engine"}}, "internal is what both daemons may use: it knows neither"},
		{"main wires", listed{ImportPath: "~syncd", Deps: []string{"~internal/boot", "~syncd/engine"}}, ""},
		{"handler uses Bun", listed{ImportPath: "~apiserver/v1", Imports: []string{"github.com/uptrace/bun"}}, "store is the only package that knows SQL"},
		{"handler's test uses database/sql", listed{ImportPath: "~apiserver/v1", XTestImports: []string{"std:database/sql"}}, "store is the only package that knows SQL"},
		{"handler is linked with Bun through store", listed{ImportPath: "~apiserver/v1", Imports: []string{"~store"}, Deps: []string{"~store", "github.com/uptrace/bun"}}, ""},
		{"handler uses pgx", listed{ImportPath: "~apiserver/v1", Imports: []string{"github.com/jackc/pgx/v5/pgconn"}}, "store is the only package that knows SQL"},
		{"handler's test uses pgx", listed{ImportPath: "~apiserver/v1", XTestImports: []string{"github.com/jackc/pgx/v5"}}, ""},
		{"daemon imports the launcher", listed{ImportPath: "~syncd", Deps: []string{"~internal/dev/internal/proc"}}, "the launcher is part of no process"},
		{"launcher imports a module", listed{ImportPath: "~internal/dev", Imports: []string{"github.com/google/uuid"}}, "the launcher must build fast on a bare machine"},
		{"pages know data", listed{ImportPath: "~apiserver/web", Imports: []string{"~apiserver/page", "~store"}}, "the built pages know no route and no data"},
		{"uploads know interviews", listed{ImportPath: "~apiserver/tus", Imports: []string{"~apiserver/problem", "~store"}}, "resumable uploads know no interview"},
		{"server of pages knows the reference", listed{ImportPath: "~apiserver/page", Imports: []string{"~apiserver/docs"}}, "what serves pages and their files knows none of them"},
		{"what lies behind links knows the API", listed{ImportPath: "~apiserver/interview", Deps: []string{"~apiserver/v1"}}, "what lies behind links knows no key and no route of the API"},
		{"document's form imports the routes", listed{ImportPath: "~apiserver/openapi", Deps: []string{"~apiserver/v1"}}, "the form of the API's document is a leaf"},
		{"daemon links what compares documents", listed{ImportPath: "~apiserver/v1", Deps: []string{"github.com/oasdiff/oasdiff/checker"}}, "the programs that write and compare the API's document are part of no process"},
		{"daemon links what checks documents", listed{ImportPath: "~apiserver", Deps: []string{"github.com/getkin/kin-openapi/openapi3"}}, "the programs that write and compare the API's document are part of no process"},
		{"test checks by the document", listed{ImportPath: "~apiserver/v1", XTestImports: []string{"~apiserver/openapi/openapitest", "github.com/getkin/kin-openapi/openapi3"}}, ""},
		{"daemon links a test package", listed{ImportPath: "~syncd", Deps: []string{"~store/storetest"}}, "no daemon links test packages"},
		{"daemon links the simulator", listed{ImportPath: "~syncd", Deps: []string{"~internal/simulator/partner"}}, "no daemon links test packages"},
		{"test world imports the simulator", listed{ImportPath: "~syncd/enginetest", Deps: []string{"~internal/simulator/partner"}}, ""},
		{"product's test imports the module of tests", listed{ImportPath: "~syncd/engine", XTestImports: []string{"~test/clients"}}, "test is a module of its own: what imports it would need its libraries"},
		{"client imports a module", listed{ImportPath: "~client/go", TestImports: []string{"std:testing", "github.com/google/go-cmp/cmp"}}, "client/go is a module of its own, whose users get nothing else: it imports the standard library alone"},
		{"command imports the store", listed{ImportPath: "~client/assay", Deps: []string{"~client/go", "~store"}}, "the assay command is a module of its own, which knows assay by its API"},
		{"daemon imports the client", listed{ImportPath: "~syncd", Deps: []string{"~client/go"}}, "client/assay and test alone use the client: what else did would need its module"},
		{"module of tests imports both daemons' packages", listed{ImportPath: "~test/drill", XTestImports: []string{"~syncd/enginetest", "~apiserver/v1"}}, ""},
		{"test imports a test package", listed{ImportPath: "~syncd/engine", XTestImports: []string{"~store/storetest", "~internal/simulator/reference"}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var want []string
			if tc.want != "" {
				want = []string{tc.want}
			}
			var got []string
			for _, v := range violations([]listed{tc.p}) {
				_, reason, _ := strings.Cut(v, ": ") // paths hold a colon without a space
				got = append(got, reason)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

// way names an import through which p reaches a package that it does not import itself.
func way(packages []listed, p listed, to string) string {
	if slices.Contains(p.Imports, to) || slices.Contains(p.tests(), to) {
		return ""
	}
	for _, via := range packages {
		if slices.Contains(p.Deps, via.ImportPath) && slices.Contains(via.Imports, to) {
			return " (through " + via.ImportPath + ")"
		}
	}
	return ""
}

// list asks go list for all packages of all modules.
func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports,Deps,Error", module+"/...")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("go list: %v\n%s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
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
		p.ImportPath = short(p.ImportPath)
		for _, paths := range [][]string{p.Imports, p.TestImports, p.XTestImports, p.Deps} {
			for i := range paths {
				paths[i] = short(paths[i])
			}
		}
		all = append(all, p)
	}
}

// short removes the module's own path prefix and marks packages of other modules.
func short(path string) string {
	first, _, _ := strings.Cut(path, "/")
	switch rest, ok := strings.CutPrefix(path, module+"/"); {
	case ok:
		return "~" + rest
	case strings.Contains(first, "."):
		return path
	}
	return "std:" + path
}

// The following predicates take paths as returned by short.

// impure matches packages that reach beyond a function's arguments.
func impure(path string) bool {
	return slices.Contains([]string{"std:os", "std:os/exec", "std:net", "std:net/http", "std:database/sql", "std:log", "std:log/slog", "std:math/rand", "std:math/rand/v2"}, path)
}

func own(path string) bool      { return strings.HasPrefix(path, "~") }
func standard(path string) bool { return strings.HasPrefix(path, "std:") }

// testPackage matches the packages that only tests may use.
func testPackage(path string) bool {
	return own(path) && strings.HasSuffix(path, "test") || under("contracttest", "internal/simulator")(path)
}

// domain matches the packages that know about trading and interviews, which both daemons use.
func domain(path string) bool {
	return under("internal/analysis", "internal/statement", "internal/interview")(path)
}

// is matches the packages of the module.
func is(paths ...string) func(string) bool {
	return func(path string) bool { return own(path) && slices.Contains(paths, path[1:]) }
}

// under matches the packages of the module and everything below them.
func under(paths ...string) func(string) bool {
	return func(path string) bool {
		return own(path) && slices.ContainsFunc(paths, func(p string) bool { return path[1:] == p || strings.HasPrefix(path[1:], p+"/") })
	}
}

// outside matches packages of another module.
func outside(prefix string) func(string) bool {
	return func(path string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }
}

func not(a func(string) bool) func(string) bool {
	return func(path string) bool { return !a(path) }
}

func or(all ...func(string) bool) func(string) bool {
	return func(path string) bool {
		return slices.ContainsFunc(all, func(a func(string) bool) bool { return a(path) })
	}
}

func but(a, except func(string) bool) func(string) bool {
	return func(path string) bool { return a(path) && !except(path) }
}
