package contracttest

import (
	"context"
	"fmt"
	"strings"
)

// TestingT is what Test needs of *testing.T, so that no program that checks
// platforms is linked with package testing.
type TestingT[T any] interface {
	Context() context.Context
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Helper()
	Log(args ...any)
	Run(name string, test func(T)) bool
	Skipf(format string, args ...any)
}

// Test checks a platform inside a Go test, with its *testing.T: a subtest for each case, which fails
// when a MUST is broken, and skips with the reason when the case cannot be
// judged. What was not asked because GET /health failed is a single line of the log. Broken SHOULDs and what the contract does not say are logged.
func Test[T TestingT[T]](t T, o Options) {
	t.Helper()
	report, err := Check(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if report.Untested != "" {
		t.Fatalf("%s could not be tested: %s", report.URL, report.Untested)
	}
	if n := report.countUnasked(); n > 0 {
		t.Log(fmt.Sprintf("%d other cases were not judged: GET /health failed, and nothing else is asked then", n))
	}
	for i := range report.Results {
		result := &report.Results[i]
		if result.Unasked() {
			continue
		}
		t.Run(result.ID, func(t T) {
			t.Helper()
			switch result.Status {
			case Failed:
				t.Error(result.Explain())
			case Warned, Waived:
				t.Log(result.Explain())
			case Skipped:
				if report.Unjudged(result) {
					t.Errorf("not judged: %s", result.Message)
					return
				}
				t.Skipf("%s: %s", result.Skip, result.Message)
			default:
				t.Log(result.Message)
			}
		})
	}
}

// Explain tells a result in full: what was seen, which rule that breaks, why it
// matters, how to fix it, and how to see it again.
func (r *Result) Explain() string {
	var b strings.Builder
	level := string(r.Level)
	switch {
	case r.Status == Waived:
		level += " (waived)"
	case r.Status == Warned && r.Level == Must:
		level = "WARNING" // a step of the live check that passed with one
	}
	fmt.Fprintf(&b, "%s %s: %s\n", level, r.ID, r.Message)
	fmt.Fprintf(&b, "  rule  %s (%s)\n  why   %s\n  fix   %s", r.Rule, r.Clause, r.Why, r.Fix)
	if r.Curl != "" {
		fmt.Fprintf(&b, "\n  curl  %s", r.Curl)
	}
	if r.Waiver != nil {
		word := "waived until"
		if r.Expired {
			word = "the waiver expired on"
		}
		fmt.Fprintf(&b, "\n  %s %s: %s", word, r.Waiver.Expires, r.Waiver.Reason)
	}
	return b.String()
}
