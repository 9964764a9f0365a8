package chaostest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// MountDisk makes a small disk, of a size such as "16m". Only root can do that; others leave the
// test out.
func MountDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		storetest.LeaveOut(t, "a disk that can be filled is mounted by root on Linux alone")
	}
	dir, err := os.MkdirTemp("", "assay-disk-") //nolint:usetesting // other accounts do not get to t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(dir) })
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "mode=0755,size="+size, "tmpfs", dir).CombinedOutput(); err != nil {
		storetest.LeaveOut(t, fmt.Sprintf("this machine mounts no disk: %v %s", err, out))
	}
	t.Cleanup(func() {
		if out, err := exec.CommandContext(context.Background(), "umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	return dir
}
