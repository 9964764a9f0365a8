package blob_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/assayhq/assay/store/blob"
)

// TestFullDisk checks that a full disk has its own error, keeps existing blobs, and works again
// when there is room. The disk is 256 KiB of memory, mounted where only this test's child process
// sees it.
func TestFullDisk(t *testing.T) {
	if os.Getenv("ASSAY_TEST_FULL_DISK") != "" {
		fullDisk(t, os.Getenv("ASSAY_TEST_FULL_DISK"))
		return
	}
	t.Parallel()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	child.Env = append(os.Environ(), "ASSAY_TEST_FULL_DISK="+t.TempDir())
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		child.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		child.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := child.CombinedOutput()
	if os.Getenv("CI") == "" && (errors.Is(err, syscall.EPERM) || strings.Contains(string(out), "may not mount")) {
		t.Skipf("this system lets nobody but root mount a small disk: %v %s", err, out)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func fullDisk(t *testing.T, dir string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Fatalf("may not mount: %v", err)
	}
	b := open(t, "file://"+dir)
	put(t, b, "a/small", "kept")
	if _, err := b.Put(t.Context(), "a/large", strings.NewReader(strings.Repeat("x", 1<<20))); !errors.Is(err, blob.ErrFull) {
		t.Errorf("put on a full disk: %v, want ErrFull", err)
	}
	if got := get(t, b, "a/small"); got != "kept" {
		t.Errorf("read %q from the full disk, want what was there", got)
	}
	put(t, b, "a/fits", strings.Repeat("x", 100<<10))
}
