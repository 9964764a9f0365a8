package clients_test

import (
	"archive/zip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	assay "github.com/assayhq/assay/client/go"
)

// installPython builds the package and returns the programs of an environment that has the wheel
// installed. The source distribution makes the same wheel.
func installPython(t *testing.T) (programs string) {
	t.Helper()
	const oldest = "import sys; sys.exit(sys.version_info < (3, 11))"
	if err := exec.CommandContext(t.Context(), "python3", "-c", oldest).Run(); err != nil {
		missing(t, "Python 3.11")
	}
	dir := t.TempDir()
	if err := exec.CommandContext(t.Context(), "python3", "-m", "venv", filepath.Join(dir, "venv")).Run(); err != nil {
		missing(t, "Python's venv with pip")
	}
	programs = filepath.Join(dir, "venv", "bin")
	runPython(t, programs, nil, "../../client/python/build_backend.py", dir, "0.1.1-rc.2")
	wheel := filepath.Join(dir, "assay-0.1.1rc2-py3-none-any.whl")
	again := filepath.Join(dir, "again")
	runPython(t, programs, nil, "-m", "pip", "wheel", "--no-index", "--no-deps", "--wheel-dir", again, filepath.Join(dir, "assay-0.1.1rc2.tar.gz"))
	if diff := cmp.Diff(readChecksums(t, wheel), readChecksums(t, filepath.Join(again, filepath.Base(wheel)))); diff != "" {
		t.Errorf("the wheel and that of the source distribution differ (-first +second):\n%s", diff)
	}
	runPython(t, programs, nil, "-m", "pip", "install", "--no-index", wheel)
	return programs
}

// readChecksums returns the checksums of the files in an archive.
func readChecksums(t *testing.T, archive string) map[string]uint32 {
	t.Helper()
	z, err := zip.OpenReader(archive)
	check(t, err)
	defer z.Close()
	sums := make(map[string]uint32, len(z.File))
	for _, file := range z.File {
		sums[file.Name] = file.CRC32
	}
	return sums
}

// runPython runs a program to its end, which must be a success.
func runPython(t *testing.T, programs string, env []string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, "python3"), args...)
	cmd.Env = append(append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("python3 %s: %v\n%s", args, err, out)
	}
}

// checkPythonTypes checks the types of the installed package, which must all be known, and of a
// program that uses it, in which each mistake must be found, and the samples of the reference.
func checkPythonTypes(t *testing.T, a api, programs, path string) {
	t.Helper()
	dir := workspace(t, "pyclient/example.py")
	packages, err := filepath.Glob(filepath.Join(programs, "..", "lib", "python3*", "site-packages", "assay"))
	check(t, err)
	check(t, os.CopyFS(filepath.Join(dir, "assay"), os.DirFS(packages[0])))
	settings := `{"typeCheckingMode": "strict", "pythonVersion": "3.11", "reportUnnecessaryTypeIgnoreComment": "error", "include": ["assay", "example.py", "samples.py"]}`
	check(t, os.WriteFile(filepath.Join(dir, "samples.py"), pythonSamples(t, a), 0o600))
	check(t, os.WriteFile(filepath.Join(dir, "pyrightconfig.json"), []byte(settings), 0o600))
	const pyright = "node_modules/pyright/index.js"
	if out, ok := node(t, dir, []string{path}, pyright); !ok {
		t.Errorf("pyright:\n%s", out)
	}
	// As its users see it, from the environment: everything that is public has a type.
	check(t, os.RemoveAll(filepath.Join(dir, "assay")))
	if out, ok := node(t, dir, []string{path}, pyright, "--verifytypes", "assay", "--ignoreexternal"); !ok || !strings.Contains(out, "Type completeness score: 100%") {
		t.Errorf("pyright --verifytypes:\n%s", out)
	}
}

// TestPythonClient installs the wheel, and calls every operation through both of its clients. It
// takes long because it installs the wheel and calls every operation twice.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	tools(t) // before anything is started
	programs := installPython(t)
	a := startAPI(t)
	w := walker{walk(t, a, "pyclient/create.ts", "pyclient/bridge.py", "../../client/python/generate.py"), a, a.sync(t), newReceiver(t).server}
	a.deliver(t)

	path := "PATH=" + programs + ":" + os.Getenv("PATH")
	checkPythonTypes(t, a, programs, path)
	c, err := assay.New(a.url, a.key)
	check(t, err)
	messages := filepath.Join(w.dir, "messages.json")
	text, err := json.Marshal([]message{receivePing(t, c)})
	check(t, err)
	check(t, os.WriteFile(messages, text, 0o600))
	runPython(t, programs, []string{"WALK_URL=" + a.url, "WALK_KEY=" + a.key}, "-W", "error", "pyclient/example.py")
	runPython(t, programs, []string{"WALK_URL=" + a.url, "WALK_KEY=" + a.key, "WALK_INTEGRATION=" + w.integration, "MESSAGES=" + messages}, "-W", "error", "pyclient/use.py")

	// Both clients are made from the same lines. What differs is how they wait and read.
	for _, bridge := range []string{"sync", "async"} {
		t.Run(bridge, func(t *testing.T) { w.run(t, a.url, a.url, path, "BRIDGE="+bridge) })
	}
}
