package clients_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/oapi-codegen/runtime" // the generated client imports it
)

// TestGeneratedGoClient generates a Go client from the document that the API serves, with the published
// generator's defaults, and calls the API through it. It takes long because it compiles the generator
// and a client of all operations.
func TestGeneratedGoClient(t *testing.T) {
	t.Parallel()
	a := startAPI(t)
	a.sync(t)
	a.deliver(t)
	dir := t.TempDir()
	document := filepath.Join(dir, "openapi.json")
	check(t, os.WriteFile(document, served(t, a), 0o600))
	source := filepath.Join(dir, "client.go")
	runGo(t, "tool", "oapi-codegen", "-generate", "types,client", "-package", "client", "-o", source, document)

	// The generated package exists for the compiler alone.
	folder, err := filepath.Abs("testdata/goclient/client")
	check(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(folder, "client.go"): source}})
	check(t, err)
	list, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "goclient")
	check(t, os.WriteFile(list, overlay, 0o600))
	runGo(t, "build", "-overlay", list, "-o", program, "./testdata/goclient")

	out, err := exec.CommandContext(t.Context(), program, a.url, a.key).CombinedOutput()
	if err != nil {
		t.Fatalf("the client failed: %v\n%s", err, out)
	}
	if got := strings.TrimSpace(string(out)); !strings.HasPrefix(got, "60 traders, first ") || !strings.HasSuffix(got, "\nclient.PingEvent") {
		t.Errorf("the client printed %s", got)
	}
}

// runGo runs the go command.
func runGo(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
