package blob

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gocloud.dev/blob/fileblob"
)

// tempSuffix is the suffix that the file driver gives to files that are being written.
const tempSuffix = ".tmp"

// folder does for a folder what the file driver does not: it syncs what is written to the disk, and
// leaves no empty folders behind.
type folder struct {
	root string // absolute
}

func openFolder(u *url.URL, name string) (*Bucket, error) {
	path := u.Path
	switch u.Host {
	case ".":
		path = strings.TrimPrefix(path, "/")
	case "", "localhost":
	default:
		return nil, fmt.Errorf("open blobs in %s: a folder's URL has three slashes, as in file:///var/lib/assay/blobs, or starts with file://./", name)
	}
	if u.RawQuery != "" || u.User != nil || path == "" {
		return nil, fmt.Errorf("open blobs in %s: a folder's URL has only a path", name)
	}
	root, err := filepath.Abs(filepath.FromSlash(path))
	if err != nil {
		return nil, fmt.Errorf("open blobs in %s: %w", name, err)
	}
	opened, err := fileblob.OpenBucket(root, &fileblob.Options{
		CreateDir: true, DirFileMode: 0o700, // only assay may read recordings
		NoTempDir: true, // /tmp may be another file system
		Metadata:  fileblob.MetadataDontWrite,
	})
	if err != nil {
		return nil, fmt.Errorf("open blobs in %s: %w", name, err)
	}
	return &Bucket{bucket: opened, folder: &folder{root}, name: name}, nil
}

// syncPath syncs a file's name to the disk, with each folder of its path, because all may be new.
func (f *folder) syncPath(key string) error {
	for dir := filepath.Dir(f.filePath(key)); len(dir) >= len(f.root); dir = filepath.Dir(dir) {
		// The blob may have been deleted already, and its folder with it.
		if err := syncDir(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	// Some file systems cannot sync folders.
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// removeAll removes a folder, and those above it that are empty then. If files are still being
// written below it, it retries a few times.
func (f *folder) removeAll(prefix string) error {
	dir := f.filePath(prefix)
	var err error
	for range 10 {
		if err = os.RemoveAll(dir); !errors.Is(err, syscall.ENOTEMPTY) {
			break
		}
	}
	if err != nil {
		return err
	}
	f.pruneEmpty(prefix)
	parent := filepath.Dir(dir)
	for len(parent) > len(f.root) {
		if _, err := os.Stat(parent); err == nil {
			break
		}
		parent = filepath.Dir(parent)
	}
	if err := syncDir(parent); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// pruneEmpty removes the empty folders above a key. If that fails they stay, which does no harm.
func (f *folder) pruneEmpty(key string) {
	for dir := filepath.Dir(f.filePath(key)); len(dir) > len(f.root); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			return
		}
	}
}

// removeLeftovers removes what processes that were killed have left in a folder: files that are too
// old to be in use. If that fails they stay, which does no harm.
func (f *folder) removeLeftovers(prefix string) {
	dir := f.filePath(prefix)
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		if info, err := file.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(dir, file.Name()))
		}
	}
}

func (f *folder) filePath(key string) string {
	return filepath.Join(f.root, filepath.FromSlash(strings.TrimSuffix(key, "/")))
}
