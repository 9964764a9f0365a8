package analysis

// Severity orders findings. None is a detector that ran and found nothing.
type Severity string

// The severities, least first.
const (
	None   Severity = "none"
	Info   Severity = "info"
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// Rank orders severities: 0 for none (and anything unknown) to 4 for high.
func (s Severity) Rank() int {
	switch s {
	case Info:
		return 1
	case Low:
		return 2
	case Medium:
		return 3
	case High:
		return 4
	}
	return 0
}

// Detection is what one detector says. With Status ok and a Severity above none
// it is a finding of the report.
type Detection struct {
	ID     string  `json:"id"` // hash of the content: equal findings have equal ids
	Kind   string  `json:"kind"`
	Area   string  `json:"area"` // activity
	Status Status  `json:"status"`
	Reason *string `json:"reason"` // of a status other than ok
	// Severity is null unless Status is ok.
	Severity      *Severity      `json:"severity"`
	Title         string         `json:"title"`
	Detail        string         `json:"detail"`
	Metric        *FindingMetric `json:"metric"`
	Evidence      []Evidence     `json:"evidence"`
	EvidenceTotal int            `json:"evidence_total"` // before Evidence was cut to MaxEvidence
	Limitations   []string       `json:"limitations"`
	// SuggestedQuestion is what an interviewer could ask; null for none.
	SuggestedQuestion *string `json:"suggested_question"`
}

// FindingMetric is the number that a finding rests on.
type FindingMetric struct {
	Name      string   `json:"name"` // key of Activity.Metrics
	Value     float64  `json:"value"`
	Unit      string   `json:"unit"`
	Threshold *float64 `json:"threshold"` // the one that was reached, or the lowest that was not
	N         int      `json:"n"`
	P         *float64 `json:"p_value"`
	PAdjusted *float64 `json:"p_adjusted"` // after Benjamini–Hochberg over the report
	CILow     *float64 `json:"ci_low"`
	CIHigh    *float64 `json:"ci_high"`
}

// Evidence points at what a finding was seen in.
type Evidence struct {
	Type      string `json:"type"` // trade
	AccountID string `json:"account_id"`
	TradeID   string `json:"trade_id"`
}

// MaxEvidence bounds the evidence of one finding.
const MaxEvidence = 20

// Candidate is a detection whose severity is judged once all detectors have run.
type Candidate struct {
	// Detection is complete but for ID, Severity and Metric.PAdjusted.
	Detection Detection
	// P is the raw p-value that takes part in the correction; nil stays out of
	// it, as descriptive detectors do.
	P *float64
	// Judge gives the severity, and the threshold that decided it (nil for
	// none), for an adjusted p-value, which is 1 where P is nil. It is called
	// once, and only when Status is ok.
	Judge func(adjusted float64) (severity Severity, threshold *float64)
}

// Result is what one detector found out.
type Result struct {
	Metrics    map[string]Metric
	Candidates []Candidate
}

// Detector computes metrics of one subject and judges them. It must only read
// the View, and give equal Results for equal ones.
type Detector struct {
	Name string // of the file that it stands in, for tests and benchmarks
	Run  func(v *View) Result
}
