package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// Held says who holds a lock.
type Held struct{ Holder string }

// Error implements error.
func (h *Held) Error() string { return "already running: " + h.Holder }

// Lock takes the lock file at path and writes the holder's description into
// it. The kernel gives the lock back when the process ends, however it ends.
// When it is taken, the error is a *Held with the other's description.
func Lock(path, holder string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		other, _ := io.ReadAll(io.LimitReader(f, 4096))
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = &Held{Holder: strings.TrimSpace(string(other))}
		} else {
			err = fmt.Errorf("lock %s: %w", path, err)
		}
		return nil, errors.Join(err, f.Close())
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.WriteAt([]byte(holder+"\n"), 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}
