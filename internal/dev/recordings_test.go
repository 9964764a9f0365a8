package main

import (
	"strings"
	"testing"
)

// TestExplainMissing checks that make run says what recordings lack.
func TestExplainMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if said := explainMissing(); !strings.Contains(said, "ffmpeg and pocketsphinx") {
		t.Errorf("without programs: %q", said)
	}
}
