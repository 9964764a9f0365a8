package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// pidFile is what is recorded of a process. The identity distinguishes it from a later process that
// happens to have the same number.
type pidFile struct {
	PID      int            `json:"pid"`
	Identity string         `json:"identity"`
	Stop     syscall.Signal `json:"stop"`
}

func recordPID(path string, pid int, stop syscall.Signal) error {
	identity, ok := Identity(pid)
	if !ok {
		return nil // it has ended already
	}
	content, err := json.Marshal(pidFile{pid, identity, stop})
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// Reap ends the processes that an earlier supervisor of the same folder left
// behind and returns their names.
func (s *Supervisor) Reap() (names []string, err error) {
	paths, err := filepath.Glob(filepath.Join(s.dir, "pids", "*"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		var f pidFile
		content, err := os.ReadFile(path)
		if err != nil {
			return names, err
		}
		if json.Unmarshal(content, &f) == nil && f.PID > 1 && f.isAlive() {
			names = append(names, filepath.Base(path))
			if err := f.endProcess(); err != nil {
				return names, err
			}
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return names, err
		}
	}
	return names, nil
}

func (f pidFile) isAlive() bool {
	identity, ok := Identity(f.PID)
	return ok && identity == f.Identity
}

// endProcess stops the process and, when it does not stop, kills its group.
func (f pidFile) endProcess() error {
	const grace = 10 * time.Second
	if err := syscall.Kill(f.PID, f.Stop); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop process %d of an earlier run: %w", f.PID, err)
	}
	if Await(grace, func() bool { return !f.isAlive() }) {
		return nil
	}
	_ = syscall.Kill(-f.PID, syscall.SIGKILL) // its end is checked next
	if !Await(killWait, func() bool { return !f.isAlive() }) {
		return fmt.Errorf("process %d of an earlier run does not end", f.PID)
	}
	return nil
}

// Await asks until the answer is yes or the time is over, and returns the
// last answer.
func Await(limit time.Duration, yes func() bool) bool {
	for end := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		if yes() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}
