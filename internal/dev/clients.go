package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/distro"
	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// installer is the script that installs the npm packages of a folder.
const installer = "apiserver/web/install.mjs"

// The oldest Node that the published tools run on: Debian 12's own.
const (
	oldestNode      = 18
	oldestNodeMinor = 20
)

// browsers are the programs that the tests accept as a browser.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell", "headless-shell"}

// ensureClients finds or installs what the tests of test/clients need: Node with
// the published tools, and a browser. If that is not possible, the tests are
// skipped, except in CI.
func (l *launcher) ensureClients(ctx context.Context) error {
	err := l.ensureNode(ctx)
	if err == nil {
		// The tests would do the same, but silently.
		err = l.runNode(ctx, installer, clientTests, "--quiet")
	}
	return l.orSkip(ctx, errors.Join(err, l.ensureBrowser(ctx)), "the tests of "+clientTests+" that need it are skipped")
}

// orSkip reports what is left out because of the error, outside of CI.
func (l *launcher) orSkip(ctx context.Context, err error, what string) error {
	if err == nil || ctx.Err() != nil || os.Getenv("CI") != "" {
		return err
	}
	l.say("%s: %v", what, err)
	return nil
}

// runScript runs a script with Node.
func runScript(ctx context.Context, l *launcher, args []string) (err error) {
	if len(args) == 0 {
		return fmt.Errorf("node needs a script: %w", errUsage)
	}
	if err := l.openFolder(ctx, "node"); err != nil {
		return err
	}
	defer l.stopProcesses(&err)
	if err := l.ensureNode(ctx); err != nil {
		return l.orSkip(ctx, err, args[0]+" is not run")
	}
	return l.runNode(ctx, args...)
}

func (l *launcher) runNode(ctx context.Context, args ...string) error {
	path, err := exec.LookPath("node")
	if err != nil {
		return err
	}
	return l.sup.RunTo(ctx, proc.Spec{Name: "node", Path: path, Args: args, Grace: 10 * time.Second}, os.Stdout, os.Stderr)
}

// ensureNode finds or installs Node with npm.
func (l *launcher) ensureNode(ctx context.Context) error {
	if nodeUsable(ctx) == nil {
		return nil
	}
	need := distro.Need{What: fmt.Sprintf("Node %d.%d or newer with npm", oldestNode, oldestNodeMinor), Deb: []string{"nodejs", "npm"}, Brew: []string{"node"}}
	if err := distro.Install(ctx, l.sup, need, l.say); err != nil {
		return err
	}
	return nodeUsable(ctx)
}

// nodeUsable returns what is wrong with the machine's Node, if anything.
func nodeUsable(ctx context.Context) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return fmt.Errorf("node --version: %w", err)
	}
	return newEnough(strings.TrimSpace(string(out)))
}

var nodeVersion = regexp.MustCompile(`^v(\d+)\.(\d+)\.`)

// newEnough returns an error if the tools do not run on the version that node
// --version prints.
func newEnough(version string) error {
	if m := nodeVersion.FindStringSubmatch(version); m != nil {
		major, _ := strconv.Atoi(m[1]) // digits; a number too large for an int is the largest one
		minor, _ := strconv.Atoi(m[2])
		if major > oldestNode || major == oldestNode && minor >= oldestNodeMinor {
			return nil
		}
	}
	return fmt.Errorf("node is %s, and the tools need %d.%d or newer", version, oldestNode, oldestNodeMinor)
}

// ensurePython finds or installs a Python that builds the client for it.
func (l *launcher) ensurePython(ctx context.Context) error {
	if pythonUsable(ctx) == nil {
		return nil
	}
	need := distro.Need{What: "Python 3.11 or newer", Deb: []string{"python3"}, Brew: []string{"python3"}}
	if err := distro.Install(ctx, l.sup, need, l.say); err != nil {
		return err
	}
	return pythonUsable(ctx)
}

// pythonUsable returns what is wrong with the machine's Python, if anything.
func pythonUsable(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "python3", "-c", `import sys; sys.exit(sys.version_info < (3, 11) and sys.version)`).CombinedOutput()
	if err != nil {
		return fmt.Errorf("the client for Python needs 3.11 or newer, and python3 is unusable: %w: %s", err, out)
	}
	return nil
}

// ensureBrowser finds or installs Chromium.
func (l *launcher) ensureBrowser(ctx context.Context) error {
	if browserFound() {
		return nil
	}
	need := distro.Need{What: "Chromium", Deb: []string{"chromium"}, Brew: []string{"--cask", "chromium"}}
	if err := distro.Install(ctx, l.sup, need, l.say); err != nil {
		return err
	}
	if !browserFound() {
		return fmt.Errorf("the package of Chromium brought none of %s", strings.Join(browsers, ", "))
	}
	return nil
}

func browserFound() bool {
	return slices.ContainsFunc(append(browsers, macBrowsers...), func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	})
}

// macBrowsers are where macOS keeps them.
var macBrowsers = []string{
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
}
