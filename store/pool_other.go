//go:build !linux

package store

import "syscall"

// setUserTimeout does nothing where the system has no such setting: keepalive
// alone finds dead peers.
func setUserTimeout(_, _ string, _ syscall.RawConn) error { return nil }
