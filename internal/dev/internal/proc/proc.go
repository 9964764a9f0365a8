// Package proc runs the processes of a development stack: each in a process group
// of its own, with its output in a log file, stopped in reverse order of their
// start, and recorded so that the next launcher finds and ends what a killed
// launcher leaves behind.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// killWait bounds the wait for a process that was killed.
const killWait = 5 * time.Second

// Account is the user that a process runs as.
type Account struct {
	Name     string
	UID, GID uint32
	// Search gives the process the capability to look into folders that are
	// closed to the user (Linux only).
	Search bool
}

// Spec describes a process.
type Spec struct {
	Name    string // of its log and its pid file
	Path    string
	Args    []string // without the program's name
	Env     []string // nil inherits the launcher's
	Dir     string   // empty inherits the launcher's
	Account *Account // nil inherits the launcher's

	// Follow is called with each line of the log, one at a time; nil if nobody follows.
	Follow func(line string)
	// Stop asks the process to end; SIGTERM when zero. It is also what the
	// process gets from the kernel when the launcher dies (Linux only).
	Stop syscall.Signal
	// Grace is how long the process may take to end before it is killed.
	Grace time.Duration
}

// newCommand makes the command of a spec.
func (s Spec) newCommand() *exec.Cmd {
	cmd := exec.Command(s.Path, s.Args...) //nolint:noctx // a context would kill it; the supervisor asks it to stop
	cmd.Env, cmd.Dir = s.Env, s.Dir
	cmd.SysProcAttr = attributes(s.Account, s.stopSignal())
	// A process may leave children behind that hold its output open.
	cmd.WaitDelay = time.Second
	return cmd
}

func (s Spec) stopSignal() syscall.Signal {
	if s.Stop == 0 {
		return syscall.SIGTERM
	}
	return s.Stop
}

// Process is a running process.
type Process struct {
	spec Spec
	cmd  *exec.Cmd
	log  *logFile
	pid  string        // path of the pid file
	done chan struct{} // closed when the process has ended
	err  error         // how it ended; valid after done
}

// Name returns the name of the process.
func (p *Process) Name() string { return p.spec.Name }

// Log returns the path of the process's log.
func (p *Process) Log() string { return p.log.path }

// Tail returns the last lines of the process's log.
func (p *Process) Tail() []string { return p.log.lastLines() }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Failure describes the end of the process with the last lines of its log. It
// must be called after Done.
func (p *Process) Failure() error {
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	return &Failure{Name: p.spec.Name, How: how, Log: p.log.path, Tail: p.log.lastLines()}
}

// Failure says that a process ended, or did not do what it should, and why.
type Failure struct {
	Name string   // of the process
	How  string   // such as "exit status 1"
	Log  string   // path of the whole log
	Tail []string // its last lines
}

// Error implements error, with the last lines of the log indented.
func (f *Failure) Error() string {
	text := fmt.Sprintf("%s ended: %s", f.Name, f.How)
	if len(f.Tail) > 0 {
		text += "; the last lines of " + f.Log + ":\n    " + strings.Join(f.Tail, "\n    ")
	}
	return text
}

// Supervisor starts and stops the processes of one stack. Its methods
// but Wait are for one goroutine. That goroutine must be locked to a thread that
// outlives the processes: Linux ends them with the thread that started them.
type Supervisor struct {
	dir  string // logs/ and pids/ are in it
	mu   sync.Mutex
	runs []*Process
	kill <-chan struct{}
}

// New returns a supervisor that keeps its files in dir, and makes the folders.
// Once kill is closed, Stop kills what still runs instead of waiting for it.
func New(dir string, kill <-chan struct{}) (*Supervisor, error) {
	for _, sub := range []string{"logs", "pids"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	return &Supervisor{dir: dir, kill: kill}, nil
}

// Start starts a process.
func (s *Supervisor) Start(spec Spec) (*Process, error) {
	return s.startProcess(spec, nil)
}

// startProcess starts a process whose standard output goes to stdout, or to the log
// when stdout is nil.
func (s *Supervisor) startProcess(spec Spec, stdout io.Writer) (*Process, error) {
	log, err := openLog(filepath.Join(s.dir, "logs", spec.Name+".log"), spec.Follow)
	if err != nil {
		return nil, err
	}
	cmd := spec.newCommand()
	cmd.Stdout, cmd.Stderr = log, log
	if stdout != nil {
		cmd.Stdout = stdout
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", spec.Name, err), log.Close())
	}
	p := &Process{spec: spec, cmd: cmd, log: log, done: make(chan struct{}), pid: filepath.Join(s.dir, "pids", spec.Name)}
	// Without its pid file the process would merely be harder to find again.
	recorded := recordPID(p.pid, cmd.Process.Pid, spec.stopSignal())
	go p.reapGroup()
	s.mu.Lock()
	s.runs = append(s.runs, p)
	s.mu.Unlock()
	if recorded != nil {
		return nil, errors.Join(recorded, s.stopProcess(p))
	}
	return p, nil
}

// reapGroup reaps the process and what is left of its group.
func (p *Process) reapGroup() {
	p.err = p.cmd.Wait()
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // ESRCH when nothing is left
	_ = os.Remove(p.pid)
	if err := p.log.Close(); p.err == nil {
		p.err = err
	}
	close(p.done)
}

// Run runs a process to its end and returns its standard output. When ctx
// ends first, the process is stopped.
func (s *Supervisor) Run(ctx context.Context, spec Spec) ([]byte, error) {
	var out strings.Builder
	p, err := s.startProcess(spec, &out)
	if err != nil {
		return nil, err
	}
	defer s.Forget(p)
	select {
	case <-p.done:
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), s.stopProcess(p))
	}
	if p.err != nil {
		return nil, p.Failure()
	}
	return []byte(out.String()), nil
}

// RunTo is Run for a process whose output, both kinds, goes to files as it is.
func (s *Supervisor) RunTo(ctx context.Context, spec Spec, stdout, stderr *os.File) error {
	cmd := spec.newCommand()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	var err error
	ended := make(chan struct{})
	go func() {
		err = cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return err
	case <-ctx.Done():
	}
	for _, signal := range []syscall.Signal{spec.stopSignal(), syscall.SIGKILL} {
		_ = syscall.Kill(-cmd.Process.Pid, signal) // it may have ended by now
		select {
		case <-ended:
			return ctx.Err()
		case <-time.After(spec.Grace):
		}
	}
	return ctx.Err()
}

// Forget removes a process that has ended from the list, so that its end is no
// longer a failure of the stack.
func (s *Supervisor) Forget(p *Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.runs {
		if other == p {
			s.runs = append(s.runs[:i], s.runs[i+1:]...)
			return
		}
	}
}

// Wait returns nil when ctx ends, and a *Failure when a process ends before.
func (s *Supervisor) Wait(ctx context.Context) error {
	s.mu.Lock()
	runs := append([]*Process(nil), s.runs...)
	s.mu.Unlock()
	first := make(chan *Process, len(runs))
	for _, p := range runs {
		go func() {
			select {
			case <-p.done:
				first <- p
			case <-ctx.Done():
			}
		}()
	}
	select {
	case p := <-first:
		if ctx.Err() == nil {
			return p.Failure()
		}
	case <-ctx.Done():
	}
	return nil
}

// Stop stops all processes, the last one started first, each within its
// grace. It says which ones had to be killed.
func (s *Supervisor) Stop() error {
	s.mu.Lock()
	runs := s.runs
	s.runs = nil
	s.mu.Unlock()
	var errs []error
	for i := len(runs) - 1; i >= 0; i-- {
		errs = append(errs, s.stopProcess(runs[i]))
	}
	return errors.Join(errs...)
}

func (s *Supervisor) stopProcess(p *Process) error {
	_ = p.cmd.Process.Signal(p.spec.stopSignal()) // it may have ended by now
	grace := time.NewTimer(p.spec.Grace)
	defer grace.Stop()
	select {
	case <-p.done:
		return nil
	case <-grace.C:
	case <-s.kill:
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	select {
	case <-p.done:
		return fmt.Errorf("%s did not stop and was killed", p.spec.Name)
	case <-time.After(killWait):
		return fmt.Errorf("%s did not end although it was killed", p.spec.Name)
	}
}
