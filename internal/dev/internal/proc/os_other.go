//go:build !linux

package proc

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// attributes puts a process into its own group and makes it run as the account.
func attributes(account *Account, _ syscall.Signal) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if account != nil {
		a.Credential = &syscall.Credential{Uid: account.UID, Gid: account.GID}
	}
	return a
}

// Identity describes a running process by the time of its start. ok is false
// when there is no such process, or it has ended and was not reaped yet.
func Identity(pid int) (identity string, ok bool) {
	out := ps(pid, "state=,lstart=")
	if out == "" || strings.HasPrefix(out, "Z") {
		return "", false
	}
	_, start, _ := strings.Cut(out, " ")
	return strings.TrimSpace(start), true
}

// CommandLine returns program and arguments of a running process, separated
// by spaces; empty when there is no such process.
func CommandLine(pid int) string { return ps(pid, "command=") }

func ps(pid int, columns string) string {
	out, err := exec.Command("ps", "-o", columns, "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return "" // ps fails when there is no such process
	}
	return strings.TrimSpace(string(out))
}
