package analysis

import "fmt"

// Units of metrics that are no currency.
const (
	unitSeconds = "seconds"
	unitShare   = "share"
	unitCount   = "count"
	unitRatio   = "ratio"
)

// measured returns a metric that could be computed from n observations.
func measured(value float64, unit string, n, minN int) Metric {
	return Metric{Value: &value, Unit: unit, N: n, MinN: minN, Status: OK, Params: map[string]any{}}
}

// unmeasured returns a metric that could not. The reason is empty for
// InsufficientData, which says all.
func unmeasured(unit string, n, minN int, status Status, reason string) Metric {
	m := Metric{Unit: unit, N: n, MinN: minN, Status: status, Params: map[string]any{}}
	if reason != "" {
		m.Reason = &reason
	}
	return m
}

// with notes a parameter that the value depends on.
func (m Metric) with(name string, value any) Metric {
	m.Params[name] = value
	return m
}

// testedBy notes the p-value of the value.
func (m Metric) testedBy(p float64) Metric {
	m.P = &p
	return m
}

// subject is what one kind of detection always says of itself.
type subject struct {
	kind, title string
	metric      string // key of the metric that it rests on
	question    string // for an interviewer, when there is something to ask
	limitations []string
}

// unknown returns the candidate of a subject that can't be judged.
func (s subject) unknown(status Status, reason, detail string) Candidate {
	d := s.detection(detail)
	d.Status = status
	if reason != "" {
		d.Reason = &reason
	}
	d.SuggestedQuestion = nil
	return Candidate{Detection: d}
}

// tooFew returns the candidate of a subject with n of something, of which it
// needs more.
func (s subject) tooFew(n, minN int, of string) Candidate {
	return s.unknown(InsufficientData, "", fmt.Sprintf("%d %s; at least %d are needed.", n, of, minN))
}

// known returns the candidate of a subject that rests on a metric. Where
// tested, the metric's p takes part in the correction.
func (s subject) known(detail string, m Metric, seen *evidence, tested bool, judge func(adjusted float64) (Severity, *float64)) Candidate {
	d := s.detection(detail)
	d.Status = OK
	d.Metric = &FindingMetric{Name: s.metric, Unit: m.Unit, N: m.N, P: m.P}
	if m.Value != nil {
		d.Metric.Value = *m.Value
	}
	if m.CI != nil {
		d.Metric.CILow, d.Metric.CIHigh = &m.CI.Low, &m.CI.High
	}
	if seen != nil {
		d.Evidence, d.EvidenceTotal = append(d.Evidence, seen.shown...), seen.total
	}
	c := Candidate{Detection: d, Judge: judge}
	if tested {
		c.P = m.P
	}
	return c
}

func (s subject) detection(detail string) Detection {
	d := Detection{
		Kind: s.kind, Area: "activity", Title: s.title, Detail: detail,
		Evidence: []Evidence{}, Limitations: append([]string{}, s.limitations...),
	}
	if s.question != "" {
		d.SuggestedQuestion = &s.question
	}
	return d
}

// evidence counts what a finding was seen in, and keeps the first of it.
type evidence struct {
	shown []Evidence
	total int
}

// trade adds a trade.
func (e *evidence) trade(a *AccountView, t *Trade) {
	e.total++
	if len(e.shown) < MaxEvidence {
		e.shown = append(e.shown, Evidence{Type: "trade", AccountID: a.ID, TradeID: t.ID})
	}
}

// decision adds the trade that opened a decision.
func (e *evidence) decision(a *AccountView, c *Cluster) { e.trade(a, &a.Trades[c.First]) }
