package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"github.com/assayhq/assay/internal/dev/internal/distro"
)

// servedPrograms are those with which syncd processes recordings.
func servedPrograms() []string { return []string{"ffmpeg", "ffprobe", "pocketsphinx_continuous"} }

// recordingPrograms are what works on recordings, and makes them for tests.
func recordingPrograms() []string { return append(servedPrograms(), "flite") }

// explainMissing says what to install so that recordings are processed, or nothing.
func explainMissing() string {
	if len(missingPrograms(servedPrograms())) == 0 {
		return ""
	}
	install := "apt-get install ffmpeg flite pocketsphinx pocketsphinx-en-us"
	if runtime.GOOS == "darwin" {
		install = "brew install ffmpeg flite cmu-pocketsphinx"
	}
	return "Interviews with recordings get no report until ffmpeg and pocketsphinx are installed (" + install + ") and make run is started again."
}

// ensureRecordings finds or installs the programs that recordings need. Where
// that cannot be done, the tests that need them are skipped, but not in CI.
func (l *launcher) ensureRecordings(ctx context.Context) error {
	if len(missingPrograms(recordingPrograms())) == 0 {
		return nil
	}
	need := distro.Need{
		What: "ffmpeg, flite and pocketsphinx", Deb: []string{"ffmpeg", "flite", "pocketsphinx", "pocketsphinx-en-us"}, Brew: []string{"ffmpeg", "flite", "cmu-pocketsphinx"},
	}
	err := distro.Install(ctx, l.sup, need, l.say)
	if err == nil {
		if missing := missingPrograms(recordingPrograms()); len(missing) > 0 {
			err = fmt.Errorf("the packages of %s brought no %s", need.What, strings.Join(missing, ", "))
		}
	}
	return l.orSkip(ctx, err, "tests of recordings are skipped")
}

// missingPrograms lists those that are not there.
func missingPrograms(names []string) []string {
	var missing []string
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	return missing
}
