package main

import (
	"os"
	"time"
)

// RunWithLeases is main with other leases. It returns the exit code.
func RunWithLeases(cycle, step time.Duration) int {
	return run(os.Args[1:], leases{cycle: cycle, step: step}, os.Stdout, os.Stderr)
}
