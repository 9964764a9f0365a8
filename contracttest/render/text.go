package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/assayhq/assay/contracttest"
)

// JSON writes the whole report. Read reads it.
func JSON(w io.Writer, r *contracttest.Report) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// Read reads a report written by JSON.
func Read(from io.Reader) (*contracttest.Report, error) {
	var r contracttest.Report
	if err := json.NewDecoder(from).Decode(&r); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	if r.Format != contracttest.Format {
		return nil, fmt.Errorf("read report: its format is %d, want %d", r.Format, contracttest.Format)
	}
	return &r, nil
}

// Text writes the report for a terminal: each failure in full, then what could not be judged, and
// the verdict.
func Text(w io.Writer, r *contracttest.Report) error {
	p := &printer{w: w}
	for _, result := range r.BrokenRules() {
		p.printf("%s\n\n", result.Explain())
	}
	if n := r.Count(contracttest.Skipped); n > 0 {
		p.printf("Not judged:\n")
		for _, g := range groupSkips(r) {
			if g.Unasked {
				p.printf("  %s: %s\n", g.Cases(), g.Reason)
				continue
			}
			p.printf("  %s\n      %s\n", g.Reason, g.Cases())
		}
		p.printf("\n")
	}
	if idle := unneededWaivers(r); len(idle) > 0 {
		p.printf("Waivers that are no longer needed, because the case passes: %s\n\n", strings.Join(idle, ", "))
	}
	if r.Count(contracttest.Noted) > 0 {
		p.printf("What the contract does not say:\n")
		for i := range r.Results {
			if result := &r.Results[i]; result.Status == contracttest.Noted {
				p.printf("  %s: %s\n", result.Title, result.Message)
			}
		}
		p.printf("\n")
	}
	p.printf("%s\n%s\n", Summary(r), describeSamples(r))
	if r.Load != nil {
		p.printf("Sustained: %s.\n", describeLoad(r.Load))
	}
	return p.err
}

// Summary returns the verdict as a sentence.
func Summary(r *contracttest.Report) string {
	counts := fmt.Sprintf("%d passed, %d failed, %d warned, %d waived, %d not judged",
		r.Count(contracttest.Passed), r.Count(contracttest.Failed), r.Count(contracttest.Warned), r.Count(contracttest.Waived), r.Count(contracttest.Skipped))
	switch {
	case r.Untested != "":
		return fmt.Sprintf("UNTESTED: %s could not be tested: %s.", r.URL, r.Untested)
	case r.Verdict == contracttest.Untested:
		return fmt.Sprintf("UNTESTED: the check of %s (profile %s) did not finish: %s.", r.URL, r.Profile, counts)
	case r.Verdict == contracttest.Violations:
		return fmt.Sprintf("VIOLATIONS: %s breaks the contract (profile %s): %s.", r.URL, r.Profile, counts)
	}
	return fmt.Sprintf("CONFORMANT: %s follows the contract (profile %s): %s.", r.URL, r.Profile, counts)
}

// describeSamples describes how much was read.
func describeSamples(r *contracttest.Report) string {
	var parts []string
	for _, s := range r.Samples {
		how := "a part of"
		if s.Whole {
			how = "all of"
		}
		if s.Records > 0 || s.Whole {
			parts = append(parts, fmt.Sprintf("%s %s (%s on %s, repetitions included)", how, s.List, formatCount(s.Records, "record"), formatCount(s.Requests, "page")))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprintf("No list was read; %d requests in %s.", r.Requests, r.Duration.Round(1e8))
	}
	return fmt.Sprintf("Read: %s; %d requests in %s.", strings.Join(parts, ", "), r.Requests, r.Duration.Round(1e8))
}

// unneededWaivers returns the waived cases that pass or cannot fail.
func unneededWaivers(r *contracttest.Report) (ids []string) {
	for i := range r.Results {
		if result := &r.Results[i]; result.Waiver != nil && (result.Status == contracttest.Passed || result.Status == contracttest.Noted) {
			ids = append(ids, result.ID)
		}
	}
	return ids
}

// formatCount returns a count with its noun.
func formatCount(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func describeLoad(l *contracttest.Load) string {
	return fmt.Sprintf("%d requests at %.1f a second, %d failed, median %s, 95 %% within %s, slowest %s",
		l.Requests, l.Rate, l.Failed, l.Median.Round(1e5), l.P95.Round(1e5), l.Slowest.Round(1e5))
}

// group holds the cases that were skipped for one reason.
type group struct {
	Reason  string
	IDs     []string
	Unasked bool // as contracttest.Result.Unasked
}

// Cases names the cases. If nothing was requested there are too many to name, and it holds their
// count.
func (g group) Cases() string {
	if g.Unasked {
		return formatCount(len(g.IDs), "case")
	}
	return strings.Join(g.IDs, ", ")
}

// groupSkips groups the cases that were not judged by reason, in the order of the cases.
func groupSkips(r *contracttest.Report) []group {
	var groups []group
	at := make(map[string]int)
	for i := range r.Results {
		result := &r.Results[i]
		if result.Status != contracttest.Skipped {
			continue
		}
		reason := string(result.Skip) + ": " + result.Message
		n, ok := at[reason]
		if !ok {
			n = len(groups)
			at[reason] = n
			groups = append(groups, group{Reason: reason, Unasked: result.Unasked()})
		}
		groups[n].IDs = append(groups[n].IDs, result.ID)
	}
	return groups
}

// printer writes until the first error and keeps that error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
