package storetest

import (
	"os"
	"testing"
)

// LeaveOut skips a test that cannot run here, for the given reason. If CI is set it fails the test
// instead, unless the run is a short one, for which nothing is installed.
func LeaveOut(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" && !testing.Short() {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
