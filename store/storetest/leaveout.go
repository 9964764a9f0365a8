package storetest

import (
	"os"
	"testing"
)

// LeaveOut skips a test that cannot be run here, for the reason; where CI is set
// it fails the test.
func LeaveOut(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
