// Package postgres finds or installs Postgres and runs private clusters of it.
package postgres

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/assayhq/assay/internal/dev/internal/distro"
	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// oldest is the oldest major version that assay runs on.
const oldest = 15

// Installation is an installed Postgres server.
type Installation struct {
	Bin     string // folder of postgres and initdb
	Major   int
	Version string // such as 17.6, or 18beta1
}

// folders are where packages put Postgres' programs, in addition to PATH.
var folders = []string{
	"/usr/lib/postgresql/*/bin", // Debian, Ubuntu
	"/usr/pgsql-*/bin",          // Red Hat
	"/usr/local/pgsql/bin",      // built from source
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// ensure finds a Postgres, or installs one. When major is not zero, it must be
// of that version: a cluster runs on the version that made it.
func ensure(ctx context.Context, sup *proc.Supervisor, major int, say func(format string, args ...any)) (Installation, error) {
	found := findInstallations(ctx)
	if i, ok := chooseInstallation(found, major); ok {
		return i, nil
	}
	what := fmt.Sprintf("Postgres %d or newer", oldest)
	if major != 0 {
		what = fmt.Sprintf("Postgres %d, which made the cluster,", major)
	}
	need := distro.Need{What: what, Deb: []string{"postgresql"}, Brew: []string{"postgresql@17"}}
	if major != 0 {
		need.Deb, need.Brew = []string{fmt.Sprintf("postgresql-%d", major)}, []string{fmt.Sprintf("postgresql@%d", major)}
	}
	if err := distro.Install(ctx, sup, need, say); err != nil {
		return Installation{}, err
	}
	found = findInstallations(ctx)
	if i, ok := chooseInstallation(found, major); ok {
		return i, nil
	}
	return Installation{}, fmt.Errorf("%s is needed, but this system's package brought %s: install a newer one, or set ASSAY_DATABASE_URL to a server elsewhere", what, describeInstallations(found))
}

// chooseInstallation returns the newest suitable version, and of two equal ones the
// first found.
func chooseInstallation(found []Installation, major int) (Installation, bool) {
	found = slices.DeleteFunc(slices.Clone(found), func(i Installation) bool {
		return i.Major < oldest || major != 0 && i.Major != major
	})
	if len(found) == 0 {
		return Installation{}, false
	}
	return slices.MaxFunc(found, func(a, b Installation) int { return cmp.Compare(a.Major, b.Major) }), true
}

func describeInstallations(found []Installation) string {
	if len(found) == 0 {
		return "none that could be found"
	}
	text := ""
	for _, i := range found {
		text += fmt.Sprintf(", version %d in %s", i.Major, i.Bin)
	}
	return text[2:]
}

// findInstallations lists the Postgres servers of this machine, those in PATH first.
func findInstallations(ctx context.Context) []Installation {
	var found []Installation
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), globAll(folders)...) {
		if i, ok := askInstallation(ctx, dir); ok && !slices.ContainsFunc(found, func(i Installation) bool { return i.Bin == dir }) {
			found = append(found, i)
		}
	}
	return found
}

func globAll(patterns []string) []string {
	var all []string
	for _, pattern := range patterns {
		matches, _ := filepath.Glob(pattern) // fails for malformed patterns only
		all = append(all, matches...)
	}
	return all
}

var versionText = regexp.MustCompile(`\(PostgreSQL\) ((\d+)\S*)`)

// askInstallation asks the server in dir for its version. initdb must be in the same folder.
func askInstallation(ctx context.Context, dir string) (Installation, bool) {
	for _, program := range []string{"initdb", "postgres"} {
		if info, err := os.Stat(filepath.Join(dir, program)); err != nil || info.IsDir() {
			return Installation{}, false
		}
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return Installation{}, false
	}
	m := versionText.FindSubmatch(out)
	if m == nil {
		return Installation{}, false
	}
	major, err := strconv.Atoi(string(m[2]))
	return Installation{Bin: dir, Major: major, Version: string(m[1])}, err == nil
}

// Installed reports whether there is a Postgres that will do.
func Installed(ctx context.Context) bool {
	_, ok := chooseInstallation(findInstallations(ctx), 0)
	return ok
}
