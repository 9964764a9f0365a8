package detect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
)

// JudgeCandidates corrects the p-values of all candidates together, and lets each
// candidate be judged by its own.
func JudgeCandidates(candidates []Candidate) (out []result.Detection, tests int) {
	var raw []float64
	for _, c := range candidates {
		if c.P != nil && c.Detection.Status == result.OK {
			raw = append(raw, *c.P)
		}
	}
	adjusted := stat.BenjaminiHochberg(raw)
	out = make([]result.Detection, 0, len(candidates))
	next := 0
	for _, c := range candidates {
		p := 1.0
		if c.P != nil && c.Detection.Status == result.OK {
			p = adjusted[next]
			next++
			c.Detection.Metric.PAdjusted = &p
		}
		out = append(out, completeDetection(c, p))
	}
	return out, len(raw)
}

// completeDetection returns the candidate's detection with its severity and texts.
func completeDetection(c Candidate, adjusted float64) result.Detection {
	d := c.Detection
	d.Area = "activity"
	if d.Status == result.OK {
		severity, threshold := c.Judge(adjusted)
		d.Severity = &severity
		if d.Metric != nil {
			d.Metric.Threshold = threshold
		}
	}
	d.Evidence = append([]result.Evidence{}, d.Evidence...)
	d.Limitations = append([]string{}, d.Limitations...)
	d.ID = ""
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // metrics are finite
	}
	sum := sha256.Sum256(text)
	d.ID = hex.EncodeToString(sum[:16])
	return d
}
