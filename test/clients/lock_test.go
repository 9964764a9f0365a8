package clients_test

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
)

// TestLock: every package is pinned to a version and to its content, and none
// to a host, which is a matter of the machine that installs it.
func TestLock(t *testing.T) {
	t.Parallel()
	var manifest struct{ Dependencies, DevDependencies map[string]string }
	read(t, "package.json", &manifest)
	if len(manifest.Dependencies) > 0 || len(manifest.DevDependencies) == 0 {
		t.Errorf("packages %v, and for development %v", manifest.Dependencies, manifest.DevDependencies)
	}
	exact := regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	for name, version := range manifest.DevDependencies {
		if !exact.MatchString(version) {
			t.Errorf("%s is asked for as %s", name, version)
		}
	}
	var lock struct {
		Packages map[string]struct{ Version, Resolved, Integrity string }
	}
	read(t, "package-lock.json", &lock)
	for path, p := range lock.Packages {
		if path == "" {
			continue
		}
		if p.Integrity == "" || p.Resolved != "" {
			t.Errorf("%s: integrity %q, resolved %q", path, p.Integrity, p.Resolved)
		}
	}
	for name, version := range manifest.DevDependencies {
		if got := lock.Packages["node_modules/"+name].Version; got != version {
			t.Errorf("%s is locked at %q, and asked for as %s", name, got, version)
		}
	}
}

func read(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(name)
	check(t, err)
	check(t, json.Unmarshal(text, v))
}
