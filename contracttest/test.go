package contracttest

import (
	"context"
	"fmt"
	"strings"
)

// TestingT is the part of *testing.T that Test needs. It keeps package testing out of programs
// that check platforms.
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

// Test checks a platform inside a Go test, given its *testing.T. It runs a subtest for each case,
// which fails if a MUST is broken and skips with the reason if the case cannot be judged.
// Everything that was not requested because GET /health failed is a single line of the log.
// Broken SHOULDs and results of level INFO are logged.
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

// Explain describes a result in full: what was observed, which rule that breaks, why it matters,
// how to fix it, and how to reproduce it.
func (r *Result) Explain() string {
	var b strings.Builder
	level := string(r.Level)
	switch {
	case r.Status == Waived:
		level += " (waived)"
	case r.Status == Warned && r.Level == Must:
		level = "WARNING" // a live check step that passed with a fix
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
