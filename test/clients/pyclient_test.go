package clients_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	assay "github.com/assayhq/assay/client/go"
)

// installPython builds the wheel and returns the folder in which its modules are, beside what generates them.
func installPython(t *testing.T) string {
	t.Helper()
	const oldest = "import sys; sys.exit(sys.version_info < (3, 11))"
	if err := exec.CommandContext(t.Context(), "python3", "-c", oldest).Run(); err != nil {
		missing(t, "Python 3.11")
	}
	dir := t.TempDir()
	python(t, nil, "../../client/python/build_backend.py", dir)
	wheels, err := filepath.Glob(filepath.Join(dir, "assay-*.whl"))
	check(t, err)
	if len(wheels) != 1 {
		t.Fatalf("built %q", wheels)
	}
	python(t, nil, "-m", "zipfile", "-e", wheels[0], dir)
	return dir
}

// python runs a program to its end, which must be a success.
func python(t *testing.T, env []string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", args...)
	cmd.Env = append(append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("python3 %s: %v\n%s", args, err, out)
	}
}

// TestPythonClient installs the wheel, and calls every operation through both of its clients.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	tools(t) // before anything is started
	installed := installPython(t)
	a := startAPI(t)
	w := walker{walk(t, a), a, a.sync(t), newReceiver(t).server}
	a.deliver(t)
	copyFiles(t, w.dir, "pyclient/create.ts", "pyclient/bridge.py", "../../client/python/generate.py")
	compile(t, w.dir, "tsconfig.json")

	c, err := assay.New(a.url, a.key)
	check(t, err)
	messages := filepath.Join(w.dir, "messages.json")
	text, err := json.Marshal([]message{receivePing(t, c)})
	check(t, err)
	check(t, os.WriteFile(messages, text, 0o600))
	path := "PYTHONPATH=" + installed
	python(t, []string{path, "WALK_URL=" + a.url, "WALK_KEY=" + a.key, "WALK_INTEGRATION=" + w.integration, "MESSAGES=" + messages}, "-W", "error", "pyclient/use.py")

	// Both clients are made from the same lines. What differs is how they wait and read.
	for _, bridge := range []string{"sync", "async"} {
		t.Run(bridge, func(t *testing.T) { w.run(t, a.url, a.url, path, "BRIDGE="+bridge) })
	}
}
