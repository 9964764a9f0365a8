package media

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// workPrefix begins the names of working folders.
const workPrefix = "assay-media-"

// Workdir is a folder for one interview's files. It is locked while its process
// lives, so that others recognize what a dead process has left.
type Workdir struct {
	Path string
	lock *os.File
}

// NewWorkdir makes a folder below parent ("" means the system's folder for
// temporary files), which no other user can read. It first removes those of
// processes that died.
func NewWorkdir(parent string) (*Workdir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	if err := removeStale(parent); err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		path, err := os.MkdirTemp(parent, workPrefix)
		if err != nil {
			return nil, err
		}
		lock, err := lockFolder(path)
		if err == nil {
			if _, err = os.Stat(path); err == nil {
				return &Workdir{path, lock}, nil
			}
			_ = lock.Close() // closing releases a lock; it has no other errors
		}
		// Another process removed it before it was locked, as one of a dead
		// process.
		if err = errors.Join(err, os.RemoveAll(path)); try == 10 {
			return nil, err
		}
	}
}

// Remove removes the folder and all that is in it.
func (w *Workdir) Remove() error {
	err := os.RemoveAll(w.Path)
	return errors.Join(err, w.lock.Close())
}

// removeStale removes the folders whose process has died.
func removeStale(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), workPrefix) {
			continue
		}
		path := filepath.Join(parent, entry.Name())
		lock, err := lockFolder(path)
		if err != nil {
			continue // in use, or somebody else's
		}
		err = os.RemoveAll(path)
		_ = lock.Close() // closing releases a lock; it has no other errors
		if err != nil {
			return err
		}
	}
	return nil
}

// lockFolder takes a folder's lock, or fails at once.
func lockFolder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
