package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/postgres"
	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// launcher is one run of the program.
type launcher struct {
	*progress
	command string
	root    string // of the checkout
	signals chan os.Signal
	stopped atomic.Bool   // by a signal
	killed  chan struct{} // closed at the second signal

	failures []testFailure // of the tests that have run

	// Set by openFolder.
	dir     string // what the command keeps: .data/NAME
	sup     *proc.Supervisor
	release func() error
}

func newLauncher(command string) (*launcher, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, "internal", "dev", "main.go")); err != nil {
		return nil, errors.New("run this from the root of the checkout")
	}
	l := &launcher{progress: newProgress(os.Stderr, os.Getenv), command: command, root: root, signals: make(chan os.Signal, 2), killed: make(chan struct{})}
	signal.Notify(l.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return l, nil
}

// openFolder takes the folder .data/NAME for this launcher alone and ends what an
// earlier one left running.
func (l *launcher) openFolder(ctx context.Context, name string) error {
	return l.openDir(ctx, filepath.Join(l.root, ".data", name))
}

// openDir is openFolder for any folder. Where another launcher has it, run gives up
// and the others wait for their turn.
func (l *launcher) openDir(ctx context.Context, dir string) error {
	l.dir = dir
	sup, err := proc.New(l.dir, l.killed)
	if err != nil {
		advice := "run as the user whose folder it is, or remove it"
		if l.command == "run" {
			advice = "give a folder by --dir that you can write to"
		}
		return fmt.Errorf("cannot write to %s: %w: %s", l.dir, err, advice)
	}
	l.sup = sup
	holder := fmt.Sprintf("make %s, process %d", l.command, os.Getpid())
	for said := false; ; {
		if l.release, err = proc.Lock(filepath.Join(l.dir, "lock"), holder); err == nil {
			break
		}
		held, ok := errors.AsType[*proc.Held](err)
		if !ok {
			return err
		}
		if l.command == "run" {
			return fmt.Errorf("already running in %s (%s): stop it with Ctrl-C where it runs, or start another one with --dir", l.dir, held.Holder)
		}
		if !said {
			l.say("waiting for another launcher to finish: %s", held.Holder)
			said = true
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	stale, err := l.sup.Reap()
	if len(stale) > 0 {
		l.say("ended what an earlier run had left: %v", stale)
	}
	return err
}

// watchSignals stops the command at the first signal, and kills what is left of it
// at the second.
func (l *launcher) watchSignals(ctx context.Context, cancel context.CancelFunc) {
	select {
	case <-l.signals:
		l.end()
		fmt.Fprintln(os.Stderr)
		l.say("stopping (again to kill)")
		l.stopped.Store(true)
		cancel()
	case <-ctx.Done():
		return
	}
	<-l.signals
	close(l.killed)
}

// stopProcesses stops all processes; what goes wrong is added to the command's error.
func (l *launcher) stopProcesses(err *error) {
	*err = errors.Join(*err, l.sup.Stop())
}

// releaseFolder gives back what the launcher holds, and says that it was stopped.
func (l *launcher) releaseFolder() {
	if l.release != nil {
		_ = l.release() // the process ends and the lock with it
	}
	if l.stopped.Load() {
		l.say("stopped")
	}
}

// listDatabases lists the settings of the clusters beside that of `make run`.
// Tests lose nothing when the machine goes down; benchmarks measure what a
// production server does.
func listDatabases() map[string][]string {
	common := []string{"max_connections=400", "shared_buffers=256MB"}
	return map[string][]string{
		"test":  append([]string{"fsync=off", "synchronous_commit=off", "full_page_writes=off"}, common...),
		"bench": append([]string{"fsync=on", "synchronous_commit=on", "max_wal_size=4GB"}, common...),
	}
}

// stopCluster is stop, and gives back the memory that the cluster took.
func (l *launcher) stopCluster(err *error) {
	l.stopProcesses(err)
	*err = errors.Join(*err, postgres.Release(l.dir))
}

// startCluster starts a fresh cluster in the launcher's folder, with the settings of that name.
// That of the tests is in memory if possible, because nothing of it is kept.
func (l *launcher) startCluster(ctx context.Context, name string) (*postgres.Cluster, error) {
	return postgres.Start(ctx, l.sup, postgres.Options{
		Dir: l.dir, Port: postgres.ChoosePort(l.dir), Fresh: true, Memory: name == "test", Settings: listDatabases()[name], Say: l.say,
	})
}
