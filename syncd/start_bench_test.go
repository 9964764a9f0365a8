package main

import (
	"os/exec"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// BenchmarkColdStart starts syncd on a database whose schema is current.
func BenchmarkColdStart(b *testing.B) {
	bin := buildPrograms(b)
	for b.Loop() {
		url, debug := storetest.URL(b), storetest.Address(b)
		storetest.ColdStarts(b, "http://"+debug+"/readyz", func() *exec.Cmd {
			return syncdCommand(b, bin, url, "ASSAY_DEBUG_SYNCD="+debug)
		})
	}
}
