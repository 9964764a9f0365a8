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

// Within is like Eventually with a time limit. It polls every 5 ms at first, and less often the longer
// it has waited, because a poll that asks a database or a page keeps a processor from what is awaited.
func Within(t testing.TB, patience time.Duration, what string, condition func() bool) {
	t.Helper()
	began := time.Now()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !condition() {
		select {
		case <-deadline.C:
			t.Fatalf("%s: not within %s", what, patience)
		case <-time.After(pollPause(time.Since(began))):
		}
	}
}

// pollPause returns the pause after a poll: a fiftieth of the time waited, from 5 to 100 ms.
func pollPause(waited time.Duration) time.Duration {
	return min(max(waited/50, 5*time.Millisecond), 100*time.Millisecond)
}
