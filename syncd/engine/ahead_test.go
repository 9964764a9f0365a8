package engine

import (
	"context"
	"testing"

	"github.com/assayhq/assay/connectors"
)

// TestReadAhead checks that waiting answers are taken at once, and that no more wait
// than there is room for.
func TestReadAhead(t *testing.T) {
	t.Parallel()
	answer := func(bytes int) fetched {
		return fetched{page: &connectors.Page{Stats: connectors.Stats{Bytes: bytes}, Release: func() {}}}
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	a := newReadAhead(3)
	put := func(bytes int) {
		t.Helper()
		if !a.put(t.Context(), answer(bytes)) {
			t.Fatalf("there was no room for %d bytes", bytes)
		}
	}
	take := func(want int) {
		t.Helper()
		if got := len(a.take()); got != want {
			t.Fatalf("%d answers were taken, want %d", got, want)
		}
	}
	refuse := func(bytes int) {
		t.Helper()
		if a.put(over, answer(bytes)) {
			t.Fatalf("there was room for %d bytes more", bytes)
		}
	}

	put(bytesAhead / 2)
	put(bytesAhead / 4)
	refuse(bytesAhead / 2)
	take(2)

	put(10 * bytesAhead) // larger than all the room, which it has for itself
	refuse(1)
	take(1)

	put(1)
	if !a.put(t.Context(), fetched{err: context.Canceled}) { // an error takes no room
		t.Fatal("there was no room for an error")
	}
	a.close()
	take(2)
	take(0)
}
