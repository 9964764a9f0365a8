package proc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// launcherDir makes the test binary act as a launcher that keeps its files
// there; a test kills it.
const launcherDir = "PROC_TEST_LAUNCHER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(launcherDir); dir != "" {
		if err := launch(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// launch takes the lock, starts a process, prints its id and waits for ever.
func launch(dir string) error {
	runtime.LockOSThread()
	if _, err := proc.Lock(filepath.Join(dir, "lock"), "the test's launcher"); err != nil {
		return err
	}
	s, err := proc.New(dir, nil)
	if err != nil {
		return err
	}
	if _, err := s.Start(shell("child", "echo $$; exec sleep 1000 >/dev/null", time.Second)); err != nil {
		return err
	}
	fmt.Println("started")
	return s.Wait(context.Background())
}

func shell(name, script string, grace time.Duration) proc.Spec {
	return proc.Spec{Name: name, Path: "/bin/sh", Args: []string{"-c", script}, Grace: grace}
}

// setup returns a supervisor whose processes end with the test.
func setup(t *testing.T) (*proc.Supervisor, string) {
	t.Helper()
	dir := t.TempDir()
	s := supervisor(t, dir, nil)
	return s, dir
}

func supervisor(t *testing.T, dir string, kill <-chan struct{}) *proc.Supervisor {
	t.Helper()
	s, err := proc.New(dir, kill)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

func start(t *testing.T, s *proc.Supervisor, spec proc.Spec) *proc.Process {
	t.Helper()
	p, err := s.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// await waits for a file that a process writes and returns its content.
func await(t *testing.T, path string) string {
	t.Helper()
	var content []byte
	if !proc.Await(20*time.Second, func() bool {
		content, _ = os.ReadFile(path)
		return strings.HasSuffix(string(content), "\n")
	}) {
		t.Fatalf("nothing was written to %s", path)
	}
	return strings.TrimSpace(string(content))
}

func TestWaitTellsWhoEndedAndWhy(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	start(t, s, shell("steady", "exec sleep 1000", time.Second))
	start(t, s, shell("weak", "for i in $(seq 30); do echo line $i; done; printf 'the end'; exit 3", time.Second))
	err := s.Wait(t.Context())
	failure, ok := errors.AsType[*proc.Failure](err)
	if !ok {
		t.Fatalf("Wait: %v, want a failure", err)
	}
	want := []string{}
	for i := 12; i <= 30; i++ {
		want = append(want, "line "+strconv.Itoa(i))
	}
	want = append(want, "the end")
	if diff := cmp.Diff(want, failure.Tail); diff != "" {
		t.Errorf("tail (-want +got):\n%s", diff)
	}
	if failure.Name != "weak" || failure.How != "exit status 3" || !strings.Contains(err.Error(), "line 30\n    the end") {
		t.Errorf("failure reads %q", err)
	}
}

// TestLogsAreAsWritten: what a program logs as JSON can be read as JSON.
func TestLogsAreAsWritten(t *testing.T) {
	t.Parallel()
	s, dir := setup(t)
	p := start(t, s, shell("daemon", `echo '{"level":"INFO","msg":"a | b"}'; echo; printf '  {"level":"WARN"}\nunfinished' >&2`, time.Second))
	<-p.Done()
	log, err := os.ReadFile(filepath.Join(dir, "logs", "daemon.log"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"level":"INFO","msg":"a | b"}` + "\n\n" + `  {"level":"WARN"}` + "\nunfinished\n"
	if diff := cmp.Diff(want, string(log)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestStopGoesBackwards(t *testing.T) {
	t.Parallel()
	s, dir := setup(t)
	order := filepath.Join(dir, "order")
	for _, name := range []string{"first", "second", "third"} {
		start(t, s, shell(name, fmt.Sprintf("trap 'echo %[1]s >>%[2]s; exit 0' TERM; echo >%[3]s; while :; do sleep 0.01; done", name, order, filepath.Join(dir, name)), 20*time.Second))
		await(t, filepath.Join(dir, name))
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(order)
	if diff := cmp.Diff("third\nsecond\nfirst\n", string(got)); err != nil || diff != "" {
		t.Errorf("order (%v, -want +got):\n%s", err, diff)
	}
}

func TestStopKillsTheStubborn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		grace time.Duration
		kill  bool
	}{
		{"when its grace is over", 50 * time.Millisecond, false},
		{"at once when told to", time.Hour, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			kill := make(chan struct{})
			s := supervisor(t, dir, kill)
			p := start(t, s, shell("stubborn", "trap '' TERM; echo >"+dir+"/up; while :; do sleep 0.01; done", tc.grace))
			await(t, dir+"/up")
			if tc.kill {
				close(kill)
			}
			err := s.Stop()
			if err == nil || !strings.Contains(err.Error(), "stubborn did not stop and was killed") {
				t.Errorf("Stop: %v", err)
			}
			<-p.Done()
		})
	}
}

func TestWhatAProcessLeavesBehindIsKilled(t *testing.T) {
	t.Parallel()
	s, dir := setup(t)
	p := start(t, s, shell("parent", "sleep 1000 >/dev/null 2>&1 & echo $! >"+dir+"/child", time.Second))
	<-p.Done()
	child, err := strconv.Atoi(await(t, dir+"/child"))
	if err != nil {
		t.Fatal(err)
	}
	if !proc.Await(10*time.Second, func() bool { _, alive := proc.Identity(child); return !alive }) {
		t.Errorf("process %d still runs", child)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	out, err := s.Run(t.Context(), shell("speaker", "echo result; echo noise >&2", time.Second))
	if err != nil || string(out) != "result\n" {
		t.Errorf("Run: %q, %v", out, err)
	}
	_, err = s.Run(t.Context(), shell("speaker", "echo reason >&2; exit 1", time.Second))
	if failure, ok := errors.AsType[*proc.Failure](err); !ok || !cmp.Equal(failure.Tail, []string{"reason"}) {
		t.Errorf("Run of a failing process: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err = s.Run(ctx, shell("sleeper", "exec sleep 1000", time.Minute)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run that is cancelled: %v", err)
	}
	if _, err := s.Run(t.Context(), proc.Spec{Name: "none", Path: "/does/not/exist"}); err == nil {
		t.Error("Run of a program that does not exist: no error")
	}
	// None of them is a process of the stack any more.
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := s.Wait(ctx); err != nil {
		t.Errorf("Wait: %v", err)
	}
}

func TestReapEndsWhatAnEarlierRunLeft(t *testing.T) {
	t.Parallel()
	earlier, dir := setup(t)
	left := start(t, earlier, shell("left", "exec sleep 1000", time.Second))
	// A process that has the number of one that ended must be left alone.
	own, err := json.Marshal(map[string]any{"pid": os.Getpid(), "identity": "another", "stop": int(syscall.SIGTERM)})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"stranger": string(own), "broken": "{"} {
		if err := os.WriteFile(filepath.Join(dir, "pids", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names, err := supervisor(t, dir, nil).Reap()
	if diff := cmp.Diff([]string{"left"}, names); err != nil || diff != "" {
		t.Errorf("Reap (%v, -want +got):\n%s", err, diff)
	}
	<-left.Done()
	if rest, err := filepath.Glob(filepath.Join(dir, "pids", "*")); err != nil || len(rest) > 0 {
		t.Errorf("pid files left: %v %v", rest, err)
	}
}

func TestKilledLauncher(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	launcher := exec.CommandContext(t.Context(), os.Args[0])
	launcher.Env = append(os.Environ(), launcherDir+"="+dir)
	launcher.Stderr = os.Stderr
	out, err := launcher.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := launcher.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	log := await(t, filepath.Join(dir, "logs", "child.log"))
	child, err := strconv.Atoi(log)
	if err != nil {
		t.Fatal(err)
	}

	_, err = proc.Lock(filepath.Join(dir, "lock"), "another")
	if held, ok := errors.AsType[*proc.Held](err); !ok || held.Holder != "the test's launcher" {
		t.Errorf("Lock while the launcher runs: %v", err)
	}
	if err := launcher.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = launcher.Wait() // it was killed
	release, err := proc.Lock(filepath.Join(dir, "lock"), "another")
	if err != nil {
		t.Fatalf("Lock after the launcher was killed: %v", err)
	}
	defer release()
	if _, err := supervisor(t, dir, nil).Reap(); err != nil {
		t.Errorf("Reap: %v", err)
	}
	if !proc.Await(10*time.Second, func() bool { _, alive := proc.Identity(child); return !alive }) {
		t.Errorf("process %d outlives its launcher", child)
	}
}

func TestLogsAreSetAside(t *testing.T) {
	t.Parallel()
	s, dir := setup(t)
	// 300 lines of more than 64 KiB, each broken in two.
	p := start(t, s, shell("loud", "l=$(printf %070000d 0); for i in $(seq 300); do echo $l; done", time.Second))
	<-p.Done()
	for _, name := range []string{"loud.log", "loud.log.1"} {
		info, err := os.Stat(filepath.Join(dir, "logs", name))
		if err != nil || info.Size() == 0 || info.Size() > 17<<20 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}
