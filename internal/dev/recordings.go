package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/assayhq/assay/internal/dev/internal/distro"
)

// recordingPrograms are what works on recordings, and makes them for tests.
func recordingPrograms() []string {
	return []string{"ffmpeg", "ffprobe", "flite", "pocketsphinx_continuous"}
}

// ensureRecordings finds or installs the programs that recordings need. Where
// that cannot be done, the tests that need them are skipped, but not in CI.
func (l *launcher) ensureRecordings(ctx context.Context) error {
	if len(missingPrograms()) == 0 {
		return nil
	}
	need := distro.Need{
		What: "ffmpeg, flite and pocketsphinx", Deb: []string{"ffmpeg", "flite", "pocketsphinx", "pocketsphinx-en-us"}, Brew: []string{"ffmpeg", "flite", "cmu-pocketsphinx"},
	}
	err := distro.Install(ctx, l.sup, need, l.say)
	if err == nil {
		if missing := missingPrograms(); len(missing) > 0 {
			err = fmt.Errorf("the packages of %s brought no %s", need.What, strings.Join(missing, ", "))
		}
	}
	return l.orSkip(ctx, err, "tests of recordings are skipped")
}

// missingPrograms lists those that are not there.
func missingPrograms() []string {
	var missing []string
	for _, name := range recordingPrograms() {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	return missing
}
