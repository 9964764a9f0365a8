package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// PrintRuns is printRuns.
func PrintRuns(ctx context.Context, db *store.DB, id, cycle uuid.UUID, stdout io.Writer) error {
	return printRuns(ctx, db, id, cycle, stdout)
}

// RunWithLeases is main with other leases. It returns the exit code.
func RunWithLeases(cycle, step time.Duration) int {
	return run(os.Args[1:], leases{cycle: cycle, step: step}, os.Stdout, os.Stderr)
}
