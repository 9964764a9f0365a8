package program_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assayhq/assay/internal/interview/media/program"
)

func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := script(t, `sleep 0.2; dd if=/dev/zero of=large bs=1024 count=1000`)
	if err := p.Run(t.Context(), dir, program.Limits{File: 100 << 10}, nil); err == nil {
		t.Error("it wrote a file of 1000 KiB where 100 are the most")
	}
	if info, err := os.Stat(filepath.Join(dir, "large")); err != nil || info.Size() > 100<<10 {
		t.Errorf("the file: %v, %v", info, err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	p := script(t, `sleep 0.2; exec dd if=/dev/zero of=/dev/null bs=512M count=1`)
	if err := p.Run(t.Context(), t.TempDir(), program.Limits{Memory: 128 << 20}, nil); err == nil {
		t.Error("it took 512 MiB where 128 are the most")
	}
}
