package storetest

import (
	"testing"
	"time"
)

// Eventually polls until the condition holds, and fails the test if it does not hold in time.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	Within(t, patience, what, condition)
}

// Within is like Eventually with a time limit.
func Within(t testing.TB, patience time.Duration, what string, condition func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline.C:
			t.Fatalf("%s: not within %s", what, patience)
		case <-tick.C:
		}
	}
}
