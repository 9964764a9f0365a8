package release_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// renderChart renders the chart from its archive, with the values that an operator has to set.
// test/ops checks what the chart writes.
func renderChart(t *testing.T, dir string) {
	t.Helper()
	chart, err := loader.LoadFile(filepath.Join(dir, "assay-0.1.1.tgz"))
	check(t, err)
	check(t, chart.Validate())
	if chart.Metadata.Version != version || chart.Metadata.AppVersion != version {
		t.Errorf("the chart is of version %s and installs %s", chart.Metadata.Version, chart.Metadata.AppVersion)
	}
	values, err := chartutil.ReadValues([]byte(`
image: {repository: registry.example.com/assay}
secret: {name: assay}
config: {public_url: "https://assay.example.com", blobs: {url: "s3://assay-recordings?region=eu-central-1"}}
prometheusRule: {enabled: true}
dashboards: {enabled: true}
`))
	check(t, err)
	all, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: "assay", Namespace: "firm", IsInstall: true}, nil)
	check(t, err)
	written, err := engine.Render(chart, all)
	check(t, err)
	for _, name := range []string{"apiserver", "syncd", "migrate"} {
		if text := written["assay/templates/"+name+".yaml"]; !strings.Contains(text, `image: "registry.example.com/assay:0.1.1"`) {
			t.Errorf("%s runs another image:\n%s", name, text)
		}
	}
	// They are links in the sources, to files outside the chart.
	for name, part := range map[string]string{"monitoring": "alert: AssaySyncdDown", "dashboards": `"uid": "assay-overview"`} {
		if text := written["assay/templates/"+name+".yaml"]; !strings.Contains(text, part) {
			t.Errorf("%s lacks %s:\n%s", name, part, text)
		}
	}
}

// installClients installs the clients where nothing else is. test/clients calls every operation
// with what the same scripts have packed.
func installClients(t *testing.T, dir string) {
	t.Helper()
	project := t.TempDir()
	check(t, os.WriteFile(filepath.Join(project, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o600))
	runIn := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = project
		return run(t, cmd)
	}
	runIn("npm", "install", "--offline", "--no-audit", "--no-fund", filepath.Join(dir, "assay-client-0.1.1.tgz"))
	if out := runIn("node", "--input-type=module", "--eval", `import { Assay } from "@assay/client"; console.log(typeof new Assay({ url: "https://a.example", key: "k" }).list)`); out != "function\n" {
		t.Errorf("the client for JavaScript has a list of type %s", out)
	}
	// A line for the project, and one for each package with its name and version.
	if out := runIn("npm", "ls", "--all", "--parseable", "--long"); !strings.Contains(out, ":@assay/client@0.1.1") || strings.Count(out, "\n") != 2 {
		t.Errorf("the project has:\n%s", out)
	}
	for name, file := range map[string]string{"wheel": "assay-0.1.1-py3-none-any.whl", "source": "assay-0.1.1.tar.gz"} {
		python := filepath.Join(project, name, "bin", "python3")
		runIn("python3", "-m", "venv", name)
		runIn(python, "-m", "pip", "install", "--no-index", filepath.Join(dir, file))
		out := runIn(python, "-c", `import assay, importlib.metadata as m; print(m.version("assay"), assay.Client("https://a.example", "k").all_traders.__name__)`)
		if out != "0.1.1 all_traders\n" {
			t.Errorf("the client for Python from %s is %s", file, out)
		}
	}
}

// checkPacked reads what the release says about the chart and the clients.
func checkPacked(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "assay_0.1.1.cdx.json"))
	check(t, err)
	var bom struct {
		Components []struct {
			PURL   string
			Ref    string `json:"bom-ref"`
			Hashes []struct{ Content string }
		}
	}
	check(t, json.Unmarshal(text, &bom))
	got, want := map[string]string{}, sums(t, dir)
	for _, c := range bom.Components {
		got[c.Ref] = c.PURL
		if len(c.Hashes) != 1 || c.Hashes[0].Content != want[c.Ref] {
			t.Errorf("%s has the hashes %v, want %s", c.Ref, c.Hashes, want[c.Ref])
		}
	}
	purls := map[string]string{
		"assay-0.1.1.tgz": "pkg:helm/assay@0.1.1", "assay-client-0.1.1.tgz": "pkg:npm/%40assay/client@0.1.1",
		"assay-0.1.1.tar.gz": "pkg:pypi/assay@0.1.1?file_name=assay-0.1.1.tar.gz", "assay-0.1.1-py3-none-any.whl": "pkg:pypi/assay@0.1.1?file_name=assay-0.1.1-py3-none-any.whl",
	}
	if diff := cmp.Diff(purls, got); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}
