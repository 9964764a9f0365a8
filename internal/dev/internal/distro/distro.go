// Package distro installs packages of the operating system: Debian's and
// Ubuntu's as root or with passwordless sudo, Homebrew's on macOS.
package distro

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// Need is something that is to be installed.
type Need struct {
	What string   // as a person calls it, such as "Postgres 15 or newer"
	Deb  []string // Debian's and Ubuntu's packages
	Brew []string // Homebrew's packages
}

// Install installs what is needed, or says exactly what to install. say
// reports progress.
func Install(ctx context.Context, sup *proc.Supervisor, need Need, say func(format string, args ...any)) error {
	if runtime.GOOS == "darwin" {
		return installWithBrew(ctx, sup, need, say)
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return fmt.Errorf("%s is not installed, and there is no apt-get to install it with: install it with this system's package manager", need.What)
	}
	command := "apt-get install " + strings.Join(need.Deb, " ")
	prefix, err := elevationCommand(ctx)
	if err != nil {
		return fmt.Errorf("%s is not installed, and %w: run (as root) %s", need.What, err, command)
	}
	say("installing %s: %s", need.What, command)
	install := aptSpec(prefix, apt, append([]string{"install", "-y", "--no-install-recommends"}, need.Deb...))
	if _, err := sup.Run(ctx, install); err == nil || ctx.Err() != nil {
		return err
	}
	// The lists of packages may be missing or too old.
	say("reading the lists of packages: apt-get update")
	_, updateErr := sup.Run(ctx, aptSpec(prefix, apt, []string{"update"}))
	if _, err := sup.Run(ctx, install); err != nil {
		return fmt.Errorf("%s could not be installed: %w", need.What, errors.Join(updateErr, err))
	}
	return nil
}

// Unpack downloads the necessary Debian packages and unpacks them into the folder
// without installing them, so that it needs no root and starts no service. Their
// dependencies must be installed.
func Unpack(ctx context.Context, sup *proc.Supervisor, need Need, folder string, say func(format string, args ...any)) error {
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return fmt.Errorf("%s is not installed, and there is no apt-get to get it with: install it with this system's package manager", need.What)
	}
	unpack, err := exec.LookPath("dpkg-deb")
	if err != nil {
		return fmt.Errorf("%s cannot be unpacked: %w", need.What, err)
	}
	say("unpacking %s: apt-get download %s", need.What, strings.Join(need.Deb, " "))
	downloads, err := os.MkdirTemp("", "packages-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(downloads) }() // temporary files
	download := aptSpec(nil, apt, append([]string{"-o", "APT::Sandbox::User=root", "download"}, need.Deb...))
	download.Dir = downloads
	if _, err := sup.Run(ctx, download); err != nil {
		if ctx.Err() != nil {
			return err
		}
		prefix, elevationErr := elevationCommand(ctx)
		if elevationErr != nil {
			return fmt.Errorf("%s could not be downloaded: %w", need.What, errors.Join(err, elevationErr))
		}
		say("reading the lists of packages: apt-get update")
		_, updateErr := sup.Run(ctx, aptSpec(prefix, apt, []string{"update"}))
		if _, err := sup.Run(ctx, download); err != nil {
			return fmt.Errorf("%s could not be downloaded: %w", need.What, errors.Join(updateErr, err))
		}
	}
	packages, err := filepath.Glob(filepath.Join(downloads, "*.deb"))
	if err != nil || len(packages) != len(need.Deb) {
		return fmt.Errorf("%s: apt-get download left %d packages", need.What, len(packages))
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // programs, which anybody may run
		return err
	}
	for _, each := range packages {
		if _, err := sup.Run(ctx, proc.Spec{Name: "dpkg-deb", Path: unpack, Args: []string{"-x", each, folder}, Grace: time.Minute}); err != nil {
			return fmt.Errorf("%s could not be unpacked: %w", need.What, err)
		}
	}
	return nil
}

// elevationCommand returns what to put before a command that needs root.
func elevationCommand(ctx context.Context) ([]string, error) {
	if os.Geteuid() == 0 {
		return nil, nil
	}
	sudo, err := exec.LookPath("sudo")
	if err != nil {
		return nil, errors.New("only root can install packages")
	}
	if exec.CommandContext(ctx, sudo, "-n", "true").Run() != nil {
		return nil, errors.New("sudo asks for a password")
	}
	return []string{sudo, "-n"}, nil
}

// aptSpec makes apt-get ask no questions and wait for another apt-get to finish.
// dpkg needs the folders of system programs in its path.
func aptSpec(prefix []string, apt string, args []string) proc.Spec {
	const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	all := append(append([]string{}, prefix...), "/usr/bin/env", path, "DEBIAN_FRONTEND=noninteractive", apt, "-q", "-o", "DPkg::Lock::Timeout=300")
	all = append(all, args...)
	return proc.Spec{Name: "apt-get", Path: all[0], Args: all[1:], Grace: time.Minute}
}

func installWithBrew(ctx context.Context, sup *proc.Supervisor, need Need, say func(format string, args ...any)) error {
	command := "brew install " + strings.Join(need.Brew, " ")
	if len(need.Brew) == 0 {
		return fmt.Errorf("%s is not installed: run xcode-select --install", need.What)
	}
	path, err := exec.LookPath("brew")
	if err != nil || os.Geteuid() == 0 {
		return fmt.Errorf("%s is not installed: install Homebrew and run (not as root) %s", need.What, command)
	}
	say("installing %s: %s", need.What, command)
	if _, err := sup.Run(ctx, proc.Spec{Name: "brew", Path: path, Args: append([]string{"install"}, need.Brew...), Grace: time.Minute}); err != nil {
		return fmt.Errorf("%s could not be installed: %w", need.What, err)
	}
	return nil
}
