package fault_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := start(t, kind)
			list, other := p.paths[0], p.paths[1]
			p.set(t, "status-500", fault.Options{Endpoint: list, After: 1, Times: 2})
			if diff := cmp.Diff([]int{200, 200}, p.statuses(t, 2, other)); diff != "" {
				t.Errorf("another endpoint:\n%s", diff)
			}
			if diff := cmp.Diff([]int{200, 500, 500, 200, 200}, p.statuses(t, 5, list)); diff != "" {
				t.Errorf("after=1 times=2:\n%s", diff)
			}
			p.set(t, "status-500", fault.Options{Times: 1})
			if diff := cmp.Diff([]int{500, 200}, p.statuses(t, 2, other)); diff != "" {
				t.Errorf("set again:\n%s", diff)
			}
			p.set(t, "status-429", fault.Options{Value: "7"})
			if got := p.get(t, list).header.Get("Retry-After"); got != "7" {
				t.Errorf("Retry-After is %q", got)
			}
			p.ClearFaults()
			p.set(t, "missing-id", fault.Options{Every: 3})
			p.set(t, "envelope-items", fault.Options{})
			if got := p.get(t, list).body; !strings.HasPrefix(got, `{"items":[`) || strings.Count(got, `{"account`) != 34 { // of 100 records
				t.Errorf("two faults at once: %.100s", got)
			}
		})
	}
}

func TestProbability(t *testing.T) {
	t.Parallel()
	p := start(t, "reference")
	p.set(t, "status-500", fault.Options{Probability: 0.3})
	got := p.statuses(t, 100, "/health")
	if n := 100 - len(slices.DeleteFunc(slices.Clone(got), func(s int) bool { return s == 500 })); n < 15 || n > 45 {
		t.Errorf("probability 0.3 struck %d of 100", n)
	}
	p.set(t, "status-500", fault.Options{Probability: 0.3})
	if diff := cmp.Diff(got, p.statuses(t, 100, "/health")); diff != "" {
		t.Errorf("the same seed strikes other requests:\n%s", diff)
	}
}

func TestWrongFaults(t *testing.T) {
	t.Parallel()
	p := start(t, "reference")
	tests := []struct {
		name, fault string
		o           fault.Options
		want        string
	}{
		{"unknown name", "status-418", fault.Options{}, "want one of open-auth, status-401"},
		{"unknown endpoint", "slow", fault.Options{Endpoint: "/orders"}, "want one of /health, /traders"},
		{"endpoint it cannot strike", "unordered", fault.Options{Endpoint: "/health"}, "cannot strike /health"},
		{"probability", "slow", fault.Options{Probability: 1.5}, "want 0 to 1"},
		{"negative", "slow", fault.Options{Times: -1}, "negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := p.SetFault(tt.fault, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
