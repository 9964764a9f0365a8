package clients_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// walk is the client of walk/ with more files, generated from the document that the API serves
// and compiled.
func walk(t *testing.T, a api, more ...string) (dir string) {
	t.Helper()
	dir = workspace(t)
	copyFiles(t, dir, append([]string{"walk/*"}, more...)...)
	document := filepath.Join(dir, "openapi.json")
	check(t, os.WriteFile(document, served(t, a), 0o600))
	// Without the flag a member of a request that has a default must be given.
	if out, ok := node(t, dir, nil, "node_modules/openapi-typescript/bin/cli.js", "openapi.json", "--default-non-nullable=false", "--output", "schema.d.ts"); !ok {
		t.Fatalf("openapi-typescript:\n%s", out)
	}
	compile(t, dir, "tsconfig.json")
	return dir
}

// copyFiles copies what the patterns match into the folder, the later over the earlier.
func copyFiles(t *testing.T, dir string, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		check(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			check(t, err)
			check(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600))
		}
	}
}

// compile compiles the programs of a folder, which are modules.
func compile(t *testing.T, dir, project string) {
	t.Helper()
	check(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o600))
	if out, ok := node(t, dir, nil, filepath.Join(tools(t), "node_modules/typescript/bin/tsc"), "--project", project); !ok {
		t.Fatalf("tsc:\n%s", out)
	}
}

// served is the document as the API serves it.
func served(t *testing.T, a api) []byte {
	t.Helper()
	status, text := get(t, a.url+"/v1/openapi.json", "")
	if status != http.StatusOK {
		t.Fatalf("the document: %d %s", status, text)
	}
	return []byte(text)
}

// get reads a URL with a key, if there is one.
func get(t *testing.T, url, key string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	check(t, err)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	return res.StatusCode, string(text)
}

// walker is the walk with what it needs to know.
type walker struct {
	dir         string
	api         api
	integration string // id of the one that was synced
	hook        *httptest.Server
}

// run walks: url is where valid requests go, faulty where the others do.
func (w walker) run(t *testing.T, url, faulty string, env ...string) {
	t.Helper()
	out, ok := node(t, w.dir, append([]string{
		"WALK_URL=" + url, "WALK_FAULTY_URL=" + faulty, "WALK_PUBLIC_URL=" + w.api.url, "WALK_KEY=" + w.api.key, "WALK_NARROW_KEY=" + w.api.narrow,
		"WALK_HOOK=" + w.hook.URL, "WALK_INTEGRATION=" + w.integration, "WALK_PLATFORM=" + w.api.connected.URL, "WALK_PLATFORM_KEY=" + storetest.PlatformKey,
	}, env...), "out/walk.js")
	if !ok || !strings.Contains(out, "operations called") {
		t.Errorf("the walk fails:\n%s", out)
	}
}

// TestWalk: a client whose types are generated from the document gets through every operation,
// first face to face with the API, then with a proxy between them that turns every request and
// answer which breaks the document into an error. It takes long because it calls every operation
// twice, once through a proxy that is a program of its own.
func TestWalk(t *testing.T) {
	t.Parallel()
	tools(t) // before anything is started
	a := startAPI(t)
	w := walker{walk(t, a), a, a.sync(t), newReceiver(t).server}
	a.deliver(t)
	t.Run("directly", func(t *testing.T) { w.run(t, a.url, a.url) })
	t.Run("through Prism", func(t *testing.T) {
		// What is refused on purpose breaks the document on its way in: of
		// these exchanges only the answers are validated.
		w.run(t, prism(t, w.dir, "openapi.json", a), prism(t, w.dir, "openapi.json", a, "--validate-request", "false"))
	})
	t.Run("Prism notices", func(t *testing.T) {
		check(t, os.WriteFile(filepath.Join(w.dir, "other.json"), demanding(t, served(t, a)), 0o600))
		url := prism(t, w.dir, "other.json", a)
		status, text := get(t, url+"/v1/traders", a.key)
		if status != http.StatusInternalServerError || !strings.Contains(text, "VIOLATIONS") {
			t.Errorf("an answer that breaks the document: %d %.200s", status, text)
		}
	})
}

// demanding is the document with a member in every page's meta that the API
// does not know.
func demanding(t *testing.T, document []byte) []byte {
	t.Helper()
	var d map[string]any
	check(t, json.Unmarshal(document, &d))
	schemas := d["components"].(map[string]any)["schemas"].(map[string]any)
	meta := schemas["PageMeta"].(map[string]any)
	meta["required"] = append(meta["required"].([]any), "colour")
	text, err := json.Marshal(d)
	check(t, err)
	return text
}

// prism starts a proxy in front of the API and returns its URL.
func prism(t *testing.T, dir, document string, a api, more ...string) string {
	t.Helper()
	address := storetest.Address(t)
	host, port, _ := strings.Cut(address, ":")
	args := append([]string{"node_modules/@stoplight/prism-cli/dist/index.js", "proxy", document, a.url, "--errors", "--host", host, "--port", port}, more...)
	cmd := exec.Command("node", args...)
	cmd.Dir = dir
	start(t, "prism", "http://"+address+"/v1/openapi.json", cmd)
	return "http://" + address
}
