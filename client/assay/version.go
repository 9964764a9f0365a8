package main

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"
)

// revision is the commit. The linker sets it in `make build`, because Go finds none in a worktree.
var revision string //nolint:gochecknoglobals // the linker sets only variables

// describeVersion returns what --version prints, in the form of the daemons.
func describeVersion() string {
	const unknown = "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "assay " + unknown
	}
	commit := revision
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = cmp.Or(commit, s.Value)
		}
	}
	return fmt.Sprintf("assay %s, revision %s, %s", cmp.Or(strings.TrimPrefix(info.Main.Version, "v"), unknown), cmp.Or(commit, unknown), info.GoVersion)
}
