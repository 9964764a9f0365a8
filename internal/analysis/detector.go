package analysis

import (
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

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

// describeOnly limits the severity to low, and says why.
func (c Candidate) describeOnly(why string) Candidate {
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

// Result is what one detector found out.
type Result struct {
	Metrics    map[string]result.Metric
	Candidates []Candidate
}

// detector computes metrics of one subject and judges them. It must only read
// the View, and give equal Results for equal ones.
type detector func(v *trades.View) Result
