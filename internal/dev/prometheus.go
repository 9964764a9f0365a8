package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/assayhq/assay/internal/dev/internal/distro"
)

// prometheusPrograms are what the tests of alerts and dashboards run.
var prometheusPrograms = []string{"prometheus", "promtool"}

// ensurePrometheus finds Prometheus, or unpacks the system's package of it into
// the folder of tools: installed, it would start a service. It returns the
// folder to be added to the tests' PATH, empty when none has to be. Where there
// is none to be had, the tests that need it are skipped, but not in CI.
func (l *launcher) ensurePrometheus(ctx context.Context) (folder string, err error) {
	tools := os.Getenv("TOOLS")
	if tools == "" {
		tools = filepath.Join(l.root, ".data", "tools")
	}
	tools = filepath.Join(tools, "prometheus")
	folder = filepath.Join(tools, "usr", "bin")
	switch {
	case hasPrograms(""):
		return "", nil
	case hasPrograms(folder):
		return folder, nil
	}
	need := distro.Need{What: "Prometheus", Deb: []string{"prometheus"}, Brew: []string{"prometheus"}}
	if runtime.GOOS == "darwin" { // where packages start nothing
		folder = ""
		err = distro.Install(ctx, l.sup, need, l.say)
	} else {
		err = distro.Unpack(ctx, l.sup, need, tools, l.say)
	}
	if err == nil && !hasPrograms(folder) {
		err = errors.New("the package of Prometheus brought no prometheus and promtool")
	}
	return folder, l.orSkip(ctx, err, "tests of alerts and dashboards are skipped")
}

// hasPrograms reports whether the folder has Prometheus's programs, or PATH if folder is empty.
func hasPrograms(folder string) bool {
	for _, name := range prometheusPrograms {
		if _, err := exec.LookPath(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

// withPath adds a folder to the PATH of an environment.
func withPath(env []string, folder string) []string {
	if folder == "" {
		return env
	}
	return append(env, fmt.Sprintf("PATH=%s%c%s", os.Getenv("PATH"), os.PathListSeparator, folder))
}
