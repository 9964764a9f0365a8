package main

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"
)

// The linker sets these in `make release`, and the commit in `make build`, because Go finds none in a
// worktree.
var release, revision string //nolint:gochecknoglobals // the linker sets only variables

// describeVersion returns what --version prints, in the form of the daemons.
func describeVersion() string {
	const unknown = "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "assay " + unknown
	}
	name, commit := cmp.Or(release, strings.TrimPrefix(info.Main.Version, "v"), unknown), revision
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = cmp.Or(commit, s.Value)
		}
	}
	return fmt.Sprintf("assay %s, revision %s, %s", name, cmp.Or(commit, unknown), info.GoVersion)
}
