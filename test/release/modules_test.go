package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// TestModuleTags tags a repository as the release's workflow does, and installs the assay command
// from there by its version. It takes long because it builds the command from a module cache of its
// own.
func TestModuleTags(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		storetest.LeaveOut(t, "there is no git")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	check(t, err)
	modules, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	check(t, err)
	// A build leaves out what only other systems need, such as cobra's mousetrap on Windows.
	download := exec.CommandContext(t.Context(), "go", "mod", "download")
	download.Dir, download.Env = filepath.Join(root, "client", "assay"), append(os.Environ(), "GOWORK=off")
	run(t, download)
	home, sources, hub := t.TempDir(), copySources(t, root), filepath.Join(t.TempDir(), "hub.git")
	environ := append(os.Environ(),
		// Go asks the copy in place of the public repository, and takes other modules from those on this machine.
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://"+hub+".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/assayhq/assay",
		"GOPRIVATE=github.com/assayhq/assay", "GOPROXY=file://"+strings.TrimSpace(string(modules))+"/cache/download,direct", "GOSUMDB=off",
		"GOMODCACHE="+filepath.Join(home, "modules"), "GOBIN="+filepath.Join(home, "bin"), "GOWORK=off",
		// What others have compiled is taken from the cache.
		"GOFLAGS=-modcacherw -trimpath",
	)
	runIn := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, environ
		return run(t, cmd)
	}
	runIn(sources, "git", "init", "-q", "--bare", hub)
	runIn(sources, "git", "init", "-q")
	runIn(sources, "git", "add", ".")
	runIn(sources, "git", "-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "-qm", "release")
	runIn(sources, "git", "remote", "add", "origin", hub)
	runIn(sources, "git", "push", "-q", "origin", "HEAD:refs/heads/main")
	runIn(sources, "sh", ".github/tag-modules.sh", "v0.1.1")
	runIn(sources, "git", "reset", "-q", "--hard", "HEAD~1")
	runIn(sources, "sh", ".github/tag-modules.sh", "v0.1.1") // as a workflow that is run again
	for _, m := range []string{"client/go", "client/assay", "contracttest"} {
		if out := runIn(home, "go", "list", "-m", "github.com/assayhq/assay/"+m+"@v0.1.1"); !strings.Contains(out, " v0.1.1\n") {
			t.Errorf("Go finds %s as %q", m, out)
		}
	}
	runIn(home, "go", "install", "github.com/assayhq/assay/client/assay@v0.1.1")
	if out := runIn(home, filepath.Join(home, "bin", "assay"), "--version"); !strings.HasPrefix(out, "assay 0.1.1, revision ") {
		t.Errorf("the installed command is of version %q", out)
	}
}
