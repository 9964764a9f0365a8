package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/distro"
	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// debianVariable names the variable with the path of a clean Debian or Ubuntu, as a tar file, for
// tests.
const debianVariable = "ASSAY_TEST_DEBIAN"

// ensureDebian makes or finds a clean system of this machine's own distribution, in which
// tests install packages, and returns its variable. Only root can make one, and use it;
// for others the test is skipped.
func (l *launcher) ensureDebian(ctx context.Context, env []string) ([]string, error) {
	if os.Geteuid() != 0 {
		l.say("packages are not installed in a clean system, which only root can make")
		return env, nil
	}
	file, err := l.makeDebian(ctx)
	if err != nil {
		return env, l.orSkip(ctx, err, "packages are not installed in a clean system")
	}
	return append(env, debianVariable+"="+file), nil
}

func (l *launcher) makeDebian(ctx context.Context) (file string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	name, err := codename()
	if err != nil {
		return "", err
	}
	file = filepath.Join(cache, "assay", "system-"+name+".tar")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	if _, err := exec.LookPath("debootstrap"); err != nil {
		if err := distro.Install(ctx, l.sup, distro.Need{What: "debootstrap", Deb: []string{"debootstrap"}}, l.say); err != nil {
			return "", err
		}
	}
	// The packages come from where this machine gets its own.
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return "", err
	}
	out, err := l.sup.Run(ctx, proc.Spec{
		Name: "apt", Path: apt, Grace: time.Second,
		Args: []string{"indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Component: main", "Codename: " + name},
	})
	if err != nil {
		return "", err
	}
	sources := strings.Fields(string(out))
	if len(sources) == 0 {
		return "", fmt.Errorf("apt has no source of %s: run apt-get update", name)
	}
	dir, err := os.MkdirTemp("", "assay-system-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	l.say("making a clean %s to install packages in: debootstrap (minutes, once)", name)
	if _, err := l.sup.Run(ctx, proc.Spec{
		Name: "debootstrap", Path: "/usr/sbin/debootstrap", Grace: 10 * time.Second,
		Args: []string{"--variant=minbase", "--include=ca-certificates", name, dir, sources[0]},
	}); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", err
	}
	if _, err := l.sup.Run(ctx, proc.Spec{Name: "tar", Path: "/usr/bin/tar", Grace: time.Second, Args: []string{"-C", dir, "--exclude=./var/cache/apt/archives/*.deb", "--exclude=./dev/*", "-cf", file + ".new", "."}}); err != nil {
		return "", err
	}
	return file, os.Rename(file+".new", file)
}

// codename returns the name of this machine's release, such as bookworm.
func codename() (string, error) {
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); ok {
			return strings.Trim(name, `"`), nil
		}
	}
	return "", errors.New("/etc/os-release names no VERSION_CODENAME")
}
