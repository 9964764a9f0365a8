package deploytest

import (
	"bytes"
	"net/http"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
)

// Process is one that runs.
type Process struct {
	Cmd   *exec.Cmd
	ended chan error

	mu  sync.Mutex
	log bytes.Buffer
}

// Write takes the log.
func (p *Process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(text)
}

// Log returns what the process has logged.
func (p *Process) Log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// Start starts a process and waits until it is ready.
func (d *Deployment) Start(t testing.TB, name string) *Process {
	t.Helper()
	return d.StartCommand(t, name, d.Command(t, name))
}

// StartCommand is Start for a command that runs the process in its own way.
func (d *Deployment) StartCommand(t testing.TB, name string, cmd *exec.Cmd) *Process {
	t.Helper()
	p := &Process{Cmd: cmd, ended: make(chan error, 1)}
	p.Cmd.Stdout, p.Cmd.Stderr = p, p
	check(t, p.Cmd.Start())
	go func() { p.ended <- p.Cmd.Wait() }()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			log := p.Log()
			t.Logf("%s:\n%s", name, log[max(0, len(log)-maxLog):])
		}
	})
	storetest.Within(t, patience, name+" is ready", func() bool {
		if !p.Runs() {
			t.Fatalf("%s ended before it was ready:\n%s", name, p.Log())
		}
		status, _ := Get(t.Context(), "http://"+d.Debug[name]+"/readyz", "")
		return status == http.StatusOK
	})
	return p
}

// maxLog is how much of a log is shown when a test fails.
const maxLog = 200_000

// Runs reports whether the process has not ended.
func (p *Process) Runs() bool {
	select {
	case err := <-p.ended:
		p.ended <- err // for the next call
		return false
	default:
		return true
	}
}

// Kill ends the process without a word.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill() // it may have ended
	p.Wait()
}

// Stop ends the process as an operator does, and wants it to end without an error.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	_ = p.Cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case err := <-p.ended:
		p.ended <- err // for the next call
		if err != nil {
			t.Errorf("%s ended: %v", p.Cmd.Path, err)
		}
	case <-time.After(stopLimit):
		t.Errorf("%s did not stop", p.Cmd.Path)
		p.Kill()
	}
}

// stopLimit is how long a process may take to stop on a busy machine.
const stopLimit = time.Minute

// Wait waits until the process has ended.
func (p *Process) Wait() {
	err := <-p.ended
	p.ended <- err // for the next call
}
