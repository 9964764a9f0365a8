package program

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes puts the program into a group of its own and lets it die with this
// process, also when that is killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limit bounds a process that has just begun. It may have ended already, so
// errors mean nothing.
func limit(pid int, l Limits) {
	for resource, most := range map[int]uint64{unix.RLIMIT_AS: l.Memory, unix.RLIMIT_FSIZE: l.File, unix.RLIMIT_CORE: 0} {
		_ = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil)
	}
}
