package engine

import (
	"context"
	"testing"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
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

// TestCountTogether checks which pages are not written with others: those whose records
// may be stored, erased or rejected, or shown twice.
func TestCountTogether(t *testing.T) {
	t.Parallel()
	page := func(ids ...string) fetched {
		var b record.Batch
		for _, id := range ids {
			b.Payouts = append(b.Payouts, record.Payout{ID: id})
		}
		return fetched{page: &connectors.Page{Batch: b}}
	}
	rejecting, finding := page("c"), page("c")
	rejecting.page.Rejected = make([]record.Rejected, 1)
	finding.page.Findings = make([]record.Finding, 1)
	failed := fetched{err: context.Canceled}
	for _, tt := range []struct {
		name    string
		answers []fetched
		change  func(*cycle)
		want    int
	}{
		{"good records", []fetched{page("a"), page("b"), page("c")}, nil, 3},
		{"an empty page", []fetched{page("a"), page(), page("c")}, nil, 3},
		{"an error", []fetched{page("a"), page("b"), failed}, nil, 2},
		{"an error first", []fetched{failed}, nil, 1},
		{"a rejected record", []fetched{page("a"), page("b"), rejecting}, nil, 2},
		{"a rejected record first", []fetched{rejecting, page("a")}, nil, 1},
		{"a finding", []fetched{page("a"), finding}, nil, 1},
		{"a record twice on one page", []fetched{page("a", "a"), page("b")}, nil, 2},
		{"a record that comes again", []fetched{page("a"), page("b"), page("c", "a")}, nil, 2},
		{"pages that are read again", []fetched{page("a"), page("b")}, func(c *cycle) { c.running.Replaying = true }, 1},
		{"erased people", []fetched{page("a"), page("b")}, func(c *cycle) { c.claim.Suppressing = true }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &cycle{running: &syncing.OpenRun{}, claim: &syncing.Claim{}}
			if tt.change != nil {
				tt.change(c)
			}
			if got := c.countTogether(tt.answers); got != tt.want {
				t.Errorf("%d pages are written together, want %d", got, tt.want)
			}
		})
	}
}
