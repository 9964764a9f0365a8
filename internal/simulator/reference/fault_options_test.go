package reference_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/reference"
)

func TestFaultOptions(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(32))
	statuses := func(n int, path string) (got []int) {
		for range n {
			got = append(got, get(t, p, path).StatusCode)
		}
		return got
	}
	set := func(name string, o reference.FaultOptions) {
		t.Helper()
		if err := p.SetFault(name, o); err != nil {
			t.Fatal(err)
		}
	}
	set("status-500", reference.FaultOptions{Endpoint: "/trades", After: 1, Times: 2})
	if diff := cmp.Diff([]int{200, 200}, statuses(2, "/accounts")); diff != "" {
		t.Errorf("another endpoint:\n%s", diff)
	}
	if diff := cmp.Diff([]int{200, 500, 500, 200, 200}, statuses(5, "/trades")); diff != "" {
		t.Errorf("after=1 times=2:\n%s", diff)
	}
	set("status-500", reference.FaultOptions{Times: 1})
	if diff := cmp.Diff([]int{500, 200}, statuses(2, "/traders/tr_00000001")); diff != "" {
		t.Errorf("set again:\n%s", diff)
	}
	set("status-500", reference.FaultOptions{Probability: 0.3})
	got := statuses(400, "/health")
	if n := 400 - len(slices.DeleteFunc(slices.Clone(got), func(s int) bool { return s == 500 })); n < 80 || n > 160 {
		t.Errorf("probability 0.3 struck %d of 400", n)
	}
	set("status-500", reference.FaultOptions{Probability: 0.3})
	if diff := cmp.Diff(got, statuses(400, "/health")); diff != "" {
		t.Errorf("the same seed strikes other requests:\n%s", diff)
	}
	p.ClearFaults()
	set("missing-id", reference.FaultOptions{Every: 3})
	for i, record := range getPage(t, p, "/trades", nil).Data {
		if has := headOf(t, string(record)).ID != ""; has == (i%3 == 0) {
			t.Errorf("record %d has an id: %v", i, has)
		}
	}
	set("status-429", reference.FaultOptions{Value: "7"})
	if got := get(t, p, "/trades").Header.Get("Retry-After"); got != "7" {
		t.Errorf("Retry-After is %q", got)
	}
	p.ClearFaults()
	set("unordered", reference.FaultOptions{})
	set("numeric-ids", reference.FaultOptions{})
	set("envelope-items", reference.FaultOptions{})
	if got := body(t, get(t, p, "/traders?limit=2")); !strings.HasPrefix(got, `{"items":[{"id":`) || strings.Contains(got, "tr_") {
		t.Errorf("three faults at once: %s", got)
	}
}

func TestWrongFaults(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(33))
	tests := []struct {
		name, fault string
		o           reference.FaultOptions
		want        string
	}{
		{"unknown name", "status-418", reference.FaultOptions{}, "want one of open-auth, status-401"},
		{"unknown endpoint", "slow", reference.FaultOptions{Endpoint: "/orders"}, "want one of /health, /traders"},
		{"endpoint it cannot strike", "unordered", reference.FaultOptions{Endpoint: "/health"}, "cannot strike /health"},
		{"probability", "slow", reference.FaultOptions{Probability: 1.5}, "want 0 to 1"},
		{"negative", "slow", reference.FaultOptions{Times: -1}, "negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := p.SetFault(tt.fault, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
