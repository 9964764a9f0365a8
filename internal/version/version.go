// Package version says what a program was built from.
package version

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"
)

// The linker sets these where a build has no repository to read them from, as in an
// image, or must be the same wherever it is made, as in a release:
// -ldflags "-X github.com/assayhq/assay/internal/version.release=0.1.0".
var release, revision string //nolint:gochecknoglobals // the linker sets only variables

// Build is what a program was built from.
type Build struct {
	Version  string // such as 0.1.0, or "(devel)"
	Revision string // commit
	Go       string // version of the compiler
}

// Read returns what this program was built from, with "unknown" for what is not known.
func Read() Build {
	b := Build{Version: release, Revision: revision}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Go = info.GoVersion
		b.Version = cmp.Or(b.Version, strings.TrimPrefix(info.Main.Version, "v"))
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Revision = cmp.Or(b.Revision, s.Value)
			}
		}
	}
	const unknown = "unknown"
	return Build{cmp.Or(b.Version, unknown), cmp.Or(b.Revision, unknown), cmp.Or(b.Go, unknown)}
}

// Line returns what the version command of a program prints.
func Line(program string) string {
	b := Read()
	return fmt.Sprintf("%s %s, revision %s, %s", program, b.Version, b.Revision, b.Go)
}
