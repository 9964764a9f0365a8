//go:build !linux

package program

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// limit does nothing: only Linux bounds another process.
func limit(int, Limits) {}
