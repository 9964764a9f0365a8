package report

import (
	"fmt"
	"strings"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/wording"
	"github.com/assayhq/assay/internal/interview/claims/check"
)

// MaxSummary bounds the summary, in characters.
const MaxSummary = 1200

// summaryFindings is how many findings a summary names.
const summaryFindings = 5

// writeSummary returns the text that a person reads first.
func (a *assembly) writeSummary(r *Report) string {
	parts := []string{a.describeBasis(r), countVerdicts(r.ClaimChecks), listSeverest(r.Findings)}
	if !r.IntegritySummary.TelemetryComplete {
		parts = append(parts, "Some browser events may be missing.")
	}
	if n := len(r.DataGaps); n > 0 {
		parts = append(parts, fmt.Sprintf("%s may limit these results.", countThings(n, "data gap")))
	}
	text := []rune(strings.Join(parts, " "))
	if len(text) > MaxSummary {
		text = append(text[:MaxSummary-1], '…')
	}
	return string(text)
}

// dayFormat is how days are written in a report.
const dayFormat = "2 January 2006"

// describeBasis says on what data the report rests.
func (a *assembly) describeBasis(r *Report) string {
	var text strings.Builder
	if r.Inputs.Trades == 0 {
		text.WriteString("No trades were analyzed.")
	} else {
		fmt.Fprintf(&text, "Analyzed %s in %s", countThings(r.Inputs.Trades, "trade"), countThings(r.Inputs.Accounts, "account"))
		if from, to := r.Inputs.Window.From, r.Inputs.Window.To; from != nil && to != nil {
			fmt.Fprintf(&text, " from %s to %s", from.Format(dayFormat), to.Format(dayFormat))
		}
		text.WriteString(".")
	}
	switch t := a.in.Transcript; {
	case t == nil:
		text.WriteString(" There is no transcript.")
	case t.Quality == qualityDraft:
		text.WriteString(" The transcript is a draft.")
	}
	if a.in.Partial {
		text.WriteString(" The interview was not finished.")
	}
	return text.String()
}

// countVerdicts counts the verdicts on the claims.
func countVerdicts(checks []ClaimCheck) string {
	if len(checks) == 0 {
		return "No statements could be compared with the data."
	}
	n := map[check.Verdict]int{}
	for _, c := range checks {
		n[check.Verdict(c.Verdict)]++
	}
	var outcomes []string
	for _, o := range []struct {
		verdict   check.Verdict
		one, many string
	}{
		{check.Consistent, "matches the data", "match the data"},
		{check.Partly, "partly matches", "partly match"},
		{check.Inconsistent, "differs", "differ"},
		{check.Unclear, "is unclear", "are unclear"},
		{check.NotCheckable, "can't be checked", "can't be checked"},
	} {
		switch count := n[o.verdict]; count {
		case 0:
		case 1:
			outcomes = append(outcomes, "1 "+o.one)
		default:
			outcomes = append(outcomes, wording.FormatText("%d %s", count, o.many))
		}
	}
	return fmt.Sprintf("%s: %s.", countThings(len(checks), "statement"), strings.Join(outcomes, ", "))
}

// listSeverest counts the findings by severity and names the severest ones.
func listSeverest(findings []Finding) string {
	n := map[result.Severity]int{}
	var named []string
	for _, f := range findings {
		n[f.Severity]++
		if f.Severity.Rank() > result.Info.Rank() && len(named) < summaryFindings {
			named = append(named, fmt.Sprintf("%s (%s)", f.Title, f.Severity))
		}
	}
	if len(named) == 0 {
		return "No findings above informational."
	}
	var levels []string
	for _, severity := range []result.Severity{result.High, result.Medium, result.Low} {
		if n[severity] > 0 {
			levels = append(levels, wording.FormatText("%d %s", n[severity], severity))
		}
	}
	text := fmt.Sprintf("Findings (%s): %s", strings.Join(levels, ", "), strings.Join(named, "; "))
	if rest := n[result.High] + n[result.Medium] + n[result.Low] - len(named); rest > 0 {
		text += wording.FormatText("; and %d more", rest)
	}
	return text + "."
}

// countThings writes a count in words.
func countThings(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return wording.FormatText("%d %ss", n, what)
}
