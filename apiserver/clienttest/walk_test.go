package clienttest_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// walk is the client of walk/, generated from the document that the API serves
// and compiled.
func walk(t *testing.T, a api) (dir string) {
	t.Helper()
	files, err := filepath.Glob("walk/*")
	check(t, err)
	dir = workspace(t, files...)
	document := filepath.Join(dir, "openapi.json")
	check(t, os.WriteFile(document, served(t, a), 0o600))
	check(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o600))
	if out, ok := node(t, dir, nil, "node_modules/openapi-typescript/bin/cli.js", "openapi.json", "--output", "schema.d.ts"); !ok {
		t.Fatalf("openapi-typescript:\n%s", out)
	}
	if out, ok := node(t, dir, nil, "node_modules/typescript/bin/tsc", "--project", "tsconfig.json"); !ok {
		t.Fatalf("tsc:\n%s", out)
	}
	return dir
}

// served is the document as the API serves it.
func served(t *testing.T, a api) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.url+"/v1/openapi.json", nil)
	check(t, err)
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	return text
}

// run walks: url is where valid requests go, faulty where the others do.
func run(t *testing.T, dir string, a api, url, faulty string) {
	t.Helper()
	out, ok := node(t, dir, []string{
		"WALK_URL=" + url, "WALK_FAULTY_URL=" + faulty, "WALK_PUBLIC_URL=" + a.url, "WALK_KEY=" + a.key, "WALK_NARROW_KEY=" + a.narrow,
		"WALK_INTEGRATION=" + a.integration, "WALK_PLATFORM=" + a.platform, "WALK_PLATFORM_KEY=" + storetest.PlatformKey,
	}, "out/walk.js")
	if !ok || !strings.Contains(out, "operations called") {
		t.Errorf("the walk fails:\n%s", out)
	}
}

// TestWalk: a client whose types are generated from the document gets through
// every operation, first face to face with the API, then with a proxy between
// them that turns every request and answer which breaks the document into an
// error.
func TestWalk(t *testing.T) {
	t.Parallel()
	tools(t) // before anything is started
	a := startAPI(t)
	dir := walk(t, a)
	t.Run("directly", func(t *testing.T) { run(t, dir, a, a.url, a.url) })
	t.Run("through Prism", func(t *testing.T) {
		// What is refused on purpose breaks the document on its way in: of
		// these exchanges only the answers are validated.
		run(t, dir, a, prism(t, dir, a), prism(t, dir, a, "--validate-request", "false"))
	})
}

// prism starts a proxy in front of the API and returns its URL.
func prism(t *testing.T, dir string, a api, more ...string) string {
	t.Helper()
	address := freeAddress(t)
	host, port, _ := strings.Cut(address, ":")
	args := append([]string{"node_modules/@stoplight/prism-cli/dist/index.js", "proxy", "openapi.json", a.url, "--errors", "--host", host, "--port", port}, more...)
	cmd := exec.Command("node", args...)
	cmd.Dir = dir
	start(t, "prism", "http://"+address+"/v1/openapi.json", cmd)
	return "http://" + address
}
