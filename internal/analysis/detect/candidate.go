// Package detect holds what all detectors use: the results that they return, the evidence
// that they collect, and the judging of all their candidates together.
package detect

import "github.com/assayhq/assay/internal/analysis/result"

// Result is what one detector found out.
type Result struct {
	Metrics    map[string]result.Metric
	Candidates []Candidate
}

// Candidate is a detection whose severity is judged once all detectors have run.
type Candidate struct {
	// Detection is complete but for ID, Severity and Metric.PAdjusted.
	Detection result.Detection
	// P is the p-value that takes part in the correction over the detectors, already
	// corrected for all that this detector has looked at; nil stays out of it, as
	// descriptive detectors do.
	P *float64
	// Judge gives the severity, and the threshold that decided it (nil for
	// none), for an adjusted p-value, which is 1 where P is nil. It is called
	// once, and only when Status is ok.
	Judge func(adjusted float64) (severity result.Severity, threshold *float64)
}

// DescribeOnly limits the severity to low, and says why.
func (c Candidate) DescribeOnly(why string) Candidate {
	if judge := c.Judge; judge != nil {
		c.Detection.Limitations = append([]string{why}, c.Detection.Limitations...)
		c.Judge = func(adjusted float64) (result.Severity, *float64) {
			severity, threshold := judge(adjusted)
			if severity.Rank() > result.Low.Rank() {
				severity = result.Low
			}
			return severity, threshold
		}
	}
	return c
}

// MaxChance is the corrected p below which chance is ruled out. A firm may ask for less of
// an effect, but not for less evidence, so it is no threshold of a ruleset.
const MaxChance = 0.01

// UnjudgedCandidate returns the candidate of a detector whose main metric has no
// value.
func UnjudgedCandidate(kind, title string, m result.Metric) Candidate {
	detail := "There are too few trades for this check."
	if m.Status == result.NotCheckable {
		detail = "The available data is not sufficient for this check."
	}
	return Candidate{Detection: result.Detection{Kind: kind, Status: m.Status, Reason: m.Reason, Title: title, Detail: detail}}
}

// CleanCandidate is a check that found nothing to judge.
func CleanCandidate(kind, title, detail string, m *result.FindingMetric) Candidate {
	return Candidate{
		Detection: result.Detection{Kind: kind, Status: result.OK, Title: title, Detail: detail, Metric: m},
		Judge:     func(float64) (result.Severity, *float64) { return result.None, nil },
	}
}
