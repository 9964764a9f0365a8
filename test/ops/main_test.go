package ops_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/assayhq/assay/store/storetest"
)

// root is the checkout, seen from this package.
var root = filepath.Join("..", "..")

// program returns the path of a program that a test needs. Without it the test is
// skipped, and fails in CI.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if path, err := exec.LookPath("/usr/sbin/" + name); err == nil { // where people's PATH does not go
		return path
	}
	storetest.LeaveOut(t, err.Error()+": run make test-all, which finds or installs it")
	return ""
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// readYAML reads a file of the checkout; what v has no field for fails.
func readYAML(t *testing.T, v any, path ...string) {
	t.Helper()
	if err := yaml.UnmarshalWithOptions(read(t, path...), v, yaml.Strict()); err != nil {
		t.Fatalf("%s: %v", filepath.Join(path...), err)
	}
}

// readPart reads those members of a file's first document that v has.
func readPart(t *testing.T, v any, path ...string) {
	t.Helper()
	if err := yaml.Unmarshal(read(t, path...), v); err != nil {
		t.Fatalf("%s: %v", filepath.Join(path...), err)
	}
}
