package clients_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/test/deploytest"
)

// What a test waits for at most, which is there for what never comes. stepPatience is for a step in a browser, which
// takes milliseconds on an idle machine and seconds on one that runs the whole gate. patience is for programs that are
// built or started, and for platforms that are read. pipelinePatience is for what is made of recordings, by programs
// that give way to all others on the machine.
const (
	stepPatience     = 2 * time.Minute
	patience         = 10 * time.Minute
	pipelinePatience = 20 * time.Minute
)

func TestMain(m *testing.M) {
	// Test servers that close break off what begins on the default transport just then.
	http.DefaultClient = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	// Assay's own programs, as they are shipped.
	os.Exit(deploytest.Run(m, "github.com/assayhq/assay/client/assay", "github.com/assayhq/assay/cmd/contracttest"))
}

// program is the path of one of assay's programs.
func program(t *testing.T, name string) string {
	t.Helper()
	return deploytest.Program(t, name)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// missing ends a test that needs what the machine does not have.
func missing(t *testing.T, what string) {
	t.Helper()
	storetest.LeaveOut(t, what+" is not installed, and this test needs it: make test-all installs it where it may")
}

// installed installs the tools, once for all tests.
var installed = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("node", filepath.Join("..", "..", "apiserver", "web", "install.mjs"), ".").Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("install.mjs: %w\n%s", err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
})

// tools returns the folder that holds node_modules.
func tools(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			missing(t, name)
		}
	}
	dir, err := installed()
	if err != nil {
		storetest.LeaveOut(t, "the tools could not be installed: "+err.Error())
	}
	return dir
}

// workspace returns a new folder in which the tools resolve, with copies of
// the files.
func workspace(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	check(t, os.Symlink(filepath.Join(tools(t), "node_modules"), filepath.Join(dir, "node_modules")))
	copyFiles(t, dir, files...)
	return dir
}

// node runs a tool or a script to its end and returns what it printed.
func node(t *testing.T, dir string, env []string, args ...string) (output string, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatalf("node %v: %v", args, err)
	}
	return string(out), err == nil
}
