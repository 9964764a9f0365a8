package proc

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// capDACReadSearch is CAP_DAC_READ_SEARCH: reading and searching folders
// whatever their permissions (capabilities(7)).
const capDACReadSearch = 2

// attributes puts a process into its own group, lets the kernel signal it when
// the launcher dies, and makes it run as the account.
func attributes(account *Account, orphaned syscall.Signal) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: orphaned}
	if account != nil {
		a.Credential = &syscall.Credential{Uid: account.UID, Gid: account.GID}
		if account.Search {
			a.AmbientCaps = []uintptr{capDACReadSearch}
		}
	}
	return a
}

// Identity describes a running process: no other process on this machine has
// the same identity, before or after a reboot. ok is false when there is no such
// process, or it has ended and was not reaped yet.
func Identity(pid int) (identity string, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The name in brackets may hold spaces and brackets. After it come the
	// state (field 3) and, as field 22, the start time (proc(5)).
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	const state, start = 0, 22 - 3
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return "", false
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", false
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[start], true
}

// CommandLine returns program and arguments of a running process, separated
// by spaces; empty when there is no such process.
func CommandLine(pid int) string {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ReplaceAll(string(content), "\x00", " "))
}
