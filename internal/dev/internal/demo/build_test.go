package demo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestBuildProgress builds with a compiler that waits until somebody has read what it does.
//
//nolint:paralleltest // it changes PATH
func TestBuildProgress(t *testing.T) {
	b := setup(t)
	dir := t.TempDir()
	fifo := filepath.Join(dir, "read")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho go: downloading example.com/module v1.2.3 >&2\necho example.com/module/parser >&2\nread line <" + fifo + "\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	seen := false
	b.stack.Prebuilt, b.stack.BuildNews = false, time.Millisecond
	b.stack.Say = func(format string, args ...any) {
		said := fmt.Sprintf(format, args...)
		if !seen && strings.HasSuffix(said, "s: packages compiled: 1, modules downloaded: 1, now compiling example.com/module/parser") {
			seen = true
			if err := os.WriteFile(fifo, []byte("seen\n"), 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := b.stack.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "build ended: exit status 1") {
		t.Errorf("start: %v", err)
	}
	if !seen {
		t.Error("the build does not say what it compiles")
	}
}
