package storetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// childVariable has the database of a process that StartChild starts.
const childVariable = "ASSAY_TEST_CHILD_DATABASE"

// StartChild runs this test binary as another process on the database, with more variables in its
// environment, and returns a function that kills it. The process does what TestMain passes to
// ServeChild.
func StartChild(t testing.TB, databaseURL string, variables ...string) (kill func()) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0])
	cmd.Env = append(append(os.Environ(), childVariable+"="+databaseURL), variables...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dead := false
	kill = func() {
		if !dead {
			dead = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		}
	}
	t.Cleanup(kill)
	return kill
}

// ServeChild runs work and exits if StartChild started this process. It does nothing otherwise.
func ServeChild(work func(ctx context.Context, db *store.DB) error) {
	databaseURL := os.Getenv(childVariable)
	if databaseURL == "" {
		return
	}
	ctx := context.Background()
	db, err := store.Open(ctx, store.Options{URL: seal.NewSecret(databaseURL), MaxConnections: 8, Keyring: Keyring(), ApplicationName: "test"})
	if err == nil {
		err = work(ctx, db)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
