// Package program runs the programs that work on media: ffmpeg, ffprobe,
// pocketsphinx. They read files that strangers made, so each runs in a process
// group of its own, at low priority, without an input, with a small environment and
// with bounds on time, memory and output. When its context ends, the program and
// all processes that it has started end.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Errors of a run, in addition to those of starting it.
var (
	// ErrMissing means that the program is not on this machine. The error says what
	// to install.
	ErrMissing = errors.New("is not installed")
	// ErrTimeout means that it did not end in time and was killed.
	ErrTimeout = errors.New("did not end in time")
	// ErrOutput means that it wrote more to its standard output than allowed.
	ErrOutput = errors.New("produced too much output")
)

// How programs are treated.
const (
	niceness   = "10"
	stderrKept = 4 << 10         // bytes, the last ones
	killWait   = 5 * time.Second // for pipes that a child holds open

	defaultTimeout = 5 * time.Minute
	defaultMemory  = 4 << 30
	defaultFile    = 8 << 30
	defaultOutput  = 64 << 20
)

// Program is a program that has been found.
type Program struct {
	name string
	path string
	nice string // empty when there is none
}

// Find looks for a program by its name in the PATH, or by its path. If there is
// none, the error says which package of Debian and which of Homebrew contains it.
func Find(name, debian, homebrew string) (Program, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return Program{}, fmt.Errorf("program %s %w: install it (Debian, Ubuntu: apt-get install %s; macOS: brew install %s)", filepath.Base(name), ErrMissing, debian, homebrew)
	}
	if path, err = filepath.Abs(path); err != nil {
		return Program{}, err
	}
	p := Program{name: filepath.Base(name), path: path}
	if nice, err := exec.LookPath("nice"); err == nil {
		p.nice = nice
	}
	return p, nil
}

// Limits bound a run. Zero fields have defaults.
type Limits struct {
	Timeout time.Duration // default 5 minutes
	Memory  uint64        // bytes of address space, on Linux; default 4 GiB
	File    uint64        // bytes of each file that it writes, on Linux; default 8 GiB
	Output  int64         // bytes to its standard output; default 64 MiB
}

func (l Limits) withDefaults() Limits {
	if l.Timeout <= 0 {
		l.Timeout = defaultTimeout
	}
	if l.Memory == 0 {
		l.Memory = defaultMemory
	}
	if l.File == 0 {
		l.File = defaultFile
	}
	if l.Output == 0 {
		l.Output = defaultOutput
	}
	return l
}

// Error is the error of a run that failed.
type Error struct {
	Program string
	Err     error
	Stderr  string // the end of what it wrote, at most 4 KiB
}

// Error implements error.
func (e *Error) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("%s: %v", e.Program, e.Err)
	}
	return fmt.Sprintf("%s: %v: %s", e.Program, e.Err, e.Stderr)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Run runs the program in a folder, which is also its place for temporary files,
// and waits for its end. Its standard output goes to stdout; nil discards it. Run
// returns ctx's error if ctx ended, otherwise an *Error.
func (p Program) Run(ctx context.Context, dir string, limits Limits, stdout io.Writer, args ...string) error {
	limits = limits.withDefaults()
	timed, cancel := context.WithTimeoutCause(ctx, limits.Timeout, fmt.Errorf("%w: %s", ErrTimeout, limits.Timeout))
	defer cancel()
	path := p.path
	if p.nice != "" {
		path, args = p.nice, append([]string{"-n", niceness, p.path}, args...)
	}
	cmd := exec.CommandContext(timed, path, args...)
	cmd.Dir, cmd.WaitDelay = dir, killWait
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=" + dir, "TMPDIR=" + dir}
	out := &bounded{to: stdout, left: limits.Output}
	if stdout != nil {
		cmd.Stdout = out
	}
	stderr := &tail{}
	cmd.Stderr = stderr
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	err := runLocked(cmd, limits)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case timed.Err() != nil:
		err = context.Cause(timed)
	case out.left < 0:
		err = ErrOutput // and not the signal that it got for that
	}
	if err != nil {
		return &Error{Program: p.name, Err: err, Stderr: stderr.String()}
	}
	return nil
}

// runLocked runs the command from a thread that lasts as long, because Linux kills
// the child with the thread that started it.
func runLocked(cmd *exec.Cmd, limits Limits) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			done <- err
			return
		}
		limit(cmd.Process.Pid, limits)
		err := cmd.Wait()
		// Processes that it has started and left behind end, too.
		_ = killGroup(cmd.Process.Pid)
		done <- err
	}()
	return <-done
}

// killGroup kills a process and what it has started.
func killGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// bounded writes so many bytes and then fails.
type bounded struct {
	to   io.Writer
	left int64
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, ErrOutput
	}
	return b.to.Write(p)
}

// tail keeps the end of what is written.
type tail struct{ kept []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-stderrKept):]...)
	if extra := len(t.kept) - stderrKept; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

// String returns the end as one line of text.
func (t *tail) String() string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(t.kept), "?"), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
