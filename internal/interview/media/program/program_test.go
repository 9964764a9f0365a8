package program_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/interview/media/program"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script makes a program of a few lines of shell.
func script(t *testing.T, lines string) program.Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tool")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := program.Find(path, "tools", "tools")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMissing(t *testing.T) {
	t.Parallel()
	_, err := program.Find(filepath.Join(t.TempDir(), "ffmpeg"), "ffmpeg", "ffmpeg")
	if !errors.Is(err, program.ErrMissing) || !strings.Contains(err.Error(), "apt-get install ffmpeg") {
		t.Errorf("got %v, want ErrMissing with what to install", err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out bytes.Buffer
	p := script(t, `pwd; echo "$1-$2"; env | cut -d= -f1 | sort | tr '\n' ' '; nice; cat`)
	if err := p.Run(t.Context(), dir, program.Limits{}, &out, "a b", "$(c)"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || lines[0] != dir || lines[1] != "a b-$(c)" {
		t.Fatalf("it printed %q, want its folder, its arguments as they are, and its environment", lines)
	}
	names, niceness := strings.Fields(lines[2]), 0
	if last := len(names) - 1; last > 0 {
		niceness, _ = strconv.Atoi(names[last])
		names = names[:last]
	}
	own, err := exec.CommandContext(t.Context(), "nice").Output()
	if err != nil {
		t.Fatal(err)
	}
	base, _ := strconv.Atoi(strings.TrimSpace(string(own)))
	if want := min(base+10, 19); niceness < want {
		t.Errorf("niceness %d, want %d or more", niceness, want)
	}
	for _, name := range names {
		if !strings.Contains(" PATH LC_ALL HOME TMPDIR PWD OLDPWD SHLVL _ ", " "+name+" ") {
			t.Errorf("it was given the variable %s", name)
		}
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	p := script(t, `i=0; while [ $i -lt 2000 ]; do echo "line $i" >&2; i=$((i+1)); done; exit 3`)
	err := p.Run(t.Context(), t.TempDir(), program.Limits{}, nil)
	failed, ok := errors.AsType[*program.Error](err)
	if !ok || !strings.HasSuffix(failed.Stderr, "line 1998; line 1999") || len(failed.Stderr) > 8<<10 {
		t.Fatalf("got %v, want an error with the end of what was said", err)
	}
	if !strings.Contains(err.Error(), "tool: exit status 3: ") {
		t.Errorf("got %.60q, want the program and how it ended", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	p := script(t, `while :; do echo more of the same; done`)
	var out bytes.Buffer
	err := p.Run(t.Context(), t.TempDir(), program.Limits{Output: 10_000}, &out)
	if !errors.Is(err, program.ErrOutput) || out.Len() > 10_000 {
		t.Errorf("%d bytes, %v; want at most 10,000 and ErrOutput", out.Len(), err)
	}
}

// A program that hangs goes with what it has started, though it ignores signals that can be
// ignored. It takes long because a program on a busy machine may need most of the ten seconds to
// start and write its file.
func TestHangingGoesWithItsChildren(t *testing.T) {
	t.Parallel()
	const hang = `trap '' TERM INT HUP; echo $$ > pids; sleep 1000 & echo $! >> pids; echo ready; wait`
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stop := writerFunc(func(b []byte) (int, error) { cancel(); return len(b), nil })
		if err := script(t, hang).Run(ctx, dir, program.Limits{}, stop); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want Canceled", err)
		}
		wantGone(t, filepath.Join(dir, "pids"))
	})
	t.Run("time is over", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		err := script(t, hang).Run(t.Context(), dir, program.Limits{Timeout: 10 * time.Second}, nil)
		if !errors.Is(err, program.ErrTimeout) || !strings.Contains(err.Error(), "tool: did not end in time: 10s") {
			t.Errorf("got %v, want ErrTimeout", err)
		}
		wantGone(t, filepath.Join(dir, "pids"))
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// A program that ends by itself leaves no process behind, either.
func TestNobodyIsLeftBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := script(t, `sleep 1000 >/dev/null 2>&1 & echo $! > pids`)
	if err := p.Run(t.Context(), dir, program.Limits{}, nil); err != nil {
		t.Fatal(err)
	}
	wantGone(t, filepath.Join(dir, "pids"))
}

// wantGone waits until none of the processes that a file lists runs.
func wantGone(t *testing.T, file string) {
	t.Helper()
	pids, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for field := range strings.FieldsSeq(string(pids)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		storetest.Eventually(t, "the process is gone", func() bool { return !alive(pid) })
	}
}

// alive reports whether a process runs. A zombie for which no parent waits does
// not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
