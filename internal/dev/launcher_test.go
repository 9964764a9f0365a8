package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// asLauncher makes the test binary act as the program itself.
const asLauncher = "DEV_TEST_LAUNCHER"

func TestMain(m *testing.M) {
	if os.Getenv(asLauncher) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestSignalStops: the last line says that all has ended.
func TestSignalStops(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{"internal/dev", ".data/test"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "internal", "dev", "main.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// A launcher that waits for this one needs no database.
	release, err := proc.Lock(filepath.Join(root, ".data", "test", "lock"), "the test")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "db", "test")
	cmd.Dir, cmd.Env = root, append(os.Environ(), asLauncher+"=1")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(pipe)
	if line, err := out.ReadString('\n'); err != nil || line != "==> waiting for another launcher to finish: the test\n" {
		t.Fatalf("the launcher says %q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if diff := cmp.Diff("\n==> stopping (again to kill)\n==> stopped\n", string(rest)); err != nil || diff != "" {
		t.Errorf("end of the output (%v, -want +got):\n%s", err, diff)
	}
	_ = cmd.Wait() // it did not do what it was asked for
}
