package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Room for a cluster in memory. A run of all tests takes a part of it, for
// their databases and the log.
const (
	memoryParent = "/dev/shm" // of Linux; elsewhere there is none
	memoryRoom   = 4 << 30    // bytes that must be free in the folder
	memoryFree   = 8 << 30    // bytes of memory that must be available
)

// placeInMemory makes a folder in memory with the link to it. ok is false
// where there is no room for it.
func placeInMemory(link string) (p place, ok bool, err error) {
	if !roomInMemory() {
		return place{}, false, nil
	}
	if os.Geteuid() == 0 {
		if p.account, err = serverAccount(); err != nil {
			return place{}, false, err
		}
	}
	if p.home, err = os.MkdirTemp(memoryParent, "assay-postgres-"); err != nil {
		return place{}, false, nil //nolint:nilerr // not for this user
	}
	if p.account != nil {
		err = makeOwned(p.home, p.account)
	}
	if err := errors.Join(err, os.Symlink(p.home, link)); err != nil {
		return place{}, false, errors.Join(err, os.RemoveAll(p.home))
	}
	return p, true, nil
}

// roomInMemory reports whether the machine has the memory to spare.
func roomInMemory() bool {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memoryParent, &fs); err != nil || uint64(fs.Bavail)*uint64(fs.Bsize) < memoryRoom { //nolint:unconvert // the types are each system's own
		return false
	}
	content, err := os.ReadFile("/proc/meminfo")
	return err == nil && availableMemory(string(content)) >= memoryFree
}

// availableMemory is the bytes that /proc/meminfo says are available; 0 when it
// does not say.
func availableMemory(meminfo string) uint64 {
	for line := range strings.Lines(meminfo) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "MemAvailable:" && fields[2] == "kB" {
			kib, _ := strconv.ParseUint(fields[1], 10, 54) // 0 when malformed
			return kib << 10
		}
	}
	return 0
}

// Release gives back the memory of the cluster that was started in dir with
// Options.Memory, once its supervisor has stopped it. One on a disk stays.
func Release(dir string) error {
	link := filepath.Join(dir, "pg")
	target, err := os.Readlink(link)
	if err != nil || filepath.Dir(target) != memoryParent {
		return nil //nolint:nilerr // no link, so not in memory
	}
	return discardCluster(link)
}
