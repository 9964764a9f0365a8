//go:build !linux

package store

import "syscall"

// setUserTimeout does nothing on systems without such a setting. Only keepalive detects dead peers
// there.
func setUserTimeout(_, _ string, _ syscall.RawConn) error { return nil }
