package clients_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	assay "github.com/assayhq/assay/client/go"
)

// packJavaScript builds the package and returns a project that has it installed, with the walk, the
// uses of it and the samples of the reference, compiled with its types.
func packJavaScript(t *testing.T, a api) (dir, installed string) {
	t.Helper()
	root := workspace(t) // whose tools are found from below
	if out, err := exec.CommandContext(t.Context(), "node", "../../client/js/build.mjs", root, "0.1.1").CombinedOutput(); err != nil {
		t.Fatalf("client/js/build.mjs: %v\n%s", err, out)
	}
	dir = filepath.Join(root, "app")
	check(t, os.Mkdir(dir, 0o750))
	check(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o600))
	install := exec.CommandContext(t.Context(), "npm", "install", "--offline", "--no-audit", "--no-fund", filepath.Join(root, "assay-client-0.1.1.tgz"))
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	copyFiles(t, dir, "walk/*", "jsclient/*")
	check(t, os.WriteFile(filepath.Join(dir, "samples.ts"), typeScriptSamples(t, a), 0o600))
	compile(t, dir, "tsconfig.all.json")
	return dir, filepath.Join(dir, "node_modules", "@assay", "client")
}

// names lists a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	list := make([]string, len(entries))
	for i, entry := range entries {
		list[i] = entry.Name()
	}
	return list
}

// TestJavaScriptClient installs the package as npm publishes it, and calls every operation through it.
// It takes long because it compiles the package and its uses, and calls every operation.
func TestJavaScriptClient(t *testing.T) {
	t.Parallel()
	tools(t) // before anything is started
	a := startAPI(t)
	dir, installed := packJavaScript(t, a)
	want := []string{"LICENSE", "README.md", "dist", "package.json"}
	if diff := cmp.Diff(want, names(t, installed)); diff != "" {
		t.Errorf("the package contains (-want +got):\n%s", diff)
	}
	if got := names(t, filepath.Join(installed, "dist")); !slices.Contains(got, "index.js") || !slices.Contains(got, "schema.d.ts") {
		t.Errorf("the package lacks code or types: %q", got)
	}

	w := walker{dir, a, a.sync(t), newReceiver(t).server}
	a.deliver(t)
	env := []string{"WALK_URL=" + a.url, "WALK_KEY=" + a.key, "WALK_INTEGRATION=" + w.integration}
	if out, ok := node(t, dir, env, "--test", "out/use.js"); !ok {
		t.Errorf("uses of the client fail:\n%s", out)
	}
	compile(t, dir, "tsconfig.common.json")
	if out, _ := node(t, dir, nil, "-p", "process.features.require_module === true"); out == "false\n" {
		t.Log("this Node does not load modules by require")
	} else if out, ok := node(t, dir, env, "out/common.cjs"); !ok || out != "1 not_found\n" {
		t.Errorf("a CommonJS module gets:\n%s", out)
	}
	w.run(t, a.url, a.url)

	messages := filepath.Join(dir, "messages.json")
	c, err := assay.New(a.url, a.key)
	check(t, err)
	text, err := json.Marshal([]message{receivePing(t, c)})
	check(t, err)
	check(t, os.WriteFile(messages, text, 0o600))
	if out, ok := node(t, dir, []string{"MESSAGES=" + messages}, "--test", "out/webhook.js"); !ok {
		t.Errorf("webhooks are not verified:\n%s", out)
	}
}
