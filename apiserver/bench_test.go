package main

import (
	"os/exec"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// BenchmarkColdStart starts apiserver on a database whose schema is current.
func BenchmarkColdStart(b *testing.B) {
	path, err := buildProgram(b.TempDir(), "apiserver")
	check(b, err)
	for b.Loop() {
		s := newSite(b, storetest.URL(b))
		blobs := "ASSAY_BLOBS_URL=file://" + b.TempDir()
		storetest.ColdStarts(b, "http://"+s.debug+"/readyz", func() *exec.Cmd {
			cmd := exec.CommandContext(b.Context(), path, "--config", s.config)
			cmd.Env = []string{"HOME=" + b.TempDir(), "ASSAY_LOG_LEVEL=warn", blobs}
			return cmd
		})
	}
}
