package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// newMetric returns a metric of a sample of n; it has a value when the sample
// has at least minN.
func newMetric(unit string, value float64, n, minN int) Metric {
	m := Metric{Unit: unit, N: n, MinN: minN, Status: OK, Params: map[string]any{}}
	if n < minN || math.IsNaN(value) || math.IsInf(value, 0) {
		m.Status = InsufficientData
		return m
	}
	m.Value = &value
	return m
}

// undefinedMetric returns a metric that the data can't tell, for a reason.
func undefinedMetric(unit string, n, minN int, reason string) Metric {
	return Metric{Unit: unit, N: n, MinN: minN, Status: NotCheckable, Reason: &reason, Params: map[string]any{}}
}

// ratioMetric returns a metric of a quotient; it is not checkable where the whole
// is not positive.
func ratioMetric(unit string, part, whole float64, n, minN int) Metric {
	if n >= minN && !(whole > 0) {
		return undefinedMetric(unit, n, minN, ReasonNotPositive)
	}
	return newMetric(unit, part/whole, n, minN)
}

// addParam adds a parameter.
func (m Metric) addParam(name string, value any) Metric {
	m.Params[name] = value
	return m
}

// withP adds a p-value as it is before any correction.
func (m Metric) withP(p float64) Metric {
	if m.Status == OK {
		m.P = &p
	}
	return m
}

// withCI adds a 95 % confidence interval.
func (m Metric) withCI(low, high float64) Metric {
	if m.Status == OK {
		m.CI = &Interval{Low: low, High: high, Level: 0.95}
	}
	return m
}

// restsOn makes the metric that a finding shows of one of the activity's.
// Status must be OK.
func restsOn(name string, m Metric) *FindingMetric {
	f := &FindingMetric{Name: name, Value: *m.Value, Unit: m.Unit, N: m.N, P: m.P, Comparisons: 1}
	if m.CI != nil {
		f.CILow, f.CIHigh = &m.CI.Low, &m.CI.High
	}
	return f
}

// outOf says for how many comparisons the detector corrects its p.
func (f *FindingMetric) outOf(comparisons int) *FindingMetric {
	f.Comparisons = comparisons
	return f
}

// unjudgedCandidate returns the candidate of a detector whose main metric has no
// value.
func unjudgedCandidate(kind, title string, m Metric) Candidate {
	detail := "There are too few trades for this check."
	if m.Status == NotCheckable {
		detail = "The available data is not sufficient for this check."
	}
	return Candidate{Detection: Detection{Kind: kind, Status: m.Status, Reason: m.Reason, Title: title, Detail: detail}}
}

// cleanCandidate is a check that found nothing to judge.
func cleanCandidate(kind, title, detail string, m *FindingMetric) Candidate {
	return Candidate{
		Detection: Detection{Kind: kind, Status: OK, Title: title, Detail: detail, Metric: m},
		Judge:     func(float64) (Severity, *float64) { return None, nil },
	}
}

// evidence collects the trades that a finding was seen in, the first ones of
// what is added.
type evidence struct {
	shown []Evidence
	total int
}

// isFull reports whether more would not be shown, only counted.
func (e *evidence) isFull() bool { return len(e.shown) >= MaxEvidence }

func (e *evidence) addTrade(a *AccountView, t *Trade) {
	e.total++
	if !e.isFull() {
		e.shown = append(e.shown, Evidence{Type: "trade", AccountID: a.ID, TradeID: t.ID})
	}
}

// addCluster adds the trades of one decision. They need not lie side by side,
// but they lie within n gaps of its first.
func (e *evidence) addCluster(a *AccountView, cluster uint32) {
	c := &a.Clusters[cluster]
	left := int(c.Trades)
	for i := int(c.First); left > 0; i++ {
		if e.isFull() {
			e.total += left
			return
		}
		if a.Cluster[i] == cluster {
			e.addTrade(a, &a.Trades[i])
			left--
		}
	}
}

// sortShown returns what is shown, by account and trade.
func (e *evidence) sortShown() []Evidence {
	slices.SortFunc(e.shown, func(a, b Evidence) int {
		return cmp.Or(strings.Compare(a.AccountID, b.AccountID), strings.Compare(a.TradeID, b.TradeID))
	})
	return e.shown
}
